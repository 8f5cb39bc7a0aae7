//! Quiescence search (qsearch): captures (and all moves in check) until the position is quiet enough to be evaluated. Its first ply also tries
//! quiet checks that lose nothing: what is quiet for an exchange may be mate.

use crate::node::Node;
use crate::params::*;
use crate::picker::Picker;
use crate::score::{DRAW, INFINITE, MAX_PLY, NONE, clamp_eval, from_table, is_decisive, is_loss, is_win, mated_in};
use crate::searcher::Searcher;
use crate::trace::{Part, Skip, Why};
use crate::tt::{Bound, DEPTH_NONE};
use rukh_core::{Bitboard, Move, Position, Rules};
use rukh_eval::Evaluator;

impl<R: Rules, E: Evaluator<R>> Searcher<R, E> {
    /// The value of `pos` once the captures are played out.
    pub(crate) fn quiescence<N: Node>(&mut self, pos: &Position<R>, ply: usize, mut alpha: i32, beta: i32) -> i32 {
        self.enter::<N>(ply, alpha, beta, 0);
        // Step 1. Upcoming repetition, abort, draws, the bottom of the stack
        if alpha < DRAW && self.can_repeat(pos, ply) {
            alpha = self.draw_score();
            if alpha >= beta {
                return self.leave::<N>(Why::Repetition, alpha);
            }
        }
        if N::PV {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if self.should_stop() {
            return self.leave::<N>(Why::Stopped, DRAW);
        }
        if self.is_draw(pos, ply) {
            let value = self.draw_score();
            return self.leave::<N>(Why::Draw, value);
        }
        let in_check = pos.in_check();
        if ply >= MAX_PLY - 1 {
            let value = if in_check { DRAW } else { self.evaluate(pos) };
            return self.leave::<N>(Why::DepthLimit, value);
        }

        // Step 2. Transposition table
        let key = pos.key();
        let rule_left = self.rule_plies_left(pos);
        let entry = if self.is_off::<N>(Part::Table) { None } else { self.shared.tt.probe(key) };
        let tt_value = entry.map_or(NONE, |e| from_table(e.value, ply, rule_left));
        let tt_bound = entry.map_or(Bound::None, |e| e.bound);
        let tt_pv = N::PV || entry.is_some_and(|e| e.pv);
        if !N::PV
            && tt_value != NONE
            && entry.is_some_and(|e| e.depth >= 0)
            && (if tt_value >= beta { tt_bound.is_lower() } else { tt_bound.is_upper() })
        {
            return self.leave::<N>(Why::Table, tt_value);
        }

        // Step 3. Stand pat: one may always do nothing (but not in check)
        let mut raw_eval = NONE;
        let mut best = -INFINITE;
        let mut futility = -INFINITE;
        if !in_check {
            raw_eval = match entry {
                Some(e) if e.eval != NONE => e.eval,
                _ => self.evaluate(pos),
            };
            let (last, before) = (self.stack.back(ply, 1).piece_to, self.stack.back(ply, 2).piece_to);
            let correction = self.corrections.value(pos, last, before);
            best = clamp_eval(raw_eval + correction);
            let static_eval = best;
            if tt_value != NONE
                && !is_decisive(tt_value)
                && (if tt_value > best { tt_bound.is_lower() } else { tt_bound.is_upper() })
            {
                best = tt_value;
            }
            if best >= beta {
                if !is_decisive(best) {
                    best = (best + beta) / 2;
                }
                if entry.is_none() {
                    self.store(key, ply, Move::NONE, best, raw_eval, DEPTH_NONE, Bound::Lower, false);
                }
                return self.leave::<N>(Why::StandPat, best);
            }
            alpha = alpha.max(best);
            futility = static_eval + qs_futility();
        }

        // Step 4. The moves
        let tt_move = entry
            .and_then(|e| if e.mv == 0 { None } else { pos.move_from_u16(e.mv) })
            .filter(|m| in_check || !m.is_quiet())
            .unwrap_or(Move::NONE);
        let threats = if in_check { pos.attacked_by(!pos.side_to_move()) } else { Bitboard::EMPTY };
        let first_ply = !self.stack.back(ply, 1).quiescence;
        let mut picker = if in_check { Picker::new(tt_move, true) } else { Picker::quiescence(tt_move, first_ply) };
        {
            let frame = self.stack.at_mut(ply);
            frame.quiescence = true;
            frame.in_check = in_check;
            frame.reduction = 0;
            frame.static_eval = NONE;
        }
        let last_move = self.stack.back(ply, 1).mv;
        let recapture = last_move.is_some().then(|| last_move.to());
        let mut best_move = Move::NONE;
        let mut move_count = 0;
        while let Some(mv) = picker.next(pos, &mut self.pick_context(ply, threats)) {
            if !pos.keeps_king_safe(mv, in_check) {
                continue;
            }
            move_count += 1;

            // Step 5. Pruning, once something does not lose
            if !is_loss(best) {
                if !in_check && !mv.is_quiet() && !mv.is_promotion() && recapture != Some(mv.to()) {
                    let gain = mv.captured().map_or(0, |p| R::VALUES[p.kind().index()]);
                    // Futility: even winning the piece outright does not reach alpha
                    if futility + gain <= alpha && !pos.gives_check(mv) {
                        best = best.max(futility + gain);
                        self.skip::<N>(mv, Skip::Futility);
                        continue;
                    }
                    // …nor does an exchange that wins nothing
                    if futility <= alpha && !pos.see_ge(mv, 1) {
                        best = best.max(futility.min(alpha));
                        self.skip::<N>(mv, Skip::Futility);
                        continue;
                    }
                    // Enough captures seen: what is left is sorted behind
                    if move_count > qs_captures() && !pos.gives_check(mv) {
                        self.skip::<N>(mv, Skip::LateMove);
                        continue;
                    }
                }
                // Evasions that give no material back are seldom what saves the king
                if in_check && mv.is_quiet() && move_count > qs_evasions() {
                    self.skip::<N>(mv, Skip::LateMove);
                    continue;
                }
                if !pos.see_ge(mv, qs_see()) {
                    self.skip::<N>(mv, Skip::Exchange);
                    continue;
                }
            }

            // Step 6. Search on
            let child = pos.after_unchecked(mv);
            self.play(pos, &child, mv, ply);
            self.stack.at_mut(ply).move_count = move_count as usize;
            let value = -self.quiescence::<N>(&child, ply + 1, -beta, -alpha);
            self.unplay();
            if self.stopped {
                return self.leave::<N>(Why::Stopped, DRAW);
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = mv;
                    if N::PV {
                        self.pv.update(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }

        // Step 7. Mate, and the table
        if in_check && best == -INFINITE {
            let value = mated_in(ply);
            return self.leave::<N>(Why::Checkmate, value);
        }
        if best >= beta && !is_decisive(best) && !is_win(beta) {
            best = (best + beta) / 2;
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        self.store(key, ply, best_move, best, raw_eval, 0, bound, tt_pv);
        self.leave::<N>(Why::Searched, best)
    }
}
