//! `rukh db map` and `rukh db build`: the two ends of a cluster job, with Parquet between them.

use std::path::{Path, PathBuf};

use rukh_core::dispatch;
use rukh_scale::{RowReader, count_rows, files_of, write_games, write_positions};
use rukh_store::db::{DbError, ImportObserver, ImportOptions, build_from_rows, import, open_any, remove_scratch};

use crate::cli::{CliError, counted};
use crate::outln;

/// What a shard becomes.
pub enum Table {
    Games,
    Positions,
}

/// Reads game files and writes one table of them. The work is that of an import, in a folder beside the file.
pub fn map(
    files: &[PathBuf],
    table: &Table,
    out: &Path,
    options: &ImportOptions,
    watch: &mut dyn ImportObserver,
) -> Result<(), CliError> {
    if files.is_empty() {
        return Err(CliError::usage("<games.pgn> is missing"));
    }
    let mut work = out.as_os_str().to_owned();
    work.push(".tmp-db");
    let work = PathBuf::from(work);
    // What a killed run left. A folder that is not that is refused, here or by the import.
    match remove_scratch(&work) {
        Ok(()) | Err(DbError::NotADatabase(_)) => {}
        Err(e) => return Err(CliError::new(e)),
    }
    let mut options = ImportOptions { scratch: true, ..options.clone() };
    if matches!(table, Table::Games) {
        // Nobody asks for an index.
        options.filter.max_ply = Some(0);
    }
    let report = import(&work, files, &options, watch).map_err(CliError::new)?;
    let written = open_any(&work).map_err(CliError::new).and_then(|any| {
        dispatch!(any, database => match table {
            Table::Games => {
                let shard = files[0].file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                write_games(&database, &shard, out).map_err(CliError::new)
            }
            Table::Positions => write_positions(&database, out).map_err(CliError::new),
        })
    });
    remove_scratch(&work).map_err(CliError::new)?;
    outln!("{} games, {} rows, {}", report.games, written?, counted(report.problems, "problem"));
    Ok(())
}

/// Makes a database of unique games and of the grouped rows of their positions.
pub fn build(
    dir: &Path,
    games: &Path,
    positions: &Path,
    options: &ImportOptions,
    watch: &mut dyn ImportObserver,
) -> Result<(), CliError> {
    let kind = |path: &Path| path.extension().is_some_and(|end| end == "pgn");
    let games = if games.is_dir() {
        files_of(games, "pgn").or_else(|_| files_of(games, "txt")).map_err(CliError::new)?
    } else if kind(games) || games.exists() {
        vec![games.to_owned()]
    } else {
        return Err(CliError::new(format!("there is no {}", games.display())));
    };
    let files = files_of(positions, "parquet").map_err(CliError::new)?;
    let rows = count_rows(&files).map_err(CliError::new)?;
    let (report, positions) =
        build_from_rows(dir, &games, RowReader::new(files), rows, options, watch).map_err(CliError::new)?;
    outln!("{} games, {positions} positions", report.games);
    Ok(())
}
