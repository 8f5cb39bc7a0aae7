//! Games in PGN: plain or packed files, monthly dumps on the disk, standard input.

use std::fmt::Display;
use std::path::Path;

use super::{Access, Adapter, Item, Opened, Opener, Source, SourceError};
use rukh_pgn::PgnReader;

pub(super) const ADAPTER: Adapter =
    Adapter { name: "PGN", usage: "games.pgn[.zst|.gz|.bz2], -", open: Opener::File(open) };

/// A file of games.
pub(super) struct Games {
    name: String,
    reader: PgnReader,
    ended: bool,
}

impl Games {
    pub(super) fn new(name: impl Display, reader: PgnReader) -> Games {
        Games { name: name.to_string(), reader, ended: false }
    }
}

fn open(what: &Path, _: &Access) -> Option<Opened> {
    if what.as_os_str() != "-" && !what.exists() {
        return None;
    }
    Some(match PgnReader::open(what) {
        Ok(reader) => Ok(Box::new(Games::new(what.display(), reader))),
        Err(error) => Err(SourceError::bad(what.display(), error)),
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
