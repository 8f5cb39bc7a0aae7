//! The opening book behind the options `OwnBook`, `BookFile`, `BestBookMove` and `BookDepth`.

use std::path::{Path, PathBuf};

use rukh_core::{AnyGame, Move, Variant, dispatch};
use rukh_store::book::{Book, open, own};

use super::random_u64;

/// The book that was named, one called `book.bin` beside the program or in the working folder, or the program's own.
pub struct OwnBook {
    book: Option<Book>,
    folders: Vec<PathBuf>,
}

/// The name that Polyglot's users give their book.
const USUAL: &str = "book.bin";

impl Default for OwnBook {
    fn default() -> Self {
        let program = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_owned()));
        Self::looking_in(program.into_iter().chain(std::env::current_dir().ok()).collect())
    }
}

impl OwnBook {
    /// Looks for the usual book in these folders.
    pub fn looking_in(folders: Vec<PathBuf>) -> OwnBook {
        OwnBook { book: None, folders }
    }

    fn read(&mut self, path: &Path) -> Result<String, String> {
        let shown = path.display();
        let book = open(path).map_err(|error| format!("cannot use book '{shown}': {error}"))?;
        let found = format!("{} book with {} entries", book.format(), book.len());
        self.book = Some(book);
        Ok(found)
    }
}

impl rukh_engine::Book for OwnBook {
    fn open(&mut self, path: &str) -> Result<String, String> {
        if !path.is_empty() {
            return self.read(Path::new(path));
        }
        if let Some(usual) = self.folders.iter().map(|folder| folder.join(USUAL)).find(|path| path.is_file()) {
            return Ok(format!("{} from {}; set BookFile to use another", self.read(&usual)?, usual.display()));
        }
        self.book = None;
        Ok(format!(
            "own book with {} entries; set BookFile to use another",
            own(Variant::Chess).len() + own(Variant::Makruk).len()
        ))
    }

    fn choose(&self, game: &AnyGame, best: bool) -> Option<Move> {
        let book = self.book.as_ref().unwrap_or_else(|| own(game.variant()));
        dispatch!(game, game => book.choose(game.position(), best, random_u64()))
    }

    fn moves(&self, game: &AnyGame) -> Vec<(Move, u16)> {
        let Some(book) = &self.book else { return Vec::new() };
        let known = dispatch!(game, game => book.probe(game.position()));
        known.into_iter().map(|known| (known.mv, known.weight)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_engine::Book as _;
    use rukh_testing::Folder;

    #[test]
    fn the_usual_book_is_found_by_itself() {
        let folder = Folder::new("usual-book");
        let mut book = OwnBook::looking_in(vec![folder.join("no"), folder.0.clone()]);
        assert!(book.open("").unwrap().starts_with("own book with"));
        for variant in [Variant::Chess, Variant::Makruk] {
            let game = AnyGame::new(variant);
            assert!(book.choose(&game, false).is_some_and(|mv| game.legal_moves().contains(&mv)), "{variant}");
        }
        // One move, 1. a3: nobody else's book has it alone.
        let mut entry = Vec::new();
        entry.extend(rukh_core::Position::<rukh_core::Chess>::startpos().key().to_be_bytes());
        entry.extend((8u16 << 6 | 16).to_be_bytes());
        entry.extend([0, 9, 0, 0, 0, 0]);
        std::fs::write(folder.join(USUAL), entry).unwrap();
        let said = book.open("").unwrap();
        assert!(said.starts_with("Polyglot book with 1 entr") && said.contains(USUAL), "{said}");
        let game = AnyGame::new(Variant::Chess);
        assert_eq!(book.choose(&game, true).map(|mv| game.uci(mv)).as_deref(), Some("a2a3"));
        std::fs::write(folder.join(USUAL), b"no book").unwrap();
        assert!(book.open("").unwrap_err().contains("cannot use book"));
    }
}
