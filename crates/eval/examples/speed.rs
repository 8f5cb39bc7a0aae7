//! Nanoseconds per evaluation on positions of random games, warm. `cargo run --release -p rukh-eval --example speed`

use std::hint::black_box;
use std::time::Instant;

use rukh_core::{Chess, Makruk, Position};
use rukh_eval::{Classical, Evaluator, Terms};

fn positions<R: Terms>() -> Vec<Position<R>> {
    let mut rng = rukh_core::rng::Rng::plain(1);
    let mut list = Vec::new();
    while list.len() < 2000 {
        let mut pos = Position::<R>::startpos();
        for ply in 0..80 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            pos = pos.after_unchecked(moves[rng.below(moves.len())]);
            if ply > 8 {
                list.push(pos);
            }
        }
    }
    list
}

fn time<R: Terms>(name: &str) {
    let list = positions::<R>();
    let mut eval = Classical::<R>::new();
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        let mut sum = 0i64;
        for pos in &list {
            sum += i64::from(eval.evaluate(black_box(pos)));
        }
        black_box(sum);
        best = best.min(start.elapsed().as_nanos() as f64 / list.len() as f64);
    }
    println!("{name}: {best:.0} ns per evaluation (best of 20 passes over {} positions)", list.len());
}

fn main() {
    time::<Chess>("chess");
    time::<Makruk>("makruk");
}
