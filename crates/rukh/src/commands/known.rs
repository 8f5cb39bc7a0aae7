//! What is known of positions as rows of a file: text for people and `grep`, Parquet for clusters. The learned table and the
//! transposition table are written and read in this form.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use rukh_code::Coded;
use rukh_core::Position;
use rukh_files::{Lines, OutputFile};
use rukh_store::learn::{KNOWN_COLUMNS, Learned, known_text, read_known_text};

use crate::cli::{CliError, Problems, Result};

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "parquet")
}

/// A file that is being written; it takes its name when it is whole.
pub enum Sink {
    /// With codes instead of FENs or without.
    Text(OutputFile, bool),
    #[cfg(feature = "parquet")]
    Parquet(Box<rukh_scale::KnownWriter>),
}

impl Sink {
    /// Text, or Parquet by the name; standard output without one. With `codes`, text has codes instead of FENs.
    pub fn create(path: Option<&Path>, codes: bool) -> Result<Sink> {
        match path {
            #[cfg(feature = "parquet")]
            Some(path) if is_parquet(path) => Ok(Sink::Parquet(Box::new(rukh_scale::KnownWriter::create(path)?))),
            #[cfg(not(feature = "parquet"))]
            Some(path) if is_parquet(path) => Err(super::db::without_parquet()),
            path => Ok(Sink::Text(OutputFile::create_or_stdout(path)?, codes)),
        }
    }

    pub fn push<R: Coded>(&mut self, pos: &Position<R>, learned: &Learned) -> Result {
        match self {
            Sink::Text(out, codes) => writeln!(out, "{}", known_text(pos, learned, *codes))?,
            #[cfg(feature = "parquet")]
            Sink::Parquet(out) => {
                rukh_store::learn::KnownRow::new(pos, learned).map_or(Ok(()), |row| out.push(row))?;
            }
        }
        Ok(())
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result {
        match self {
            Sink::Text(out, _) => Ok(out.commit()?),
            #[cfg(feature = "parquet")]
            Sink::Parquet(out) => Ok(out.finish()?),
        }
    }
}

/// Calls `take` with every row of a file. A bad one is named with its line and costs itself only.
pub fn read<R: Coded>(
    path: &Path,
    problems: &mut Problems,
    mut take: impl FnMut(Position<R>, Learned) -> Result,
) -> Result {
    let name = path.to_string_lossy();
    #[cfg(feature = "parquet")]
    if is_parquet(path) {
        for (number, row) in (1..).zip(rukh_scale::KnownReader::new(vec![path.to_owned()])) {
            let known = row?.read().ok_or("no position, or no legal move in it");
            problems.good(&name, number, known).map_or(Ok(()), |(pos, learned)| take(pos, learned))?;
        }
        return Ok(());
    }
    #[cfg(not(feature = "parquet"))]
    if is_parquet(path) {
        return Err(super::db::without_parquet());
    }
    let failed = |e: std::io::Error| CliError::new(format!("cannot read {}: {e}", path.display()));
    for (number, line) in Lines::new(File::open(path).map_err(failed)?) {
        let Some(line) = problems.good(&name, number, line) else { continue };
        let known = read_known_text(&line).ok_or_else(|| format!("expected {KNOWN_COLUMNS}"));
        problems.good(&name, number, known).map_or(Ok(()), |(pos, learned)| take(pos, learned))?;
    }
    Ok(())
}
