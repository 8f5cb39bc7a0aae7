//! Games in PGN: plain or packed files, monthly dumps on the disk, standard input.

use std::path::Path;

use super::{Access, Adapter, Item, Opened, Source, SourceError};
use rukh_pgn::PgnReader;

pub(super) const ADAPTER: Adapter = Adapter { name: "PGN", usage: "games.pgn[.zst|.gz|.bz2], -", open };

/// A file of games.
pub(super) struct Games {
    name: String,
    reader: PgnReader,
    ended: bool,
}

impl Games {
    pub(super) fn new(name: &str, reader: PgnReader) -> Games {
        Games { name: name.to_owned(), reader, ended: false }
    }
}

fn open(what: &str, _: &Access) -> Option<Opened> {
    if what != "-" && !Path::new(what).exists() {
        return None;
    }
    Some(match PgnReader::open(Path::new(what)) {
        Ok(reader) => Ok(Box::new(Games::new(what, reader))),
        Err(error) => Err(SourceError::bad(what, error)),
    })
}

impl Source for Games {
    fn name(&self) -> &str {
        &self.name
    }

    fn next(&mut self) -> Option<Result<Item, SourceError>> {
        if self.ended {
            return None;
        }
        match self.reader.next_game()? {
            Ok(game) => Some(Ok(Item::Game(Box::new(game.clone())))),
            Err(error) => {
                self.ended = error.is_fatal();
                Some(Err(SourceError::bad(&self.name, error)))
            }
        }
    }
}
