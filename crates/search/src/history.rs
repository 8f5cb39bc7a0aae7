//! What earlier parts of the tree taught: move histories for ordering and pruning, correction histories for the evaluation.
//!
//! All tables are plain arrays of `i16`, made once per thread. An update pulls a value towards ±[`HISTORY_MAX`] with a
//! strength that fades as it gets there ("gravity"), so nothing overflows and old lessons are forgotten.

use rukh_core::{Bitboard, Color, Move, Piece, Position, Rules};

/// Bound of all move histories.
pub(crate) const HISTORY_MAX: i32 = 16_384;
/// Bound of all correction histories.
const CORRECTION_MAX: i32 = 1024;

/// Piece-and-square index: 12 pieces × 64 squares.
pub(crate) const PIECE_TO: usize = 12 * 64;
/// Index used where there was no move (root, null move): a row of its own.
pub(crate) const NO_MOVE: u16 = PIECE_TO as u16;

const PAWN_ROWS: usize = 512;
const CORRECTION_ROWS: usize = 16_384;

#[inline]
pub(crate) fn piece_index(piece: Piece) -> usize {
    piece.color().index() * 6 + piece.kind().index()
}

/// Row of a move in the continuation tables.
#[inline]
pub(crate) fn piece_to(mv: Move) -> u16 {
    (piece_index(mv.piece()) * 64 + mv.to().index()) as u16
}

#[inline]
fn gravity<const MAX: i32>(entry: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-MAX, MAX);
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / MAX) as i16;
}

fn zeroed<T: Copy + Default>(len: usize) -> Box<[T]> {
    vec![T::default(); len].into_boxed_slice()
}

/// All histories of one thread.
pub(crate) struct Histories {
    // [side][from attacked][to attacked][from][to]
    quiet: Box<[i16]>,
    // [piece][to][captured kind; 6 = none]
    capture: Box<[i16]>,
    // [piece-to of the earlier move, or none][piece-to]
    continuation: Box<[i16]>,
    // [pawn key][piece-to]
    pawn: Box<[i16]>,
    corrections: Corrections,
}

impl Histories {
    pub(crate) fn new() -> Self {
        let mut h = Histories {
            quiet: zeroed(2 * 2 * 2 * 64 * 64),
            capture: zeroed(PIECE_TO * 7),
            continuation: zeroed((PIECE_TO + 1) * PIECE_TO),
            pawn: zeroed(PAWN_ROWS * PIECE_TO),
            corrections: Corrections::new(),
        };
        h.clear();
        h
    }

    /// Forgets everything (a new game).
    pub(crate) fn clear(&mut self) {
        self.quiet.fill(0);
        self.capture.fill(0);
        // An unknown quiet move is more often bad than good: start below zero.
        self.continuation.fill(-500);
        self.pawn.fill(-800);
        self.corrections.clear();
    }

    #[inline]
    fn quiet_index(side: Color, threats: Bitboard, mv: Move) -> usize {
        let (from, to) = (mv.from(), mv.to());
        let row = side.index() * 4 + usize::from(threats.has(from)) * 2 + usize::from(threats.has(to));
        (row * 64 + from.index()) * 64 + to.index()
    }

    #[inline]
    pub(crate) fn quiet(&self, side: Color, threats: Bitboard, mv: Move) -> i32 {
        i32::from(self.quiet[Self::quiet_index(side, threats, mv)])
    }

    #[inline]
    pub(crate) fn update_quiet(&mut self, side: Color, threats: Bitboard, mv: Move, bonus: i32) {
        gravity::<HISTORY_MAX>(&mut self.quiet[Self::quiet_index(side, threats, mv)], bonus);
    }

    #[inline]
    fn capture_index(mv: Move) -> usize {
        piece_to(mv) as usize * 7 + mv.captured().map_or(6, |p| p.kind().index())
    }

    #[inline]
    pub(crate) fn capture(&self, mv: Move) -> i32 {
        i32::from(self.capture[Self::capture_index(mv)])
    }

    #[inline]
    pub(crate) fn update_capture(&mut self, mv: Move, bonus: i32) {
        gravity::<HISTORY_MAX>(&mut self.capture[Self::capture_index(mv)], bonus);
    }

    /// History of `piece_to` after the move whose row is `after`.
    #[inline]
    pub(crate) fn continuation(&self, after: u16, piece_to: u16) -> i32 {
        i32::from(self.continuation[after as usize * PIECE_TO + piece_to as usize])
    }

    /// The row of replies to an earlier move, for scoring many moves.
    #[inline]
    pub(crate) fn continuation_row(&self, after: u16) -> &[i16] {
        &self.continuation[after as usize * PIECE_TO..][..PIECE_TO]
    }

    #[inline]
    pub(crate) fn update_continuation(&mut self, after: u16, piece_to: u16, bonus: i32) {
        if after != NO_MOVE {
            gravity::<HISTORY_MAX>(&mut self.continuation[after as usize * PIECE_TO + piece_to as usize], bonus);
        }
    }

