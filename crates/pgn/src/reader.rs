//! Games with their main line: the reader that most callers want.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rukh_core::{AnyPosition, Chess, Color, Move, Position};

use super::error::{PgnError, Reason, SanProblem, excerpt};
use super::lex::{GameResult, RawValue, Visitor, parse_game};
use super::position::play_san;
use super::stream::{GameVisitor, Stream};
use super::tags::Tags;

/// Most half-moves of one game; the longest possible chess game is shorter.
pub const MAX_PLIES: usize = 12_000;

/// One game: tags, start, main line, result.
#[derive(Debug, Clone, Default)]
pub struct PgnGame {
    /// The tag pairs.
    pub tags: Tags,
    /// The position before the first move.
    pub start: AnyPosition,
    /// The main line; empty when a filter refused the game's moves.
    pub moves: Vec<Move>,
    /// The result at the end of the moves, or that of the tags where the moves have none.
    pub result: GameResult,
    /// Whether the moves ended with a result, as they should.
    pub terminated: bool,
    /// Line of the file where the game begins.
    pub line: u64,
}

impl PgnGame {
    /// Calls `f` with every position of a chess game's main line before a move, and that move. Does nothing for Makruk.
    pub fn for_each_chess(&self, mut f: impl FnMut(&Position<Chess>, Move)) {
        if let Some(start) = self.start.chess() {
            let mut pos = *start;
            for &mv in &self.moves {
                f(&pos, mv);
                pos = pos.after(mv);
            }
        }
    }
}

/// A test on the tags; `false` skips the moves of a game and the game itself.
pub type TagFilter = Box<dyn FnMut(&Tags) -> bool + Send>;

/// Reads games one after another. Broken games come as errors with file, line and reason, and reading goes on.
///
/// ```no_run
/// use rukh_pgn::PgnReader;
/// for game in PgnReader::open("games.pgn.zst".as_ref())? {
///     match game {
///         Ok(game) => println!("{} – {}: {} plies", game.tags.white(), game.tags.black(), game.moves.len()),
///         Err(e) => eprintln!("{e}"),
///     }
/// }
/// # Ok::<(), rukh_pgn::PgnError>(())
/// ```
pub struct PgnReader(pub(crate) Stream<MainLine>);

impl PgnReader {
    /// Opens a plain or compressed file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<PgnReader, PgnError> {
        Stream::open(path, MainLine::default()).map(PgnReader)
    }

    /// As [`PgnReader::open`], and tells how many bytes of the file have been read, before unpacking.
    pub fn open_counted(path: &Path) -> Result<(PgnReader, Arc<AtomicU64>), PgnError> {
        let (stream, count) = Stream::open_counted(path, MainLine::default())?;
        Ok((PgnReader(stream), count))
    }

    /// Reads from anything, compressed or not; `name` is for messages.
    pub fn new(name: &str, reader: impl Read + Send + 'static) -> Result<PgnReader, PgnError> {
        Stream::new(name, reader, MainLine::default()).map(PgnReader)
    }

    /// Delivers only games whose tags pass `filter`; the moves of others are not looked at.
    pub fn with_filter(mut self, filter: TagFilter) -> PgnReader {
        self.0.visitor().filter = Some(filter);
        self
    }

    /// What was odd about the game just read without keeping it from being read.
    pub fn take_notes(&mut self) -> Vec<PgnError> {
        self.0.take_notes()
    }

    /// The next game in a buffer that is reused: the fast way through a large file.
    pub fn next_game(&mut self) -> Option<Result<&PgnGame, PgnError>> {
        Some(self.0.next_game()?.map(|line| &line.game))
    }
}

impl Iterator for PgnReader {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_game().map(|game| game.cloned())
    }
}

/// Parses one game from bytes that are already in memory.
pub fn read_game(text: &[u8]) -> Result<PgnGame, Reason> {
    let mut line = MainLine::default();
    parse_game(text, &mut line).map_err(|e| e.reason)?;
    Ok(line.game)
}

/// The visitor that plays the main line.
#[derive(Default)]
pub(crate) struct MainLine {
    pub(crate) game: PgnGame,
    filter: Option<TagFilter>,
    refused: bool,
    /// The position reached.
    now: AnyPosition,
}

impl GameVisitor for MainLine {
    fn begin(&mut self, line: u64) {
        self.game.tags.clear();
        self.game.moves.clear();
        self.game.result = GameResult::Unknown;
        self.game.terminated = false;
        self.game.line = line;
        self.refused = false;
    }

    fn is_wanted(&self) -> bool {
        !self.refused && (!self.game.tags.is_empty() || !self.game.moves.is_empty())
    }
}

impl Visitor for MainLine {
    fn tag(&mut self, name: &[u8], value: RawValue<'_>) -> Result<(), Reason> {
        self.game.tags.push_raw(name, value);
        Ok(())
    }

    fn moves_wanted(&mut self) -> Result<bool, Reason> {
        if let Some(filter) = &mut self.filter
            && !filter(&self.game.tags)
        {
            self.refused = true;
            return Ok(false);
        }
        self.game.start = self.game.tags.start_position()?;
        self.now = self.game.start.clone();
        Ok(true)
    }

    #[inline]
    fn san(&mut self, san: &[u8]) -> Result<(), Reason> {
        if self.game.moves.len() >= MAX_PLIES {
            return Err(Reason::TooLong { limit: MAX_PLIES });
        }
        match play_san(&mut self.now, san) {
            Ok(mv) => {
                self.game.moves.push(mv);
                Ok(())
            }
            Err(problem) => Err(bad_move(&self.now, san, problem)),
        }
    }

    fn open_variation(&mut self) -> Result<bool, Reason> {
        if self.game.moves.is_empty() { Err(Reason::StrayVariation) } else { Ok(false) }
    }

    fn end(&mut self, result: Option<GameResult>) {
        self.game.terminated = result.is_some();
        self.game.result = match result {
            Some(GameResult::Unknown) | None => self.game.tags.result(),
            Some(result) => result,
        };
    }
}

/// A refused move with its place in the game.
#[cold]
pub fn bad_move(pos: &AnyPosition, san: &[u8], problem: SanProblem) -> Reason {
    let dots = if pos.side_to_move() == Color::White { "." } else { "..." };
    Reason::BadMove { number: pos.fullmove(), dots, san: excerpt(san), problem }
}
