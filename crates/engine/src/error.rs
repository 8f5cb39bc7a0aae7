//! What can go wrong, in words a person can act on.

use crate::options::OptionError;
use crate::tables::TablesError;
use rukh_core::{FenError, MoveError};
use rukh_search::OutOfMemory;

/// An error of the engine. Its state is as before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The FEN was refused.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The move was refused.
    #[error("{reason}")]
    Move {
        /// The move as given.
        text: String,
        /// Why not.
        reason: MoveError,
    },
    /// The option was refused.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The end-game tables were refused.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// The opening book was refused.
    #[error("{0}")]
    Book(String),
    /// The network file was refused.
    #[error("cannot use the network '{path}': {reason}")]
    Network {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// The table does not fit into memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// This cannot be changed while a search runs.
    #[error("a search is running: stop it first")]
    Busy,
    /// A search crashed by a fault of the program.
    #[error("{0}")]
    Broken(String),
}