    #[inline]
    pub(crate) fn pawn(&self, pawn_key: u64, piece_to: u16) -> i32 {
        i32::from(self.pawn_row(pawn_key)[piece_to as usize])
    }

    #[inline]
    pub(crate) fn pawn_row(&self, pawn_key: u64) -> &[i16] {
        &self.pawn[(pawn_key as usize % PAWN_ROWS) * PIECE_TO..][..PIECE_TO]
    }

    #[inline]
    pub(crate) fn update_pawn(&mut self, pawn_key: u64, piece_to: u16, bonus: i32) {
        gravity::<HISTORY_MAX>(&mut self.pawn[(pawn_key as usize % PAWN_ROWS) * PIECE_TO + piece_to as usize], bonus);
    }

    /// How much the evaluation of such positions has been wrong lately, in centipawns.
    #[inline]
    pub(crate) fn correction<R: Rules>(&self, pos: &Position<R>, last: u16, before: u16) -> i32 {
        self.corrections.value(pos, last, before)
    }

    /// Learns that the search found `error` centipawns more than the evaluation at `depth`.
    #[inline]
    pub(crate) fn update_correction<R: Rules>(
        &mut self,
        pos: &Position<R>,
        last: u16,
        before: u16,
        depth: i32,
        error: i32,
    ) {
        self.corrections.update(pos, last, before, depth, error);
    }
}

/// Correction histories: running errors of the static evaluation, by features that the error tends to share.
struct Corrections {
    // each [side][row]
    pawn: Box<[i16]>,
    minor: Box<[i16]>,
    non_pawn: [Box<[i16]>; 2],
    // [piece-to two plies ago, or none][piece-to of the last move]; the side is in the pieces
    continuation: Box<[i16]>,
}

impl Corrections {
    // Centipawns at full deflection of one table.
    const PAWN: i32 = 56;
    const MINOR: i32 = 40;
    const NON_PAWN: i32 = 52;
    const CONTINUATION: i32 = 46;

    fn new() -> Self {
        let table = || zeroed(2 * CORRECTION_ROWS);
        Corrections {
            pawn: table(),
            minor: table(),
            non_pawn: [table(), table()],
            continuation: zeroed((PIECE_TO + 1) * PIECE_TO),
        }
    }

    fn clear(&mut self) {
        self.pawn.fill(0);
        self.minor.fill(0);
        self.non_pawn.iter_mut().for_each(|t| t.fill(0));
        self.continuation.fill(0);
    }

    #[inline]
    fn row(side: Color, key: u64) -> usize {
        side.index() * CORRECTION_ROWS + (key as usize & (CORRECTION_ROWS - 1))
    }

    #[inline]
    fn value<R: Rules>(&self, pos: &Position<R>, last: u16, before: u16) -> i32 {
        let us = pos.side_to_move();
        let get = |table: &[i16], key| i32::from(table[Self::row(us, key)]);
        let mut sum = Self::PAWN * get(&self.pawn, pos.pawn_key())
            + Self::MINOR * get(&self.minor, pos.minor_key())
            + Self::NON_PAWN * get(&self.non_pawn[0], pos.non_pawn_key(Color::White))
            + Self::NON_PAWN * get(&self.non_pawn[1], pos.non_pawn_key(Color::Black));
        if last != NO_MOVE {
            sum += Self::CONTINUATION * i32::from(self.continuation[before as usize * PIECE_TO + last as usize]);
        }
        sum / CORRECTION_MAX
    }

    #[inline]
    fn update<R: Rules>(&mut self, pos: &Position<R>, last: u16, before: u16, depth: i32, error: i32) {
        let us = pos.side_to_move();
        let bonus = (error * depth / 6).clamp(-CORRECTION_MAX / 4, CORRECTION_MAX / 4);
        let learn = |table: &mut [i16], key| gravity::<CORRECTION_MAX>(&mut table[Self::row(us, key)], bonus);
        learn(&mut self.pawn, pos.pawn_key());
        learn(&mut self.minor, pos.minor_key());
        learn(&mut self.non_pawn[0], pos.non_pawn_key(Color::White));
        learn(&mut self.non_pawn[1], pos.non_pawn_key(Color::Black));
        if last != NO_MOVE {
            gravity::<CORRECTION_MAX>(&mut self.continuation[before as usize * PIECE_TO + last as usize], bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_stays_in_bounds_and_forgets() {
        let mut e = 0i16;
        for _ in 0..1000 {
            gravity::<HISTORY_MAX>(&mut e, 2000);
        }
        assert!(i32::from(e) <= HISTORY_MAX && e > 16_000);
        gravity::<HISTORY_MAX>(&mut e, -2000);
        assert!(e < 13_000, "an opposite lesson counts nearly double at the bound");
    }
}
