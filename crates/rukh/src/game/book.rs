//! The opening book behind the options `OwnBook` and `BookFile`.

use std::path::Path;

use rukh_core::Move;
use rukh_store::book::{Book, open};

use super::{AnyGame, random_u64};

/// A book, if one was named and could be read.
#[derive(Default)]
pub struct OwnBook {
    book: Option<Box<dyn Book>>,
}

impl OwnBook {
    /// Opens another book (or none, for an empty path) and tells about it. On error the old one stays.
    pub fn set(&mut self, path: &str) -> Result<String, String> {
        if path.is_empty() || path == "<empty>" {
            self.book = None;
            return Ok("no book".into());
        }
        let book = open(Path::new(path)).map_err(|error| format!("book '{path}' refused: {error}"))?;
        let found = format!("{} book with {} entries", book.format(), book.len());
        self.book = Some(book);
        Ok(found)
    }

    /// Whether there is one.
    pub fn is_open(&self) -> bool {
        self.book.is_some()
    }

    /// A move drawn by weight; `None` out of book. Books are for chess.
    pub fn pick(&self, game: &AnyGame) -> Option<Move> {
        self.book.as_ref()?.choose(game.chess()?, false, random_u64())
    }

    /// The known moves with their weights, heaviest first.
    pub fn moves(&self, game: &AnyGame) -> Vec<(Move, u16)> {
        let known = self.book.as_ref().zip(game.chess()).map(|(book, pos)| book.probe(pos)).unwrap_or_default();
        known.into_iter().map(|known| (known.mv, known.weight)).collect()
    }
}
