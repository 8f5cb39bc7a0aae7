//! UCI moves: a text is refused, or it is a legal move whose names in both notations mean the same move.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rukh_core::{Chess, Makruk, Notation, Rules};
use rukh_fuzz::position_and_text;

fn check<R: Rules>(input: &str) {
    let Some((position, text)) = position_and_text::<R>(input) else { return };
    if let Ok(mv) = position.parse_uci(text) {
        assert!(position.legal_moves().contains(&mv), "'{text}' is not legal in {}", position.fen());
        // In Chess960 a king's step may look like castling; the king-takes-rook name is never ambiguous.
        let name = position.uci(mv, Notation::Chess960);
        assert_eq!(position.parse_uci(&name), Ok(mv), "'{text}' = '{name}' in {}", position.fen());
    }
}

fuzz_target!(|input: &str| {
    check::<Chess>(input);
    check::<Makruk>(input);
});
