//! Playing moves and taking them back; the Makruk counts.

use crate::grid::Spot;
use crate::man::{Man, Role, Side};
use crate::moves::{KING_LANDS, Move, MoveKind, ROOK_LANDS};
use crate::position::{Cell, Count, Game, Position};

/// What a move destroyed, so that it can be taken back.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    played: Move,
    man: Man,
    /// The man taken, where it stood, and its place in its roll.
    taken: Option<(Man, Spot, u8)>,
    castling: [[Option<Spot>; 2]; 2],
    en_passant: Option<Spot>,
    halfmoves: u32,
    count: Option<Count>,
}

impl Position {
    /// Plays a move that [`moves`](Self::moves) gave for this position.
    pub fn make(&mut self, m: Move) -> Undo {
        let us = self.turn;
        let man = self.man_at(m.from).expect("a move starts from a man");
        let mut undo = Undo {
            played: m,
            man,
            taken: None,
            castling: self.castling,
            en_passant: self.en_passant,
            halfmoves: self.halfmoves,
            count: self.count,
        };
        self.en_passant = None;

        if let Some(wing) = m.wing() {
            self.castle(m, wing, true);
        } else {
            let victim = match m.kind {
                MoveKind::EnPassant => Spot::new(m.to.file(), m.from.rank()),
                _ => m.to,
            };
            if let Some(taken) = self.man_at(victim) {
                undo.taken = Some((taken, victim, self.places[victim.cell()]));
                self.lift(victim, taken.side);
            }
            let arrives = match m.promotion {
                Some(role) => Man { side: us, role, turned: self.game == Game::Makruk },
                None => man,
            };
            self.shift(m.from, m.to, arrives);
            if m.kind == MoveKind::Double && self.pawn_beside(m.to, us.other()) {
                self.en_passant = Some(Spot::new(m.to.file(), (m.from.rank() + m.to.rank()) / 2));
            }
        }

        if man.role == Role::King {
            self.castling[us as usize] = [None; 2];
        }
        for right in self.castling.as_flattened_mut() {
            // A rook that leaves its square, or is taken on it, castles no more.
            if *right == Some(m.from) || *right == Some(m.to) {
                *right = None;
            }
        }

        self.halfmoves = if man.role == Role::Pawn || undo.taken.is_some() { 0 } else { self.halfmoves + 1 };
        self.fullmoves += u32::from(us == Side::Black);
        self.turn = us.other();
        if self.game == Game::Makruk {
            self.advance_count(us, undo.taken.map(|(taken, ..)| taken.role), m.promotion.is_some());
        }
        undo
    }

    /// Takes back the move that returned `undo`.
    pub fn unmake(&mut self, undo: Undo) {
        let us = self.turn.other();
        let m = undo.played;
        self.turn = us;
        self.fullmoves -= u32::from(us == Side::Black);
        if let Some(wing) = m.wing() {
            self.castle(m, wing, false);
        } else {
            self.shift(m.to, m.from, undo.man);
            if let Some((taken, spot, place)) = undo.taken {
                self.unlift(spot, taken, place);
            }
        }
        self.castling = undo.castling;
        self.en_passant = undo.en_passant;
        self.halfmoves = undo.halfmoves;
        self.count = undo.count;
    }

    /// Plays the legal move with this UCI name (castling in either way); `None`, and nothing played, if there is none.
    pub fn play_uci(&mut self, name: &str) -> Option<Move> {
        let moves = self.moves();
        // A king that takes its own rook is never ambiguous; `e1c1` might also be a king's step, which wins.
        let by_step = moves.iter().find(|m| m.wing().is_none() && m.uci(false) == name);
        let by_rook = || moves.iter().find(|m| m.uci(true) == name);
        let by_target = || moves.iter().find(|m| m.uci(false) == name);
        let m = *by_step.or_else(by_rook).or_else(by_target)?;
        self.make(m);
        Some(m)
    }

    /// Castles, or takes castling back. King and rook may land on each other's squares, so both are taken up first.
    fn castle(&mut self, m: Move, wing: usize, forth: bool) {
        let us = self.turn;
        let land = |files: [usize; 2]| Spot::new(files[wing], m.from.rank());
        let start = [m.from, m.to];
        let end = [land(KING_LANDS), land(ROOK_LANDS)];
        let (before, after) = if forth { (start, end) } else { (end, start) };
        let places = before.map(|spot| self.places[spot.cell()]);
        for spot in before {
            self.cells[spot.cell()] = Cell::Empty;
            self.places[spot.cell()] = 0;
        }
        for ((spot, place), role) in after.into_iter().zip(places).zip([Role::King, Role::Rook]) {
            self.cells[spot.cell()] = Cell::Taken(Man::new(us, role));
            self.places[spot.cell()] = place;
            self.rolls[us as usize].set(place, spot);
        }
        self.kings[us as usize] = after[0];
    }

    /// Whether a pawn of `side` stands on a file next to `spot`, on the same rank.
    pub(crate) fn pawn_beside(&self, spot: Spot, side: Side) -> bool {
        [-1, 1].into_iter().any(|step| self.cells[spot.cell_at(step)] == Cell::Taken(Man::new(side, Role::Pawn)))
    }

    /// Makruk's counts as Fairy-Stockfish keeps them, after a move by `mover`.
    ///
    /// The move is already on the board and the other side is to move.
    fn advance_count(&mut self, mover: Side, taken: Option<Role>, promoted: bool) {
        let all = (self.men(Side::White).len() + self.men(Side::Black).len()) as u32;
        if let Some(count) = &mut self.count {
            // Nothing is counted any more once the game is drawn, however long one plays on.
            count.plies = (count.plies + 1).min(count.limit.max(2 * all) + 1);
        }
        // A bare Khun takes the last Bia: its own count starts, and the capture is number `all`.
        if taken == Some(Role::Pawn)
            && self.men(mover).len() == 1
            && let Some(limit) = self.count_limit(mover)
        {
            self.count = Some(Count { limit: 2 * limit, plies: 2 * all - 1 });
        }
        let next = self.turn;
        let bare = self.men(next).len() == 1;
        if (self.count.is_none() || ((taken.is_some() || promoted) && bare))
            && let Some(limit) = self.count_limit(next)
        {
            self.count = Some(Count { limit: 2 * limit, plies: if bare { 2 * all } else { 0 } });
        }
    }

    /// The number up to which `side` may count, if it may count at all.
    fn count_limit(&self, side: Side) -> Option<u32> {
        let has = |side: Side, role: Role| {
            self.men(side).iter().filter(|&&s| self.man_at(s).is_some_and(|m| m.role == role)).count()
        };
        let foe = side.other();
        if has(side, Role::Pawn) + has(foe, Role::Pawn) > 0 || self.men(foe).len() == 1 {
            return None;
        }
        if self.men(side).len() > 1 {
            return Some(64); // board's honour
        }
        // Pieces' honour: by what the attacker has.
        Some(match (has(foe, Role::Rook), has(foe, Role::Thon), has(foe, Role::Knight)) {
            (2.., ..) => 8,
            (1, ..) => 16,
            (_, 2.., _) => 22,
            (_, _, 2..) => 32,
            (_, 1, _) => 44,
            _ => 64,
        })
    }
}
