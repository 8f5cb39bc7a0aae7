//! What can go wrong, in users' words.

use thiserror::Error;

/// Why the coach could not go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CoachError {
    /// A file of games.
    #[error(transparent)]
    Pgn(#[from] rukh_pgn::PgnError),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] rukh_engine::EngineError),
    /// A file could not be read or written.
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    /// An output could not be written; its error names it.
    #[error(transparent)]
    Output(std::io::Error),
    /// Anything else that the user can mend.
    #[error("{0}")]
    Refused(String),
}

impl CoachError {
    pub(crate) fn file(path: &std::path::Path) -> impl Fn(std::io::Error) -> CoachError {
        let name = path.display().to_string();
        move |error| CoachError::File(name.clone(), error)
    }
}
