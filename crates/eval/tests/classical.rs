//! Properties of the classical evaluation that hold on every board.

use rukh_core::{Chess, Color, Makruk, Position};
use rukh_eval::report::{recompute, table};
use rukh_eval::trace::Coefficients;
use rukh_eval::{Classical, EVAL_LIMIT, Evaluator, Terms};

/// Calls `f` on positions of random games.
fn random_positions<R: Terms>(games: u64, mut f: impl FnMut(&Position<R>)) {
    let mut rng = rukh_core::rng::Rng::plain(1);
    for _ in 0..games {
        let mut pos = Position::<R>::startpos();
        for _ in 0..160 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            pos = pos.after(moves[rng.below(moves.len())]);
            f(&pos);
        }
    }
}

/// The same position with colours changed, by text.
fn flipped<R: Terms>(pos: &Position<R>) -> Position<R> {
    let fen = pos.fen();
    let f: Vec<&str> = fen.split(' ').collect();
    let swap = |s: &str| -> String {
        s.chars().map(|c| if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }).collect()
    };
    let board: Vec<String> = f[0].split('/').rev().map(swap).collect();
    let ep = f[3].replace('3', "x").replace('6', "3").replace('x', "6");
    let ep = if f[3].parse::<u32>().is_ok() { f[3].to_string() } else { ep };
    let stm = if f[1] == "w" { "b" } else { "w" };
    let text = format!("{} {stm} {} {ep} {} {}", board.join("/"), swap(f[2]), f[4], f[5]);
    Position::from_fen(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn check<R: Terms>(games: u64) {
    let mut eval = Classical::<R>::new();
    let mut cold = Coefficients::default();
    let mut seen = 0;
    random_positions::<R>(games, |pos| {
        let value = eval.evaluate(pos);
        assert!(value.abs() < EVAL_LIMIT, "{}", pos.fen());
        assert_eq!(value, eval.evaluate(&flipped(pos)), "colour flip of {}", pos.fen());
        cold.clear();
        let white = eval.trace(pos, &mut cold);
        if cold.special.is_none() {
            assert_eq!(recompute::<R>(&cold), white, "trace of {}", pos.fen());
        }
        let from_cold = R::damp(pos, white);
        let from_play = if pos.side_to_move() == Color::White { value } else { -value };
        assert_eq!(from_cold, from_play, "cached and fresh pawns of {}", pos.fen());
        seen += 1;
    });
    assert!(seen > 1000);
}

#[test]
fn chess_is_symmetric_and_adds_up() {
    check::<Chess>(300);
}

#[test]
fn makruk_is_symmetric_and_adds_up() {
    check::<Makruk>(300);
}

#[test]
fn the_start_is_worth_the_move() {
    let value = Classical::<Chess>::new().evaluate(&Position::startpos());
    assert!((1..60).contains(&value), "chess {value}");
    // Makruk's set-up is turned by half a circle; mirrored files make it symmetric for the terms.
    let value = Classical::<Makruk>::new().evaluate(&Position::startpos());
    assert!((1..60).contains(&value), "Makruk {value}");
}

fn chess(fen: &str) -> i32 {
    Classical::<Chess>::new().evaluate(&Position::from_fen(fen).unwrap())
}

#[test]
fn known_draws() {
    for fen in [
        "8/8/4k3/8/8/3K4/8/8 w - - 0 1",
        "8/8/4k3/8/8/3KN3/8/8 w - - 0 1",
        "8/8/4k3/8/8/3KB3/8/8 w - - 0 1",
        "8/8/4k3/8/8/3KNN2/8/8 w - - 0 1",
        "8/8/4k3/8/8/3KB1B1/8/8 w - - 0 1", // two bishops of one shade
        "8/8/8/4k3/4P3/4K3/8/8 w - - 0 1",  // the opposition holds
        "k7/8/8/8/8/P7/1K6/8 w - - 0 1",    // rook pawn
        "8/8/8/8/8/1b6/3k4/K7 b - - 0 1",
    ] {
        assert_eq!(chess(fen), 0, "{fen}");
    }
    for fen in [
        "k7/8/1K6/P7/8/8/3B4/8 w - - 0 1", // bishop of the wrong colour for the corner
        "6k1/8/8/8/7P/7B/6K1/8 w - - 0 1",
        "8/8/4k3/8/3n4/3K1R2/8/8 w - - 0 1", // rook against knight
        "8/4b3/4k3/8/8/3K1R2/8/8 w - - 0 1",
    ] {
        assert!(chess(fen).abs() <= 60, "{fen}: {}", chess(fen));
    }
}

#[test]
fn two_knights_hardly_win() {
    let value = chess("8/4p3/4k3/8/8/3KNN2/8/8 w - - 0 1");
    assert!((0..150).contains(&value), "{value}");
}

#[test]
fn known_wins() {
    for fen in [
        "8/8/8/4k3/8/4K3/4P3/8 b - - 0 1", // king in front of the pawn with the opposition
        "8/8/4k3/8/8/3K1R2/8/8 w - - 0 1",
        "8/8/4k3/8/8/3KBN2/8/8 w - - 0 1",
        "8/8/4k3/8/8/3KBB2/8/8 w - - 0 1",
        "8/8/4k3/8/8/3K4/8/Q7 w - - 0 1",
    ] {
        let pos = Position::<Chess>::from_fen(fen).unwrap();
        let value = Classical::<Chess>::new().evaluate(&pos);
        let white = if pos.side_to_move() == Color::White { value } else { -value };
        assert!(white > 500, "{fen}: {white}");
    }
    // Bishop and knight drive towards the bishop's corner.
    let right = chess("8/8/8/8/8/3KBN2/8/7k w - - 0 1"); // dark bishop e3, h1 is light
    let wrong = chess("8/8/8/8/8/3KBN2/8/k7 w - - 0 1");
    assert!(wrong > right, "{wrong} {right}");
}

#[test]
fn the_clock_fades_an_advantage() {
    let fresh = chess("4k3/pp3ppp/8/8/8/8/PP3PPP/R3K3 w - - 0 1");
    let stale = chess("4k3/pp3ppp/8/8/8/8/PP3PPP/R3K3 w - - 80 90");
    assert!(stale < fresh && stale > 0, "{fresh} {stale}");
}

#[test]
fn absurd_boards_stay_in_bounds() {
    for fen in [
        "QQQQQQQQ/QQQQQQQ1/8/8/8/8/7k/K7 b - - 0 1",
        "qqqqqqqq/qqqqqqq1/8/8/8/8/8/K6k w - - 0 1",
        "1nnnnnnk/nnnnnnn1/8/8/8/8/1BBBBBBB/KBBBBBBB w - - 0 1",
        "rrrrrrrr/rrrrrrrk/8/8/8/8/QQQQQQQ1/KQQQQQQQ w - - 0 1",
    ] {
        if let Ok(pos) = Position::<Chess>::from_fen(fen) {
            let value = Classical::<Chess>::new().evaluate(&pos);
            assert!(value.abs() < EVAL_LIMIT, "{fen}");
            let mut c = Coefficients::default();
            let white = Classical::<Chess>::new().trace(&pos, &mut c);
            if c.special.is_none() {
                assert_eq!(recompute::<Chess>(&c), white);
            }
        }
    }
}

fn makruk(fen: &str) -> i32 {
    Classical::<Makruk>::new().evaluate(&Position::from_fen(fen).unwrap())
}

#[test]
fn the_count_enters_the_value() {
    // Rua against bare Khun: sure with the whole count left, little with two moves left.
    let early = -makruk("8/8/3k4/8/8/4K3/8/R7 b - 32 6 1");
    let late = -makruk("8/8/3k4/8/8/4K3/8/R7 b - 32 28 1");
    assert!(early > 3 * late && late >= 0, "{early} {late}");
    // With a Bia left no count runs: more than the same without it.
    let with_bia = -makruk("8/8/3k4/8/P7/4K3/8/R7 b - - 0 1");
    assert!(with_bia > early + 100, "{with_bia} {early}");
    // One Ma cannot mate.
    assert!(makruk("8/8/3k4/8/8/4K3/8/N7 b - 128 6 1").abs() < 60);
    // Board's honour: the same advantage is worth less near its end.
    let fresh = makruk("8/2m3k1/8/4S1S1/8/4R3/2K5/8 w - 128 2 1");
    let stale = makruk("8/2m3k1/8/4S1S1/8/4R3/2K5/8 w - 128 118 1");
    assert!(fresh > 2 * stale && stale > 0, "{fresh} {stale}");
}

#[test]
fn the_table_prints() {
    let text = table(&Position::<Chess>::startpos());
    assert!(text.contains("Material") && text.contains("Mobility") && text.contains("Value"), "{text}");
    assert!(table(&Position::<Makruk>::startpos()).contains("Phase 24 of 24"));
}
