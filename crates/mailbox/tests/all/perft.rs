//! Leaf counts: published positions for chess, and the Makruk rows that Fairy-Stockfish agrees with.

use std::path::Path;

use rukh_mailbox::{Game, Position};

use crate::vectors::{MAKRUK, SIX};

/// Checks every depth whose count is at most `most`.
fn check(game: Game, fen: &str, counts: &[u64], most: u64) {
    let position = Position::from_fen(game, fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    for (depth, &expected) in (1..).zip(counts) {
        if expected <= most {
            assert_eq!(position.perft(depth), expected, "{fen} depth {depth}");
        }
    }
}

#[test]
fn six_chess_positions() {
    for (fen, counts) in SIX {
        check(Game::Chess, fen, counts, 5_000_000);
    }
}

#[test]
fn makruk_positions() {
    for (fen, counts) in MAKRUK {
        check(Game::Makruk, fen, counts, 11_000_000);
    }
}

#[test]
#[ignore = "long: every Makruk row to 200 million leaves, a minute or two"]
fn makruk_positions_deep() {
    for (fen, counts) in MAKRUK {
        check(Game::Makruk, fen, counts, 200_000_000);
    }
}

/// Castling with the rook of the corner or an inner one, past an own piece's file, and with the rook uncovering a check.
#[test]
fn chess960_positions() {
    for (fen, counts) in [
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", &[21, 528, 12_189, 326_672]),
        ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", &[21, 807, 18_002, 667_366]),
        ("b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", &[20, 479, 10_471, 273_318]),
    ] {
        check(Game::Chess, fen, counts, u64::MAX);
    }
}

/// Runs a file of `fen ;D1 20 ;D2 400` lines from beside the checkout, every `step`th line.
fn check_file(game: Game, name: &str, step: usize, most: u64) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/perft").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no {name} beside the checkout");
        return;
    };
    for line in text.lines().step_by(step) {
        let mut parts = line.split(';');
        let fen = parts.next().expect("split gives one part at least").trim();
        let position = Position::from_fen(game, fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        for part in parts {
            let (depth, leaves) = part.trim().split_once(' ').expect("`D1 20`");
            let depth = depth.strip_prefix('D').and_then(|d| d.parse().ok()).expect("`D1`");
            let leaves = leaves.trim().parse().expect("a count");
            if leaves <= most {
                assert_eq!(position.perft(depth), leaves, "{fen} depth {depth}");
            }
        }
    }
}

#[test]
fn standard_file() {
    check_file(Game::Chess, "standard.epd", 1, 1_000_000);
}

#[test]
fn chess960_file() {
    check_file(Game::Chess, "chess960.epd", 1, 30_000);
}

#[test]
fn makruk_file() {
    check_file(Game::Makruk, "makruk.epd", 1, 300_000);
}
