//! Any text as a SAN move, in any position (`FEN|move`).
#![no_main]

use rukh_core::{Chess, Makruk, Rules};
use rukh_core_fuzz::split_position;
use rukh_fuzz::fuzz_target;

fn check<R: Rules>(text: &str) {
    let (position, name) = split_position::<R>(text);
    if let Ok(m) = position.parse_san(name) {
        assert!(position.legal_moves().contains(&m));
        assert_eq!(position.parse_san(&position.san(m)), Ok(m));
    }
}

fuzz_target!(|text: &str| {
    check::<Chess>(text);
    check::<Makruk>(text);
});
