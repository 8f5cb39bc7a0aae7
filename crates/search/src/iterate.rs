//! Iterative deepening with aspiration windows, and what is told of it.

use crate::limits::{Info, Limits, ScoreBound};
use crate::node::Node;
use crate::params::*;
use crate::root::{sort_by_score, usable_score};
use crate::score::{self, INFINITE, Score};
use crate::searcher::Searcher;
use crate::time::Progress;
use rukh_core::{Move, Position, Rules};
use rukh_eval::Evaluator;

impl<R: Rules, E: Evaluator<R>> Searcher<R, E> {
    /// Iterative deepening.
    pub(crate) fn iterate<N: Node>(&mut self, pos: &Position<R>, limits: &Limits, on_info: &mut dyn FnMut(&Info<'_>)) {
        if self.root_moves.is_empty() {
            return;
        }
        let mut best = Move::NONE;
        let mut stable = 0;
        let mut recent = self.last_score;
        for depth in self.first_depth..=self.depth_limit {
            self.root_depth = depth;
            for m in &mut self.root_moves {
                m.previous = m.score;
            }
            for index in 0..self.multipv {
                self.pv_index = index;
                self.seldepth = 0;
                self.aspirate::<N>(pos, depth, on_info);
                sort_by_score(&mut self.root_moves[index..]);
                sort_by_score(&mut self.root_moves[..=index]);
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                self.keep_last_complete();
                break;
            }
            self.completed_depth = depth;
            if self.id == 0 {
                for index in 0..self.multipv {
                    self.report(index, on_info);
                }
            }
            if let Some(moves) = limits.mate
                && self.mate_found(pos, moves, depth, on_info)
            {
                break;
            }
            let top = &self.root_moves[0];
            if limits.soft_nodes.is_some_and(|n| self.nodes >= n) {
                break;
            }
            stable = if top.mv == best { stable + 1 } else { 0 };
            best = top.mv;
            if self.id == 0 && !self.shared.control.is_pondering() {
                let now = top.score;
                let progress = Progress {
                    best_fraction: top.nodes as f64 / self.nodes.max(1) as f64,
                    stable,
                    falling: recent.map_or(0, |r| r - now).clamp(-200, 200),
                };
                let elapsed = self.spent_ms();
                if self.plan.is_enough(elapsed, &progress) {
                    break;
                }
                // One legal move needs no thought, only a score and a move to ponder on.
                if self.root_moves.len() == 1 && self.plan.is_enough(elapsed.saturating_mul(20), &progress) {
                    break;
                }
            }
            // The trend compares with a mean that forgets slowly.
            recent = Some(recent.map_or(top.score, |r| (3 * r + top.score) / 4));
        }
        self.know_something(pos);
        self.last_score = self.root_moves.first().map(usable_score).filter(|s| !score::is_decisive(*s));
    }

    /// Whether a mate in at most `moves` is on the board, by either side. Once there is a move to fall back on, it is looked
    /// for by proof; the ordinary search goes on where that finds none.
    fn mate_found(&mut self, pos: &Position<R>, moves: u32, depth: i32, on_info: &mut dyn FnMut(&Info<'_>)) -> bool {
        const PROVE_AFTER: i32 = 4;
        if depth < PROVE_AFTER || self.id != 0 {
            return false;
        }
        if self.unproven {
            // Stopped half-way, it goes on from what it knows when the search does.
            let proof = self.prove(pos, moves);
            self.unproven = self.stopped;
            if let Some(proof) = proof
                && let Some(at) = self.root_moves.iter().position(|m| m.mv == proof.mv)
            {
                let m = &mut self.root_moves[at];
                (m.score, m.bound, m.seldepth) = (proof.score, ScoreBound::Exact, proof.len as u32 + 1);
                m.set_pv(&proof.line[..proof.len]);
                self.root_moves[..=at].rotate_right(1);
                self.root_depth = self.root_depth.max(proof.len as i32 + 1);
                self.completed_depth = self.root_depth;
                self.report(0, on_info);
                return true;
            }
        }
        let length = 2 * moves as usize;
        let top = self.root_moves[0].score;
        top >= score::mate_in(length - 1) || top <= score::mated_in(length)
    }

    /// An iteration was cut short: where its first move was not finished, the last complete line counts.
    fn keep_last_complete(&mut self) {
        if self.root_moves.iter().all(|m| m.score == -INFINITE) {
            for m in &mut self.root_moves {
                m.score = m.previous;
            }
            sort_by_score(&mut self.root_moves);
        }
    }

    /// Stopped before the first move of the first iteration was finished: what the board says must do for a score.
    fn know_something(&mut self, pos: &Position<R>) {
        if usable_score(&self.root_moves[0]) == -INFINITE {
            let eval = if pos.in_check() { score::DRAW } else { self.eval.evaluate(pos) };
            self.root_moves[0].score = eval;
        }
    }

    /// One line of one iteration, in a window around its mean score that opens where it fails.
    fn aspirate<N: Node>(&mut self, pos: &Position<R>, depth: i32, on_info: &mut dyn FnMut(&Info<'_>)) {
        let centre = self.root_moves[self.pv_index].average;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut delta = INFINITE;
        if depth >= aspiration_depth() && centre != -INFINITE && !score::is_decisive(centre) {
            delta = aspiration_delta() + centre * centre / aspiration_score_div();
            alpha = (centre - delta).max(-INFINITE);
            beta = (centre + delta).min(INFINITE);
        }
        let mut fail_highs = 0;
        loop {
            // After failing high a shallower search is enough to see whether it holds.
            let adjusted = (depth - fail_highs).max(1);
            for m in &mut self.root_moves[self.pv_index..] {
                m.score = -INFINITE;
            }
            let value = self.search_node::<N>(pos, 0, alpha, beta, adjusted, false);
            sort_by_score(&mut self.root_moves[self.pv_index..]);
            if self.stopped || (value > alpha && value < beta) {
                break;
            }
            let slow = self.id == 0 && self.multipv == 1 && self.clock.elapsed_ms() > 3000;
            if value <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (value - delta).max(-INFINITE);
                fail_highs = 0;
            } else {
                beta = (value + delta).min(INFINITE);
                fail_highs += 1;
            }
            if slow {
                self.report(self.pv_index, on_info);
            }
            delta += delta * aspiration_widen() / 16;
            if delta > aspiration_max() {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Long searches say which root move they are at.
    #[inline]
    pub(crate) fn tell_root_move(&self, mv: Move, number: usize) {
        const AFTER_MS: u64 = 3000;
        if self.id == 0 && self.clock.elapsed_ms() >= AFTER_MS {
            self.shared.control.tell_root_move(self.root_depth as u32, mv, self.pv_index + number);
        }
    }

    /// The lines as they stand, as far as they have a score.
    pub(crate) fn report_all(&self, on_info: &mut dyn FnMut(&Info<'_>)) {
        for index in (0..self.multipv).filter(|&i| usable_score(&self.root_moves[i]) != -INFINITE) {
            self.report(index, on_info);
        }
    }

    pub(crate) fn report(&self, index: usize, on_info: &mut dyn FnMut(&Info<'_>)) {
        self.publish();
        let m = &self.root_moves[index];
        let time_ms = self.clock.elapsed_ms();
        let nodes = self.shared.nodes();
        let value = match m.table_score {
            // A mate found beats "won by tables"; otherwise the tables know better than the search.
            Some(t) if !score::is_mate(usable_score(m)) => t,
            _ => usable_score(m),
        };
        on_info(&Info {
            depth: self.root_depth as u32,
            seldepth: m.seldepth,
            multipv: index + 1,
            score: Score(value),
            bound: m.bound,
            nodes,
            nps: nodes * 1000 / time_ms.max(1),
            hashfull: self.shared.tt.hashfull(),
            tbhits: self.shared.tbhits(),
            time_ms,
            pv: m.pv(),
        });
    }
}
