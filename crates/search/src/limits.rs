//! What a search is asked for ([`Limits`]) and what it tells while it runs ([`Info`]).

use crate::score::Score;
use rukh_core::Move;

/// When to stop. The default has no limit at all: give at least one, or call stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Depth of the last iteration.
    pub depth: Option<u32>,
    /// Hard node limit over all threads; exact with one thread.
    pub nodes: Option<u64>,
    /// Soft node limit: no new iteration once it is passed.
    pub soft_nodes: Option<u64>,
    /// Fixed time for this move, milliseconds.
    pub movetime: Option<u64>,
    /// Clock of White and Black, milliseconds.
    pub time: [Option<u64>; 2],
    /// Increment of White and Black, milliseconds.
    pub inc: [u64; 2],
    /// Clocks run by nodes, not by time: so many are a millisecond. The same search takes the same moves on every machine, however busy.
    pub nodes_per_ms: Option<u32>,
    /// Moves to the next time control.
    pub movestogo: Option<u32>,
    /// Look for a mate in at most this many moves, given or suffered, and stop when it is found.
    pub mate: Option<u32>,
    /// Search until stopped and do not answer before.
    pub infinite: bool,
    /// Think on the opponent's time: the clock starts to matter at `ponderhit`.
    pub ponder: bool,
    /// Only these root moves; empty means all.
    pub searchmoves: Vec<Move>,
    /// Number of lines; 0 and 1 both mean one.
    pub multipv: usize,
    /// Go on with the search that was stopped last, from the same root and for the same limits: its iterations, nodes and
    /// clock count on. For hosts that can only hear `stop` between slices of a search.
    pub resume: bool,
}

impl Limits {
    /// A fixed depth.
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// A fixed number of nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// A fixed time in milliseconds.
    pub fn movetime(ms: u64) -> Limits {
        Limits { movetime: Some(ms), ..Limits::default() }
    }
}

/// Whether a reported score is exact or only a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreBound {
    /// The value itself.
    #[default]
    Exact,
    /// At least this (the search failed high).
    Lower,
    /// At most this (the search failed low).
    Upper,
}

/// One report of a running search: one line of play.
#[derive(Clone, Copy, Debug)]
pub struct Info<'a> {
    /// Iteration.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Which line, from 1.
    pub multipv: usize,
    /// Score of the line for the side to move.
    pub score: Score,
    /// Exact, or a bound while the window is still open.
    pub bound: ScoreBound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Nodes per second.
    pub nps: u64,
    /// Table use in permille.
    pub hashfull: u32,
    /// Successful table probes.
    pub tbhits: u64,
    /// Milliseconds since the start.
    pub time_ms: u64,
    /// The line.
    pub pv: &'a [Move],
}

/// The answer of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to play; `None` when there is no legal move.
    pub best: Option<Move>,
    /// The reply expected, if the line is that long.
    pub ponder: Option<Move>,
    /// Score for the side to move.
    pub score: Score,
    /// Depth of the last completed iteration.
    pub depth: u32,
    /// Nodes of all threads.
    pub nodes: u64,
}
