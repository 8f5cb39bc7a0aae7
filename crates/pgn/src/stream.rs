//! Driving any visitor over a source, game by game.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use memchr::memchr_iter;

use super::chunks::{Chunk, Chunks, MAX_GAME_BYTES};
use super::error::{PgnError, Reason};
use super::input::{Input, Packing};
use super::lex::{LexError, Visitor, parse_game_noting};

/// A visitor that is used for one game after the other.
pub trait GameVisitor: Visitor {
    /// A new game begins at this line of the file: forget the last one.
    fn begin(&mut self, line: u64);

    /// Whether the game just read is to be delivered. Nothing at all (a stray result behind a game) is no game.
    fn is_wanted(&self) -> bool;
}

/// Leads a visitor through all games of a source. Nothing is allocated per game but by the visitor itself.
///
/// A broken game comes as an error with file, line and reason, and reading goes on; what the visitor holds is then
/// incomplete.
pub struct Stream<V> {
    file: Arc<str>,
    packing: Packing,
    chunks: Chunks<Box<dyn Read + Send>>,
    /// Games behind the first one of a chunk (files without tags), how much of them is read, and the line there.
    leftover: Vec<u8>,
    leftover_at: usize,
    leftover_line: u64,
    /// What was odd about the game just read.
    notes: Vec<PgnError>,
    /// A read error, reported after the games read before it.
    failed: Option<PgnError>,
    done: bool,
    visitor: V,
}

enum Step {
    Game,
    Nothing,
    Error(PgnError),
    End,
}

impl<V: GameVisitor> Stream<V> {
    /// Opens a plain or compressed file, or standard input for `-`.
    pub fn open(path: &Path, visitor: V) -> Result<Self, PgnError> {
        Stream::open_counted(path, visitor).map(|(stream, _)| stream)
    }

    /// As [`Stream::open`], and tells how many bytes of the file have been read.
    pub fn open_counted(path: &Path, visitor: V) -> Result<(Self, Arc<AtomicU64>), PgnError> {
        let name: Arc<str> = path.to_string_lossy().into();
        match Input::open_counted(path) {
            Ok((input, count)) => Ok((Stream::from_input(name, input, visitor), count)),
            Err(e) => Err(PgnError { file: name, line: 0, reason: Reason::Io(e) }),
        }
    }

    /// Reads from anything, compressed or not; `name` is for messages.
    pub fn new(name: &str, reader: impl Read + Send + 'static, visitor: V) -> Result<Self, PgnError> {
        match Input::new(reader) {
            Ok(input) => Ok(Stream::from_input(name.into(), input, visitor)),
            Err(e) => Err(PgnError { file: name.into(), line: 0, reason: Reason::Io(e) }),
        }
    }

    /// Reads what is already unpacked; `file` is for messages.
    pub fn from_input(file: Arc<str>, input: Input, visitor: V) -> Self {
        Stream {
            file,
            packing: input.packing,
            chunks: Chunks::new(input.reader, MAX_GAME_BYTES),
            leftover: Vec::new(),
            leftover_at: 0,
            leftover_line: 0,
            notes: Vec::new(),
            failed: None,
            done: false,
            visitor,
        }
    }

    /// The visitor.
    pub fn visitor(&mut self) -> &mut V {
        &mut self.visitor
    }

    /// What was odd about the game just read without keeping it from being read, as a tag name with strange characters.
    pub fn take_notes(&mut self) -> Vec<PgnError> {
        std::mem::take(&mut self.notes)
    }

    /// Reads the next game and lends the visitor that has seen it.
    pub fn next_game(&mut self) -> Option<Result<&mut V, PgnError>> {
        self.notes.clear();
        loop {
            let step = self.step();
            match step {
                Step::Game => return Some(Ok(&mut self.visitor)),
                Step::Nothing => {}
                Step::Error(e) => return Some(Err(e)),
                Step::End => return None,
            }
        }
    }

    fn error(&self, line: u64, reason: Reason) -> Step {
        Step::Error(PgnError { file: self.file.clone(), line, reason })
    }

    fn step(&mut self) -> Step {
        if self.leftover_at < self.leftover.len() {
            return self.leftover_game();
        }
        if self.done {
            return Step::End;
        }
        match self.chunks.next() {
            Ok(Some(Chunk::Game(bytes, line))) => {
                self.visitor.begin(line);
                let mut found = Vec::new();
                let result = parse_game_noting(bytes, &mut self.visitor, &mut found);
                self.notes.extend(found.into_iter().map(|note| error(&self.file, bytes, line, note)));
                // The usual case: one game that fills its chunk.
                if let Ok(taken) = result
                    && bytes[taken..].iter().all(u8::is_ascii_whitespace)
                {
                    return if self.visitor.is_wanted() { Step::Game } else { Step::Nothing };
                }
                match result {
                    Ok(taken) => {
                        self.leftover_line = line + lines(&bytes[..taken]);
                        self.leftover.clear();
                        self.leftover.extend_from_slice(&bytes[taken..]);
                        // A game that took nothing would come for ever.
                        self.leftover_at = if taken == 0 { self.leftover.len() } else { 0 };
                        if self.visitor.is_wanted() { Step::Game } else { Step::Nothing }
                    }
                    Err(problem) => Step::Error(error(&self.file, bytes, line, problem)),
                }
            }
            Ok(Some(Chunk::TooLarge(line, binary))) => {
                self.error(line, if binary { Reason::Binary } else { Reason::TooLarge { limit: MAX_GAME_BYTES } })
            }
            Ok(None) => {
                self.done = true;
                self.failed.take().map_or(Step::End, Step::Error)
            }
            Err(e) => {
                let reason = Reason::from_read(self.packing, e);
                self.failed = Some(PgnError { file: self.file.clone(), line: self.chunks.line_number(), reason });
                self.chunks.finish_early();
                Step::Nothing
            }
        }
    }

    /// The next game of a chunk with several.
    fn leftover_game(&mut self) -> Step {
        let rest = &self.leftover[self.leftover_at..];
        if rest.iter().all(u8::is_ascii_whitespace) {
            self.leftover_at = self.leftover.len();
            return Step::Nothing;
        }
        self.visitor.begin(self.leftover_line);
        let mut found = Vec::new();
        let result = parse_game_noting(rest, &mut self.visitor, &mut found);
        self.notes.extend(found.into_iter().map(|note| error(&self.file, rest, self.leftover_line, note)));
        match result {
            Ok(taken) if taken > 0 => {
                self.leftover_line += lines(&rest[..taken]);
                self.leftover_at += taken;
                if self.visitor.is_wanted() { Step::Game } else { Step::Nothing }
            }
            Ok(_) => {
                self.leftover_at = self.leftover.len();
                Step::Nothing
            }
            Err(problem) => {
                let error = error(&self.file, rest, self.leftover_line, problem);
                self.leftover_at = self.leftover.len();
                Step::Error(error)
            }
        }
    }
}

/// A problem of the game in `bytes`, which begin at `line`.
fn error(file: &Arc<str>, bytes: &[u8], line: u64, problem: LexError) -> PgnError {
    let line = line + lines(&bytes[..problem.offset.min(bytes.len())]);
    PgnError { file: file.clone(), line, reason: problem.reason }
}

fn lines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}
