//! What need not be searched: whole nodes by their evaluation, a null move or a capture, and single moves by what is known of
//! them. The steps are numbered as in the main search.

use crate::learn::history_bonus;
use crate::node::{Candidate, Facts, Node, NonPv};
use crate::params::*;
use crate::picker::Picker;
use crate::score::{DRAW, NONE, is_decisive, is_loss, is_win};
use crate::searcher::Searcher;
use crate::trace::{Part, Skip, Trace, Why};
use crate::tt::Bound;
use rukh_core::{Bitboard, Move, Position, Rules};
use rukh_eval::Evaluator;

impl<R: Rules, E: Evaluator<R>, T: Trace> Searcher<R, E, T> {
    /// The node's value where its evaluation or a null move decides it.
    #[inline(always)]
    pub(crate) fn prune_node<N: Node>(
        &mut self,
        pos: &Position<R>,
        ply: usize,
        alpha: i32,
        beta: i32,
        depth: i32,
        at: &Facts,
    ) -> Option<i32> {
        if N::PV || at.in_check || at.excluded.is_some() {
            return None;
        }
        let by_margin = !self.trace.is_off(Part::Pruning);

        // Step 8. Razoring: hopeless unless a tactic saves us
        if by_margin && at.eval < alpha - razor_base() - razor_square() * depth * depth && !is_decisive(alpha) {
            let value = self.quiescence::<NonPv>(pos, ply, alpha, alpha + 1);
            if value <= alpha || depth <= 1 {
                self.trace.why(Why::Razoring);
                return Some(value);
            }
        }

        // Step 9. Reverse futility pruning (RFP): so far above beta that a quiet position keeps it
        if by_margin
            && !at.tt_pv
            && depth <= rfp_depth()
            && at.eval >= beta
            && at.eval
                - (rfp_margin() * depth
                    - rfp_improving() * i32::from(at.improving)
                    - rfp_worsening() * i32::from(at.worsening)
                    + at.correction.abs() / 2)
                    .max(20)
                >= beta
            && !is_loss(beta)
            && !is_win(at.eval)
            && (at.tt_move.is_none() || at.tt_capture)
        {
            self.trace.why(Why::ReverseFutility);
            return Some(beta + (at.eval - beta) / 3);
        }

        // Step 10. Null move pruning (NMP) with verification: if even passing is good enough, moving is
        if !self.trace.is_off(Part::NullMove)
            && at.cut_node
            && at.eval >= beta
            && at.prior_move.is_some()
            && at.static_eval >= beta - nmp_static_depth() * depth + nmp_static_base()
            && ply >= self.nmp_min_ply
            && !is_loss(beta)
            && Self::may_pass(pos)
        {
            let reduction =
                nmp_base() + depth / nmp_depth_div() + ((at.eval - beta) / nmp_eval_div()).min(nmp_eval_max());
            let child = self.play_null(pos, ply);
            self.stack.at_mut(ply).reduction = 0;
            let value = -self.search_node::<NonPv>(&child, ply + 1, -beta, -beta + 1, depth - reduction, false);
            self.unplay();
            if self.stopped {
                return Some(DRAW);
            }
            if value >= beta && !is_win(value) {
                if self.nmp_min_ply != 0 || depth < nmp_verify_depth() {
                    self.trace.why(Why::NullMove);
                    return Some(value);
                }
                // Zugzwang is rare but fatal at high depth: search on without null moves for a while.
                self.nmp_min_ply = ply + (3 * (depth - reduction) / 4).max(1) as usize;
                let verified = self.search_node::<NonPv>(pos, ply, beta - 1, beta, depth - reduction, false);
                self.nmp_min_ply = 0;
                if self.stopped {
                    return Some(DRAW);
                }
                if verified >= beta {
                    self.trace.why(Why::NullMove);
                    return Some(value);
                }
            }
        }
        None
    }

