//! The main search: principal variation search (PVS) in numbered steps, each with the usual name of its technique.
//!
//! Conventions: scores are for the side to move; `alpha < beta`; a non-PV node has `beta == alpha + 1`; `cut_node` says that
//! a fail-high is expected. Fail-soft throughout: a returned bound may lie outside the window. Every return says why
//! (`leave`), for searches that are recorded; in all others that compiles to nothing.

use crate::history::{Tried, history_bonus, history_malus, piece_to};
use crate::limits::ScoreBound;
use crate::node::Node;
use crate::params::*;
use crate::picker::Picker;
use crate::score::{
    DRAW, INFINITE, MAX_PLY, NONE, clamp_eval, from_table, is_decisive, is_loss, is_win, mate_in, mated_in,
};
use crate::searcher::Searcher;
use crate::tablebases::{TableResult, table_score};
use crate::trace::{Part, Skip, Why};
use crate::tt::{Bound, DEPTH_NONE};
use rukh_core::{Bitboard, Move, Position, Rules};
use rukh_eval::Evaluator;

impl<R: Rules, E: Evaluator<R>> Searcher<R, E> {
    /// Searches a node to `depth` plies; at the horizon, its captures.
    #[allow(clippy::cognitive_complexity)]
    pub(crate) fn search_node<N: Node>(
        &mut self,
        pos: &Position<R>,
        ply: usize,
        mut alpha: i32,
        mut beta: i32,
        mut depth: i32,
        cut_node: bool,
    ) -> i32 {
        debug_assert!(-INFINITE <= alpha && alpha < beta && beta <= INFINITE);
        debug_assert!(N::PV || alpha == beta - 1);

        // Step 1. Drop into quiescence at the horizon
        if depth <= 0 {
            return if N::PV {
                self.quiescence::<N::Pv>(pos, ply, alpha, beta)
            } else {
                self.quiescence::<N::NonPv>(pos, ply, alpha, beta)
            };
        }
        self.enter::<N>(ply, alpha, beta, depth);
        depth = depth.min(MAX_PLY as i32 - 1);

        // Step 2. Upcoming repetition: a draw can be forced with one move, so the score is at least that
        if !N::ROOT && alpha < DRAW && self.can_repeat(pos, ply) {
            alpha = self.draw_score();
            if alpha >= beta {
                return self.leave::<N>(Why::Repetition, alpha);
            }
        }

        // Step 3. Abort, draws, and the bottom of the stack
        if N::PV {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if self.should_stop() {
            return self.leave::<N>(Why::Stopped, DRAW);
        }
        let in_check = pos.in_check();
        if !N::ROOT {
            if self.is_draw(pos, ply) {
                let value = self.draw_score();
                return self.leave::<N>(Why::Draw, value);
            }
            if ply >= MAX_PLY - 1 {
                let value = if in_check { DRAW } else { self.evaluate(pos) };
                return self.leave::<N>(Why::DepthLimit, value);
            }

            // Step 4. Mate distance pruning: a shorter mate is already known on this line
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return self.leave::<N>(Why::MateDistance, alpha);
            }
        }

        let us = pos.side_to_move();
        let excluded = self.stack.at(ply).excluded;
        let prior_reduction = if N::ROOT { 0 } else { self.stack.back(ply, 1).reduction };
        let prior_move = self.stack.back(ply, 1).mv;
        {
            self.stack.at_mut(ply + 2).cutoffs = 0;
            let frame = self.stack.at_mut(ply);
            frame.in_check = in_check;
            frame.move_count = 0;
            frame.quiescence = false;
            self.stack.at_mut(ply + 1).excluded = Move::NONE;
        }

        // Step 5. Transposition table (TT)
        let key = pos.key();
        let rule_left = self.rule_plies_left(pos);
        let entry = if excluded.is_none() && !self.is_off::<N>(Part::Table) { self.shared.tt.probe(key) } else { None };
        let tt_value = entry.map_or(NONE, |e| from_table(e.value, ply, rule_left));
        let tt_depth = entry.map_or(DEPTH_NONE, |e| e.depth);
        let tt_bound = entry.map_or(Bound::None, |e| e.bound);
        let tt_move = if N::ROOT {
            self.root_moves[self.pv_index].mv
        } else {
            entry.and_then(|e| if e.mv == 0 { None } else { pos.move_from_u16(e.mv) }).unwrap_or(Move::NONE)
        };
        let tt_capture = tt_move.is_some() && !tt_move.is_quiet();
        let tt_pv = if excluded.is_some() { self.stack.at(ply).tt_pv } else { N::PV || entry.is_some_and(|e| e.pv) };
        self.stack.at_mut(ply).tt_pv = tt_pv;

        if !N::PV
            && excluded.is_none()
            && tt_value != NONE
            && tt_depth > depth - i32::from(tt_value <= beta)
            && (if tt_value >= beta { tt_bound.is_lower() } else { tt_bound.is_upper() })
            && (cut_node == (tt_value >= beta) || depth > tt_cut_depth())
        {
            // A quiet table move that cuts has earned its bonus again; the early quiet move before it was no good.
            if tt_move.is_some() && tt_value >= beta {
                if tt_move.is_quiet() {
                    let threats = pos.attacked_by(!us);
                    self.update_quiet(pos, ply, threats, tt_move, history_bonus(depth));
                }
                let early = self.stack.back(ply, 1).move_count <= tt_cut_early_moves() as usize;
                if early && prior_move.is_some() && prior_move.is_quiet() {
                    self.update_continuations(ply - 1, piece_to(prior_move), -history_malus(depth + 1));
                }
            }
            // Close to the fifty-move rule a score from elsewhere in the game may not hold.
            if rule_left > tt_rule_margin() {
                return self.leave::<N>(Why::Table, tt_value);
            }
        }

        // Step 6. End-game tables (TB)
        let mut max_value = INFINITE;
        if !N::ROOT
            && excluded.is_none()
            && let Some(result) = self.probe_tables(pos)
        {
            let value = table_score(result, ply);
            let bound = match result {
                TableResult::Win => Bound::Lower,
                TableResult::Loss => Bound::Upper,
                _ => Bound::Exact,
            };
            if bound == Bound::Exact || (if bound == Bound::Lower { value >= beta } else { value <= alpha }) {
                let deeper = (depth + tb_store_depth()).min(MAX_PLY as i32 - 1);
                self.store(key, ply, Move::NONE, value, NONE, deeper, bound, tt_pv);
                return self.leave::<N>(Why::EndgameTable, value);
            }
            if N::PV {
                if bound == Bound::Lower {
                    alpha = alpha.max(value);
                } else {
                    max_value = value;
                }
            }
        }

        // Step 7. Static evaluation, corrected by what the search found in similar positions
        let (last, before) = (self.stack.back(ply, 1).piece_to, self.stack.back(ply, 2).piece_to);
        let correction = if in_check { 0 } else { self.corrections.value(pos, last, before) };
        let mut raw_eval = NONE;
        let static_eval;
        let mut eval;
        if in_check {
            static_eval = NONE;
            eval = NONE;
        } else if excluded.is_some() {
            static_eval = self.stack.at(ply).static_eval;
            eval = static_eval;
        } else {
            raw_eval = match entry {
                Some(e) if e.eval != NONE => e.eval,
                _ => self.evaluate(pos),
            };
            static_eval = clamp_eval(raw_eval + correction);
            eval = static_eval;
            if tt_value != NONE && (if tt_value > eval { tt_bound.is_lower() } else { tt_bound.is_upper() }) {
                // The table knows more than the evaluation.
                eval = tt_value;
            }
            if entry.is_none() {
                self.store(key, ply, Move::NONE, NONE, raw_eval, DEPTH_NONE, Bound::None, tt_pv);
            }
        }
        self.stack.at_mut(ply).static_eval = static_eval;

        // How the evaluation moves along the line: our own two plies ago, the opponent's one ply ago.
        let improving = !in_check && {
            let two = self.stack.back(ply, 2).static_eval;
            let reference = if two != NONE { two } else { self.stack.back(ply, 4).static_eval };
            reference == NONE || static_eval > reference
        };
        let previous_eval = self.stack.back(ply, 1).static_eval;
        let worsening = !in_check && previous_eval != NONE && static_eval > -previous_eval + 1;

        if !in_check && excluded.is_none() && !N::ROOT {
            // The move before is judged at once by how much it changed the evaluation.
            if prior_move.is_some() && prior_move.is_quiet() && previous_eval != NONE {
                let bonus = (-eval_change_weight() * (previous_eval + static_eval))
                    .clamp(-eval_change_min(), eval_change_max())
                    + eval_change_base();
                self.hist.update_quiet(!us, self.stack.back(ply, 1).threats, prior_move, bonus);
            }
            // Hindsight: a reduced move that left us no worse than thought deserves a closer look, and the reverse.
            if prior_reduction >= hindsight_deeper() && !worsening {
                depth += 1;
            } else if prior_reduction >= hindsight_shallower()
                && depth >= 2
                && previous_eval != NONE
                && static_eval + previous_eval > hindsight_margin()
            {
                depth -= 1;
            }
        }

        let pruning = !self.is_off::<N>(Part::Pruning);
        if !N::PV && !in_check && excluded.is_none() {
            // Step 8. Razoring: hopeless unless a tactic saves us
            if pruning && eval < alpha - razor_base() - razor_square() * depth * depth && !is_decisive(alpha) {
                let value = self.quiescence::<N::NonPv>(pos, ply, alpha, alpha + 1);
                if value <= alpha || depth <= 1 {
                    return self.leave::<N>(Why::Razoring, value);
                }
            }

            // Step 9. Reverse futility pruning (RFP): so far above beta that a quiet position keeps it
            if pruning
                && !tt_pv
                && depth <= rfp_depth()
                && eval >= beta
                && eval
                    - (rfp_margin() * depth
                        - rfp_improving() * i32::from(improving)
                        - rfp_worsening() * i32::from(worsening)
                        + correction.abs() * rfp_correction() / 16)
                        .max(rfp_min())
                    >= beta
                && !is_loss(beta)
                && !is_win(eval)
                && (tt_move.is_none() || tt_capture)
            {
                return self.leave::<N>(Why::ReverseFutility, beta + (eval - beta) / rfp_return_div());
            }

            // Step 10. Null move pruning (NMP) with verification: if even passing is good enough, moving is
            if cut_node
                && eval >= beta
                && prior_move.is_some()
                && static_eval >= beta - nmp_static_depth() * depth + nmp_static_base()
                && ply >= self.nmp_min_ply
                && !is_loss(beta)
                && Self::may_pass(pos)
                && !self.is_off::<N>(Part::NullMove)
            {
                let r = nmp_base() + depth / nmp_depth_div() + ((eval - beta) / nmp_eval_div()).min(nmp_eval_max());
                let child = self.play_null(pos, ply);
                self.stack.at_mut(ply).reduction = 0;
                let value = -self.search_node::<N::NonPv>(&child, ply + 1, -beta, -beta + 1, depth - r, false);
                self.unplay();
                if self.stopped {
                    return self.leave::<N>(Why::Stopped, DRAW);
                }
                if value >= beta && !is_win(value) {
                    if self.nmp_min_ply != 0 || depth < nmp_verify_depth() {
                        return self.leave::<N>(Why::NullMove, value);
                    }
                    // Zugzwang is rare but fatal at high depth: search on without null moves for a while.
                    self.nmp_min_ply = ply + (3 * (depth - r) / 4).max(1) as usize;
                    let verified = self.search_node::<N::NonPv>(pos, ply, beta - 1, beta, depth - r, false);
                    self.nmp_min_ply = 0;
                    if self.stopped {
                        return self.leave::<N>(Why::Stopped, DRAW);
                    }
                    if verified >= beta {
                        return self.leave::<N>(Why::NullMove, value);
                    }
                }
            }
        }

        // Step 11. Internal iterative reduction (IIR): without a table move, come back when there is one
        if depth >= iir_depth() && (N::PV || cut_node) && tt_move.is_none() && excluded.is_none() {
            depth -= 1;
        }

        if !N::PV && excluded.is_none() && pruning {
            // Step 12. ProbCut: a capture that beats beta by far in a shallow search will beat it in a deep one
            let probcut_beta = beta + probcut_margin() - probcut_improving() * i32::from(improving);
            let r = probcut_reduction();
            let denied = tt_value != NONE && tt_depth > depth - r && tt_value < probcut_beta;
            if !in_check && depth >= probcut_depth() && !is_decisive(beta) && !denied {
                let threshold = probcut_beta - static_eval;
                let first = if tt_capture && pos.see_ge(tt_move, threshold) { tt_move } else { Move::NONE };
                let mut picker = Picker::probcut(first, threshold);
                while let Some(mv) = picker.next(pos, &mut self.pick_context(ply, Bitboard::EMPTY)) {
                    if (mv == tt_move && mv != first) || !pos.keeps_king_safe(mv, in_check) {
                        continue;
                    }
                    let child = pos.after_unchecked(mv);
                    self.play(pos, &child, mv, ply);
                    self.stack.at_mut(ply).reduction = 0;
                    let (a, b) = (-probcut_beta, -probcut_beta + 1);
                    let mut value = -self.quiescence::<N::NonPv>(&child, ply + 1, a, b);
                    if value >= probcut_beta && depth > r {
                        value = -self.search_node::<N::NonPv>(&child, ply + 1, a, b, depth - r, !cut_node);
                    }
                    self.unplay();
                    if self.stopped {
                        return self.leave::<N>(Why::Stopped, DRAW);
                    }
                    if value >= probcut_beta {
                        self.hist.update_capture(mv, history_bonus(depth - 2));
                        self.store(key, ply, mv, value, raw_eval, depth - r + 1, Bound::Lower, tt_pv);
                        let value = if is_decisive(value) { value } else { value - (probcut_beta - beta) };
                        return self.leave::<N>(Why::ProbCut, value);
                    }
                }
            }

            // Step 13. Small ProbCut: the table alone says so
            if tt_value != NONE
                && tt_bound.is_lower()
                && tt_depth >= depth - r
                && tt_value >= beta + small_probcut_margin()
                && !is_decisive(beta)
                && !is_decisive(tt_value)
            {
                return self.leave::<N>(Why::ProbCut, beta + small_probcut_margin());
            }
        }

        // Step 14. The move loop
        let threats = pos.attacked_by(!us);
        {
            let frame = self.stack.at_mut(ply);
            frame.threats = threats;
            // Razoring may have said otherwise.
            frame.quiescence = false;
        }
        let pawn_key = pos.pawn_key();
        let old_alpha = alpha;
        let mut best = -INFINITE;
        let mut best_move = Move::NONE;
        let mut move_count = 0;
        let mut quiets = Tried::<32>::new();
        let mut captures = Tried::<32>::new();
        let mut picker =
            if self.is_off::<N>(Part::Ordering) { Picker::by_square(in_check) } else { Picker::new(tt_move, in_check) };

        while let Some(mv) = picker.next(pos, &mut self.pick_context(ply, threats)) {
            if mv == excluded || !pos.keeps_king_safe(mv, in_check) {
                continue;
            }
            if N::ROOT && !self.is_of_this_line(mv) {
                continue;
            }
            move_count += 1;
            self.stack.at_mut(ply).move_count = move_count;
            if N::ROOT {
                self.tell_root_move(mv, move_count);
            }
            let quiet = mv.is_quiet();
            let pt = piece_to(mv);
            let history = if quiet {
                self.hist.continuation(last, pt) + self.hist.continuation(before, pt) + self.hist.pawn(pawn_key, pt)
            } else {
                self.hist.capture(mv)
            };
            let mut r = reduction(depth, move_count);
            let mut new_depth = depth - 1;

            // Step 15. Pruning at shallow depth, once there is a move that does not lose
            if !N::ROOT && !is_loss(best) && Self::has_pieces(pos) && pruning {
                // Late move pruning (LMP): quiet moves this late have all failed so far
                if move_count >= ((lmp_base() + depth * depth) / (2 - i32::from(improving))) as usize {
                    picker.skip_quiets();
                }
                let lmr_depth = ((depth - 1) * PLY - r) / PLY;
                if quiet && !pos.gives_check(mv) {
                    // History pruning: such moves have been refuted again and again
                    if history < -history_pruning_margin() * depth && depth <= history_pruning_depth() {
                        self.skip::<N>(mv, Skip::History);
                        continue;
                    }
                    let lmr_depth = (lmr_depth + history / history_depth_div()).max(0);
                    // Futility pruning: the evaluation is too low for a quiet move to reach alpha
                    let futility = static_eval + futility_base() + futility_margin() * lmr_depth;
                    if !in_check && lmr_depth < futility_depth() && futility <= alpha {
                        if best < futility && !is_decisive(best) {
                            best = futility;
                        }
                        self.skip::<N>(mv, Skip::Futility);
                        continue;
                    }
                    // Static exchange (SEE) pruning: the moved piece would be lost
                    if !pos.see_ge(mv, -see_quiet_margin() * lmr_depth * lmr_depth) {
                        self.skip::<N>(mv, Skip::Exchange);
                        continue;
                    }
                } else {
                    // Futility pruning of captures: even the victim is not enough
                    if !in_check
                        && !quiet
                        && lmr_depth < capture_futility_depth()
                        && !mv.is_promotion()
                        && static_eval
                            + capture_futility_base()
                            + capture_futility_margin() * lmr_depth.max(0)
                            + mv.captured().map_or(0, |p| R::VALUES[p.kind().index()])
                            + history / capture_futility_history_div()
                            <= alpha
                        && !pos.gives_check(mv)
                    {
                        self.skip::<N>(mv, Skip::Futility);
                        continue;
                    }
                    // SEE pruning of captures and checks
                    let margin = (see_capture_margin() * depth + history / see_capture_history_div()).max(0);
                    if !pos.see_ge(mv, -margin) {
                        self.skip::<N>(mv, Skip::Exchange);
                        continue;
                    }
                }
            }

            // Step 16. Singular extension (SE): is the table move the only good one?
            if !N::ROOT
                && mv == tt_move
                && excluded.is_none()
                && depth >= singular_depth() + i32::from(tt_pv)
                && ply < 2 * self.root_depth as usize
                && tt_value != NONE
                && !is_decisive(tt_value)
                && tt_bound.is_lower()
                && tt_depth >= depth - singular_tt_depth()
                && !self.is_off::<N>(Part::Extensions)
            {
                let margin = singular_margin() + singular_margin_pv() * i32::from(tt_pv && !N::PV);
                let singular_beta = tt_value - margin * depth / 16;
                self.stack.at_mut(ply).excluded = mv;
                let value =
                    self.search_node::<N::NonPv>(pos, ply, singular_beta - 1, singular_beta, (depth - 1) / 2, cut_node);
                let frame = self.stack.at_mut(ply);
                frame.excluded = Move::NONE;
                frame.move_count = move_count;
                if self.stopped {
                    return self.leave::<N>(Why::Stopped, DRAW);
                }
                if value < singular_beta {
                    // Only this move holds: look one, two or three plies deeper
                    let margin = correction.abs() * singular_correction() / 16;
                    let double = double_margin() - margin + double_pv() * i32::from(N::PV);
                    let triple = triple_margin() - margin + triple_pv() * i32::from(N::PV)
                        - triple_quiet() * i32::from(!tt_capture);
                    new_depth += 1
                        + i32::from(value < singular_beta - double)
                        + i32::from(value < singular_beta - double.max(triple));
                    depth += i32::from(depth < singular_only_depth());
                } else if value >= beta && !is_decisive(value) {
                    // Multi-cut: even without the table move something beats beta
                    return self.leave::<N>(Why::MultiCut, value);
                } else if tt_value >= beta {
                    // Negative extension: several moves seem to beat beta, so none deserves more
                    new_depth -= 3;
                } else if cut_node {
                    new_depth -= 2;
                }
            }

            // Step 17. Make the move
            let nodes_before = self.nodes;
            let child = pos.after_unchecked(mv);
            self.play(pos, &child, mv, ply);

            // Step 18. Late move reduction (LMR): corrections to the base, in 1/1024 ply
            if tt_pv {
                r -= lmr_tt_pv()
                    + lmr_pv() * i32::from(N::PV)
                    + lmr_tt_score() * i32::from(tt_value != NONE && tt_value > alpha);
            }
            if cut_node {
                r += lmr_cut_node() + lmr_cut_no_move() * i32::from(tt_move.is_none());
            }
            if !improving {
                r += lmr_not_improving();
            }
            if tt_capture {
                r += lmr_tt_capture();
            }
            if child.in_check() {
                r -= lmr_check();
            }
            if self.stack.at(ply + 1).cutoffs > lmr_cutoffs_count() as u32 {
                r += lmr_cutoffs();
            }
            if mv == tt_move {
                r -= lmr_tt_move();
            }
            r -= correction.abs() * PLY / lmr_correction_div();
            r -= if quiet {
                (lmr_history_quiet() * self.hist.quiet(us, threats, mv)
                    + lmr_history_continuation()
                        * (self.hist.continuation(last, pt) + self.hist.continuation(before, pt))
                    + lmr_history_base())
                    / lmr_history_div()
            } else {
                self.hist.capture(mv) / lmr_capture_history_div()
            };
            if self.is_off::<N>(Part::Reductions) {
                r = 0;
            }

            let mut value = 0;
            if depth >= 2 && move_count > 1 + usize::from(N::ROOT) {
                let reduced = (new_depth - r / PLY).min(new_depth + 1 + i32::from(N::PV)).max(1);
                self.stack.at_mut(ply).reduction = (new_depth - reduced) * PLY;
                value = -self.search_node::<N::NonPv>(&child, ply + 1, -alpha - 1, -alpha, reduced, true);
                self.stack.at_mut(ply).reduction = 0;
                if value > alpha && reduced < new_depth {
                    // How convincing the surprise is decides how deep it is looked at again
                    new_depth += i32::from(value > best + deeper_margin() + deeper_depth() * new_depth);
                    new_depth -= i32::from(value < best + shallower_margin());
                    if new_depth > reduced {
                        value =
                            -self.search_node::<N::NonPv>(&child, ply + 1, -alpha - 1, -alpha, new_depth, !cut_node);
                    }
                    if quiet {
                        let bonus = if value >= beta { history_bonus(new_depth) } else { 0 };
                        self.update_continuations(ply, pt, bonus);
                    }
                }
            } else if !N::PV || move_count > 1 {
                // Step 19. Full depth with a null window where nothing is reduced
                let d = new_depth
                    - i32::from(r > full_depth_reduce())
                    - i32::from(tt_move.is_none() && r > 2 * full_depth_reduce());
                self.stack.at_mut(ply).reduction = 0;
                value = -self.search_node::<N::NonPv>(&child, ply + 1, -alpha - 1, -alpha, d, !cut_node);
            }
            // Step 20. The open window, for the first move of a PV node and for those that beat it
            if N::PV && (move_count == 1 || value > alpha) {
                self.stack.at_mut(ply).reduction = 0;
                self.pv.clear(ply + 1);
                // A table move on the principal variation never drops straight into quiescence.
                if mv == tt_move && self.root_depth > 8 && tt_depth > 1 {
                    new_depth = new_depth.max(1);
                }
                value = -self.search_node::<N::Pv>(&child, ply + 1, -beta, -alpha, new_depth, false);
            }
            self.unplay();
            if self.stopped {
                return self.leave::<N>(Why::Stopped, DRAW);
            }

            // Step 21. The root keeps score, line and effort of every move
            if N::ROOT {
                let nodes = self.nodes - nodes_before;
                let seldepth = self.seldepth as u32;
                let (searcher_pv, root_moves) = (&self.pv, &mut self.root_moves);
                let m = root_moves.iter_mut().find(|m| m.mv == mv).expect("a root move");
                m.nodes += nodes;
                if move_count == 1 || value > alpha {
                    m.score = value;
                    m.average = if m.average == -INFINITE { value } else { (2 * value + m.average) / 3 };
                    m.seldepth = seldepth;
                    m.bound = if value >= beta {
                        ScoreBound::Lower
                    } else if value <= alpha {
                        ScoreBound::Upper
                    } else {
                        ScoreBound::Exact
                    };
                    m.set_pv(searcher_pv.line(1));
                } else {
                    m.score = -INFINITE;
                }
            }

            // Step 22. A new best move, or the cut
            if value > best {
                best = value;
                if value > alpha {
                    best_move = mv;
                    if N::PV && !N::ROOT {
                        self.pv.update(ply, mv);
                    }
                    if value >= beta {
                        self.stack.at_mut(ply).cutoffs += 1 + u32::from(tt_move.is_none());
                        break;
                    }
                    // One good move found: the others need less depth to be told apart from it
                    if depth > raise_min_depth() && depth < raise_max_depth() && !is_decisive(value) {
                        depth = (depth - raise_reduction()).max(1);
                    }
                    alpha = value;
                }
            }
            if mv != best_move {
                if quiet {
                    quiets.push(mv);
                } else {
                    captures.push(mv);
                }
            }
        }

        // Step 23. No legal move: mate or stalemate (or nothing besides the excluded move)
        if move_count == 0 {
            return if excluded.is_some() {
                self.leave::<N>(Why::Searched, alpha)
            } else if in_check {
                self.leave::<N>(Why::Checkmate, mated_in(ply))
            } else {
                self.leave::<N>(Why::Stalemate, DRAW)
            };
        }
        // A fail-high far above beta is seldom as good as it looks.
        if best >= beta && !is_decisive(best) && !is_decisive(alpha) {
            best = (best * depth + beta) / (depth + 1);
        }

        // Step 24. Update the histories
        if best_move.is_some() {
            let depth = depth + i32::from(best >= beta + fail_high_margin());
            self.update_histories(pos, ply, threats, best_move, &quiets, &captures, depth);
        } else if prior_move.is_some() && prior_move.is_quiet() && !N::ROOT {
            // Everything here failed low: the move that led here was good.
            let late = self.stack.back(ply, 1).move_count > fail_low_moves() as usize;
            let bonus = history_bonus(depth) * (1 + i32::from(depth > fail_low_depth()) + i32::from(late)) / 2;
            self.update_continuations(ply - 1, piece_to(prior_move), bonus);
            let prior_threats = self.stack.back(ply, 1).threats;
            self.hist.update_quiet(!us, prior_threats, prior_move, bonus);
        }
        if N::PV {
            best = best.min(max_value);
        }

        // Step 25. Store in the table and correct the evaluation (correction history)
        if excluded.is_none() {
            if !(N::ROOT && self.pv_index > 0) {
                let bound = if best >= beta {
                    Bound::Lower
                } else if N::PV && best_move.is_some() {
                    Bound::Exact
                } else {
                    Bound::Upper
                };
                // A node whose parent was on a PV and that fails low belongs to it too.
                let parent_pv = !N::ROOT && self.stack.back(ply, 1).tt_pv;
                let store_pv = tt_pv || (best <= old_alpha && parent_pv && depth > tt_pv_depth());
                self.store(key, ply, best_move, best, raw_eval, depth, bound, store_pv);
            }
            if !in_check
                && (best_move.is_none() || best_move.is_quiet())
                && !(best >= beta && best <= static_eval)
                && !(best_move.is_none() && best >= static_eval)
            {
                self.corrections.update(pos, last, before, depth, best - static_eval);
            }
        }
        self.leave::<N>(Why::Searched, best)
    }
}
