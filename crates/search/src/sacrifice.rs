//! Sacrifices at the root, looked at with a window of their own.
//!
//! A scout that asks only "is it better than the best move?" prunes by margins: behind a sacrifice the side that has the extra
//! piece stands far above its bound, so that most of what could refute it is never searched. Seen as a principal variation,
//! the same move often shows its point many plies earlier. A small share of the nodes goes into such looks, between the
//! iterations; a move that comes out better than the best is searched first in the next one, which decides. Analysis wants
//! that; a game on the clock does not pay for it.

use crate::node::Pv;
use crate::params::*;
use crate::score::{INFINITE, is_decisive};
use crate::searcher::Searcher;
use crate::trace::Trace;
use rukh_core::{Position, Rules};
use rukh_eval::Evaluator;

/// What the looks at one root move found.
#[derive(Clone, Copy, Default)]
pub(crate) struct Look {
    /// Depth of the last look; 0 before the first.
    depth: i32,
    score: i32,
    /// A move that has come to the front comes again only from this depth on.
    again: i32,
}

impl<R: Rules, E: Evaluator<R>, T: Trace> Searcher<R, E, T> {
    /// Looks at the root's sacrifices while their share of the nodes lasts, and brings one that seems best to the front.
    pub(crate) fn look_at_sacrifices(&mut self, pos: &Position<R>) {
        let best = self.root_moves[0].score;
        if self.nodes < look_after() as u64 || self.root_moves.len() < 2 || is_decisive(best) {
            return;
        }
        while self.look_nodes * (look_share() as u64) < self.nodes {
            // The one looked at least; none as deep as the iteration.
            let mut next: Option<usize> = None;
            for (at, m) in self.root_moves.iter().enumerate().skip(1) {
                if m.look.depth + 2 < self.completed_depth
                    && next.is_none_or(|n| m.look.depth < self.root_moves[n].look.depth)
                    && (m.mv.is_capture() || pos.gives_check(m.mv))
                    && !pos.see_ge(m.mv, -look_loss())
                {
                    next = Some(at);
                }
            }
            let Some(at) = next else { return };
            let before = self.nodes;
            let value = self.look(pos, at);
            self.look_nodes += self.nodes - before;
            if self.stopped {
                return;
            }
            let m = &mut self.root_moves[at];
            m.look.depth += 1;
            m.look.score = value;
            if value > best + look_margin() && m.look.depth >= m.look.again.max(look_depth()) {
                m.look.again = m.look.depth + 4;
                m.average = value;
                self.root_moves[..=at].rotate_right(1);
                return;
            }
        }
    }

    /// One look, a ply deeper than the last.
    fn look(&mut self, pos: &Position<R>, at: usize) -> i32 {
        let (mv, look) = (self.root_moves[at].mv, self.root_moves[at].look);
        let mut delta = if look.depth == 0 || is_decisive(look.score) { INFINITE } else { 30 };
        let (mut alpha, mut beta) = ((look.score - delta).max(-INFINITE), (look.score + delta).min(INFINITE));
        loop {
            let child = self.play(pos, mv, 0);
            let frame = self.stack.at_mut(0);
            (frame.move_count, frame.reduction) = (1, 0);
            self.pv.clear(1);
            let value = -self.search_node::<Pv>(&child, 1, -beta, -alpha, look.depth, false);
            self.unplay();
            if self.stopped || (value > alpha && value < beta) || delta >= INFINITE {
                return value;
            }
            delta = if delta > 400 { INFINITE } else { 4 * delta };
            if value <= alpha {
                alpha = (value - delta).max(-INFINITE);
            } else {
                beta = (value + delta).min(INFINITE);
            }
            if delta == INFINITE {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, RootPosition, Searcher, Shared};
    use rukh_core::{Chess, Position};
    use rukh_eval::Classical;
    use std::sync::Arc;

    /// Nodes spent on looks by a search of the second position of Win at Chess, where the move is a sacrifice.
    fn looked(limits: Limits) -> u64 {
        let pos: Position<Chess> = "8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - 0 1".parse().unwrap();
        let shared = Arc::new(Shared::new(4, 1).unwrap());
        let mut searcher = Searcher::<Chess, _>::new(0, shared, Classical::new());
        searcher.search(RootPosition { position: &pos, keys: &[] }, &limits, &mut |_| {});
        assert!(searcher.nodes > 50_000);
        searcher.look_nodes
    }

    #[test]
    fn sacrifices_are_looked_at_in_analysis_and_not_on_a_clock() {
        let analysis = Limits::nodes(200_000);
        assert!(looked(analysis.clone()) > 0);
        assert_eq!(looked(Limits { time: [Some(3_600_000); 2], ..analysis }), 0);
    }
}
