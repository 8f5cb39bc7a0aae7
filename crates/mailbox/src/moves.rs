//! Moves, their generation and their UCI names.

use crate::grid::{ALL_EIGHT, DIAGONAL, E, LEAPS, N, S, STRAIGHT, Spot, W};
use crate::man::{Man, Role, Side};
use crate::position::{Cell, Game, Position};

/// What is special about a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum MoveKind {
    /// Nothing, or a promotion.
    Plain,
    /// A pawn's double step.
    Double,
    /// A pawn takes a pawn that has just passed it.
    EnPassant,
    /// King's-side castling; `from` is the king's square, `to` the rook's.
    Short,
    /// Queen's-side castling; `from` is the king's square, `to` the rook's.
    Long,
}

/// A move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Move {
    /// Where the man comes from.
    pub from: Spot,
    /// Where it goes; the rook's square when castling.
    pub to: Spot,
    /// What a pawn becomes.
    pub promotion: Option<Role>,
    /// What is special about it.
    pub kind: MoveKind,
}

/// The files on which king and rook land: king's side, then queen's side.
pub(crate) const KING_LANDS: [usize; 2] = [6, 2];
pub(crate) const ROOK_LANDS: [usize; 2] = [5, 3];

impl Move {
    fn plain(from: Spot, to: Spot) -> Move {
        Move { from, to, promotion: None, kind: MoveKind::Plain }
    }

    /// 0 for castling on the king's side, 1 for the queen's side.
    pub(crate) fn wing(self) -> Option<usize> {
        match self.kind {
            MoveKind::Short => Some(0),
            MoveKind::Long => Some(1),
            _ => None,
        }
    }

    /// The UCI name. Castling is `e1g1`, or the king taking its rook (`e1h1`) with `chess960`.
    pub fn uci(self, chess960: bool) -> String {
        let to = match self.wing() {
            Some(wing) if !chess960 => Spot::new(KING_LANDS[wing], self.from.rank()),
            _ => self.to,
        };
        let mut text = format!("{}{to}", self.from);
        text.extend(self.promotion.map(Role::letter));
        text
    }
}

impl Position {
    /// Every legal move, as UCI names in no particular order.
    pub fn legal_moves(&self, chess960: bool) -> Vec<String> {
        self.moves().into_iter().map(|m| m.uci(chess960)).collect()
    }

    /// Every legal move.
    pub fn moves(&self) -> Vec<Move> {
        let mut scratch = self.clone();
        let mut moves = Vec::with_capacity(64);
        self.pseudo_moves(&mut moves);
        moves.retain(|&m| {
            let undo = scratch.make(m);
            let safe = !scratch.king_attacked(self.turn);
            scratch.unmake(undo);
            safe
        });
        moves
    }

    /// Every move that obeys the men's ways, whether or not it leaves the king attacked. Castling is complete but
    /// for what the rook uncovers.
    pub(crate) fn pseudo_moves(&self, moves: &mut Vec<Move>) {
        for &from in self.men(self.turn) {
            let Some(man) = self.man_at(from) else { continue };
            match man.role {
                Role::Pawn => self.pawn_moves(from, moves),
                Role::Knight => self.hops(from, &LEAPS, moves),
                Role::King => self.hops(from, &ALL_EIGHT, moves),
                Role::Met => self.hops(from, &DIAGONAL, moves),
                Role::Thon => {
                    self.hops(from, &DIAGONAL, moves);
                    self.hops(from, &[ahead(man.side)], moves);
                }
                Role::Bishop => self.slides(from, &DIAGONAL, moves),
                Role::Rook => self.slides(from, &STRAIGHT, moves),
                Role::Queen => self.slides(from, &ALL_EIGHT, moves),
            }
        }
        self.castling_moves(moves);
    }

    fn enemy_at(&self, cell: usize) -> bool {
        matches!(self.cells[cell], Cell::Taken(Man { side, .. }) if side != self.turn)
    }

    fn hops(&self, from: Spot, steps: &[i16], moves: &mut Vec<Move>) {
        for &step in steps {
            let cell = from.cell_at(step);
            if self.cells[cell] == Cell::Empty || self.enemy_at(cell) {
                moves.push(Move::plain(from, Spot::from_cell(cell)));
            }
        }
    }

    fn slides(&self, from: Spot, steps: &[i16], moves: &mut Vec<Move>) {
        for &step in steps {
            let mut cell = from.cell_at(step);
            while self.cells[cell] == Cell::Empty {
                moves.push(Move::plain(from, Spot::from_cell(cell)));
                cell = (cell as i16 + step) as usize;
            }
            if self.enemy_at(cell) {
                moves.push(Move::plain(from, Spot::from_cell(cell)));
            }
        }
    }

    fn pawn_moves(&self, from: Spot, moves: &mut Vec<Move>) {
        let ahead = ahead(self.turn);
        let one = from.cell_at(ahead);
        if self.cells[one] == Cell::Empty {
            self.pawn_arrives(from, Spot::from_cell(one), moves);
            let two = from.cell_at(2 * ahead);
            if self.game == Game::Chess && from.rank_for(self.turn) == 1 && self.cells[two] == Cell::Empty {
                moves.push(Move { kind: MoveKind::Double, ..Move::plain(from, Spot::from_cell(two)) });
            }
        }
        for side in [E, W] {
            let cell = from.cell_at(ahead + side);
            if self.enemy_at(cell) {
                self.pawn_arrives(from, Spot::from_cell(cell), moves);
            } else if self.en_passant.is_some_and(|ep| ep.cell() == cell) {
                moves.push(Move { kind: MoveKind::EnPassant, ..Move::plain(from, Spot::from_cell(cell)) });
            }
        }
    }

    fn pawn_arrives(&self, from: Spot, to: Spot, moves: &mut Vec<Move>) {
        let rank = to.rank_for(self.turn);
        let promotions: &[Role] = match self.game {
            Game::Chess if rank == 7 => &[Role::Queen, Role::Rook, Role::Bishop, Role::Knight],
            // A Bia set up beyond the sixth rank is turned over by its next move.
            Game::Makruk if rank >= 5 => &[Role::Met],
            _ => {
                moves.push(Move::plain(from, to));
                return;
            }
        };
        moves.extend(promotions.iter().map(|&role| Move { promotion: Some(role), ..Move::plain(from, to) }));
    }

    fn castling_moves(&self, moves: &mut Vec<Move>) {
        let us = self.turn;
        let king = self.kings[us as usize];
        for (wing, kind) in [MoveKind::Short, MoveKind::Long].into_iter().enumerate() {
            let Some(rook) = self.castling[us as usize][wing] else { continue };
            let free = |a: usize, b: usize| {
                (a.min(b)..=a.max(b)).all(|file| {
                    let spot = Spot::new(file, king.rank());
                    spot == king || spot == rook || self.man_at(spot).is_none()
                })
            };
            let walk = king.file().min(KING_LANDS[wing])..=king.file().max(KING_LANDS[wing]);
            if free(king.file(), KING_LANDS[wing])
                && free(rook.file(), ROOK_LANDS[wing])
                && walk.into_iter().all(|file| !self.is_attacked(Spot::new(file, king.rank()), us.other()))
            {
                moves.push(Move { from: king, to: rook, promotion: None, kind });
            }
        }
    }
}

pub(crate) fn ahead(side: Side) -> i16 {
    match side {
        Side::White => N,
        Side::Black => S,
    }
}
