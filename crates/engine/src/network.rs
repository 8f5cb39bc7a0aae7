//! Which evaluation a game is played with: the `EvalFile` option.

use crate::error::EngineError;
use rukh_core::Rules;
use rukh_eval::nnue::{Network, NetworkError, embedded, embedded_for_pages};
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// The value of `EvalFile` that stands for the network inside the program.
pub const EMBEDDED: &str = "<embedded>";
/// The value of `EvalFile` that stands for the smaller network that pages play with.
pub const PAGE: &str = "<page>";
/// The value of `EvalFile` that stands for the classical terms.
pub const CLASSICAL: &str = "<classical>";

/// The value of `EvalFile` while the engine plays with a network that it was given as bytes.
pub const GIVEN: &str = "<given>";

/// The network file that `EvalFile` names, if it names one.
fn read(eval_file: &str) -> Result<Option<Network>, EngineError> {
    if matches!(eval_file, "" | EMBEDDED | PAGE | CLASSICAL) {
        return Ok(None);
    }
    let refuse = |reason: String| EngineError::Network { path: eval_file.to_owned(), reason };
    let bytes = bytes(eval_file).map_err(|error| refuse(error.to_string()))?;
    bytes.and_then(|bytes| Network::parse(&bytes)).map(Some).map_err(|error| refuse(error.to_string()))
}

/// The head first: a file that is no network, or not as long as its head promises, is refused without reading the rest.
fn bytes(path: &str) -> io::Result<Result<Vec<u8>, NetworkError>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(Network::HEAD as u64).read_to_end(&mut bytes)?;
    let expected = match Network::file_size(&bytes) {
        Ok(size) => size,
        Err(error) => return Ok(Err(error)),
    };
    let meta = file.metadata()?;
    if meta.is_file() && meta.len() != expected as u64 {
        let found = usize::try_from(meta.len()).unwrap_or(usize::MAX);
        return Ok(Err(NetworkError::Size { expected, found }));
    }
    // One byte more, so that a pipe which has too many is found out.
    file.take((expected - bytes.len() + 1) as u64).read_to_end(&mut bytes)?;
    Ok(Ok(bytes))
}

/// Whether the file can be used at all; for which game does not matter, since hosts set options in any order.
pub(crate) fn check(eval_file: &str) -> Result<(), EngineError> {
    read(eval_file).map(|_| ())
}

/// A network from the bytes of a file.
pub(crate) fn parse(bytes: &[u8]) -> Result<Arc<Network>, EngineError> {
    let refuse = |error: NetworkError| EngineError::Network { path: GIVEN.into(), reason: error.to_string() };
    Network::parse(bytes).map(Arc::new).map_err(refuse)
}

/// The network for game `R`; `None` for the classical terms. A file for the other game leaves this one its own.
pub fn network_for<R: Rules>(eval_file: &str) -> Result<Option<Arc<Network>>, EngineError> {
    if eval_file == CLASSICAL {
        return Ok(None);
    }
    if eval_file == PAGE {
        return Ok(embedded_for_pages::<R>());
    }
    Ok(read(eval_file)?.map(Arc::new).and_then(own::<R>).or_else(embedded::<R>))
}

/// The network, if it is for game `R`.
pub(crate) fn own<R: Rules>(network: Arc<Network>) -> Option<Arc<Network>> {
    (network.variant().rules() == R::VARIANT).then_some(network)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_testing::NewFile;

    #[test]
    fn a_network_from_bytes() {
        use crate::{Engine, Limits, Options};
        use rukh_core::Variant;
        let file =
            |name: &str| std::fs::read(format!("{}/../eval/src/nnue/{name}.nnue", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let engine = Engine::new(Options { hash: 1, variant: Variant::Makruk, ..Options::default() }).unwrap();
        let nodes = || {
            engine.new_game();
            engine.go(Limits { depth: Some(5), ..Limits::default() }, |_| {}).nodes
        };
        let own = nodes();
        engine.set_network(&file("makruk-page")).unwrap();
        assert_eq!(engine.options().eval_file, GIVEN);
        let given = nodes();
        assert_ne!(given, own);
        let refused = engine.set_network(b"nothing of the kind").unwrap_err().to_string();
        assert!(refused.contains("not a Rukh network"), "{refused}");
        assert_eq!(nodes(), given, "a refusal changes nothing");
        // It is still there after other rules, which keep their own.
        engine.set_option("UCI_Variant", "chess").unwrap();
        nodes();
        engine.set_option("UCI_Variant", "makruk").unwrap();
        assert_eq!(nodes(), given);
        engine.set_option("EvalFile", EMBEDDED).unwrap();
        assert_eq!(nodes(), own);
        assert!(engine.set_option("EvalFile", GIVEN).is_err());
    }

    #[test]
    fn another_network_forgets_what_the_one_before_taught() {
        use crate::{Engine, Limits, Options};
        use rukh_core::Variant;
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../eval/src/nnue/makruk-page.nnue");
        let bytes = std::fs::read(path).unwrap();
        let engine = || Engine::new(Options { hash: 1, variant: Variant::Makruk, ..Options::default() }).unwrap();
        let nodes = |engine: &Engine| engine.go(Limits::depth(8), |_| {}).nodes;
        let (fresh, used) = (engine(), engine());
        fresh.set_network(&bytes).unwrap();
        nodes(&used);
        used.set_network(&bytes).unwrap();
        assert_eq!(nodes(&used), nodes(&fresh));
    }

    #[test]
    fn the_head_is_looked_at_first() {
        let good = concat!(env!("CARGO_MANIFEST_DIR"), "/../eval/src/nnue/chess.nnue");
        assert!(check(good).is_ok());
        let path = NewFile::new("network.nnue");
        let name = path.to_str().unwrap();
        let said = |bytes: &[u8], length: u64| {
            std::fs::write(&path, bytes).unwrap();
            // A file with a hole: gigabytes that nobody should read.
            File::options().write(true).open(&path).unwrap().set_len(length).unwrap();
            check(name).unwrap_err().to_string()
        };
        let bytes = std::fs::read(good).unwrap();
        let size = bytes.len();
        let long = said(&bytes, 5 << 30);
        assert!(long.contains(&format!("has 5368709120 bytes, its head promises {size}")), "{long}");
        assert!(said(&bytes[..size - 1], size as u64 - 1).contains("cut off"));
        assert!(said(b"", 5 << 30).contains("not a Rukh network"));
        // A head that promises four gigabytes of words.
        let mut wordy = bytes.clone();
        wordy[24..28].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(said(&wordy, 5 << 30).contains("a recipe of 4294967295 bytes"));
        #[cfg(unix)]
        assert!(check("/dev/zero").is_err() && check("/").is_err());
    }
}
