//! How deep a move is searched: singular extensions and late move reductions. The steps are numbered as in the main search.

use crate::node::{Candidate, Facts, Node, NonPv};
use crate::params::*;
use crate::score::{NONE, is_decisive};
use crate::searcher::Searcher;
use crate::trace::{Part, Trace, Why};
use rukh_core::{Bitboard, Move, Position, Rules};
use rukh_eval::Evaluator;

/// What the search without the table move says.
pub(crate) enum Singular {
    /// The table move is searched so much deeper (or less deep).
    Extend(i32),
    /// It is the only good move: so much deeper, and the node may get a ply more.
    Only(i32),
    /// The node's value: another move beats beta as well, or the search was stopped.
    Cut(i32),
}

impl<R: Rules, E: Evaluator<R>, T: Trace> Searcher<R, E, T> {
    /// Step 16. Singular extension: is the table move the only good one?
    #[inline(always)]
    pub(crate) fn singular<N: Node>(
        &mut self,
        pos: &Position<R>,
        ply: usize,
        beta: i32,
        depth: i32,
        at: &Facts,
        m: &Candidate,
    ) -> Singular {
        let asked = !N::ROOT
            && m.mv == at.tt_move
            && !self.trace.is_off(Part::Extensions)
            && at.excluded.is_none()
            && depth >= singular_depth() + i32::from(at.tt_pv)
            && ply < 2 * self.root_depth as usize
            && at.tt_value != NONE
            && !is_decisive(at.tt_value)
            && at.tt_bound.is_lower()
            && at.tt_depth >= depth - 3;
        if !asked {
            return Singular::Extend(0);
        }
        let singular_beta = at.tt_value - (1 + i32::from(at.tt_pv && !N::PV)) * depth;
        self.stack.at_mut(ply).excluded = m.mv;
        let value = self.search_node::<NonPv>(pos, ply, singular_beta - 1, singular_beta, (depth - 1) / 2, at.cut_node);
        let frame = self.stack.at_mut(ply);
        frame.excluded = Move::NONE;
        frame.move_count = m.count;
        if self.stopped {
            return Singular::Cut(value);
        }
        if value < singular_beta {
            // Only this move holds: look one, two or three plies deeper
            let margin = at.correction.abs() / 4;
            let double = double_margin() - margin + double_pv() * i32::from(N::PV);
            let triple = triple_margin() - margin + triple_pv() * i32::from(N::PV) - 20 * i32::from(!at.tt_capture);
            let twice = i32::from(value < singular_beta - double);
            let thrice = i32::from(value < singular_beta - double.max(triple));
            Singular::Only(1 + twice + thrice)
        } else if value >= beta && !is_decisive(value) {
            // Multi-cut: even without the table move something beats beta
            self.trace.why(Why::MultiCut);
            Singular::Cut(value)
        } else if at.tt_value >= beta {
            // Negative extension: several moves seem to beat beta, so none deserves more
            Singular::Extend(-3)
        } else {
            Singular::Extend(if at.cut_node { -2 } else { 0 })
        }
    }

    /// Step 18. Late move reduction (LMR): corrections to the base, in 1/1024 ply.
    #[inline(always)]
    pub(crate) fn reduction_of<N: Node>(
        &self,
        ply: usize,
        alpha: i32,
        at: &Facts,
        m: &Candidate,
        threats: Bitboard,
        gives_check: bool,
    ) -> i32 {
        if self.trace.is_off(Part::Reductions) {
            return 0;
        }
        let mut r = m.reduction;
        if at.tt_pv {
            r -= lmr_tt_pv()
                + lmr_pv() * i32::from(N::PV)
                + lmr_tt_score() * i32::from(at.tt_value != NONE && at.tt_value > alpha);
        }
        if at.cut_node {
            r += lmr_cut_node() + lmr_cut_no_move() * i32::from(at.tt_move.is_none());
        }
        if !at.improving {
            r += lmr_not_improving();
        }
        if at.tt_capture {
            r += lmr_tt_capture();
        }
        if gives_check {
            r -= lmr_check();
        }
        if self.stack.at(ply + 1).cutoffs > 3 {
            r += lmr_cutoffs();
        }
        if m.mv == at.tt_move {
            r -= lmr_tt_move();
        }
        r -= at.correction.abs() * PLY / lmr_correction_div() / 8;
        let stat = if m.quiet {
            let (c1, c2) = (self.stack.back(ply, 1).piece_to, self.stack.back(ply, 2).piece_to);
            2 * self.hist.quiet(at.us, threats, m.mv)
                + self.hist.continuation(c1, m.piece_to)
                + self.hist.continuation(c2, m.piece_to)
                + 1500
        } else {
            self.hist.capture(m.mv)
        };
        r - stat / lmr_history_div()
    }
}
