//! `makruk <depth>`: perft of the Makruk start position; prints the leaves and the CPU seconds. `cargo xtask bench`
//! runs it in turn with Fairy-Stockfish.

use std::hint::black_box;

use rukh_bench::CpuClock;
use rukh_core::{Makruk, Position, perft};

fn main() -> Result<(), String> {
    let depth = std::env::args().nth(1).unwrap_or_default();
    let depth = depth.parse().map_err(|_| format!("'{depth}' is not a depth"))?;
    let start = black_box(Position::<Makruk>::startpos());
    let clock = CpuClock::start();
    let leaves = perft(&start, depth);
    println!("{leaves}\t{}", clock.elapsed().as_secs_f64());
    Ok(())
}
