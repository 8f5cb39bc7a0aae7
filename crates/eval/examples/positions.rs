//! Prints positions of random games as FEN, for the fixture of the network tests:
//! `cargo run -p rukh-eval --example positions -- makruk 1000 > fens; python3 training/nnue/reference.py NET fens`.

use rukh_core::{Chess, Makruk, Position, Rules};

fn main() {
    let mut words = std::env::args().skip(1);
    let variant = words.next().unwrap_or_default();
    let count = words.next().and_then(|word| word.parse().ok()).unwrap_or(1000);
    match variant.as_str() {
        "makruk" => print::<Makruk>(count),
        _ => print::<Chess>(count),
    }
}

fn print<R: Rules>(count: usize) {
    let mut rng = rukh_core::rng::Rng::plain(1);
    let mut below = |n: usize| rng.below(n);
    let mut printed = 0;
    while printed < count {
        let mut pos = Position::<R>::startpos();
        for _ in 0..5 + below(160) {
            let legal = pos.legal_moves();
            if legal.is_empty() || pos.is_count_draw() {
                break;
            }
            // Captures come first in half of the moves, so that few men are seen too.
            let captures: Vec<_> = legal.iter().copied().filter(|mv| mv.is_capture()).collect();
            let mv = if !captures.is_empty() && below(2) == 0 {
                captures[below(captures.len())]
            } else {
                legal[below(legal.len())]
            };
            pos = pos.after(mv);
        }
        if !pos.is_count_draw() {
            println!("{}", pos.fen());
            printed += 1;
        }
    }
}
