//! The networks inside the program.

use super::file::Network;
use rukh_core::{Rules, Variant};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Network files; `None` where a game plays with the classical terms.
#[cfg(not(target_family = "wasm"))]
const CHESS: Option<&[u8]> = Some(include_bytes!("chess.nnue"));
#[cfg(not(target_family = "wasm"))]
const MAKRUK: Option<&[u8]> = Some(include_bytes!("makruk.nnue"));

// A page downloads them: the build script has packed them.
#[cfg(target_family = "wasm")]
const CHESS: Option<&[u8]> = Some(include_bytes!(concat!(env!("OUT_DIR"), "/chess.packed")));
#[cfg(target_family = "wasm")]
const MAKRUK: Option<&[u8]> = Some(include_bytes!(concat!(env!("OUT_DIR"), "/makruk.packed")));

#[cfg(target_family = "wasm")]
fn file(bytes: &'static [u8]) -> Option<Cow<'static, [u8]>> {
    super::pack::unpack(bytes).map(Cow::Owned)
}

#[cfg(not(target_family = "wasm"))]
fn file(bytes: &'static [u8]) -> Option<Cow<'static, [u8]>> {
    Some(Cow::Borrowed(bytes))
}

/// The embedded network of game `R`, read once.
pub fn embedded<R: Rules>() -> Option<Arc<Network>> {
    static READ: [OnceLock<Option<Arc<Network>>>; 2] = [OnceLock::new(), OnceLock::new()];
    let makruk = R::VARIANT == Variant::Makruk;
    let bytes = if makruk { MAKRUK } else { CHESS };
    // A test reads both files: they cannot be damaged here.
    let read = || bytes.and_then(file).and_then(|file| Network::parse_for::<R>(&file).ok()).map(Arc::new);
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
        for bytes in [CHESS, MAKRUK].into_iter().flatten() {
            let packed = super::super::pack::pack(bytes).unwrap();
            assert!(packed.len() < bytes.len() * 43 / 100, "{} of {}", packed.len(), bytes.len());
            assert_eq!(super::super::pack::unpack(&packed).as_deref(), Some(bytes));
            assert!((0..packed.len()).step_by(7919).all(|at| {
                let mut bent = packed.clone();
                bent[at] ^= 0x41;
                // Refused here, or by the checksum of the file.
                super::super::pack::unpack(&bent).as_deref() != Some(bytes)
                    && super::super::pack::unpack(&packed[..at]).as_deref() != Some(bytes)
            }));
        }
        assert!(CHESS.map_or(0, <[u8]>::len) + MAKRUK.map_or(0, <[u8]>::len) < 2 << 20, "a browser loads them at once");
    }
}
