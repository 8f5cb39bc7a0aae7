//! The networks inside the program.

use super::file::Network;
use rukh_core::{Rules, Variant};
use std::sync::{Arc, OnceLock};

/// Network files; `None` where a game plays with the classical terms.
const CHESS: Option<&[u8]> = Some(include_bytes!("chess.nnue"));
const MAKRUK: Option<&[u8]> = Some(include_bytes!("makruk.nnue"));

/// The embedded network of game `R`, read once.
pub fn embedded<R: Rules>() -> Option<Arc<Network>> {
    static READ: [OnceLock<Option<Arc<Network>>>; 2] = [OnceLock::new(), OnceLock::new()];
    let makruk = R::VARIANT == Variant::Makruk;
    let file = if makruk { MAKRUK } else { CHESS };
    // A test reads both files: they cannot be damaged here.
    let read = || file.and_then(|bytes| Network::parse_for::<R>(bytes).ok()).map(Arc::new);
    READ[usize::from(makruk)].get_or_init(read).clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::{Chess, Makruk};

    #[test]
    fn the_files_can_be_read() {
        assert_eq!(embedded::<Chess>().is_some(), CHESS.is_some());
        assert_eq!(embedded::<Makruk>().is_some(), MAKRUK.is_some());
        assert!(CHESS.map_or(0, <[u8]>::len) + MAKRUK.map_or(0, <[u8]>::len) < 2 << 20, "a browser loads them at once");
    }
}
