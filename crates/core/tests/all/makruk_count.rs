//! Makruk's counting rules: vectors computed with Fairy-Stockfish, and random games in lock-step with it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::common::Random;
use rukh_core::{Color, DrawReason, Game, Makruk, Move, Notation, Outcome, Position};

fn played(fen: &str, moves: &str) -> Position<Makruk> {
    let mut position = Position::<Makruk>::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    for name in moves.split_whitespace() {
        let m = position.parse_uci(name).unwrap_or_else(|e| panic!("{fen} {name}: {e}"));
        let before = position;
        let undo = position.make(m);
        let mut back = position;
        back.unmake(undo);
        assert!(back == before, "{fen} {name}: unmake");
    }
    position
}

const VECTORS: [(&str, &str, &str); 16] = [
    // The last Bia promotes, and the other side is bare.
    ("8/3k4/8/2K1S1P1/8/8/8/8 w - - 0 1", "g5g6m", "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"),
    // The last piece falls during board's honour.
    ("8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 97 1", "e5f6", "8/2K3k1/5S2/6S1/8/8/8/8 b - 44 8 1"),
    // A bare Khun takes the last Bia.
    ("8/8/4k3/5P2/8/2RMK3/8/8 b - - 0 50", "e6f5", "8/8/8/5k2/8/2RMK3/8/8 w - 32 7 51"),
    ("8/8/4k3/5P2/8/2RMK3/8/8 b - - 0 50", "e6f5 c3c4 f5e5", "8/8/8/4k3/2R5/3MK3/8/8 w - 32 9 52"),
    // Set up bare: the count begins with the attacker's move.
    ("4k3/8/8/8/8/8/R7/4K3 b - - 0 1", "e8e7", "8/4k3/8/8/8/8/R7/4K3 w - - 1 2"),
    ("4k3/8/8/8/8/8/R7/4K3 b - - 0 1", "e8e7 a2a3", "8/4k3/8/8/8/R7/8/4K3 b - 32 6 2"),
    // The limit is frozen.
    ("8/8/8/8/8/3Rk3/8/K6R b - 16 8 1", "e3d3", "8/8/8/8/8/3k4/8/K6R w - 16 9 2"),
    // No count while a Bia stands.
    ("4k3/8/8/8/P7/8/R7/4K3 w - - 0 1", "a2b2", "4k3/8/8/8/P7/8/1R6/4K3 b - - 1 1"),
    // Board's honour.
    ("4k3/2r5/8/3p4/8/2N5/8/R3K3 w - - 0 40", "c3d5", "4k3/2r5/8/3N4/8/8/8/R3K3 b - 128 0 40"),
    ("3k4/2m5/8/4MP2/3KS3/8/8/8 w - - 0 1", "f5f6m", "3k4/2m5/5M~2/4M3/3KS3/8/8/8 b - 128 0 1"),
    ("3k4/2m5/5M~2/4M3/3KS3/8/8/8 w - 128 0 33", "d4d5", "3k4/2m5/5M~2/3KM3/4S3/8/8/8 b - 128 1 33"),
    ("3k4/2m5/5M~2/4M3/3KS3/8/8/8 w - 128 36 1", "d4d5", "3k4/2m5/5M~2/3KM3/4S3/8/8/8 b - 128 37 1"),
    // The smallest limit that applies.
    ("4k3/8/8/1P6/8/8/8/KNSN4 w - - 0 1", "b5b6m", "4k3/8/1M~6/8/8/8/8/KNSN4 b - 64 12 1"),
    ("4k3/8/8/1P6/8/8/8/KNS5 w - - 0 1", "b5b6m", "4k3/8/1M~6/8/8/8/8/KNS5 b - 88 10 1"),
    ("4k3/8/8/1P6/8/8/8/KRRNNSSM w - - 0 1", "b5b6m", "4k3/8/1M~6/8/8/8/8/KRRNNSSM b - 16 20 1"),
    (
        "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
        "e3e4 d6d5 e4d5 a6a5 d5c6m",
        "rnsmksnr/8/1pM~1pppp/p7/8/PPPP1PPP/8/RNSKMSNR b - - 0 3",
    ),
];

