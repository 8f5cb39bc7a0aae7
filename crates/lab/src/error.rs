//! The one error type of the laboratory.

use std::fmt::Display;
use std::path::Path;

/// Why the work could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// What was asked for does not fit together, or not to what is there.
    #[error("{0}")]
    Refused(String),
    /// Something went wrong on the way.
    #[error("{0}")]
    Failed(String),
    /// A file could not be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl LabError {
    pub(crate) fn new(message: impl Display) -> LabError {
        LabError::Failed(message.to_string())
    }

    pub(crate) fn refused(message: impl Display) -> LabError {
        LabError::Refused(message.to_string())
    }

    /// Something is wrong with a file.
    pub(crate) fn at(path: &Path, message: impl Display) -> LabError {
        LabError::Failed(format!("{}: {message}", path.display()))
    }
}
