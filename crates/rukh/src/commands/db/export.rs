//! `rukh db export`: the whole database as one file, written beside its place and put there when it is whole.

use std::path::Path;

use rukh_core::Variant;
use rukh_files::OutputFile;
use rukh_pgn::{PgnGame, PgnWriter};
use rukh_store::book::{BookMaker, MakeOptions, write_entries};
use rukh_store::db::{Database, Stored};

use crate::cli::{CliError, Progress, Result};

pub fn export<R: Stored>(db: &Database<R>, path: &Path, min_games: Option<u64>) -> Result {
    // Standard output has no name to tell the kind by: it gets the table.
    let stdout = path.as_os_str() == "-";
    let kind = if stdout { "csv" } else { path.extension().and_then(|e| e.to_str()).unwrap_or("") };
    match kind {
        "parquet" => return parquet(db, path),
        "bin" if db.variant() != Variant::Chess => {
            return Err(CliError::new(format!(
                "Polyglot books are for chess; this is a database of {} games",
                db.variant()
            )));
        }
        "pgn" | "bin" | "csv" => {}
        _ => {
            let expected = "--out: expected a name ending in .pgn, .bin, .csv or .parquet";
            return Err(CliError::input(expected, &path.to_string_lossy()));
        }
    }
    let mut sink = OutputFile::create_or_stdout((!stdout).then_some(path))?;
    match kind {
        "pgn" => {
            let mut writer = PgnWriter::standard(&mut sink);
            each_game(db, |game| Ok(writer.write_game(game)?))?;
        }
        "bin" => {
            let least = min_games.unwrap_or(3).min(u64::from(u32::MAX)) as u32;
            let mut maker = BookMaker::new(MakeOptions { min_games: least, ..MakeOptions::default() });
            each_game(db, |game| {
                maker.add(game);
                Ok(())
            })?;
            write_entries(&maker.finish(), &mut sink)?;
        }
        _ => csv(db, path, &mut sink, min_games.unwrap_or(2))?,
    }
    Ok(sink.commit()?)
}

#[cfg(feature = "parquet")]
fn parquet<R: Stored>(db: &Database<R>, path: &Path) -> Result {
    rukh_scale::write_positions(db, path)?;
    Ok(())
}

#[cfg(not(feature = "parquet"))]
fn parquet<R: Stored>(_: &Database<R>, _: &Path) -> Result {
    Err(super::without_parquet())
}

/// Calls `f` with every game, in the order of import.
pub fn each_game<R: Stored>(db: &Database<R>, mut f: impl FnMut(&PgnGame) -> Result) -> Result {
    let mut progress = Progress::new("export", Some(db.totals().games));
    for (count, game) in (1..).zip(db.games()) {
        f(&db.game(game)?)?;
        progress.set(count, "games");
    }
    progress.finish();
    Ok(())
}

fn csv<R: Stored>(db: &Database<R>, path: &Path, sink: &mut OutputFile, min_games: u64) -> Result {
    let folder = match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => folder.to_owned(),
        None if path.as_os_str() == "-" => std::env::temp_dir(),
        None => Path::new(".").to_owned(),
    };
    let mut progress = Progress::new("export", Some(db.totals().positions));
    db.write_csv(&folder, sink, min_games, |positions| progress.set(positions, "positions"))
}
