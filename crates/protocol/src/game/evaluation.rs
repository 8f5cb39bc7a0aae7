//! What `eval` prints: the network's value by piece, beside the terms of the classical evaluation.

use rukh_core::{Color, Position};
use rukh_engine::network_for;
use rukh_eval::nnue::Evaluation;
use rukh_eval::{Evaluator, Terms, nnue, report};

/// Both evaluations of a position, and the one that the engine plays with. `eval_file` is the option `EvalFile`.
pub fn evaluation<R: Terms>(pos: &Position<R>, eval_file: &str) -> Result<String, String> {
    let network = network_for::<R>(eval_file).map_err(|error| error.to_string())?;
    let classical = report::table(pos);
    let Some(network) = network else { return Ok(classical) };
    let by_piece = nnue::table(&network, pos);
    let mut evaluation = Evaluation::<R>::with_network(network);
    evaluation.reset(pos);
    let value = evaluation.evaluate(pos);
    let white = if pos.side_to_move() == Color::White { value } else { -value };
    let value = format!("Final evaluation {:+.2} for White", f64::from(white) / 100.0);
    Ok(format!(
        "Classical terms\n{classical}\nNetwork, by piece: what the evaluation loses without it\n{by_piece}\n{value}\n"
    ))
}
