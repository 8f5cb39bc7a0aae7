//! Opening books: every position that their moves reach from the initial one.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use rukh_core::{Chess, Position};

use super::{Access, Adapter, Entry, Item, KnownMove, Opened, Opener, Source, SourceError, has_extension};
use crate::book::{self, Book};
use rukh_pgn::AnyPosition;

pub(super) const ADAPTER: Adapter = Adapter { name: "books", usage: "book.bin|.abk|.bok", open: Opener::File(open) };

/// Most positions that are walked through.
const MOST: usize = 4_000_000;

struct OpenBook {
    name: String,
    book: Book,
    queue: VecDeque<Position<Chess>>,
    seen: HashSet<u64>,
}

fn open(what: &Path, _: &Access) -> Option<Opened> {
    if !has_extension(what, &["bin", "abk", "bok"]) {
        return None;
    }
    Some(match book::open(what) {
        Ok(book) => {
            let start = Position::startpos();
            let (queue, seen) = (VecDeque::from([start]), HashSet::from([start.key()]));
            Ok(Box::new(OpenBook { name: what.display().to_string(), book, queue, seen }))
        }
        Err(error) => Err(SourceError::bad(what.display(), error)),
    })
}

impl OpenBook {
    fn entry(&self, pos: &Position<Chess>) -> Option<Entry> {
        let moves: Vec<KnownMove> = self
            .book
            .probe(pos)
            .into_iter()
            .map(|known| KnownMove { weight: known.weight.into(), ..KnownMove::new(known.mv) })
            .collect();
        (!moves.is_empty()).then(|| Entry { position: (*pos).into(), name: None, moves })
    }
}

impl Source for OpenBook {
    fn name(&self) -> &str {
        &self.name
    }

    fn next(&mut self) -> Option<Result<Item, SourceError>> {
        while let Some(pos) = self.queue.pop_front() {
            let Some(entry) = self.entry(&pos) else { continue };
            for known in &entry.moves {
                let next = pos.after(known.mv);
                if self.seen.len() < MOST && self.seen.insert(next.key()) {
                    self.queue.push_back(next);
                }
            }
            return Some(Ok(Item::Position(Box::new(entry))));
        }
        None
    }

    fn ask(&mut self, position: &AnyPosition) -> Result<Option<Entry>, SourceError> {
        Ok(position.chess().and_then(|pos| self.entry(pos)))
    }
}
