//! What a host attaches to an engine: an opening book, and files to remember in. Options that need one are offered and
//! accepted only where it is attached.

use crate::memory::Memory;
use rukh_core::any::Any;
use rukh_core::{AnyGame, Chess, Makruk, Move, Variant};
use std::sync::Arc;

/// An opening book behind `OwnBook`, `BookFile`, `BestBookMove` and `BookDepth`.
pub trait Book: Send {
    /// Opens what `BookFile` names (nothing: the host's own book) and says what was found. On error the old one stays.
    fn open(&mut self, file: &str) -> Result<String, String>;

    /// A move for this position, the heaviest or one drawn by weight; `None` out of book.
    fn choose(&self, game: &AnyGame, best: bool) -> Option<Move>;

    /// What the book that was named knows here, with weights, heaviest first.
    fn moves(&self, game: &AnyGame) -> Vec<(Move, u16)>;
}

/// A memory for the variant that is played.
pub type AnyMemory = Any<Arc<dyn Memory<Chess>>, Arc<dyn Memory<Makruk>>>;

/// Files to remember in, behind `Learn`, `LearnFile` and `LearnMB`.
pub trait MemoryFiles: Send {
    /// Opens (or makes) a variant's memory in `file` (nothing: the user's own), of at most `limit` bytes, and says which that
    /// is.
    fn open(&mut self, variant: Variant, file: &str, limit: u64) -> Result<(AnyMemory, String), String>;
}

/// What is attached.
#[derive(Default)]
pub(crate) struct Providers {
    pub(crate) book: Option<Box<dyn Book>>,
    pub(crate) files: Option<Box<dyn MemoryFiles>>,
    /// The rules, the file and the megabytes of the memory in use, if it came out of `files`.
    pub(crate) open: Option<(Variant, String, u64)>,
}
