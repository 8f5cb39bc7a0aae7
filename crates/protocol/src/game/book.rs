//! The opening book behind the options `OwnBook`, `BookFile`, `BestBookMove` and `BookDepth`.

use std::path::Path;

use rukh_core::{AnyGame, Move};
use rukh_engine::Options;
use rukh_store::book::{Book, open, own};

use super::random_u64;

/// The book that was named, or the program's own.
#[derive(Default)]
pub struct OwnBook {
    book: Option<Box<dyn Book>>,
}

impl OwnBook {
    /// Opens another book (or none, for an empty path) and tells about it. On error the old one stays.
    pub fn set(&mut self, path: &str) -> Result<String, String> {
        if path.is_empty() || path == "<empty>" {
            self.book = None;
            return Ok(OwnBook::about_own());
        }
        let book = open(Path::new(path)).map_err(|error| format!("book '{path}' refused: {error}"))?;
        let found = format!("{} book with {} entries", book.format(), book.len());
        self.book = Some(book);
        Ok(found)
    }

    /// Whether a book was named.
    pub fn is_named(&self) -> bool {
        self.book.is_some()
    }

    /// What is played from when no book is named.
    pub fn about_own() -> String {
        format!("own book with {} entries; BookFile names another", own().len())
    }

    /// The book in use.
    fn book(&self) -> &dyn Book {
        self.book.as_deref().unwrap_or(own())
    }

    /// The move that the options want played; `None` out of book. Books are for chess.
    pub fn pick(&self, game: &AnyGame, options: &Options) -> Option<Move> {
        if game.moves().len() >= options.book_depth {
            return None;
        }
        self.book().choose(game.chess()?.position(), options.best_book_move, random_u64())
    }

    /// The known moves of the book that was named, with their weights, heaviest first.
    pub fn moves(&self, game: &AnyGame) -> Vec<(Move, u16)> {
        let known =
            self.book.as_ref().zip(game.chess()).map(|(book, game)| book.probe(game.position())).unwrap_or_default();
        known.into_iter().map(|known| (known.mv, known.weight)).collect()
    }
}
