//! Makruk positions that cannot be: each refused with its reason, at its place.

use rukh_core::{Color, FenReason, Makruk, Position, Square};

fn refused(fen: &str) -> (FenReason, &str) {
    let error = Position::<Makruk>::from_fen(fen).expect_err(fen);
    (error.reason, &fen[error.start..error.end])
}

#[test]
fn impossible_piece_counts() {
    for (board, color) in [
        // Three Rua, Ma, Thon: Bia become Mets and nothing else.
        ("4k3/8/8/8/8/8/8/RRR1K3", Color::White),
        ("nnn1k3/8/8/8/8/8/8/4K3", Color::Black),
        ("4k3/8/8/8/8/8/8/SSS1K3", Color::White),
        // Nine Bia; ten Mets; nine Mets beside a Bia; nine Bia-ngai.
        ("4k3/8/8/8/P7/PPPPPPPP/8/4K3", Color::White),
        ("4k3/8/8/8/MM6/MMMMMMMM/8/4K3", Color::White),
        ("4k3/8/p7/m7/mmmmmmmm/8/8/4K3", Color::Black),
        ("4k3/8/8/8/M~7/M~M~M~M~M~M~M~M~/8/4K3", Color::White),
    ] {
        let fen = format!("{board} w - - 0 1");
        assert_eq!(refused(&fen), (FenReason::TooManyPieces(color), board), "{fen}");
    }
    assert_eq!(refused("8/8/8/8/8/8/8/4K3 w - - 0 1").0, FenReason::NoKing(Color::Black));
    assert_eq!(refused("4k3/8/8/8/8/8/8/K3K3 w - - 0 1").0, FenReason::ManyKings(Color::White));
    assert_eq!(refused("4k3/8/8/8/8/8/8/N~3K3 w - - 0 1").0, FenReason::Tilde);
}

#[test]
fn bia_behind_their_start() {
    let place = |fen: &str| refused(fen).0;
    assert_eq!(place("4k3/8/8/8/8/8/2P5/4K3 w - - 0 1"), FenReason::BiaBehind(Square::C2));
    assert_eq!(place("4k3/6p1/8/8/8/8/8/4K3 w - - 0 1"), FenReason::BiaBehind(Square::G7));
    assert_eq!(place("4k3/8/8/8/8/8/8/2P1K3 w - - 0 1"), FenReason::PawnPlace(Square::C1));
    assert_eq!(place("2P1k3/8/8/8/8/8/8/4K3 w - - 0 1"), FenReason::PawnPlace(Square::C8));
    // From its start on, and as far as a FEN may put it.
    for fen in ["4k3/8/6p1/8/8/2P5/8/4K3 w - - 0 1", "4k3/2P5/8/8/8/8/6p1/4K3 w - - 0 1"] {
        assert_eq!(Position::<Makruk>::from_fen(fen).unwrap().fen(), fen);
    }
}

#[test]
fn counts_beyond_their_limit() {
    assert_eq!(refused("8/8/8/4k3/8/8/8/R3K3 b - 32 34 1"), (FenReason::CountPlies, "34"));
    assert_eq!(refused("8/8/8/4k3/8/8/8/R3K3 b - 34 6 1"), (FenReason::CountLimit, "34"));
    assert_eq!(refused("8/8/8/4k3/8/8/8/R3K3 b - 32 x 1"), (FenReason::CountPlies, "x"));
    assert_eq!(refused("8/8/8/4k3/8/P7/8/R3K3 b - 32 8 1"), (FenReason::CountWithBia, "32"));
    // One past the limit is the draw itself, and a count that starts beyond its limit is one.
    for fen in ["8/8/8/4k3/8/8/8/R3K3 w - 32 33 1", "8/8/8/4k3/8/8/8/KRRNNSSM b - 16 18 1"] {
        assert!(Position::<Makruk>::from_fen(fen).unwrap().is_count_draw(), "{fen}");
    }
}

/// Those who play on after the draw by count are counted no further than a number holds.
#[test]
fn a_count_that_has_run_out_stays() {
    let mut pos = Position::<Makruk>::from_fen("8/8/8/4k3/8/8/8/R3K3 w - 32 33 1").unwrap();
    for n in 0..200 {
        let there = n / 2 % 2 == 0;
        let word = match (n % 2, there) {
            (0, true) => "a1b1",
            (0, false) => "b1a1",
            (_, true) => "e5e6",
            (_, false) => "e6e5",
        };
        pos = pos.after(pos.parse_uci(word).unwrap());
    }
    // It has run out and stays there, so that the position can be written and read.
    assert_eq!(pos.count().unwrap().plies, 33);
    assert!(pos.is_count_draw());
    assert_eq!(Position::<Makruk>::from_fen(&pos.fen()).map(|pos| pos.fen()), Ok(pos.fen()));
}
