//! Games that the engine played against itself: the files of `rukh datagen`.

use std::path::Path;

use rukh_core::{Variant, dispatch};

use super::{Access, Adapter, Item, Opened, Opener, Source, SourceError, has_extension};
use crate::selfplay::{GamesError, GamesReader, SelfPlay, SelfPlayResult, decode_block};
use rukh_pgn::{GameResult, PgnGame, Tags};

pub(super) const ADAPTER: Adapter = Adapter { name: "self-play games", usage: "own.games", open: Opener::File(open) };

struct Own {
    name: String,
    reader: GamesReader,
    block: std::vec::IntoIter<SelfPlay>,
    ended: bool,
}

fn open(what: &Path, _: &Access) -> Option<Opened> {
    if !has_extension(what, &["games"]) {
        return None;
    }
    Some(match GamesReader::open(what) {
        Ok(reader) => {
            Ok(Box::new(Own { name: what.display().to_string(), reader, block: Vec::new().into_iter(), ended: false }))
        }
        Err(error) => Err(SourceError::bad(what.display(), error)),
    })
}

impl Own {
    fn next_block(&mut self) -> Result<bool, GamesError> {
        let Some((head, payload)) = self.reader.next_block()? else { return Ok(false) };
        let games = dispatch!(type R of head.variant => decode_block::<R>(&head, &payload)?);
        self.block = games.into_iter();
        Ok(true)
    }
}

fn game(own: SelfPlay, variant: Variant) -> PgnGame {
    let result = match own.verdict {
        SelfPlayResult::WhiteWins => GameResult::White,
        SelfPlayResult::BlackWins => GameResult::Black,
        SelfPlayResult::Draw => GameResult::Draw,
    };
    let mut tags = Tags::default();
    for (name, value) in [("White", "Rukh"), ("Black", "Rukh"), ("Result", result.as_str())] {
        tags.set(name, value);
    }
    if variant != Variant::Chess {
        tags.set("Variant", variant.title());
    }
    let start = dispatch!(any R of variant => own.start::<R>());
    PgnGame { tags, start, moves: own.moves, result, terminated: true, ..PgnGame::default() }
}

impl Source for Own {
    fn name(&self) -> &str {
        &self.name
    }

    fn next(&mut self) -> Option<Result<Item, SourceError>> {
        loop {
            if let Some(own) = self.block.next() {
                return Some(Ok(Item::Game(Box::new(game(own, self.reader.variant())))));
            }
            if self.ended {
                return None;
            }
            match self.next_block() {
                Ok(true) => {}
                Ok(false) => {
                    self.ended = true;
                    if let Some(said) = self.reader.complaint() {
                        return Some(Err(SourceError::bad(&self.name, said)));
                    }
                }
                Err(error) => {
                    // Behind a damaged place there may be more.
                    self.ended = !matches!(error, GamesError::Lost(_));
                    return Some(Err(SourceError::bad(&self.name, error)));
                }
            }
        }
    }
}
