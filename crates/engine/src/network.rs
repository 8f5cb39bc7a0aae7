//! Which evaluation a game is played with: the `EvalFile` option.

use crate::error::EngineError;
use rukh_core::{Rules, Variant};
use rukh_eval::nnue::{Network, embedded, embedded_for_pages};
use std::sync::Arc;

/// The value of `EvalFile` that stands for the network inside the program.
pub const EMBEDDED: &str = "<embedded>";
/// The value of `EvalFile` that stands for the smaller network that pages play with.
pub const PAGE: &str = "<page>";
/// The value of `EvalFile` that stands for the classical terms.
pub const CLASSICAL: &str = "<classical>";

/// The network file that `EvalFile` names, if it names one.
fn read(eval_file: &str) -> Result<Option<Network>, EngineError> {
    if matches!(eval_file, "" | EMBEDDED | PAGE | CLASSICAL) {
        return Ok(None);
    }
    let refuse = |reason: String| EngineError::Network { path: eval_file.to_owned(), reason };
    let bytes = std::fs::read(eval_file).map_err(|error| refuse(error.to_string()))?;
    Network::parse(&bytes).map(Some).map_err(|error| refuse(error.to_string()))
}

/// Whether the file can be used at all; for which game does not matter, since hosts set options in any order.
pub(crate) fn check(eval_file: &str) -> Result<(), EngineError> {
    read(eval_file).map(|_| ())
}

/// The network for game `R`; `None` for the classical terms. A file for the other game leaves this one its own.
pub fn network_for<R: Rules>(eval_file: &str) -> Result<Option<Arc<Network>>, EngineError> {
    if eval_file == CLASSICAL {
        return Ok(None);
    }
    if eval_file == PAGE {
        return Ok(embedded_for_pages::<R>());
    }
    let makruk = R::VARIANT == Variant::Makruk;
    Ok(match read(eval_file)? {
        Some(network) if (network.variant() == Variant::Makruk) == makruk => Some(Arc::new(network)),
        _ => embedded::<R>(),
    })
}
