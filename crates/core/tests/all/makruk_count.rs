//! Makruk's counting rules: vectors computed with Fairy-Stockfish, and random games in lock-step with it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::vectors::COUNTS;
use rukh_core::rng::Rng;
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

#[test]
fn fens_after_moves() {
    for (fen, moves, expected) in COUNTS {
        assert_eq!(played(fen, moves).fen(), expected, "{fen} {moves}");
    }
}

#[test]
fn promotion_suffix_is_optional() {
    assert_eq!(played(COUNTS[0].0, "g5g6").fen(), COUNTS[0].2);
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
        let mut random = Rng::new(7, 0);
        for ply in 0..400 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.after(moves[random.below(moves.len())]);
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
fn random_game(random: &mut Rng, start: Position<Makruk>) -> (Vec<Position<Makruk>>, Vec<Move>) {
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
    let mut random = Rng::plain(21);
    let mut counted = 0;
    for game in 0..60 {
        let start = match game % 4 {
            0 | 1 => Position::<Makruk>::startpos(),
            _ => Position::from_fen(COUNTS[random.below(COUNTS.len())].0).expect("a legal position"),
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
