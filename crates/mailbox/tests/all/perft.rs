//! Leaf counts: published positions for chess, and the Makruk rows that Fairy-Stockfish agrees with.

use std::path::Path;

use rukh_mailbox::{Game, Position};

/// Checks every depth whose count is at most `most`.
fn check(game: Game, fen: &str, counts: &[u64], most: u64) {
    let position = Position::from_fen(game, fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    for (depth, &expected) in (1..).zip(counts) {
        if expected <= most {
            assert_eq!(position.perft(depth), expected, "{fen} depth {depth}");
        }
    }
}

/// The six positions everybody counts first.
const CHESS: [(&str, &[u64]); 6] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[20, 400, 8_902, 197_281, 4_865_609]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2_039, 97_862, 4_085_603]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238, 674_624, 11_030_083]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9_467, 422_333, 15_833_292]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379, 2_103_487]),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", &[46, 2_079, 89_890, 3_894_594]),
];

/// Fairy-Stockfish's counts.
const MAKRUK: [(&str, &[u64]); 17] = [
    // Start position.
    ("rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1", &[23, 529, 12_012, 273_026, 6_223_994, 142_078_049]),
    // Middlegame (FSF self-play).
    ("2r4r/1smns1k1/pp3np1/5pN1/P2NpP2/1PS1P1S1/2KM4/R6R w - - 2 19", &[48, 1_760, 75_424, 2_608_699, 104_539_052]),
    // After a capture-promotion.
    ("rnsmksnr/8/1pM~1pppp/p7/8/PPPP1PPP/8/RNSKMSNR b - - 0 3", &[23, 594, 13_581, 348_073, 8_188_877]),
    // 4 promotions available.
    ("3k4/4n1s1/M~s1m1ppr/1p2p3/pP1p2P1/2P1PP1P/4R2K/1N2S1NR b - - 0 26", &[29, 588, 16_941, 364_896, 10_505_540]),
    // Bia-ngai on both sides.
    ("3m4/2k5/R2s4/3M~1M~p1/6Pp/2m~1m~PSP/K7/1N2M1R1 b - - 0 61", &[18, 568, 9_598, 302_137, 5_075_620, 159_428_145]),
    // High mobility.
    ("1r6/m1s1s3/5k2/3p4/8/1m~1m~1N2/3n1K2/1m~1SM1r1 b - - 7 61", &[50, 608, 28_169, 342_906, 14_794_199]),
    // In check.
    ("M~1sm2n1/1R2k2r/4sp1p/2n3p1/2P1m~1PP/m~2m~P3/3K1M2/2SN1SR1 b - - 2 26", &[10, 244, 7_512, 181_837, 5_841_101]),
    // No Bia, count running.
    ("1m6/1k5M~/2R1nn2/1M~4s1/4S1m~1/5m~2/S1K2M2/1N5R b - 128 11 61", &[27, 1_151, 29_069, 1_206_669, 30_047_805]),
    // Sparse, board's honour.
    ("8/6ks/3M~2r1/2K1M3/8/3R4/8/8 w - 128 18 50", &[23, 357, 8_001, 132_195, 2_975_293, 50_276_450]),
    // Sparse, one Bia.
    ("8/3k4/8/2K1S1P1/8/8/8/8 w - - 0 1", &[12, 63, 801, 3_720, 48_557, 252_479, 3_306_757, 17_116_096]),
    // Last Bia can be taken.
    ("8/8/4k3/5P2/8/2RMK3/8/8 b - - 0 50", &[8, 159, 770, 16_465, 83_977, 1_877_483, 9_561_071]),
    // KSS v KM.
    ("8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 97 1", &[18, 136, 2_077, 15_644, 222_212, 1_623_538, 22_421_971]),
    // KSM v K.
    ("7M/8/1K6/8/8/8/6Sk/8 w - 88 8 60", &[14, 39, 451, 2_014, 21_727, 113_625, 1_230_121, 7_073_876]),
    // Pinned white Thon.
    ("4k3/4r3/8/8/8/4S3/8/4K3 w - - 0 1", &[6, 89, 819, 14_171, 136_323, 2_409_910]),
    // Pinned black Thon (mirror).
    ("4k3/8/4s3/8/8/8/4R3/4K3 b - - 0 1", &[6, 89, 819, 14_171, 136_323, 2_409_910]),
    // Bia race.
    ("4k3/8/p1p1p1p1/8/8/1P1P1P1P/8/4K3 w - - 0 1", &[9, 81, 781, 7_534, 75_996, 772_507, 8_045_719]),
    // Bia contact, all promote.
    ("4k3/8/8/pPpPpPpP/PpPpPpPp/8/8/4K3 w - - 0 1", &[9, 79, 799, 7_839, 83_379, 872_371]),
];

#[test]
fn six_chess_positions() {
    for (fen, counts) in CHESS {
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
#[ignore = "long: every Makruk row to its full depth, a minute or two"]
fn makruk_positions_deep() {
    for (fen, counts) in MAKRUK {
        check(Game::Makruk, fen, counts, u64::MAX);
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
