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
    /// Somebody has stopped an import.
    #[error("{}: the import was stopped; what was read so far is in the database, and the same command continues from there", .0.display())]
    Stopped(PathBuf),
    /// The database is of another game.
    #[error("{}: a database of {found} games, not {wanted}", path.display())]
    OtherVariant {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        found: Variant,
        /// What was asked for.
        wanted: Variant,
    },
    /// Something else is in the folder.
    #[error("{}: neither empty nor a Rukh database (it contains '{name}'); a database needs a folder to itself", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
        /// Something that is in it.
        name: String,
    },
    /// There are segments, but no manifest.
    #[error("{}: the MANIFEST is missing, but there are segments; nothing was changed. Restore it from a backup, or make a new one: rukh db repair --db {}", .0.display(), .0.display())]
    Lost(PathBuf),
    /// A file has a name that the database needs.
    #[error("{}: in the way, and not part of this database, so it was left alone; please move it", .0.display())]
    NotOurs(PathBuf),
    /// An index of other half-moves than the database has.
    #[error("{}: its positions are indexed {found}; use the same limits, or none", path.display())]
    OtherLimits {
        /// The folder.
        path: PathBuf,
        /// The limits of the database, as options.
        found: String,
    },
    /// Another process is changing the database.
    #[error("{}: another import or compaction is running; try again when it has finished", .0.display())]
    Locked(PathBuf),
    /// Another process has changed the database in spite of the lock.
    #[error("{}: changed by another program at the same time; nothing was committed", .0.display())]
    Changed(PathBuf),
    /// A file system without locks.
    #[error("{}: this file system does not support locks, so two imports could destroy each other's work; use a folder on a local disk", .0.display())]
    NoLocks(PathBuf),
    /// A source of games failed.
    #[error(transparent)]
    Pgn(#[from] rukh_pgn::PgnError),
}

impl DbError {
    /// The file or folder that it is about; its words begin with it.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. }
            | Self::Damaged { path, .. }
            | Self::OtherVariant { path, .. }
            | Self::NotEmpty { path, .. }
            | Self::OtherLimits { path, .. }
            | Self::NotADatabase(path)
            | Self::Stopped(path)
            | Self::Lost(path)
            | Self::NotOurs(path)
            | Self::Locked(path)
            | Self::Changed(path)
            | Self::NoLocks(path) => Some(path),
            Self::Pgn(_) => None,
        }
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> DbError + use<> {
        let path = path.to_owned();
        move |source| DbError::Io { path, source }
    }

    pub(crate) fn damaged(path: &Path, problem: impl Into<String>) -> DbError {
        DbError::Damaged { path: path.to_owned(), problem: problem.into() }
    }
}
