//! Move histories for ordering, pruning and reductions: butterfly (quiet), capture, continuation and pawn history, and how a
//! finished node updates them.
//!
//! All tables are plain arrays of `i16`, made once per thread. An update pulls a value towards ±[`HISTORY_MAX`] with a
//! strength that fades as it gets there ("gravity"), so nothing overflows and old lessons are forgotten.

use crate::params::*;
use crate::searcher::Searcher;
use arrayvec::ArrayVec;
use rukh_core::{Bitboard, Color, Move, Piece, Position, Rules};
use rukh_eval::Evaluator;

/// Bound of all move histories.
pub(crate) const HISTORY_MAX: i32 = 16_384;

/// Piece-and-square index: 12 pieces × 64 squares.
pub(crate) const PIECE_TO: usize = 12 * 64;
/// Index used where there was no move (root, null move): a row of its own.
pub(crate) const NO_MOVE: u16 = PIECE_TO as u16;

const PAWN_ROWS: usize = 512;

#[inline]
pub(crate) fn piece_index(piece: Piece) -> usize {
    piece.color().index() * 6 + piece.kind().index()
}

/// Row of a move in the continuation tables.
#[inline(always)]
pub(crate) fn piece_to(mv: Move) -> u16 {
    (piece_index(mv.piece()) * 64 + mv.to().index()) as u16
}

#[inline]
pub(crate) fn gravity<const MAX: i32>(entry: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-MAX, MAX);
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / MAX) as i16;
}

pub(crate) fn zeroed(len: usize) -> Box<[i16]> {
    vec![0; len].into_boxed_slice()
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
}

impl Histories {
    pub(crate) fn new() -> Self {
        let mut h = Histories {
            quiet: zeroed(2 * 2 * 2 * 64 * 64),
            capture: zeroed(PIECE_TO * 7),
            continuation: zeroed((PIECE_TO + 1) * PIECE_TO),
            pawn: zeroed(PAWN_ROWS * PIECE_TO),
        };
        h.clear();
        h
    }

    /// Forgets everything (a new game).
    pub(crate) fn clear(&mut self) {
        self.quiet.fill(0);
        self.capture.fill(0);
        // An unknown quiet move is more often bad than good: start below zero.
        self.continuation.fill(history_start_continuation() as i16);
        self.pawn.fill(history_start_pawn() as i16);
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
}

/// Bonus for a move that was right at `depth`.
#[inline]
pub(crate) fn history_bonus(depth: i32) -> i32 {
    (bonus_slope() * depth - bonus_offset()).clamp(0, bonus_max())
}

/// Malus for a move that was tried in vain at `depth`.
#[inline]
pub(crate) fn history_malus(depth: i32) -> i32 {
    (malus_slope() * depth - malus_offset()).clamp(0, malus_max())
}

/// Moves tried before the best one, remembered for the maluses.
pub(crate) struct Tried<const N: usize>(ArrayVec<Move, N>);

impl<const N: usize> Tried<N> {
    pub(crate) fn new() -> Self {
        Tried(ArrayVec::new())
    }

    #[inline]
    pub(crate) fn push(&mut self, mv: Move) {
        // Those that no longer fit are not remembered.
        let _ = self.0.try_push(mv);
    }

    fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.0.iter().copied()
    }
}

impl<R: Rules, E: Evaluator<R>> Searcher<R, E> {
    /// The best move of a node gains, those tried before it lose.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn update_histories<const N: usize>(
        &mut self,
        pos: &Position<R>,
        ply: usize,
        threats: Bitboard,
        best: Move,
        quiets: &Tried<N>,
        captures: &Tried<N>,
        depth: i32,
    ) {
        let (bonus, malus) = (history_bonus(depth), history_malus(depth));
        if best.is_quiet() {
            self.update_quiet(pos, ply, threats, best, bonus);
            for mv in quiets.iter() {
                self.update_quiet(pos, ply, threats, mv, -malus);
            }
        } else {
            self.hist.update_capture(best, bonus);
        }
        for mv in captures.iter() {
            self.hist.update_capture(mv, -malus);
        }
        // The opponent's quiet first move that let us find a refutation was no good.
        let before = self.stack.back(ply, 1);
        if before.mv.is_some() && before.mv.is_quiet() && before.move_count == 1 && ply > 0 {
            let pt = before.piece_to;
            self.update_continuations(ply - 1, pt, -history_malus(depth + 1) * refuted_malus() / 16);
        }
    }

    /// All histories of a quiet move at `ply`.
    pub(crate) fn update_quiet(&mut self, pos: &Position<R>, ply: usize, threats: Bitboard, mv: Move, bonus: i32) {
        self.hist.update_quiet(pos.side_to_move(), threats, mv, bonus);
        self.hist.update_pawn(pos.pawn_key(), piece_to(mv), bonus);
        self.update_continuations(ply, piece_to(mv), bonus);
    }

    /// Continuation histories of a move at `ply`, after the moves one, two and four plies before it.
    pub(crate) fn update_continuations(&mut self, ply: usize, piece_to: u16, bonus: i32) {
        for back in [1, 2, 4] {
            let after = self.stack.back(ply, back).piece_to;
            self.hist.update_continuation(after, piece_to, bonus);
            // In check only the direct answer matters.
            if back >= 2 && self.stack.at(ply).in_check {
                break;
            }
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
