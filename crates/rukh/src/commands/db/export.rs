//! `rukh db export`: the whole database as one file, written beside its place and put there when it is whole.

use std::io::Write;
use std::path::Path;

use rukh_code::Codec;
use rukh_core::{Position, Variant};
use rukh_files::OutputFile;
use rukh_pgn::{PgnGame, PgnWriter};
use rukh_store::book::{BookMaker, MakeOptions, write_entries};
use rukh_store::db::{Database, Figures, GameRef, Row, Stored};

use crate::cli::{CliError, Progress};

pub fn export<R: Stored>(db: &Database<R>, path: &Path, min_games: Option<u64>) -> Result<(), CliError> {
    // Standard output has no name to tell the kind by: it gets the table.
    let stdout = path.as_os_str() == "-";
    let kind = if stdout { "csv" } else { path.extension().and_then(|e| e.to_str()).unwrap_or("") };
    match kind {
        "parquet" => return parquet(db, path),
        "bin" if db.variant() != Variant::Chess => {
            return Err(CliError::new(format!("Polyglot books are for chess; this is a database of {}", db.variant())));
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
fn parquet<R: Stored>(db: &Database<R>, path: &Path) -> Result<(), CliError> {
    rukh_scale::write_positions(db, path).map(|_| ()).map_err(CliError::new)
}

#[cfg(not(feature = "parquet"))]
fn parquet<R: Stored>(_: &Database<R>, _: &Path) -> Result<(), CliError> {
    Err(super::without_parquet())
}

/// Calls `f` with every game, in the order of import.
pub fn each_game<R: Stored>(
    db: &Database<R>,
    mut f: impl FnMut(&PgnGame) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut progress = Progress::new("export", Some(db.totals().games));
    let mut count = 0;
    for segment in db.segments() {
        for game in 0..segment.games.len() {
            f(&db.game(GameRef { segment: segment.id, game }).map_err(CliError::new)?)?;
            count += 1;
            progress.set(count, "games");
        }
    }
    progress.finish();
    Ok(())
}

/// One line per position and move, positions by key, moves most played first.
fn csv<R: Stored>(db: &Database<R>, path: &Path, sink: &mut impl Write, min_games: u64) -> Result<(), CliError> {
    writeln!(sink, "fen,uci,san,games,white,draws,black,mean_rating,first_year,last_year,code")?;
    let codec = R::codec(db.variant());
    let folder = match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => folder.to_owned(),
        None if path.as_os_str() == "-" => std::env::temp_dir(),
        None => Path::new(".").to_owned(),
    };
    let mut progress = Progress::new("export", Some(db.totals().positions));
    let (mut at, mut count) = (None, 0);
    let mut moves: Vec<Row> = Vec::new();
    db.each_row(&folder, |row| {
        if at != Some(row.key) {
            lines(codec, &mut moves, sink, min_games)?;
            at = Some(row.key);
            count += 1;
            progress.set(count, "positions");
        }
        // Several segments may know the position.
        match moves.iter_mut().find(|known| known.uci == row.uci) {
            Some(known) => known.figures.add(&row.figures),
            None => moves.push(row),
        }
        Ok::<(), Failed>(())
    })
    .and_then(|()| lines(codec, &mut moves, sink, min_games))
    .map_err(|Failed(error)| error)
}

/// An error of the database or of the file.
struct Failed(CliError);

impl From<rukh_store::db::DbError> for Failed {
    fn from(error: rukh_store::db::DbError) -> Failed {
        Failed(CliError::new(error))
    }
}

/// What is not known is empty.
fn year(year: u16) -> String {
    if year == 0 { String::new() } else { year.to_string() }
}

fn lines<R: Stored>(
    codec: &Codec<R>,
    moves: &mut Vec<Row>,
    sink: &mut impl Write,
    min_games: u64,
) -> Result<(), Failed> {
    let mut total = Figures::default();
    moves.iter().for_each(|row| total.add(&row.figures));
    if total.games >= min_games {
        moves.sort_by(|a, b| b.figures.games.cmp(&a.figures.games).then_with(|| a.uci.cmp(&b.uci)));
        // One code for all moves of a position: it costs more than the rest of a line.
        let (mut coded, mut code) = ("", String::new());
        for Row { position, uci, figures: f, .. } in moves.iter().filter(|row| !row.uci.is_empty()) {
            let wrong = |what: &dyn std::fmt::Display| Failed(CliError::new(format!("{position} {uci}: {what}")));
            let pos = Position::<R>::from_fen(position).map_err(|e| wrong(&e))?;
            let san = pos.san(pos.parse_uci(uci).map_err(|e| wrong(&e))?);
            if coded != position {
                (coded, code) = (position.as_str(), codec.encode_text(&pos).unwrap_or_default());
            }
            writeln!(
                sink,
                "{position},{uci},{san},{},{},{},{},{},{},{},{code}",
                f.games,
                f.white,
                f.draws,
                f.black,
                f.mean_rating().map_or(String::new(), |rating| rating.to_string()),
                year(f.first_year),
                year(f.last_year)
            )
            .map_err(|e| Failed(CliError::new(e)))?;
        }
    }
    moves.clear();
    Ok(())
}
