//! End-game tables by path, where this build can read them.

use std::sync::Arc;

use rukh_core::Chess;
use rukh_search::Tablebases;
use thiserror::Error;

/// Why tables could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TablesError {
    /// A folder that cannot be read.
    #[error("cannot read the table folder '{0}': {1}")]
    Folder(String, String),
    /// No table in any folder.
    #[error("no Syzygy table (*.rtbw) in '{0}'")]
    Empty(String),
    /// A file that is no table, or not a whole one.
    #[error("'{0}' is not a complete Syzygy table: {1}")]
    Damaged(String, &'static str),
    /// The reader is not part of this build.
    #[error("this build cannot read table files")]
    Unsupported,
    /// No Makruk table in the folder.
    #[error("no Makruk table (*.mkt) in '{0}': make them with `rukh tables --dir '{0}'`")]
    NoMakruk(String),
    /// A Makruk table that cannot be trusted.
    #[error("{0}")]
    Makruk(String),
}

/// What a path of Syzygy tables holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TablesFound {
    /// Tables of results (`.rtbw`).
    pub results: usize,
    /// Tables of distances (`.rtbz`).
    pub distances: usize,
    /// Men of the largest.
    pub men: u32,
}

/// Tables as the search knows them.
pub(crate) type ChessTables = Arc<dyn Tablebases<Chess>>;

/// Opens the Syzygy tables in one or more folders.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn open(path: &str) -> Result<ChessTables, TablesError> {
    Ok(crate::syzygy::Syzygy::open(path)?)
}

/// What `open` would find: the Syzygy tables in one or more folders, separated by `:` (`;` on Windows).
#[cfg(not(target_family = "wasm"))]
pub fn tables_in(path: &str) -> Result<TablesFound, TablesError> {
    crate::syzygy::Syzygy::open(path).map(|tables| tables.found())
}

#[cfg(target_family = "wasm")]
pub(crate) fn open(_path: &str) -> Result<ChessTables, TablesError> {
    Err(TablesError::Unsupported)
}

/// What `open` would find; nothing in this build.
#[cfg(target_family = "wasm")]
pub fn tables_in(_path: &str) -> Result<TablesFound, TablesError> {
    Err(TablesError::Unsupported)
}
