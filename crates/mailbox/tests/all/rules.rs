//! FEN, notation, castling, and that taking back restores everything.

use rukh_mailbox::{FenError, Game, Position, Side, Spot};

fn chess(fen: &str) -> Position {
    Position::from_fen(Game::Chess, fen).unwrap_or_else(|e| panic!("{fen}: {e}"))
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn fen_round_trips() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 17 40",
        // An inner rook keeps its file, the outer one its letter.
        "4k3/8/8/8/8/8/8/RR2KR1R w FB - 0 1",
    ] {
        assert_eq!(chess(fen).fen(), fen);
    }
    for fen in ["8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1", "4k3/8/8/8/P7/8/R7/4K3 w - - 3 9"] {
        assert_eq!(Position::from_fen(Game::Makruk, fen).unwrap().fen(), fen);
    }
}

#[test]
fn castling_letters_of_all_dialects() {
    let shredder = chess("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9");
    assert_eq!(shredder, chess("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9"));
    assert_eq!(shredder.fen(), "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9");
    assert_eq!(shredder.shredder_fen(), "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9");
}

#[test]
fn en_passant_only_when_a_pawn_can_take() {
    let useless = chess("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
    assert_eq!(useless.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    let mut position = chess("4k3/8/8/8/5p2/8/4P3/4K3 w - - 0 1");
    position.play_uci("e2e4").unwrap();
    assert_eq!(position.fen(), "4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 1");
    position.play_uci("f4e3").unwrap();
    assert_eq!(position.fen(), "4k3/8/8/8/8/4p3/8/4K3 w - - 0 2");
    // Both pawns leave the rank at once, and the king behind them is seen.
    assert!(!chess("8/8/8/8/k3Pp1R/8/8/4K3 b - e3 0 1").legal_moves(false).contains(&"f4e3".to_owned()));
}

#[test]
fn castling_in_both_encodings() {
    let position = chess("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    let [std, frc] = [false, true].map(|frc| position.legal_moves(frc));
    assert!(std.contains(&"e1g1".to_owned()) && std.contains(&"e1c1".to_owned()));
    assert!(frc.contains(&"e1h1".to_owned()) && frc.contains(&"e1a1".to_owned()));
    for name in ["e1g1", "e1h1"] {
        let mut p = position.clone();
        p.play_uci(name).unwrap();
        assert_eq!(p.fen(), "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1");
    }
    // King and rook change places; and a rook whose leaving opens the king to a1 may not castle.
    let mut swap = chess("4k3/8/8/8/8/8/8/5KR1 w G - 0 1");
    swap.play_uci("f1g1").unwrap();
    assert_eq!(swap.fen(), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    let pinned = chess("4k3/8/8/8/8/8/8/rR1K4 w B - 0 1");
    assert!(!pinned.legal_moves(true).contains(&"d1b1".to_owned()));
}

#[test]
fn bad_fens_are_refused() {
    for (fen, error) in [
        ("8/8/8/8/8/8/8/8 w - - 0 1", FenError::Men),
        ("4k3/8/8/8/8/8/8/4K2 w - - 0 1", FenError::Board),
        ("4k3/8/8/8/8/8/8/4K3P w - - 0 1", FenError::Board),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", FenError::PawnRank),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", FenError::Turn),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", FenError::Castling),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", FenError::EnPassant),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", FenError::Number),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", FenError::KingCanBeTaken),
        ("4k3/8/8/8/8/8/8/4K3 w", FenError::FieldCount),
    ] {
        assert_eq!(Position::from_fen(Game::Chess, fen), Err(error), "{fen}");
    }
}

#[test]
fn mate_and_stalemate() {
    assert!(chess("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1").is_mate());
    let stalemate = chess("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert!(stalemate.is_stalemate() && !stalemate.in_check());
}

#[test]
fn thon_and_bia_attack_as_makruk_says() {
    let at = |name| Spot::parse(name).unwrap();
    let thon = Position::from_fen(Game::Makruk, "4k3/8/8/8/3S4/7P/8/4K3 w - - 0 1").unwrap();
    for (name, attacked) in [("d5", true), ("c5", true), ("e3", true), ("d3", false), ("c4", false), ("h4", false)] {
        assert_eq!(thon.is_attacked(at(name), Side::White), attacked, "{name}");
    }
    // A pinned Thon still steps along the pin.
    let pinned = Position::from_fen(Game::Makruk, "4k3/4r3/8/8/8/4S3/8/4K3 w - - 0 1").unwrap();
    assert_eq!(sorted(pinned.legal_moves(false)), ["e1d1", "e1d2", "e1e2", "e1f1", "e1f2", "e3e4"]);
    // A Bia set up beyond the sixth rank turns over on its next move.
    let late = Position::from_fen(Game::Makruk, "4k3/8/P7/8/8/8/8/4K3 w - - 0 1").unwrap();
    assert!(late.legal_moves(false).contains(&"a6a7m".to_owned()));
}

/// Walks at random and takes every move back.
#[test]
fn unmake_restores_everything() {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 33) as usize % below
    };
    let frc =
        Position::from_fen(Game::Chess, "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9").unwrap();
    for start in [Position::startpos(Game::Chess), Position::startpos(Game::Makruk), frc] {
        for _ in 0..50 {
            let mut position = start.clone();
            for _ in 0..120 {
                let moves = position.moves();
                for &m in &moves {
                    let before = position.clone();
                    let undo = position.make(m);
                    let again = Position::from_fen(position.game(), &position.fen()).unwrap();
                    assert_eq!(again.fen(), position.fen());
                    assert_eq!(again.in_check(), position.in_check());
                    position.unmake(undo);
                    assert_eq!(position, before, "{} {}", before.fen(), m.uci(true));
                }
                if moves.is_empty() {
                    break;
                }
                position.make(moves[random(moves.len())]);
            }
        }
    }
}
