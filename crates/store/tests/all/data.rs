//! Checks against the data beside the project; they skip where it is not there.

#[path = "../../../pgn/tests/common/shared.rs"]
mod shared;

use rukh_core::{Chess, Position};
use rukh_store::book;
use shared::shared;

#[test]
fn polyglot_books() {
    for (name, least) in [("gm2001.bin", 30_000), ("gnuchess_smallbook.bin", 2_400)] {
        let Some(path) = shared(&format!("books/{name}")) else { return };
        let book = book::open(&path).unwrap();
        assert_eq!(book.format(), "Polyglot");
        assert!(book.len() >= least, "{name}: {}", book.len());
        let moves = book.probe(&Position::<Chess>::startpos());
        assert!(!moves.is_empty());
        assert!(moves.windows(2).all(|w| w[0].weight >= w[1].weight));
    }
}

#[test]
fn arena_and_amundsen_books() {
    for (name, format, first) in [("libra8.abk", "Arena", 1), ("openings.bok", "Amundsen", 5)] {
        let Some(path) = shared(&format!("books/{name}")) else { return };
        let book = book::open(&path).unwrap();
        assert_eq!(book.format(), format);
        let pos = Position::<Chess>::startpos();
        let moves = book.probe(&pos);
        assert!(moves.len() >= first, "{name}: {moves:?}");
        // The heaviest line can be followed for a while.
        let mut pos = pos;
        let mut depth = 0;
        while let Some(mv) = book.choose(&pos, true, 0) {
            pos = pos.after(mv);
            depth += 1;
            assert!(depth < 200);
        }
        assert!(depth >= 4, "{name}: {depth}");
    }
}

#[test]
fn reference_keys() {
    let Some(path) = shared("books/polyglot_reference_keys.tsv") else { return };
    for line in std::fs::read_to_string(path).unwrap().lines().skip(1) {
        let (fen, key) = line.split_once('\t').unwrap();
        let pos = Position::<Chess>::from_fen(fen).unwrap();
        assert_eq!(format!("{:016x}", pos.key()), key, "{fen}");
    }
}
