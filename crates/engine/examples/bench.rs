//! The bench alone, for profilers: builds in a fraction of the time of the whole program.
//!
//! `cargo build --release -p rukh-engine --example bench && valgrind --tool=callgrind target/release/examples/bench 8 classical`

fn main() {
    let mut words = std::env::args().skip(1);
    let depth = words.next().and_then(|w| w.parse().ok()).unwrap_or(rukh_engine::BENCH_DEPTH);
    let result = match words.next().as_deref() {
        Some("classical") => rukh_engine::bench_classical(depth, &mut |_, _| {}),
        Some("page") => rukh_engine::bench_page(depth, &mut |_, _| {}),
        _ => rukh_engine::bench_with(depth, &mut |_, _| {}),
    };
    println!("{} nodes ({} of chess) {} nps", result.nodes, result.chess_nodes, result.nps());
}
