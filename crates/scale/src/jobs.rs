//! The two ends of a cluster job, with Parquet between them.

use std::path::{Path, PathBuf};

use rukh_core::dispatch;
use rukh_store::db::{
    DbError, ImportObserver, ImportOptions, ImportReport, build_from_rows, import, open_any, remove_scratch,
};

use crate::rows::{RowReader, ScaleError, count_rows, files_of, write_games, write_positions};

/// What a shard becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardTable {
    /// Its games.
    Games,
    /// The figures of its positions.
    Positions,
}

/// Reads game files and writes one table of them; tells what was read, and how many rows there are. The work is that of an
/// import, in a folder beside the file.
pub fn map(
    files: &[PathBuf],
    table: ShardTable,
    out: &Path,
    options: &ImportOptions,
    watch: &mut dyn ImportObserver,
) -> Result<(ImportReport, u64), ScaleError> {
    let mut work = out.as_os_str().to_owned();
    work.push(".tmp-db");
    let work = PathBuf::from(work);
    // What a killed run left. A folder that is not that is refused, here or by the import.
    match remove_scratch(&work) {
        Ok(()) | Err(DbError::NotADatabase(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let mut options = ImportOptions { scratch: true, ..options.clone() };
    if table == ShardTable::Games {
        // Nobody asks for an index.
        options.filter.max_ply = Some(0);
    }
    let report = import(&work, files, &options, watch)?;
    let shard = files.first().and_then(|file| file.file_name()).unwrap_or_default().to_string_lossy();
    let written = open_any(&work).map_err(ScaleError::from).and_then(|any| {
        dispatch!(any, database => match table {
            ShardTable::Games => write_games(&database, &shard, out),
            ShardTable::Positions => write_positions(&database, out),
        })
    });
    remove_scratch(&work)?;
    Ok((report, written?))
}

/// Makes a database of unique games and of the grouped rows of their positions; tells what was read, and how many positions
/// there are.
pub fn build(
    dir: &Path,
    games: &Path,
    positions: &Path,
    options: &ImportOptions,
    watch: &mut dyn ImportObserver,
) -> Result<(ImportReport, u64), ScaleError> {
    let games = if games.is_dir() {
        files_of(games, "pgn").or_else(|_| files_of(games, "txt"))?
    } else if games.extension().is_some_and(|end| end == "pgn") || games.exists() {
        vec![games.to_owned()]
    } else {
        return Err(ScaleError::Missing(games.to_owned()));
    };
    let files = files_of(positions, "parquet")?;
    let rows = count_rows(&files)?;
    Ok(build_from_rows(dir, &games, RowReader::new(files), rows, options, watch)?)
}
