//! Perft: the core's leaf counts against published ones and against the mailbox generator.

use crate::common::{chess960_start, shared, suite::STANDARD};
use crate::vectors::{MAKRUK, SIX};
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

/// A list has 256 places: what has no room is never written over what is there.
#[test]
fn full_lists_are_refused() {
    use rukh_core::{Move, MoveList};
    let most: Position<Chess> = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1".parse().unwrap();
    for before in [0, 37, 38, 39, 255] {
        let mut list = MoveList::new();
        list.extend(std::iter::repeat_n(Move::NONE, before));
        let filled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| most.generate_legal(&mut list)));
        assert_eq!(filled.is_ok(), before <= 38, "{before}");
        assert!(list[..before].iter().all(|mv| mv.is_none()), "{before}");
        assert_eq!(list.len(), (before + 218).min(256));
    }
    // Captures and quiet moves of one position always have room.
    let mut list = MoveList::new();
    list.extend(std::iter::repeat_n(Move::NONE, 200));
    Position::<Chess>::startpos().generate_quiets(&mut list);
    assert_eq!((list.len(), list[200..].to_vec()), (220, Position::<Chess>::startpos().legal_moves().to_vec()));
}