    /// The node's value where a capture beats beta by far.
    #[inline(always)]
    pub(crate) fn probcut<N: Node>(
        &mut self,
        pos: &Position<R>,
        ply: usize,
        beta: i32,
        depth: i32,
        at: &Facts,
    ) -> Option<i32> {
        if N::PV || at.excluded.is_some() || self.trace.is_off(Part::Pruning) {
            return None;
        }

        // Step 12. ProbCut: a capture that beats beta by far in a shallow search will beat it in a deep one
        let probcut_beta = beta + probcut_margin() - probcut_improving() * i32::from(at.improving);
        let denied = at.tt_value != NONE && at.tt_depth >= depth - 3 && at.tt_value < probcut_beta;
        if !at.in_check && depth >= probcut_depth() && !is_decisive(beta) && !denied {
            let threshold = probcut_beta - at.static_eval;
            let first = if at.tt_capture && pos.see_ge(at.tt_move, threshold) { at.tt_move } else { Move::NONE };
            let mut picker = Picker::probcut(first, threshold, &self.arena);
            loop {
                let mv = picker.next(pos, &mut self.pick_context(ply, Bitboard::EMPTY));
                if mv.is_none() {
                    break;
                }
                if (mv == at.tt_move && mv != first) || !pos.is_legal(mv) {
                    continue;
                }
                let child = self.play(pos, mv, ply);
                self.stack.at_mut(ply).reduction = 0;
                let mut value = -self.quiescence::<NonPv>(&child, ply + 1, -probcut_beta, -probcut_beta + 1);
                if value >= probcut_beta && depth > 4 {
                    value = -self.search_node::<NonPv>(
                        &child,
                        ply + 1,
                        -probcut_beta,
                        -probcut_beta + 1,
                        depth - 4,
                        !at.cut_node,
                    );
                }
                self.unplay();
                if self.stopped {
                    picker.release(&mut self.arena);
                    return Some(DRAW);
                }
                if value >= probcut_beta {
                    picker.release(&mut self.arena);
                    self.hist.update_capture(mv, history_bonus(depth - 2));
                    self.store(at.key, ply, mv, value, at.raw_eval, depth - 3, Bound::Lower, at.tt_pv);
                    self.trace.why(Why::ProbCut);
                    return Some(if is_decisive(value) { value } else { value - (probcut_beta - beta) });
                }
            }
            picker.release(&mut self.arena);
        }

        // Step 13. A ProbCut from the table alone
        if at.tt_value != NONE
            && at.tt_bound.is_lower()
            && at.tt_depth >= depth - 4
            && at.tt_value >= beta + small_probcut_margin()
            && !is_decisive(beta)
            && !is_decisive(at.tt_value)
        {
            self.trace.why(Why::ProbCut);
            return Some(beta + small_probcut_margin());
        }
        None
    }

    /// Whether the move is left out. May end the quiet moves altogether, and raise `best` to what the move could have reached.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    pub(crate) fn skip_move<N: Node>(
        &mut self,
        pos: &Position<R>,
        alpha: i32,
        depth: i32,
        at: &Facts,
        m: &Candidate,
        best: &mut i32,
        picker: &mut Picker,
    ) -> bool {
        // Step 15. Pruning at shallow depth, once there is a move that does not lose
        if !N::ROOT && !is_loss(*best) && Self::has_pieces(pos) && !self.trace.is_off(Part::Pruning) {
            // Late move pruning (LMP): quiet moves this late have all failed so far
            if m.count >= ((3 + depth * depth) / (2 - i32::from(at.improving))) as usize {
                picker.skip_quiets();
            }
            let lmr_depth = ((depth - 1) * PLY - m.reduction) / PLY;
            if m.quiet && !pos.gives_check(m.mv) {
                // History pruning: such moves have been refuted again and again
                if m.history < -history_pruning_margin() * depth && depth <= 8 {
                    self.trace.skip(m.mv, Skip::History);
                    return true;
                }
                let lmr_depth = (lmr_depth + m.history / history_depth_div()).max(0);
                // Futility pruning: the evaluation is too low for a quiet move to reach alpha
                let futility = at.static_eval + futility_base() + futility_margin() * lmr_depth;
                if !at.in_check && lmr_depth < futility_depth() && futility <= alpha {
                    if *best < futility && !is_decisive(*best) {
                        *best = futility;
                    }
                    self.trace.skip(m.mv, Skip::Futility);
                    return true;
                }
                // Static exchange pruning (SEE): the moved piece would be lost
                if !pos.see_ge(m.mv, -see_quiet_margin() * lmr_depth * lmr_depth) {
                    self.trace.skip(m.mv, Skip::Exchange);
                    return true;
                }
            } else {
                // Futility pruning of captures: even the victim is not enough
                if !at.in_check
                    && !m.quiet
                    && lmr_depth < capture_futility_depth()
                    && !m.mv.is_promotion()
                    && at.static_eval
                        + capture_futility_base()
                        + capture_futility_margin() * lmr_depth.max(0)
                        + m.mv.captured().map_or(0, |p| R::VALUES[p.kind().index()])
                        + m.history / 100
                        <= alpha
                    && !pos.gives_check(m.mv)
                {
                    self.trace.skip(m.mv, Skip::Futility);
                    return true;
                }
                let margin = (see_capture_margin() * depth + m.history / see_capture_history_div()).max(0);
                if !pos.see_ge(m.mv, -margin) {
                    self.trace.skip(m.mv, Skip::Exchange);
                    return true;
                }
            }
        }
        false
    }
}
