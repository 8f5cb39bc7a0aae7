//! Opening books behind one trait.
//!
//! [`open`] reads Polyglot `.bin`, Arena `.abk` and Amundsen `.bok` files and tells them apart by their content. The
//! latter two are trees or lists of lines; they are played through once and become the same sorted table that a
//! Polyglot file is.

mod arena;
mod lines;
mod make;
mod polyglot;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rukh_core::{Chess, Move, Position};

pub use make::{BookMaker, MakeOptions};
pub use polyglot::{Entry, PolyglotBook, decode_move, encode_move, write_entries};

/// A move that a book knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookMove {
    /// The move, legal in the position asked for.
    pub mv: Move,
    /// How often to play it, relative to the other moves of the position.
    pub weight: u16,
}

/// A collection of opening moves.
pub trait Book: Send + Sync {
    /// The moves known in `pos`, heaviest first; all are legal. Empty when the book does not know the position.
    fn probe(&self, pos: &Position<Chess>) -> Vec<BookMove>;

    /// Name of the file format.
    fn format(&self) -> &'static str;

    /// Number of (position, move) entries.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The move to play: the heaviest, or one drawn by weight with `random` (any 64 random bits). Moves of weight 0 are
    /// only for the book's author and are never chosen.
    fn choose(&self, pos: &Position<Chess>, best: bool, random: u64) -> Option<Move> {
        let moves = self.probe(pos);
        let total: u64 = moves.iter().map(|m| u64::from(m.weight)).sum();
        if total == 0 {
            return None;
        }
        if best {
            return moves.first().map(|m| m.mv);
        }
        // Multiply-shift maps 64 random bits onto 0..total without the bias of a remainder.
        let mut ticket = (u128::from(random) * u128::from(total) >> 64) as u64;
        for m in &moves {
            match ticket.checked_sub(u64::from(m.weight)) {
                Some(rest) => ticket = rest,
                None => return Some(m.mv),
            }
        }
        None
    }
}

/// Why a book could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// The operating system could not deliver the bytes.
    #[error("cannot read the book: {0}")]
    Io(#[from] std::io::Error),
    /// No known format.
    #[error("not a book: neither Polyglot (.bin), Arena (.abk) nor Amundsen (.bok)")]
    UnknownFormat,
    /// A Polyglot file must be sorted by key.
    #[error("Polyglot book is not sorted: entry {0} has a smaller key than the one before it")]
    Unsorted(usize),
    /// A tree that points outside the file.
    #[error("Arena book is damaged: {0}")]
    Arena(&'static str),
    /// A line of a text book that is no sequence of moves.
    #[error("book line {line}: {problem}")]
    Line {
        /// Line of the file, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

/// The book that comes with the program: the moves that did best in this engine's own games. `docs/book.md` has the recipe.
pub fn own() -> &'static dyn Book {
    static OWN: std::sync::OnceLock<PolyglotBook> = std::sync::OnceLock::new();
    // A damaged one would be a bug of the build, which the tests catch; an empty book is then better than no program.
    OWN.get_or_init(|| {
        PolyglotBook::from_bytes(include_bytes!("../../data/book.bin"))
            .unwrap_or_else(|_| PolyglotBook::from_entries(Vec::new(), "Polyglot"))
    })
}

/// Largest book that is read into memory; larger Polyglot files are searched on disk.
const MEMORY_LIMIT: u64 = 256 << 20;

/// Opens a book of any known format.
pub fn open(path: &Path) -> Result<Box<dyn Book>, BookError> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut head = Vec::new();
    (&mut file).take(64).read_to_end(&mut head)?;
    if size > MEMORY_LIMIT {
        if arena::is_arena(&head) || lines::is_lines(&head) {
            return Err(BookError::UnknownFormat);
        }
        return Ok(Box::new(PolyglotBook::on_disk(file)?));
    }
    let mut bytes = head;
    // What has no size (a pipe, a device) must not be read for ever.
    file.take(MEMORY_LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MEMORY_LIMIT {
        return Err(BookError::UnknownFormat);
    }
    from_bytes(&bytes)
}

/// Reads a book from memory.
pub fn from_bytes(bytes: &[u8]) -> Result<Box<dyn Book>, BookError> {
    let book = if arena::is_arena(bytes) {
        PolyglotBook::from_entries(arena::read(bytes)?, "Arena")
    } else if lines::is_lines(bytes) {
        PolyglotBook::from_entries(lines::read(bytes)?, "Amundsen")
    } else if bytes.len() >= polyglot::ENTRY_BYTES {
        PolyglotBook::from_bytes(bytes)?
    } else {
        return Err(BookError::UnknownFormat);
    };
    Ok(Box::new(book))
}
