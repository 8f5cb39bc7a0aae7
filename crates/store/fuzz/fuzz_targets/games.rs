//! Files of self-play games: any bytes give blocks, losses that are told, or an error, and come to an end.
#![no_main]

use std::io::Cursor;

use rukh_core::dispatch;
use rukh_fuzz::fuzz_target;
use rukh_store::selfplay::{BlockHead, GamesReader, decode_block};

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut reader) = GamesReader::new(Cursor::new(bytes)) else { return };
    let mut used = 0;
    while let Ok(Some((head, payload))) = reader.read_on() {
        used += payload.len();
        let _ = dispatch!(type R of head.variant => decode_block::<R>(&BlockHead { games: head.games.min(8), ..head }, &payload));
    }
    assert!(used <= bytes.len(), "more games than bytes");
    let told = reader.complaint().is_some();
    assert_eq!(told, reader.torn() || reader.losses().places > 0);
});
