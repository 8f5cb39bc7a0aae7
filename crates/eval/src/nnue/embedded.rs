//! The networks inside the program.

use super::file::Network;
use rukh_core::{Rules, Variant};
use std::sync::{Arc, OnceLock};

/// The bytes of a network inside the program; empty where a game has none yet and plays with the classical terms.
pub struct Embedded {
    /// The file.
    pub bytes: &'static [u8],
}

const CHESS: Embedded = Embedded { bytes: &[] };
const MAKRUK: Embedded = Embedded { bytes: &[] };

/// The embedded network of game `R`, read once.
pub fn embedded<R: Rules>() -> Option<Arc<Network>> {
    static READ: [OnceLock<Option<Arc<Network>>>; 2] = [OnceLock::new(), OnceLock::new()];
    let makruk = R::VARIANT == Variant::Makruk;
    let file = if makruk { MAKRUK } else { CHESS };
    READ[usize::from(makruk)].get_or_init(|| Network::parse_for::<R>(file.bytes).ok().map(Arc::new)).clone()
}
