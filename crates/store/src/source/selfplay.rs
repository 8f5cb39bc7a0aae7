//! Games that the engine played against itself: the files of `rukh datagen`.

use std::path::Path;

use rukh_core::{Variant, dispatch};

use super::{Access, Adapter, Item, Opened, Source, SourceError, has_extension};
use crate::selfplay::{GamesError, GamesReader, SelfPlay, Verdict, decode_block};
use rukh_pgn::{AnyPosition, GameResult, PgnGame, Tags};

pub(super) const ADAPTER: Adapter = Adapter { name: "self-play games", usage: "own.games", open };

struct Own {
    name: String,
    reader: GamesReader,
    variant: Variant,
    block: std::vec::IntoIter<SelfPlay>,
    ended: bool,
}

fn open(what: &str, access: &Access) -> Option<Opened> {
    if !has_extension(what, &["games"]) {
        return None;
    }
    let path = Path::new(what);
    // The file knows its variant: try the one asked for, then the other.
    let open = |variant| dispatch!(type R of variant => GamesReader::open::<R>(path));
    let other = if access.variant == Variant::Makruk { Variant::Chess } else { Variant::Makruk };
    let opened = match open(access.variant) {
        Ok(reader) => Ok((reader, access.variant)),
        Err(first) => open(other).map(|reader| (reader, other)).map_err(|_| first),
    };
    Some(match opened {
        Ok((reader, variant)) => {
            Ok(Box::new(Own { name: what.to_owned(), reader, variant, block: Vec::new().into_iter(), ended: false }))
        }
        Err(error) => Err(SourceError::bad(what, error)),
    })
}

impl Own {
    fn next_block(&mut self) -> Result<bool, GamesError> {
        let Some((head, payload)) = self.reader.next_block()? else { return Ok(false) };
        let games = dispatch!(type R of self.variant => decode_block::<R>(&payload, head.games)?);
        self.block = games.into_iter();
        Ok(true)
    }
}

fn game(own: SelfPlay, variant: Variant) -> PgnGame {
    let result = match own.verdict {
        Verdict::WhiteWins => GameResult::White,
        Verdict::BlackWins => GameResult::Black,
        Verdict::Draw => GameResult::Draw,
    };
    let mut tags = Tags::default();
    for (name, value) in [("White", "Rukh"), ("Black", "Rukh"), ("Result", result.as_str())] {
        tags.set(name, value);
    }
    // Self-play knows the rules, not how castling is written.
    let variant = variant.rules();
    if variant != Variant::Chess {
        tags.set("Variant", variant.title());
    }
    let start = AnyPosition::new(variant);
    PgnGame { tags, start, moves: own.moves, result, terminated: true, ..PgnGame::default() }
}

impl Source for Own {
    fn name(&self) -> &str {
        &self.name
    }

    fn next(&mut self) -> Option<Result<Item, SourceError>> {
        loop {
            if let Some(own) = self.block.next() {
                return Some(Ok(Item::Game(Box::new(game(own, self.variant)))));
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
