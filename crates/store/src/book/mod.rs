//! Opening books.
//!
//! [`open`] reads Polyglot `.bin`, Arena `.abk` and Amundsen `.bok` files and tells them apart by their content. The
//! latter two are trees or lists of lines; they are played through once and become the same sorted table that a
//! Polyglot file is. A table of Makruk has the same records under Makruk's keys, which are never those of chess.

mod arena;
mod lines;
mod make;
mod polyglot;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use rukh_core::{Move, Variant};

pub use make::{BookMaker, MakeOptions};
pub use polyglot::{Book, Entry, decode_move, encode_move, write_entries};

/// A move that a book knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookMove {
    /// The move, legal in the position asked for.
    pub mv: Move,
    /// How often to play it, relative to the other moves of the position.
    pub weight: u16,
}

/// Why a book could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// The operating system could not deliver the bytes.
    #[error(transparent)]
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

/// The book that comes with the program, from this engine's own analysis. `docs/book.md` has the recipe.
pub fn own(variant: Variant) -> &'static Book {
    static CHESS: OnceLock<Book> = OnceLock::new();
    static MAKRUK: OnceLock<Book> = OnceLock::new();
    let (book, bytes) = match variant {
        Variant::Makruk => (&MAKRUK, &include_bytes!("../../data/makruk.bin")[..]),
        Variant::Chess | Variant::Chess960 => (&CHESS, &include_bytes!("../../data/book.bin")[..]),
    };
    // A damaged one would be a bug of the build, which the tests catch; an empty book is then better than no program.
    book.get_or_init(|| Book::from_bytes(bytes).unwrap_or_else(|_| Book::from_entries(Vec::new(), "Polyglot")))
}

/// Largest book that is read into memory; larger Polyglot files are searched on disk.
const MEMORY_LIMIT: u64 = 256 << 20;

/// Opens a book of any known format.
pub fn open(path: &Path) -> Result<Book, BookError> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut head = Vec::new();
    (&mut file).take(64).read_to_end(&mut head)?;
    if size > MEMORY_LIMIT {
        if arena::is_arena(&head) || lines::is_lines(&head) {
            return Err(BookError::UnknownFormat);
        }
        return Book::on_disk(file);
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
pub fn from_bytes(bytes: &[u8]) -> Result<Book, BookError> {
    if arena::is_arena(bytes) {
        Ok(Book::from_entries(arena::read(bytes)?, "Arena"))
    } else if lines::is_lines(bytes) {
        Ok(Book::from_entries(lines::read(bytes)?, "Amundsen"))
    } else if bytes.len() >= polyglot::ENTRY_BYTES {
        Book::from_bytes(bytes)
    } else {
        Err(BookError::UnknownFormat)
    }
}
