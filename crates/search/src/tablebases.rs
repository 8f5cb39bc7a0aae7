//! The door for end-game tables (TB): Syzygy for chess, bare-Khun tables for Makruk. The search only knows this trait.

use crate::root::sort_by_score;
use crate::score;
use crate::searcher::Searcher;
use rukh_core::{Move, Position, Rules};
use rukh_eval::Evaluator;

/// What a table says about a position, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableResult {
    /// Mate in so many plies (an exact distance).
    MateIn(u32),
    /// Won.
    Win,
    /// Won, but the fifty-move rule saves the opponent.
    CursedWin,
    /// Drawn.
    Draw,
    /// Lost, but the fifty-move rule saves us.
    BlessedLoss,
    /// Lost.
    Loss,
    /// Mated in so many plies (an exact distance).
    MatedIn(u32),
}

/// A root move with the tables' opinion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedMove {
    /// The move.
    pub mv: Move,
    /// The result after the move, from the mover's view.
    pub result: TableResult,
    /// Order among the moves: larger is better (nearer wins, longer losses). Only moves of the best rank are played.
    pub rank: i32,
}

/// End-game tables. Probes run in many threads at once, and must not allocate or lock.
pub trait Tablebases<R: Rules>: Send + Sync {
    /// Largest number of pieces on the board for which a probe can succeed; 0 when no table is there.
    fn max_pieces(&self) -> u32;

    /// The result of `pos`, if known. Called in the tree for positions of at most `max_pieces` pieces.
    fn probe(&self, pos: &Position<R>) -> Option<TableResult>;

    /// Ranks root moves so that the game makes progress (by distance to zeroing or to mate). Fills `ranked` and returns
    /// `true`, or returns `false` when a move is not known. May be slow; called once per search.
    fn rank_root(&self, pos: &Position<R>, moves: &[Move], ranked: &mut Vec<RankedMove>) -> bool;

    /// What was found wrong with tables since the last call, for the user to hear. Called after a search.
    fn complaints(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A table's result as a score at `ply`.
pub(crate) fn table_score(result: TableResult, ply: usize) -> i32 {
    match result {
        TableResult::MateIn(n) => {
            let v = score::mate_in(ply + n as usize);
            if score::is_mate(v) { v } else { score::TB_WIN - ply as i32 }
        }
        TableResult::Win => score::TB_WIN - ply as i32,
        // One point off the draw, so that the engine still tries.
        TableResult::CursedWin => 1,
        TableResult::Draw => score::DRAW,
        TableResult::BlessedLoss => -1,
        TableResult::Loss => -score::TB_WIN + ply as i32,
        TableResult::MatedIn(n) => {
            let v = score::mated_in(ply + n as usize);
            if score::is_mate(v) { v } else { -score::TB_WIN + ply as i32 }
        }
    }
}

impl<R: Rules, E: Evaluator<R>> Searcher<R, E> {
    /// What the tables say of a position in the tree.
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

    /// Gives the root moves the tables' scores. Where one line is asked for, only those of the best rank stay; several lines
    /// go down through the ranks. True when the tables spoke.
    pub(crate) fn rank_root(&mut self, pos: &Position<R>) -> bool {
        let Some(tables) = self.shared.tables.clone() else { return false };
        if pos.occupied().count() > tables.max_pieces() || self.root_moves.is_empty() {
            return false;
        }
        let moves: Vec<Move> = self.root_moves.iter().map(|m| m.mv).collect();
        self.ranked.clear();
        if !tables.rank_root(pos, &moves, &mut self.ranked) {
            return false;
        }
        self.tbhits += moves.len() as u64;
        let Some(best) = self.ranked.iter().map(|r| r.rank).max() else { return false };
        let (ranked, one_line) = (&self.ranked, self.multipv == 1);
        let of = |mv: Move| ranked.iter().find(|r| r.mv == mv && (r.rank == best || !one_line));
        if !self.root_moves.iter().any(|m| of(m.mv).is_some()) {
            return false;
        }
        self.root_moves.retain_mut(|m| {
            let known = of(m.mv);
            (m.table_score, m.table_rank) = known.map_or((None, 0), |r| (Some(table_score(r.result, 0)), r.rank));
            known.is_some()
        });
        sort_by_score(&mut self.root_moves);
        // There may be fewer moves now than lines were asked for.
        self.multipv = self.multipv.min(self.root_moves.len());
        true
    }
}
