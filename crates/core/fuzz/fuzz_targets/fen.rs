//! Any text as a FEN of either game.
#![no_main]

use rukh_core::{Chess, Makruk, Position};
use rukh_core_fuzz::check_position;
use rukh_fuzz::fuzz_target;
use rukh_mailbox::Game;

fuzz_target!(|text: &str| {
    match Position::<Chess>::from_fen(text) {
        Ok(position) => check_position(Game::Chess, &position),
        Err(error) => assert!(text.get(error.start..error.end).is_some(), "{error:?}"),
    }
    match Position::<Makruk>::from_fen(text) {
        Ok(position) => check_position(Game::Makruk, &position),
        Err(error) => assert!(text.get(error.start..error.end).is_some(), "{error:?}"),
    }
});
