//! The door for end-game tables: Syzygy for chess, bare-Khun tables for Makruk. The search only knows this trait.

use rukh_core::{Move, Position, Rules};

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
    /// Order among the moves: larger is better (nearer wins, longer losses). Only moves of the best rank are searched.
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
}
