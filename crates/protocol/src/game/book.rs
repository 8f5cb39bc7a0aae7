//! The opening book behind the options `OwnBook`, `BookFile`, `BestBookMove` and `BookDepth`.

use std::path::Path;

use rukh_core::{AnyGame, Move};
use rukh_store::book::{Book, open, own};

use super::random_u64;

/// The book that was named, or the program's own.
#[derive(Default)]
pub struct OwnBook {
    book: Option<Box<dyn Book>>,
}

/// Books are for chess.
impl rukh_engine::Book for OwnBook {
    fn open(&mut self, path: &str) -> Result<String, String> {
        if path.is_empty() {
            self.book = None;
            return Ok(format!("own book with {} entries; BookFile names another", own().len()));
        }
        let book = open(Path::new(path)).map_err(|error| format!("book '{path}' refused: {error}"))?;
        let found = format!("{} book with {} entries", book.format(), book.len());
        self.book = Some(book);
        Ok(found)
    }

    fn choose(&self, game: &AnyGame, best: bool) -> Option<Move> {
        let book = self.book.as_deref().unwrap_or(own());
        book.choose(game.chess()?.position(), best, random_u64())
    }

    fn moves(&self, game: &AnyGame) -> Vec<(Move, u16)> {
        let known =
            self.book.as_ref().zip(game.chess()).map(|(book, game)| book.probe(game.position())).unwrap_or_default();
        known.into_iter().map(|known| (known.mv, known.weight)).collect()
    }
}
