//! Makruk's counts against vectors from Fairy-Stockfish.

use rukh_mailbox::{Game, Position};

use crate::vectors::COUNTS;

fn played(fen: &str, moves: &str) -> Position {
    let mut position = Position::from_fen(Game::Makruk, fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    for name in moves.split_whitespace() {
        position.play_uci(name).unwrap_or_else(|| panic!("{fen}: {name} is not legal"));
    }
    position
}

#[test]
fn fens_after_moves() {
    for (fen, moves, expected) in COUNTS {
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
