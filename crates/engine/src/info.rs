//! Reports and answers of the engine, with moves ready to print.

use crate::error::EngineError;
use crate::wdl::{Scale, Wdl};
use core::fmt;
use rukh_core::{Color, Move, Notation, Position, Rules, Square, Variant};
use rukh_search::{MAX_PLY, Score, ScoreBound};

/// What printing a castling move takes: where the rooks stand. Fixed for a whole search, because rooks that may castle
/// have not moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveWriter {
    notation: Notation,
    // [colour][queenside, kingside]
    rooks: [[Option<Square>; 2]; 2],
}

impl MoveWriter {
    pub(crate) fn new<R: Rules>(pos: &Position<R>, notation: Notation) -> MoveWriter {
        let rook = |color, kingside| pos.castle_rook(color, kingside);
        let rooks = Color::ALL.map(|c| [rook(c, false), rook(c, true)]);
        MoveWriter { notation, rooks }
    }

    /// The move in UCI notation, as something that can be printed.
    pub fn uci(&self, mv: Move) -> UciMove {
        let mut rook = None;
        if self.notation == Notation::Chess960 && mv.is_castle() {
            rook = self.rooks[mv.piece().color().index()][usize::from(mv.is_king_castle())];
        }
        UciMove { mv, rook }
    }
}

/// A move that prints itself in UCI notation, without allocating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UciMove {
    mv: Move,
    rook: Option<Square>,
}

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rook {
            Some(rook) => write!(f, "{}{}", self.mv.from(), rook),
            None => write!(f, "{}", self.mv),
        }
    }
}

/// A line of play, kept in place.
#[derive(Clone, Copy)]
pub struct Line {
    moves: [Move; MAX_PLY],
    len: usize,
    writer: MoveWriter,
}

impl Line {
    pub(crate) fn new(moves: &[Move], writer: MoveWriter) -> Line {
        let mut line = Line { moves: [Move::NONE; MAX_PLY], len: moves.len().min(MAX_PLY), writer };
        line.moves[..line.len].copy_from_slice(&moves[..line.len]);
        line
    }

    /// The moves.
    pub fn moves(&self) -> &[Move] {
        &self.moves[..self.len]
    }

    /// The moves in UCI notation.
    pub fn uci(&self) -> impl Iterator<Item = UciMove> + '_ {
        self.moves().iter().map(|&mv| self.writer.uci(mv))
    }
}

/// The moves in UCI notation with spaces between them.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, mv) in self.uci().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{mv}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

/// One report of a running search: one line of play.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Info {
    /// Iteration.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Which line, from 1.
    pub multipv: usize,
    /// Score for the side to move, in the engine's own units.
    pub score: Score,
    /// Exact, or a bound while the window is still open.
    pub bound: ScoreBound,
    /// The game.
    pub variant: Variant,
    /// What scores mean in it, with the men of the root.
    pub scale: Scale,
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
    pub pv: Line,
}

impl Info {
    pub(crate) fn new(info: &rukh_search::Info<'_>, variant: Variant, men: u32, writer: MoveWriter) -> Info {
        Info {
            depth: info.depth,
            seldepth: info.seldepth,
            multipv: info.multipv,
            score: info.score,
            bound: info.bound,
            variant,
            scale: Scale::of(variant, men),
            nodes: info.nodes,
            nps: info.nps,
            hashfull: info.hashfull,
            tbhits: info.tbhits,
            time_ms: info.time_ms,
            pv: Line::new(info.pv, writer),
        }
    }

    /// Centipawns, normalised: 100 is an even chance to win.
    pub fn centipawns(&self) -> i32 {
        self.scale.centipawns(self.score)
    }

    /// Moves to mate, negative when being mated.
    pub fn mate(&self) -> Option<i32> {
        self.score.mate()
    }

    /// Win, draw and loss chances.
    pub fn wdl(&self) -> Wdl {
        self.scale.wdl(self.score)
    }
}

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GoResult {
    /// The move to play, in UCI notation; `None` when there is no legal move.
    pub best_move: Option<String>,
    /// The reply expected.
    pub ponder: Option<String>,
    /// Score for the side to move.
    pub score: Score,
    /// Depth of the last complete iteration.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// The search crashed by a fault of the program: what happened. The move is the best known until then, and the engine
    /// can go on.
    pub error: Option<String>,
    /// What the user should know besides: end-game tables found damaged.
    pub warnings: Vec<String>,
}

impl GoResult {
    /// The answer, if the search did not break down.
    pub fn sound(self) -> Result<GoResult, EngineError> {
        match self.error {
            Some(error) => Err(EngineError::Broken(error)),
            None => Ok(self),
        }
    }
}
