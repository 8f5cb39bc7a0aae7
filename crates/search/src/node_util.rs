//! Small questions both searches ask: is it drawn, what is it worth, what do the tables say.

use crate::params::*;
use crate::picker::PickContext;
use crate::score::{DRAW, NONE, clamp_eval, to_table};
use crate::searcher::Searcher;
use crate::tables::TableResult;
use crate::trace::Trace;
use crate::tt::{Bound, Entry};
use rukh_core::{Bitboard, Kind, Move, Position, Rules};
use rukh_eval::Evaluator;

impl<R: Rules, E: Evaluator<R>, T: Trace> Searcher<R, E, T> {
    /// A draw, give or take a point: equal scores everywhere would blind the search to different ways to draw.
    #[inline]
    pub(crate) fn draw_score(&self) -> i32 {
        DRAW + (self.nodes & 2) as i32 - 1
    }

    /// Drawn by rule: repetition, fifty moves, too little material, or the Makruk count. Mate beats the last two.
    #[inline]
    pub(crate) fn is_draw(&self, pos: &Position<R>, ply: usize) -> bool {
        if self.is_repetition(ply) {
            return true;
        }
        let over = (R::FIFTY_MOVES && pos.halfmove_clock() >= 100) || pos.is_count_draw();
        if over {
            return !pos.in_check() || pos.has_legal_move();
        }
        pos.occupied().count() <= FEW_PIECES && pos.is_insufficient_material()
    }

    /// Repeated once since the root, or twice in all.
    #[inline]
    fn is_repetition(&self, ply: usize) -> bool {
        let back = self.stack.at(ply).reversible as usize;
        if back < 4 {
            return false;
        }
        let now = self.keys.len() - 1;
        let key = self.keys[now];
        let mut seen = false;
        let mut i = 4;
        while i <= back {
            if self.keys[now - i] == key {
                if i < ply || seen {
                    return true;
                }
                seen = true;
            }
            i += 2;
        }
        false
    }

    /// Whether the side to move can bring about a position that has occurred, by one reversible move. See
    /// [`Cuckoo`](crate::repetition::Cuckoo).
    #[inline]
    pub(crate) fn can_repeat(&self, pos: &Position<R>, ply: usize) -> bool {
        let back = self.stack.at(ply).reversible as usize;
        if back < 3 {
            return false;
        }
        let now = self.keys.len() - 1;
        let key = self.keys[now];
        let mut i = 3;
        while i <= back {
            if i < ply && self.cuckoo.has_move(pos, key ^ self.keys[now - i]) {
                return true;
            }
            i += 2;
        }
        false
    }

    /// Plies until the fifty-move rule ends the game; a large number where there is no such rule.
    #[inline]
    pub(crate) fn rule_plies_left(&self, pos: &Position<R>) -> i32 {
        if R::FIFTY_MOVES { 100 - i32::from(pos.halfmove_clock()) } else { 1000 }
    }

    /// The evaluator's word.
    #[inline]
    pub(crate) fn evaluate(&mut self, pos: &Position<R>) -> i32 {
        clamp_eval(self.eval.evaluate(pos))
    }

    /// The side to move has more than king and pawns: quiet moves may be pruned, zugzwang is unlikely.
    #[inline]
    pub(crate) fn has_pieces(pos: &Position<R>) -> bool {
        let us = pos.side_to_move();
        (pos.colors(us) - (pos.pieces(Kind::Pawn) | pos.pieces(Kind::King))).any()
    }

    /// Whether passing is a safe lower bound: not where zugzwang decides, that is with king and pawns only, or against a
    /// bare king.
    #[inline]
    pub(crate) fn may_pass(pos: &Position<R>) -> bool {
        Self::has_pieces(pos) && pos.colors(!pos.side_to_move()).more_than_one()
    }

    #[inline]
    pub(crate) fn probe_tables(&mut self, pos: &Position<R>) -> Option<TableResult> {
        let tables = self.shared.tables.as_ref()?;
        if pos.occupied().count() > tables.max_pieces() {
            return None;
        }
        let result = tables.probe(pos)?;
        self.tbhits += 1;
        Some(result)
    }

    #[inline]
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn store(
        &self,
        key: u64,
        ply: usize,
        mv: Move,
        value: i32,
        eval: i32,
        depth: i32,
        bound: Bound,
        pv: bool,
    ) {
        let value = if value == NONE { NONE } else { to_table(value, ply) };
        self.shared.tt.store(key, Entry { mv: mv.to_u16(), value, eval, depth, bound, pv });
    }

    #[inline]
    pub(crate) fn pick_context(&mut self, ply: usize, threats: Bitboard) -> PickContext<'_> {
        PickContext { arena: &mut self.arena, hist: &self.hist, stack: &self.stack, ply, threats }
    }
}
