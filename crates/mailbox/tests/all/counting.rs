//! Makruk's counts against vectors from Fairy-Stockfish.

use rukh_mailbox::{Game, Position};

fn played(fen: &str, moves: &str) -> Position {
    let mut position = Position::from_fen(Game::Makruk, fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    for name in moves.split_whitespace() {
        position.play_uci(name).unwrap_or_else(|| panic!("{fen}: {name} is not legal"));
    }
    position
}

#[test]
fn fens_after_moves() {
    for (fen, moves, expected) in [
        ("8/3k4/8/2K1S1P1/8/8/8/8 w - - 0 1", "g5g6m", "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"),
        ("8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 97 1", "e5f6", "8/2K3k1/5S2/6S1/8/8/8/8 b - 44 8 1"),
        ("8/8/4k3/5P2/8/2RMK3/8/8 b - - 0 50", "e6f5", "8/8/8/5k2/8/2RMK3/8/8 w - 32 7 51"),
        ("8/8/4k3/5P2/8/2RMK3/8/8 b - - 0 50", "e6f5 c3c4 f5e5", "8/8/8/4k3/2R5/3MK3/8/8 w - 32 9 52"),
        ("4k3/8/8/8/8/8/R7/4K3 b - - 0 1", "e8e7", "8/4k3/8/8/8/8/R7/4K3 w - - 1 2"),
        ("4k3/8/8/8/8/8/R7/4K3 b - - 0 1", "e8e7 a2a3", "8/4k3/8/8/8/R7/8/4K3 b - 32 6 2"),
        ("8/8/8/8/8/3Rk3/8/K6R b - 16 8 1", "e3d3", "8/8/8/8/8/3k4/8/K6R w - 16 9 2"),
        ("4k3/8/8/8/P7/8/R7/4K3 w - - 0 1", "a2b2", "4k3/8/8/8/P7/8/1R6/4K3 b - - 1 1"),
        ("4k3/2r5/8/3p4/8/2N5/8/R3K3 w - - 0 40", "c3d5", "4k3/2r5/8/3N4/8/8/8/R3K3 b - 128 0 40"),
        ("3k4/2m5/8/4MP2/3KS3/8/8/8 w - - 0 1", "f5f6m", "3k4/2m5/5M~2/4M3/3KS3/8/8/8 b - 128 0 1"),
        ("4k3/8/8/1P6/8/8/8/KNSN4 w - - 0 1", "b5b6m", "4k3/8/1M~6/8/8/8/8/KNSN4 b - 64 12 1"),
        ("4k3/8/8/1P6/8/8/8/KNS5 w - - 0 1", "b5b6m", "4k3/8/1M~6/8/8/8/8/KNS5 b - 88 10 1"),
        ("4k3/8/8/1P6/8/8/8/KRRNNSSM w - - 0 1", "b5b6m", "4k3/8/1M~6/8/8/8/8/KRRNNSSM b - 16 20 1"),
        (
            "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
            "e3e4 d6d5 e4d5 a6a5 d5c6m",
            "rnsmksnr/8/1pM~1pppp/p7/8/PPPP1PPP/8/RNSKMSNR b - - 0 3",
        ),
        ("3k4/2m5/5M~2/4M3/3KS3/8/8/8 w - 128 0 33", "d4d5", "3k4/2m5/5M~2/3KM3/4S3/8/8/8 b - 128 1 33"),
        ("3k4/2m5/5M~2/4M3/3KS3/8/8/8 w - 128 36 1", "d4d5", "3k4/2m5/5M~2/3KM3/4S3/8/8/8 b - 128 37 1"),
    ] {
        assert_eq!(played(fen, moves).fen(), expected, "{fen} {moves}");
    }
}

#[test]
fn draws_and_mates() {
    let drawn = played("4k3/8/8/1P6/8/8/8/KRRNNSSM w - - 0 1", "b5b6m");
    assert!(drawn.is_count_draw());
    let goes_on = played("7k/8/8/8/8/8/R7/4K3 w - 32 31 90", "a2a3");
    assert!(!goes_on.is_count_draw());
    assert!(played("7k/8/8/8/8/8/R7/4K3 w - 32 31 90", "a2a3 h8g8").is_count_draw());
    for plies in [31, 33] {
        let mate = played(&format!("7k/8/6K1/8/8/8/8/R7 w - 32 {plies} 90"), "a1a8");
        assert!(mate.is_mate() && !mate.is_count_draw());
    }
}

/// cutechess writes `0` for "no count".
#[test]
fn zero_means_no_count() {
    let position = Position::from_fen(Game::Makruk, "4k3/8/8/8/8/8/R7/4K3 b - 0 0 1").unwrap();
    assert_eq!(position.fen(), "4k3/8/8/8/8/8/R7/4K3 b - - 0 1");
}
