//! The moves at the root: what is known of each, their order, and what an earlier analysis says of them.

use crate::limits::{Limits, ScoreBound};
use crate::score::{INFINITE, MAX_PLY};
use crate::searcher::Searcher;
use rukh_core::{Move, Position, Rules};
use rukh_eval::Evaluator;

/// What an earlier search found at the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its depth.
    pub depth: i32,
    /// Its score.
    pub score: i32,
    /// Its best line; not empty.
    pub line: Vec<Move>,
}

/// A move at the root with what is known of it.
#[derive(Clone)]
pub(crate) struct RootMove {
    pub mv: Move,
    /// Score of this iteration; `-INFINITE` for moves that only proved to be worse.
    pub score: i32,
    /// Score of the iteration before.
    pub previous: i32,
    /// Running mean of the scores, the centre of the aspiration window.
    pub average: i32,
    pub bound: ScoreBound,
    pub seldepth: u32,
    /// Nodes spent below the move in this search.
    pub nodes: u64,
    /// Score known from end-game tables.
    pub table_score: Option<i32>,
    /// The tables' order among the moves, larger is better; it goes before the score. 0 for all without tables.
    pub table_rank: i32,
    pv: [Move; MAX_PLY],
    pv_len: usize,
}

impl RootMove {
    pub(crate) fn new(mv: Move) -> RootMove {
        let mut pv = [Move::NONE; MAX_PLY];
        pv[0] = mv;
        RootMove {
            mv,
            score: -INFINITE,
            previous: -INFINITE,
            average: -INFINITE,
            bound: ScoreBound::Exact,
            seldepth: 0,
            nodes: 0,
            table_score: None,
            table_rank: 0,
            pv,
            pv_len: 1,
        }
    }

    pub(crate) fn set_pv(&mut self, rest: &[Move]) {
        let n = rest.len().min(MAX_PLY - 1);
        self.pv[1..=n].copy_from_slice(&rest[..n]);
        self.pv_len = n + 1;
    }

    pub(crate) fn pv(&self) -> &[Move] {
        &self.pv[..self.pv_len]
    }
}

impl<R: Rules, E: Evaluator<R>> Searcher<R, E> {
    /// Whether a move is searched for the line at hand: those before it have theirs, and moves that the tables rank lower have
    /// no say, whatever the search thinks of them.
    pub(crate) fn is_of_this_line(&self, mv: Move) -> bool {
        let left = &self.root_moves[self.pv_index..];
        left.iter().any(|m| m.mv == mv && m.table_rank == left[0].table_rank)
    }

    /// Takes up an analysis where an earlier one ended: its result counts as an iteration. False when it cannot be used.
    pub(crate) fn resume(&mut self, known: &Known) -> bool {
        let Some((&best, rest)) = known.line.split_first() else { return false };
        if self.multipv > 1 || known.depth < 1 {
            return false;
        }
        let Some(at) = self.root_moves.iter().position(|m| m.mv == best) else { return false };
        self.root_moves[..=at].rotate_right(1);
        let first = &mut self.root_moves[0];
        (first.score, first.average, first.seldepth) = (known.score, known.score, known.depth as u32);
        first.set_pv(rest);
        (self.root_depth, self.completed_depth) = (known.depth, known.depth);
        self.first_depth = known.depth + 1;
        true
    }
}

/// The score to show for a root move: of this iteration if it has one, else of the last.
pub(crate) fn usable_score(m: &RootMove) -> i32 {
    if m.score == -INFINITE { m.previous } else { m.score }
}

/// Best first, by the tables' rank and then by score, equal ones in their order. Lists are short and nearly sorted, and `sort_by` may allocate.
pub(crate) fn sort_by_score(moves: &mut [RootMove]) {
    for i in 1..moves.len() {
        let (mut j, own) = (i, (moves[i].table_rank, moves[i].score));
        while j > 0 && (moves[j - 1].table_rank, moves[j - 1].score) < own {
            j -= 1;
        }
        moves[j..=i].rotate_right(1);
    }
}

/// The legal moves that `limits` allows at the root; all of them when it names none that is legal.
pub(crate) fn root_moves<R: Rules>(pos: &Position<R>, limits: &Limits) -> Vec<Move> {
    let legal = pos.legal_moves();
    let mut moves: Vec<Move> = legal.iter().copied().filter(|mv| limits.searchmoves.contains(mv)).collect();
    if moves.is_empty() {
        moves = legal.iter().copied().collect();
    }
    moves
}