#[test]
fn fens_after_moves() {
    for (fen, moves, expected) in VECTORS {
        assert_eq!(played(fen, moves).fen(), expected, "{fen} {moves}");
    }
}

#[test]
fn promotion_suffix_is_optional() {
    assert_eq!(played(VECTORS[0].0, "g5g6").fen(), VECTORS[0].2);
}

#[test]
fn the_count_is_in_the_key_but_not_in_the_repetition_key() {
    let [early, late] = ["32 6", "32 8"].map(|count| {
        Position::<Makruk>::from_fen(&format!("8/4k3/8/8/8/R7/8/4K3 b - {count} 2")).expect("a legal position")
    });
    assert_ne!(early.key(), late.key());
    assert_eq!(early.repetition_key(), late.repetition_key());
}

#[test]
fn draws_by_count_and_mates() {
    let drawn = played("4k3/8/8/1P6/8/8/8/KRRNNSSM w - - 0 1", "b5b6m");
    assert!(drawn.is_count_draw());
    assert!(matches!(Game::new(drawn).outcome(), Some(Outcome::Draw(DrawReason::Count))));

    let goes_on = played("7k/8/8/8/8/8/R7/4K3 w - 32 31 90", "a2a3");
    assert!(!goes_on.is_count_draw());
    assert!(Game::new(goes_on).outcome().is_none());
    assert!(played("7k/8/8/8/8/8/R7/4K3 w - 32 31 90", "a2a3 h8g8").is_count_draw());

    for plies in [31, 33] {
        let mate = played(&format!("7k/8/6K1/8/8/8/8/R7 w - 32 {plies} 90"), "a1a8");
        assert!(mate.is_checkmate());
        assert!(matches!(Game::new(mate).outcome(), Some(Outcome::Win(Color::White))));
    }
}

#[test]
fn threefold_repetition() {
    let start = Position::<Makruk>::from_fen("4k3/2r5/8/8/8/P7/8/R3K3 w - - 0 40").expect("a legal position");
    let mut game = Game::new(start);
    for name in ["a1b1", "c7b7", "b1a1", "b7c7"].repeat(2) {
        assert!(game.outcome().is_none());
        let m = game.position().parse_uci(name).expect("a legal move");
        game.play(m);
    }
    assert_eq!(game.repetitions(), 3);
    assert!(matches!(game.outcome(), Some(Outcome::Draw(DrawReason::ThreefoldRepetition))));
}

/// Whoever plays on when the count has run out can still write down where the game stands.
#[test]
fn every_position_past_the_count_can_be_read_again() {
    for start in [
        "7k/8/8/8/8/8/R7/4K3 w - 32 31 90",
        "8/2m1k3/3n4/8/8/R2S4/8/2N1K3 w - 128 126 90",
        "4k3/8/8/2M5/3S4/8/8/4K2R w - - 0 1",
    ] {
        let mut position = Position::<Makruk>::from_fen(start).expect("a legal position");
        let mut seed = 7u64;
        for ply in 0..400 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            position = position.after(moves[(seed >> 33) as usize % moves.len()]);
            let again = Position::<Makruk>::from_fen(&position.fen()).map(|again| again.fen());
            assert_eq!(again.as_deref(), Ok(&*position.fen()), "ply {ply} from {start}");
        }
    }
}

/// Repetition looks at the board alone: a running count does not make positions different.
#[test]
fn repetition_during_a_count() {
    let start = Position::<Makruk>::from_fen("4k3/2r5/8/8/8/8/8/R3K3 w - 128 0 40").expect("a legal position");
    let mut game = Game::new(start);
    for name in ["a1b1", "c7b7", "b1a1", "b7c7"].repeat(2) {
        let m = game.position().parse_uci(name).expect("a legal move");
        game.play(m);
    }
    assert_eq!(game.repetitions(), 3);
}

