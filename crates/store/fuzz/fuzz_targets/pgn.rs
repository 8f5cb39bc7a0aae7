//! PGN: any bytes give games or errors, and come to an end.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use rukh_store::pgn::PgnReader;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut reader) = PgnReader::new("fuzz", Cursor::new(bytes.to_vec())) else { return };
    let mut games = 0;
    while let Some(game) = reader.next_game() {
        games += 1;
        if let Err(error) = game {
            assert!(!error.to_string().is_empty());
            if error.is_fatal() {
                break;
            }
        }
        assert!(games <= bytes.len() + 1, "more games than bytes");
    }
});
