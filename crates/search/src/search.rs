//! The main search: principal variation search in numbered steps, each with the usual name of its technique.
//!
//! Conventions: scores are for the side to move; `alpha < beta`; a non-PV node has `beta == alpha + 1`; `cut_node` says that
//! a fail-high is expected. Fail-soft throughout: a returned bound may lie outside the window.

use crate::extend::Singular;
use crate::history::piece_to;
use crate::learn::{Tried, history_bonus, history_malus};
use crate::limits::ScoreBound;
use crate::node::{Candidate, Facts, Node, NonPv, Pv};
use crate::params::*;
use crate::picker::Picker;
use crate::root::table_score;
use crate::score::{DRAW, INFINITE, MAX_PLY, NONE, clamp_eval, from_table, is_decisive, mate_in, mated_in};
use crate::searcher::Searcher;
use crate::tables::TableResult;
use crate::trace::{Part, Trace, Why};
use crate::tt::{Bound, DEPTH_NONE};
use rukh_core::{Move, Position, Rules};
use rukh_eval::Evaluator;

impl<R: Rules, E: Evaluator<R>, T: Trace> Searcher<R, E, T> {
    /// Searches a node to `depth` plies. Called through `search_node`, which tells whoever watches.
    #[allow(clippy::cognitive_complexity)]
    pub(crate) fn search_moves<N: Node>(
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
                self.quiescence::<Pv>(pos, ply, alpha, beta)
            } else {
                self.quiescence::<NonPv>(pos, ply, alpha, beta)
            };
        }
        depth = depth.min(MAX_PLY as i32 - 1);

        // Step 2. Upcoming repetition: a draw can be forced with one move, so the score is at least that
        if !N::ROOT && alpha < DRAW && self.can_repeat(pos, ply) {
            alpha = self.draw_score();
            if alpha >= beta {
                self.trace.why(Why::Repetition);
                return alpha;
            }
        }

        // Step 3. Abort, draws, and the bottom of the stack
        if N::PV {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if self.should_stop() {
            self.trace.why(Why::Stopped);
            return DRAW;
        }
        let in_check = pos.in_check();
        if !N::ROOT {
            if self.is_draw(pos, ply) {
                self.trace.why(Why::Draw);
                return self.draw_score();
            }
            if ply >= MAX_PLY - 1 {
                self.trace.why(Why::DepthLimit);
                return if in_check { DRAW } else { self.evaluate(pos) };
            }

            // Step 4. Mate distance pruning: a shorter mate is already known on this line
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                self.trace.why(Why::MateDistance);
                return alpha;
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

        // Step 5. Transposition table
        let key = pos.key();
        let rule_left = self.rule_plies_left(pos);
        let entry =
            if excluded.is_none() && !self.trace.is_off(Part::Table) { self.shared.tt.probe(key) } else { None };
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
            && (cut_node == (tt_value >= beta) || depth > 5)
        {
            // A quiet table move that cuts has earned its bonus again.
            if tt_move.is_some() && tt_value >= beta {
                if tt_move.is_quiet() {
                    let threats = pos.attacked_by(!us);
                    self.update_quiet(pos, ply, threats, tt_move, history_bonus(depth));
                }
                if self.stack.back(ply, 1).move_count <= 3 && prior_move.is_some() && prior_move.is_quiet() {
                    self.update_continuations(ply - 1, piece_to(prior_move), -history_malus(depth + 1));
                }
            }
            // Close to the fifty-move rule a score from elsewhere in the game may not hold.
            if rule_left > tt_rule_margin() {
                self.trace.why(Why::Table);
                return tt_value;
            }
        }

        // Step 6. End-game tables
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
                self.store(key, ply, Move::NONE, value, NONE, (depth + 6).min(MAX_PLY as i32 - 1), bound, tt_pv);
                self.trace.why(Why::EndgameTable);
                return value;
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
        let correction = if in_check { 0 } else { self.hist.correction(pos, last, before) };
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
                let bonus = (-eval_change_weight() * (previous_eval + static_eval)).clamp(-1400, 1100) + 250;
                self.hist.update_quiet(!us, self.stack.back(ply, 1).threats, prior_move, bonus);
            }
            // Hindsight: a reduced move that left us no worse than thought deserves a closer look, and the reverse.
            if prior_reduction >= 3 * PLY && !worsening {
                depth += 1;
            } else if prior_reduction >= 2 * PLY
                && depth >= 2
                && previous_eval != NONE
                && static_eval + previous_eval > hindsight_margin()
            {
                depth -= 1;
            }
        }

        let at = Facts {
            key,
            us,
            in_check,
            cut_node,
            excluded,
            prior_move,
            tt_move,
            tt_value,
            tt_depth,
            tt_bound,
            tt_capture,
            tt_pv,
            raw_eval,
            static_eval,
            eval,
            correction,
            improving,
            worsening,
        };

        // Steps 8 to 10. Razoring, reverse futility, null move
        if let Some(value) = self.prune_node::<N>(pos, ply, alpha, beta, depth, &at) {
            return value;
        }

        // Step 11. Internal iterative reduction (IIR): without a table move, come back when there is one
        if depth >= iir_depth() && (N::PV || cut_node) && tt_move.is_none() && excluded.is_none() {
            depth -= 1;
        }

        // Steps 12 and 13. ProbCut
        if let Some(value) = self.probcut::<N>(pos, ply, beta, depth, &at) {
            return value;
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
        let (c1, c2) = (self.stack.back(ply, 1).piece_to, self.stack.back(ply, 2).piece_to);
        let old_alpha = alpha;
        let mut best = -INFINITE;
        let mut best_move = Move::NONE;
        let mut move_count = 0;
        let mut quiets = Tried::<32>::new();
        let mut captures = Tried::<32>::new();
        let mut picker = if self.trace.is_off(Part::Ordering) {
            Picker::unordered(in_check, &self.arena)
        } else {
            Picker::new(tt_move, in_check, &self.arena)
        };

        loop {
            let mv = picker.next(pos, &mut self.pick_context(ply, threats));
            if mv.is_none() {
                break;
            }
            if mv == excluded || !pos.is_legal(mv) {
                continue;
            }
            if N::ROOT && !self.root_moves[self.pv_index..].iter().any(|m| m.mv == mv) {
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
                self.hist.continuation(c1, pt) + self.hist.continuation(c2, pt) + self.hist.pawn(pawn_key, pt)
            } else {
                self.hist.capture(mv)
            };
            let reduction = reduction(depth, move_count);
            let candidate = Candidate { mv, piece_to: pt, quiet, count: move_count, history, reduction };
            let mut new_depth = depth - 1;

            // Step 15. Pruning at shallow depth
            if self.skip_move::<N>(pos, alpha, depth, &at, &candidate, &mut best, &mut picker) {
                continue;
            }

            // Step 16. Singular extension
            let extension = match self.singular::<N>(pos, ply, beta, depth, &at, &candidate) {
                Singular::Extend(plies) => plies,
                Singular::Only(plies) => {
                    depth += i32::from(depth < 12);
                    plies
                }
                Singular::Cut(value) => {
                    picker.release(&mut self.arena);
                    return if self.stopped { DRAW } else { value };
                }
            };

            // Step 17. Make the move
            let nodes_before = self.nodes;
            new_depth += extension;
            let child = self.play(pos, mv, ply);
            let gives_check = child.in_check();

            // Step 18. Late move reduction
            let r = self.reduction_of::<N>(ply, alpha, &at, &candidate, threats, gives_check);
            let mut value = 0;
            if depth >= 2 && move_count > 1 + usize::from(N::ROOT) {
                let reduced = (new_depth - r / PLY).min(new_depth + 1 + i32::from(N::PV)).max(1);
                self.stack.at_mut(ply).reduction = (new_depth - reduced) * PLY;
                value = -self.search_node::<NonPv>(&child, ply + 1, -alpha - 1, -alpha, reduced, true);
                self.stack.at_mut(ply).reduction = 0;
                if value > alpha && reduced < new_depth {
                    // How convincing the surprise is decides how deep it is looked at again
                    new_depth += i32::from(value > best + deeper_margin() + 2 * new_depth);
                    new_depth -= i32::from(value < best + shallower_margin());
                    if new_depth > reduced {
                        value = -self.search_node::<NonPv>(&child, ply + 1, -alpha - 1, -alpha, new_depth, !cut_node);
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
                value = -self.search_node::<NonPv>(&child, ply + 1, -alpha - 1, -alpha, d, !cut_node);
            }
            // Step 20. The open window, for the first move of a PV node and for those that beat it
            if N::PV && (move_count == 1 || value > alpha) {
                self.stack.at_mut(ply).reduction = 0;
                self.pv.clear(ply + 1);
                // A table move on the principal variation never drops straight into quiescence.
                if mv == tt_move && self.root_depth > 8 && tt_depth > 1 {
                    new_depth = new_depth.max(1);
                }
                value = -self.search_node::<Pv>(&child, ply + 1, -beta, -alpha, new_depth, false);
            }
            self.unplay();
            if self.stopped {
                picker.release(&mut self.arena);
                return DRAW;
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
                    if depth > 2 && depth < 14 && !is_decisive(value) {
                        depth -= 2;
                        depth = depth.max(1);
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
        picker.release(&mut self.arena);

        // Step 23. No legal move: mate or stalemate (or nothing besides the excluded move)
        if move_count == 0 {
            self.trace.why(if in_check { Why::Checkmate } else { Why::Stalemate });
            return if excluded.is_some() {
                alpha
            } else if in_check {
                mated_in(ply)
            } else {
                DRAW
            };
        }
        // A fail-high far above beta is seldom as good as it looks.
        if best >= beta && !is_decisive(best) && !is_decisive(alpha) {
            best = (best * depth + beta) / (depth + 1);
        }

        // Step 24. Histories learn
        if best_move.is_some() {
            self.learn_best(pos, ply, threats, best_move, &quiets, &captures, depth + i32::from(best >= beta + 100));
        } else if prior_move.is_some() && prior_move.is_quiet() && !N::ROOT {
            // Everything here failed low: the move that led here was good.
            let bonus = history_bonus(depth)
                * (1 + i32::from(depth > 5) + i32::from(self.stack.back(ply, 1).move_count > 8))
                / 2;
            self.update_continuations(ply - 1, piece_to(prior_move), bonus);
            let prior_threats = self.stack.back(ply, 1).threats;
            self.hist.update_quiet(!us, prior_threats, prior_move, bonus);
        }
        if N::PV {
            best = best.min(max_value);
        }

        // Step 25. Store in the table and learn the evaluation's error
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
                let store_pv = tt_pv || (best <= old_alpha && !N::ROOT && self.stack.back(ply, 1).tt_pv && depth > 3);
                self.store(key, ply, best_move, best, raw_eval, depth, bound, store_pv);
            }
            if !in_check
                && (best_move.is_none() || best_move.is_quiet())
                && !(best >= beta && best <= static_eval)
                && !(best_move.is_none() && best >= static_eval)
            {
                self.hist.update_correction(pos, last, before, depth, best - static_eval);
            }
        }
        best
    }
}
