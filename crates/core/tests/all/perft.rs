//! Perft: the core's leaf counts against published ones and against the mailbox generator.

use crate::common::{chess960_start, shared, suite::STANDARD};
use rukh_core::{Chess, Makruk, Position, Rules, perft, perft_full, perft_list};

/// Checks every depth whose count lies within `range`.
fn check<R: Rules>(fen: &str, counts: &[u64], range: std::ops::RangeInclusive<u64>) {
    let position = Position::<R>::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    for (depth, expected) in (1..).zip(counts) {
        if range.contains(expected) {
            assert_eq!(perft(&position, depth), *expected, "{fen} depth {depth}");
        }
    }
}

/// Counts above this wait for the long tests.
const QUICK: u64 = 20_000_000;

/// The six positions everybody counts first.
const SIX: [(&str, &[u64]); 6] = [
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[20, 400, 8_902, 197_281, 4_865_609, 119_060_324, 3_195_901_860],
    ),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[48, 2_039, 97_862, 4_085_603, 193_690_690, 8_031_647_685],
    ),
    (
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        &[14, 191, 2_812, 43_238, 674_624, 11_030_083, 178_633_661, 3_009_794_393],
    ),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        &[6, 264, 9_467, 422_333, 15_833_292, 706_045_033],
    ),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379, 2_103_487, 89_941_194]),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2_079, 89_890, 3_894_594, 164_075_551, 6_923_051_137],
    ),
];

