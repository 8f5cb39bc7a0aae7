//! The position and the questions one can ask it.

use crate::grid::{self, CELLS, Spot};
use crate::man::{Man, Role, Side};

/// Which rules are played. Chess960 is chess with other start positions, so it has no value of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Game {
    /// Chess, Chess960 included.
    Chess,
    /// Thai chess.
    Makruk,
}

/// A running Makruk count, in plies as the FEN has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Count {
    /// The limit: twice the number spoken last.
    pub limit: u32,
    /// Plies counted so far.
    pub plies: u32,
}

/// What a cell of the grid holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    Off,
    Empty,
    Taken(Man),
}

/// The squares of one side's men in no particular order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Roll {
    spots: [Spot; 16],
    len: usize,
}

impl Roll {
    pub(crate) fn spots(&self) -> &[Spot] {
        &self.spots[..self.len]
    }

    pub(crate) fn set(&mut self, place: u8, spot: Spot) {
        self.spots[place as usize] = spot;
    }
}

/// A chess or Makruk position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    pub(crate) game: Game,
    pub(crate) cells: [Cell; CELLS],
    pub(crate) rolls: [Roll; 2],
    /// For each taken cell, the man's place in its side's roll.
    pub(crate) places: [u8; CELLS],
    pub(crate) kings: [Spot; 2],
    pub(crate) turn: Side,
    /// The rooks that may still castle: by side, then king's side and queen's side.
    pub(crate) castling: [[Option<Spot>; 2]; 2],
    /// The square behind a pawn that has just moved two, if an enemy pawn stands ready to take there.
    pub(crate) en_passant: Option<Spot>,
    pub(crate) halfmoves: u32,
    pub(crate) fullmoves: u32,
    pub(crate) count: Option<Count>,
}

impl Position {
    /// A board with no men, for the FEN reader.
    pub(crate) fn bare(game: Game) -> Position {
        let corner = Spot::new(0, 0);
        let mut cells = [Cell::Off; CELLS];
        for spot in Spot::all() {
            cells[spot.cell()] = Cell::Empty;
        }
        Position {
            game,
            cells,
            rolls: [Roll { spots: [corner; 16], len: 0 }; 2],
            places: [0; CELLS],
            kings: [corner; 2],
            turn: Side::White,
            castling: [[None; 2]; 2],
            en_passant: None,
            halfmoves: 0,
            fullmoves: 1,
            count: None,
        }
    }

    /// The usual start position.
    pub fn startpos(game: Game) -> Position {
        let fen = match game {
            Game::Chess => "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            Game::Makruk => "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
        };
        Position::from_fen(game, fen).expect("the start position is legal")
    }

    /// The rules in force.
    pub fn game(&self) -> Game {
        self.game
    }

    /// Whose turn it is.
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// The man on a square.
    pub fn man_at(&self, spot: Spot) -> Option<Man> {
        match self.cells[spot.cell()] {
            Cell::Taken(man) => Some(man),
            _ => None,
        }
    }

    /// The squares of one side's men, in no particular order.
    pub fn men(&self, side: Side) -> &[Spot] {
        self.rolls[side as usize].spots()
    }

    /// The running Makruk count.
    pub fn count(&self) -> Option<Count> {
        self.count
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        self.halfmoves
    }

    /// Whether any man of `by` attacks `spot`; who stands there does not matter.
    pub fn is_attacked(&self, spot: Spot, by: Side) -> bool {
        self.men(by).iter().any(|&from| self.attacks(from, spot))
    }

    /// Whether the man on `from` attacks `to`.
    fn attacks(&self, from: Spot, to: Spot) -> bool {
        let Some(man) = self.man_at(from) else { return false };
        let Some(line) = grid::line(man.side, man.role, from, to) else { return false };
        if man.role.slides() {
            let mut cell = from.cell_at(line.step.into());
            while cell != to.cell() {
                if self.cells[cell] != Cell::Empty {
                    return false;
                }
                cell = (cell as i16 + i16::from(line.step)) as usize;
            }
        }
        true
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        self.king_attacked(self.turn)
    }

    pub(crate) fn king_attacked(&self, side: Side) -> bool {
        self.is_attacked(self.kings[side as usize], side.other())
    }

    /// Whether the side to move is checkmated.
    pub fn is_mate(&self) -> bool {
        self.in_check() && self.moves().is_empty()
    }

    /// Whether the side to move has no move and is not in check.
    pub fn is_stalemate(&self) -> bool {
        !self.in_check() && self.moves().is_empty()
    }

    /// Whether the Makruk count has run out; mate beats the count.
    pub fn is_count_draw(&self) -> bool {
        self.count.is_some_and(|count| count.plies > count.limit) && !self.is_mate()
    }

    pub(crate) fn put(&mut self, spot: Spot, man: Man) {
        let roll = &mut self.rolls[man.side as usize];
        roll.spots[roll.len] = spot;
        self.places[spot.cell()] = roll.len as u8;
        roll.len += 1;
        self.cells[spot.cell()] = Cell::Taken(man);
        if man.role == Role::King {
            self.kings[man.side as usize] = spot;
        }
    }

    /// Takes a man off; the last of its roll fills the gap.
    pub(crate) fn lift(&mut self, spot: Spot, side: Side) {
        let place = self.places[spot.cell()] as usize;
        let roll = &mut self.rolls[side as usize];
        roll.len -= 1;
        let last = roll.spots[roll.len];
        roll.spots[place] = last;
        self.places[last.cell()] = place as u8;
        // Free cells and places past the end hold a fixed value, so that equal positions compare equal.
        roll.spots[roll.len] = Spot::new(0, 0);
        self.places[spot.cell()] = 0;
        self.cells[spot.cell()] = Cell::Empty;
    }

    /// Undoes [`lift`](Self::lift): the man comes back to the same place in its roll.
    pub(crate) fn unlift(&mut self, spot: Spot, man: Man, place: u8) {
        let roll = &mut self.rolls[man.side as usize];
        if usize::from(place) < roll.len {
            let moved = roll.spots[place as usize];
            roll.spots[roll.len] = moved;
            self.places[moved.cell()] = roll.len as u8;
        }
        roll.spots[place as usize] = spot;
        roll.len += 1;
        self.places[spot.cell()] = place;
        self.cells[spot.cell()] = Cell::Taken(man);
    }

    /// Moves a man to an empty square, keeping its place in the roll; `man` is what it is on arrival.
    pub(crate) fn shift(&mut self, from: Spot, to: Spot, man: Man) {
        if from != to {
            let place = self.places[from.cell()];
            self.cells[from.cell()] = Cell::Empty;
            self.places[from.cell()] = 0;
            self.places[to.cell()] = place;
            self.rolls[man.side as usize].set(place, to);
        }
        self.cells[to.cell()] = Cell::Taken(man);
        if man.role == Role::King {
            self.kings[man.side as usize] = to;
        }
    }
}
