//! PGN: any bytes give games or errors, come to an end, and are cleaned once and for all.
#![no_main]

use std::io::Cursor;

use rukh_fuzz::fuzz_target;
use rukh_pgn::{PgnReader, PgnWriter, TreeReader};

/// The good games anew, with `cuts` those that break off, too, and whether all were good.
fn clean(bytes: &[u8], cuts: bool) -> Option<(Vec<u8>, bool)> {
    let mut writer = PgnWriter::new(Vec::new());
    let mut good = true;
    let reader = TreeReader::new("fuzz", Cursor::new(bytes.to_vec())).ok()?;
    for tree in if cuts { reader.with_cut_games() } else { reader } {
        match tree {
            Ok(tree) => good &= writer.write_tree(&tree).is_ok(),
            Err(_) => good = false,
        }
    }
    Some((writer.finish().ok()?, good))
}

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
    for cuts in [false, true] {
        let Some((once, _)) = clean(bytes, cuts) else { return };
        let (twice, good) = clean(&once, false).expect("what was written can be opened");
        assert!(good && once == twice, "cleaning twice changes\n{}", String::from_utf8_lossy(&once));
    }
});