/// Small positions, each with one trap, and the count at one depth.
const TRAPS: [(&str, u32, u64); 16] = [
    // En passant: a capture that uncovers the king on the rank or on the diagonal, and one that gives check.
    ("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6, 1_134_888),
    ("8/8/4k3/8/2p5/8/B2P1K2/8 w - - 0 1", 6, 1_038_514),
    ("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6, 1_440_467),
    // Castling that gives check, on either side.
    ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", 6, 661_072),
    ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", 6, 803_711),
    // Castling rights lost, castling prevented.
    ("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", 4, 1_274_206),
    ("r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", 4, 1_720_476),
    // Promotion: out of check, discovered check, with check, to a lesser piece.
    ("2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 6, 3_821_001),
    ("8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", 5, 1_004_658),
    ("4k3/1P6/8/8/8/8/K7/8 w - - 0 1", 6, 217_342),
    ("8/P1k5/K7/8/8/8/8/8 w - - 0 1", 6, 92_683),
    // Stalemate, checkmate, double check.
    ("K1k5/8/P7/8/8/8/8/8 w - - 0 1", 6, 2_217),
    ("8/k1P5/8/1K6/8/8/8/8 w - - 0 1", 7, 567_584),
    ("8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", 4, 23_527),
    // 218 moves, the most known in one position.
    ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 1, 218),
    ("3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1", 1, 218),
];

/// Fairy-Stockfish's counts.
const MAKRUK: [(&str, &[u64]); 17] = [
    // Start position.
    (
        "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
        &[23, 529, 12_012, 273_026, 6_223_994, 142_078_049, 3_299_342_874],
    ),
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
fn six_well_known_positions() {
    for (fen, counts) in SIX {
        check::<Chess>(fen, counts, 0..=QUICK);
    }
}

#[test]
#[ignore = "long: up to 10^9 leaves a position"]
fn six_well_known_positions_deep() {
    for (fen, counts) in SIX {
        check::<Chess>(fen, counts, QUICK + 1..=1_000_000_000);
    }
}

#[test]
fn traps() {
    for (fen, depth, expected) in TRAPS {
        let position = Position::<Chess>::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        assert_eq!(perft(&position, depth), expected, "{fen} depth {depth}");
    }
}

#[test]
fn standard_suite() {
    for (fen, counts) in STANDARD {
        check::<Chess>(fen, &counts, 0..=u64::MAX);
    }
}

#[test]
fn makruk_rows() {
    for (fen, counts) in MAKRUK {
        check::<Makruk>(fen, counts, 0..=QUICK);
    }
}

#[test]
#[ignore = "long: up to 3.3 * 10^9 leaves"]
fn makruk_rows_deep() {
    for (fen, counts) in MAKRUK {
        check::<Makruk>(fen, counts, QUICK + 1..=u64::MAX);
    }
}

/// All 960 start positions to depth 4. The sums and the digest over the single counts were computed by the mailbox
/// generator, and every sixteenth count by Fairy-Stockfish 11.1 as well.
#[test]
fn chess960_start_positions() {
    let mut sums = [0; 4];
    let mut digest = 0xcbf2_9ce4_8422_2325_u64; // FNV-1a over the counts at depth 4
    for number in 0..960 {
        let fen = chess960_start(number);
        let position = Position::<Chess>::from_fen(&fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        let counts = [1, 2, 3, 4].map(|depth| perft(&position, depth));
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        digest = (digest ^ counts[3]).wrapping_mul(0x100_0000_01b3);
    }
    assert_eq!(sums, [18_882, 371_766, 8_224_968, 181_106_056]);
    assert_eq!(digest, 0xa421_b4d1_7ee4_5aa1);
}

#[test]
#[ignore = "long: both generators to depth 4 on 960 positions"]
fn chess960_start_positions_against_the_mailbox() {
    for number in 0..960 {
        let fen = chess960_start(number);
        let bitboard = Position::<Chess>::from_fen(&fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        let mailbox = rukh_mailbox::Position::from_fen(rukh_mailbox::Game::Chess, &fen).expect("a start position");
        assert_eq!(perft(&bitboard, 4), mailbox.perft(4), "{fen}");
    }
}

/// Runs a file of `fen ;D1 20 ;D2 400` lines from beside the checkout.
fn check_file<R: Rules>(name: &str, range: std::ops::RangeInclusive<u64>) {
    for line in shared(name).unwrap_or_default().lines() {
        let mut parts = line.split(';');
        let fen = parts.next().expect("split gives one part at least").trim();
        let position = Position::<R>::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        for part in parts {
            let mut words = part.split_whitespace();
            let depth = words.next().and_then(|d| d.strip_prefix('D')?.parse().ok()).expect("`D1`");
            let leaves = words.next().and_then(|n| n.parse().ok()).expect("a count");
            if range.contains(&leaves) {
                assert_eq!(perft(&position, depth), leaves, "{fen} depth {depth}");
            }
        }
    }
}

#[test]
fn chess960_file() {
    check_file::<Chess>("perft/chess960.epd", 0..=500_000);
}

#[test]
fn en_passant_file() {
    check_file::<Chess>("perft/en_passant_sample.epd", 0..=2_000_000);
}

#[test]
fn makruk_file() {
    check_file::<Makruk>("perft/makruk.epd", 0..=10_000_000);
}

#[test]
#[ignore = "long: the suites to 10^7 and 10^8 leaves"]
fn files_deep() {
    check_file::<Chess>("perft/standard.epd", 0..=200_000_000);
    check_file::<Chess>("perft/en_passant_sample.epd", 2_000_001..=u64::MAX);
    check_file::<Chess>("perft/chess960.epd", 500_001..=20_000_000);
    check_file::<Makruk>("perft/makruk.epd", 10_000_001..=u64::MAX);
}

/// Sets, lists, and one by one with keys and clocks.
#[test]
fn all_ways_of_counting_agree() {
    fn agree<R: Rules>(pos: &Position<R>) {
        for depth in 0..=3 {
            let leaves = perft(pos, depth);
            assert_eq!(
                (perft_full(pos, depth), perft_list(pos, depth)),
                (leaves, leaves),
                "{} depth {depth}",
                pos.fen()
            );
        }
    }
    for (fen, _) in SIX {
        agree(&Position::<Chess>::from_fen(fen).unwrap());
    }
    agree(&Position::<Makruk>::startpos());
}
