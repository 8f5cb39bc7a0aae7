//! What a finished node teaches the histories.

use crate::history::piece_to;
use crate::searcher::Searcher;
use crate::trace::Trace;
use rukh_core::{Bitboard, Move, Position, Rules};
use rukh_eval::Evaluator;

/// Bonus for a move that was right at `depth`.
#[inline]
pub(crate) fn history_bonus(depth: i32) -> i32 {
    (160 * depth - 70).clamp(0, 1700)
}

/// Malus for a move that was tried in vain at `depth`.
#[inline]
pub(crate) fn history_malus(depth: i32) -> i32 {
    (260 * depth - 130).clamp(0, 1500)
}

/// Moves tried before the best one, remembered for the maluses.
pub(crate) struct Tried<const N: usize> {
    moves: [Move; N],
    len: usize,
}

impl<const N: usize> Tried<N> {
    pub(crate) fn new() -> Self {
        Tried { moves: [Move::NONE; N], len: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, mv: Move) {
        if self.len < N {
            self.moves[self.len] = mv;
            self.len += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().copied()
    }
}

impl<R: Rules, E: Evaluator<R>, T: Trace> Searcher<R, E, T> {
    /// The best move of a node gains, those tried before it lose.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn learn_best<const N: usize>(
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
            self.update_continuations(ply - 1, pt, -history_malus(depth + 1) / 2);
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
