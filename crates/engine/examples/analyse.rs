//! Analyses a position for a second: `cargo run --release --example analyse "FEN"`.

use rukh_engine::{Engine, Limits, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let fen = std::env::args().nth(1).unwrap_or_else(|| "startpos".into());
    let engine = Engine::new(Options { threads: 2, ..Options::default() })?;
    engine.set_position(&fen)?;
    let limits = Limits { movetime: Some(1_000), ..Limits::default() };
    let answer = engine.go(limits, |info| println!("depth {:2}  {:5} cp  {}", info.depth, info.centipawns(), info.pv));
    println!("best: {}", answer.best_move.as_deref().unwrap_or("none, the game is over"));
    Ok(())
}
