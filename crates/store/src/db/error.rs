//! What can go wrong with a database, in the user's words.

use std::io;
use std::path::{Path, PathBuf};

use rukh_core::Variant;

/// A database could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DbError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Its words.
        source: io::Error,
    },
    /// The folder holds no database.
    #[error("{}: not a Rukh database (no MANIFEST)", .0.display())]
    NotADatabase(PathBuf),
    /// A file is not what it should be.
    #[error("{}: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        problem: String,
    },
    /// The database is of another game.
    #[error("{}: a database of {found}, not of {wanted}", path.display())]
    OtherVariant {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        found: Variant,
        /// What was asked for.
        wanted: Variant,
    },
    /// Another process is importing.
    #[error("{}: another import is running (remove LOCK if it is not)", .0.display())]
    Locked(PathBuf),
    /// A source of games failed.
    #[error(transparent)]
    Pgn(#[from] crate::pgn::PgnError),
}

impl DbError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> DbError + use<> {
        let path = path.to_owned();
        move |source| DbError::Io { path, source }
    }

    pub(crate) fn damaged(path: &Path, problem: impl Into<String>) -> DbError {
        DbError::Damaged { path: path.to_owned(), problem: problem.into() }
    }
}
