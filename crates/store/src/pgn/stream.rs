//! Driving any visitor over a source, game by game.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use memchr::memchr_iter;

use super::chunks::{Chunk, Chunks, MAX_GAME_BYTES};
use super::error::{PgnError, Reason};
use super::input::{Input, Packing};
use super::lex::{LexError, Visitor, parse_game};

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
    /// Games behind the first one of a chunk (files without tags), with their line.
    leftover: Vec<u8>,
    leftover_line: u64,
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
        let name: Arc<str> = path.to_string_lossy().into();
        match Input::open(path) {
            Ok(input) => Ok(Stream::from_input(name, input, visitor)),
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

    fn from_input(file: Arc<str>, input: Input, visitor: V) -> Self {
        Stream {
            file,
            packing: input.packing,
            chunks: Chunks::new(input.reader, MAX_GAME_BYTES),
            leftover: Vec::new(),
            leftover_line: 0,
            failed: None,
            done: false,
            visitor,
        }
    }

    /// The visitor.
    pub fn visitor(&mut self) -> &mut V {
        &mut self.visitor
    }

    /// Reads the next game and lends the visitor that has seen it.
    pub fn next_game(&mut self) -> Option<Result<&mut V, PgnError>> {
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
        if !self.leftover.is_empty() {
            let bytes = std::mem::take(&mut self.leftover);
            let line = self.leftover_line;
            self.visitor.begin(line);
            let result = parse_game(&bytes, &mut self.visitor);
            return self.settle(&bytes, line, result);
        }
        if self.done {
            return Step::End;
        }
        match self.chunks.next() {
            Ok(Some(Chunk::Game(bytes, line))) => {
                self.visitor.begin(line);
                let result = parse_game(bytes, &mut self.visitor);
                // The usual case: one game that fills its chunk.
                if let Ok(taken) = result
                    && bytes[taken..].iter().all(u8::is_ascii_whitespace)
                {
                    return if self.visitor.is_wanted() { Step::Game } else { Step::Nothing };
                }
                let bytes = bytes.to_vec();
                self.settle(&bytes, line, result)
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

    /// Keeps the rest of a chunk for the next step, or turns a refusal into an error with its line.
    fn settle(&mut self, bytes: &[u8], line: u64, result: Result<usize, LexError>) -> Step {
        let line_at = |offset: usize| line + memchr_iter(b'\n', &bytes[..offset.min(bytes.len())]).count() as u64;
        match result {
            Ok(taken) => {
                let rest = &bytes[taken..];
                if taken > 0 && !rest.iter().all(u8::is_ascii_whitespace) {
                    self.leftover = rest.to_vec();
                    self.leftover_line = line_at(taken);
                }
                if self.visitor.is_wanted() { Step::Game } else { Step::Nothing }
            }
            Err(LexError { offset, reason }) => self.error(line_at(offset), reason),
        }
    }
}
