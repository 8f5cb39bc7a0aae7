//! Proofs that this module computes what the native engine computes.

use rukh_api::{Json, message};
use rukh_engine::{BENCH_DEPTH, bench_with};

/// `bench`: fixed positions to a fixed depth; the node count is the checksum of the engine.
pub fn bench(request: &Json) -> String {
    let depth = request.uint("depth").map_or(BENCH_DEPTH, |d| d.clamp(1, 20) as u32);
    let result = bench_with(depth, &mut |_, _| {});
    message::bench(result.nodes, result.time_ms)
}

#[cfg(feature = "learn")]
pub use network::run;

#[cfg(feature = "learn")]
mod network {
    use rukh_api::message;
    use rukh_core::rng::Rng;
    use rukh_core::{Chess, Color, Makruk, Position, Rules};
    use rukh_eval::nnue::{Evaluation, embedded};
    use rukh_eval::{EVAL_LIMIT, Evaluator, Terms};

    /// `selftest`: the network's vector code against its plain reference, along games of random moves.
    pub fn run() -> Result<String, String> {
        let positions = same_values::<Chess>()? + same_values::<Makruk>()?;
        Ok(message::selftest(positions))
    }

    fn same_values<R: Terms>() -> Result<u64, String> {
        let network = embedded::<R>().ok_or("no embedded network")?;
        let mut evaluation = Evaluation::<R>::with_network(network.clone());
        let (mut random, mut compared) = (Rng::new(1, 0), 0);
        for _ in 0..40 {
            let mut pos = Position::<R>::startpos();
            evaluation.reset(&pos);
            for _ in 0..120 {
                let moves = pos.legal_moves();
                let Some(&mv) = moves.get(random.below(moves.len())) else { break };
                evaluation.push(&pos, mv);
                pos = pos.after(mv);
                // A bare king is judged by the classical terms, and the clock fades what the network says.
                let bare = Color::ALL.iter().any(|&side| !pos.colors(side).more_than_one());
                if bare || pos.in_check() {
                    continue;
                }
                let (fast, plain) = (evaluation.evaluate(&pos), faded(&pos, network.reference(&pos)));
                if fast != plain {
                    return Err(format!("{}: the vector code says {fast}, the reference {plain}", pos.fen()));
                }
                compared += 1;
            }
        }
        Ok(compared)
    }

    fn faded<R: Terms + Rules>(pos: &Position<R>, value: i32) -> i32 {
        let sign = if pos.side_to_move() == Color::White { 1 } else { -1 };
        (sign * R::damp(pos, sign * value)).clamp(1 - EVAL_LIMIT, EVAL_LIMIT - 1)
    }
}