/// Answers, for each `fen|moves` line, one line per position: FEN, check, draw by count, dead position, the last move in SAN,
/// legal moves.
const ORACLE: &str = r#"
import sys, pyffish as sf
print(sf.version(), flush=True)
for line in sys.stdin:
    fen, _, moves = line.strip().partition("|")
    for move in [""] + moves.split():
        san = ""
        if move:
            san = sf.get_san("makruk", fen, move)
            fen = sf.get_fen("makruk", fen, [move], False, False, True)
        print(fen, int(sf.gives_check("makruk", fen, [])), int(sf.is_optional_game_end("makruk", fen, [])[0]),
              int(all(sf.has_insufficient_material("makruk", fen, []))), san,
              " ".join(sorted(sf.legal_moves("makruk", fen, []))), sep="|")
    sys.stdout.flush()
"#;

/// A random game that likes to capture, so that the counts begin soon: positions, and the moves between them.
fn random_game(random: &mut Random, start: Position<Makruk>) -> (Vec<Position<Makruk>>, Vec<Move>) {
    let (mut positions, mut moves) = (vec![start], Vec::new());
    while positions.len() < 300 {
        let position = positions[positions.len() - 1];
        let legal = position.legal_moves();
        if legal.is_empty() || position.is_count_draw() {
            break;
        }
        let captures: Vec<Move> = legal.iter().copied().filter(|m| !m.is_quiet()).collect();
        let m = match random.below(3) {
            0 if !captures.is_empty() => *random.pick(&captures),
            _ => *random.pick(&legal),
        };
        moves.push(m);
        positions.push(position.after(m));
    }
    (positions, moves)
}

/// Random games against pyffish.
#[test]
#[ignore = "long: needs python3 with pyffish from PyPI"]
fn lock_step_with_pyffish() {
    let child = Command::new("python3").args(["-c", ORACLE]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: no python3");
        return;
    };
    let mut input = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    if lines.next().is_none() {
        eprintln!("skipped: python3 has no pyffish");
        return;
    }
    let mut random = Random::new(21);
    let mut counted = 0;
    for game in 0..60 {
        let start = match game % 4 {
            0 | 1 => Position::<Makruk>::startpos(),
            _ => Position::from_fen(VECTORS[random.below(VECTORS.len())].0).expect("a legal position"),
        };
        let (positions, moves) = random_game(&mut random, start);
        let names: Vec<String> = positions.iter().zip(&moves).map(|(p, &m)| p.uci(m, Notation::Standard)).collect();
        writeln!(input, "{}|{}", start.fen(), names.join(" ")).expect("python3 is listening");
        input.flush().expect("python3 is listening");
        for (i, position) in positions.iter().enumerate() {
            let answer = lines.next().expect("an answer").expect("text");
            let fields: Vec<&str> = answer.split('|').collect();
            assert_eq!(position.fen(), fields[0]);
            assert_eq!(position.in_check(), fields[1] == "1", "{answer}");
            let drawn = position.is_count_draw() && !position.is_checkmate();
            assert_eq!(drawn, fields[2] == "1", "{answer}");
            assert_eq!(position.is_insufficient_material(), fields[3] == "1", "{answer}");
            if i > 0 {
                assert_eq!(positions[i - 1].san(moves[i - 1]), fields[4], "{answer}");
            }
            let mut legal: Vec<String> =
                position.legal_moves().iter().map(|&m| position.uci(m, Notation::Standard)).collect();
            legal.sort();
            assert_eq!(legal.join(" "), fields[5], "{answer}");
            counted += usize::from(position.count().is_some());
        }
    }
    drop(input);
    child.wait().expect("python3 ends");
    assert!(counted > 500, "only {counted} positions had a count");
}
