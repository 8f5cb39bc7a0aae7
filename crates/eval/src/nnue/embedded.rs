//! The networks inside the program.

use super::file::Network;
use rukh_core::{Rules, Variant};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Network files; `None` where a game plays with the classical terms. A page downloads its networks before the first move, so they are
/// small; a program on disk has a larger one where that plays better.
#[cfg(not(target_family = "wasm"))]
mod files {
    pub const CHESS: Option<&[u8]> = Some(include_bytes!("chess.nnue"));
    pub const MAKRUK: Option<&[u8]> = Some(include_bytes!("makruk.nnue"));
    pub const CHESS_PAGE: Option<&[u8]> = Some(include_bytes!("chess-page.nnue"));
    pub const MAKRUK_PAGE: Option<&[u8]> = Some(include_bytes!("makruk-page.nnue"));
}

// The build script has packed them.
#[cfg(target_family = "wasm")]
mod files {
    pub const CHESS: Option<&[u8]> = CHESS_PAGE;
    pub const MAKRUK: Option<&[u8]> = MAKRUK_PAGE;
    pub const CHESS_PAGE: Option<&[u8]> = Some(include_bytes!(concat!(env!("OUT_DIR"), "/chess-page.packed")));
    pub const MAKRUK_PAGE: Option<&[u8]> = Some(include_bytes!(concat!(env!("OUT_DIR"), "/makruk-page.packed")));
}

use files::{CHESS, CHESS_PAGE, MAKRUK, MAKRUK_PAGE};

#[cfg(target_family = "wasm")]
fn file(bytes: &'static [u8]) -> Option<Cow<'static, [u8]>> {
    super::pack::unpack(bytes).map(Cow::Owned)
}

#[cfg(not(target_family = "wasm"))]
fn file(bytes: &'static [u8]) -> Option<Cow<'static, [u8]>> {
    Some(Cow::Borrowed(bytes))
}

type Read = [OnceLock<Option<Arc<Network>>>; 2];

fn read<R: Rules>(read: &Read, chess: Option<&'static [u8]>, makruk: Option<&'static [u8]>) -> Option<Arc<Network>> {
    let (place, bytes) = if R::VARIANT == Variant::Makruk { (&read[1], makruk) } else { (&read[0], chess) };
    // A test reads all files: they cannot be damaged here.
    let parse = || bytes.and_then(file).and_then(|file| Network::parse_for::<R>(&file).ok()).map(Arc::new);
    place.get_or_init(parse).clone()
}

/// The network that this program plays game `R` with, read once.
pub fn embedded<R: Rules>() -> Option<Arc<Network>> {
    static READ: Read = [OnceLock::new(), OnceLock::new()];
    read::<R>(&READ, CHESS, MAKRUK)
}

/// The network that pages play game `R` with, read once.
pub fn embedded_for_pages<R: Rules>() -> Option<Arc<Network>> {
    static READ: Read = [OnceLock::new(), OnceLock::new()];
    read::<R>(&READ, CHESS_PAGE, MAKRUK_PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::{Chess, Makruk};

    #[test]
    fn the_files_can_be_read() {
        assert_eq!(embedded::<Chess>().is_some(), CHESS.is_some());
        assert_eq!(embedded::<Makruk>().is_some(), MAKRUK.is_some());
        assert_eq!(embedded_for_pages::<Chess>().is_some(), CHESS_PAGE.is_some());
        assert_eq!(embedded_for_pages::<Makruk>().is_some(), MAKRUK_PAGE.is_some());
        let pages = || [CHESS_PAGE, MAKRUK_PAGE].into_iter().flatten();
        for bytes in pages() {
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
        assert!(pages().map(<[u8]>::len).sum::<usize>() < 2 << 20, "a browser loads them at once");
    }
}
