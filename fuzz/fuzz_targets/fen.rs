//! FEN: a text is refused, or it is a sound position that writes and reads itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rukh_core::{Chess, Makruk, Position};
use rukh_fuzz::check_position;

fuzz_target!(|text: &str| {
    match Position::<Chess>::from_fen(text) {
        Ok(position) => check_position(&position),
        Err(error) => assert!(error.start <= error.end && text.get(error.start..error.end).is_some()),
    }
    match Position::<Makruk>::from_fen(text) {
        Ok(position) => check_position(&position),
        Err(error) => assert!(error.start <= error.end && text.get(error.start..error.end).is_some()),
    }
});
