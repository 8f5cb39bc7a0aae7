//! SAN: a text is refused, or it is a legal move whose own name means the same move.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rukh_core::{Chess, Makruk, Rules};
use rukh_fuzz::position_and_text;

fn check<R: Rules>(input: &str) {
    let Some((position, text)) = position_and_text::<R>(input) else { return };
    if let Ok(mv) = position.parse_san(text) {
        assert!(position.legal_moves().contains(&mv), "'{text}' is not legal in {}", position.fen());
        assert_eq!(position.parse_san(&position.san(mv)), Ok(mv), "'{text}' in {}", position.fen());
    }
}

fuzz_target!(|input: &str| {
    check::<Chess>(input);
    check::<Makruk>(input);
});
