//! Any bytes as a Syzygy table. The first byte picks the ending and the kind of table; what follows gets the magic number
//! and a length that tables have, so that the fuzzer need not guess them.
#![no_main]

use rukh_core::{Chess, Position};
use rukh_fuzz::fuzz_target;
use rukh_tables::syzygy::Tables;

const ENDINGS: [(&str, &str); 4] = [
    ("KRvK", "8/8/8/3k4/8/3K4/8/7R b - - 0 1"),
    ("KPvK", "8/8/8/3k4/8/3K4/6P1/8 w - - 0 1"),
    ("KRvKR", "8/8/8/3k4/r7/3K4/8/7R b - - 0 1"),
    ("KPvKP", "8/8/8/3k4/2pP4/8/8/K7 b - d3 0 1"),
];

fuzz_target!(|data: &[u8]| {
    let Some((&pick, rest)) = data.split_first() else { return };
    let (name, fen) = ENDINGS[usize::from(pick & 3)];
    let distances = pick & 4 != 0;
    let mut bytes = if distances { vec![0xD7, 0x66, 0x0C, 0xA5] } else { vec![0x71, 0xE8, 0x23, 0x5D] };
    bytes.extend(rest);
    bytes.resize(bytes.len().next_multiple_of(64) + 16, 0);
    let mut files = vec![(format!("{name}.{}", if distances { "rtbz" } else { "rtbw" }), bytes)];
    if distances {
        // Distances are asked for where results are known: one that says "won" for White and "lost" for Black.
        files.push(("KRvK.rtbw".into(), won()));
    }
    let Ok(tables) = Tables::from_bytes(files) else { return };
    let pos = Position::<Chess>::from_fen(fen).unwrap();
    let mut all = vec![pos.clone()];
    all.extend(pos.legal_moves().iter().map(|&mv| pos.after(mv)));
    for pos in &all {
        let _ = (tables.wdl(pos), tables.dtz(pos), tables.root(pos, &pos.legal_moves()));
    }
});

/// KRvK with one value for each side.
fn won() -> Vec<u8> {
    let mut bytes = vec![0x71, 0xE8, 0x23, 0x5D, 1, 0, 0x66, 0x44, 0xEE, 0, 0x80, 4, 0x80, 0];
    bytes.resize(80, 0);
    bytes
}
