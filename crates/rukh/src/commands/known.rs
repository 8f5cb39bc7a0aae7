//! What is known of positions as rows of a file: text for people and `grep`, Parquet for clusters. The learned table and the
//! transposition table are written and read in this form.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use rukh_code::Coded;
use rukh_core::{Notation, Position, Variant};
use rukh_files::{Lines, OutputFile};
use rukh_store::codes::resolve;
use rukh_store::learn::{KnownBound, Learned};

use crate::cli::{CliError, Problems, not_an_input};

/// Rows of a position argument, by tabs.
pub const COLUMNS: &str = "position (FEN or code), depth, score, bound, best move, visits";

/// The text of a position that needs no table, and whose it is: chess positions that only Chess960 has are in its codes.
pub fn code_of<R: Coded>(pos: &Position<R>) -> Option<(Variant, String)> {
    let own = R::codec(R::VARIANT).encode_text(pos).ok().map(|code| (R::VARIANT, code));
    own.or_else(|| Some((Variant::Chess960, R::codec(Variant::Chess960).encode_text(pos).ok()?)))
}

/// The best move in UCI notation, if there is one.
pub fn best<R: Coded>(pos: &Position<R>, bits: u16) -> Option<String> {
    let mv = pos.legal_from_u16(bits)?;
    let notation = if code_of(pos).is_some_and(|(variant, _)| variant == Variant::Chess960) {
        Notation::Chess960
    } else {
        Notation::Standard
    };
    Some(pos.uci(mv, notation))
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "parquet")
}

/// A file that is being written; it takes its name when it is whole.
pub struct Sink {
    form: Form,
    codes: bool,
    count: u64,
}

enum Form {
    Text(OutputFile),
    #[cfg(feature = "parquet")]
    Parquet(Box<rukh_scale::KnownWriter>),
}

impl Sink {
    /// Text, or Parquet by the name; standard output without one. With `codes`, text has codes instead of FENs.
    pub fn create(path: Option<&Path>, codes: bool, inputs: &[&Path]) -> Result<Sink, CliError> {
        if let Some(path) = path {
            not_an_input(path, inputs)?;
        }
        let form = match path {
            #[cfg(feature = "parquet")]
            Some(path) if is_parquet(path) => {
                Form::Parquet(Box::new(rukh_scale::KnownWriter::create(path).map_err(CliError::new)?))
            }
            #[cfg(not(feature = "parquet"))]
            Some(path) if is_parquet(path) => return Err(super::db::without_parquet()),
            path => Form::Text(OutputFile::create_or_stdout(path)?),
        };
        Ok(Sink { form, codes, count: 0 })
    }

    pub fn push<R: Coded>(&mut self, pos: &Position<R>, learned: &Learned) -> Result<(), CliError> {
        let Learned { depth, score, bound, visits, .. } = *learned;
        let (bound, best) = (bound.name(), best(pos, learned.best).unwrap_or_else(|| "-".into()));
        self.count += 1;
        match &mut self.form {
            Form::Text(out) => {
                // A code alone does not say that it is one of Chess960.
                let code = code_of(pos).filter(|(variant, _)| self.codes && *variant == R::VARIANT);
                let position = code.map_or_else(|| pos.fen(), |(_, code)| code);
                writeln!(out, "{position}\t{depth}\t{score}\t{bound}\t{best}\t{visits}")?;
            }
            #[cfg(feature = "parquet")]
            Form::Parquet(out) => {
                let Some((variant, code)) = code_of(pos) else { return Ok(()) };
                let row = rukh_scale::KnownRow {
                    variant: variant.to_string(),
                    code,
                    depth: depth.into(),
                    score,
                    bound: bound.to_owned(),
                    uci: best,
                    visits: visits.into(),
                };
                out.push(row).map_err(CliError::new)?;
            }
        }
        Ok(())
    }

    /// Puts the file in its place; tells how many rows it has.
    pub fn finish(self) -> Result<u64, CliError> {
        match self.form {
            Form::Text(out) => out.commit()?,
            #[cfg(feature = "parquet")]
            Form::Parquet(out) => out.finish().map_err(CliError::new)?,
        }
        Ok(self.count)
    }
}

/// Calls `take` with every row of a file. A bad one is named with its line and costs itself only.
pub fn read<R: Coded>(
    path: &Path,
    problems: &mut Problems,
    mut take: impl FnMut(Position<R>, Learned) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let name = path.to_string_lossy();
    #[cfg(feature = "parquet")]
    if is_parquet(path) {
        let mut number = 0;
        for row in rukh_scale::KnownReader::new(vec![path.to_owned()]) {
            let row = row.map_err(CliError::new)?;
            number += 1;
            let [depth, score, visits] = [row.depth.to_string(), row.score.to_string(), row.visits.to_string()];
            let fields = [&depth, &score, &row.bound, &row.uci, &visits].map(String::as_str);
            match row.variant.parse().ok().and_then(|variant| parse::<R>(variant, &row.code, fields)) {
                Some((pos, learned)) => take(pos, learned)?,
                None => problems.at_line(&name, number, "no position, or no legal move in it"),
            }
        }
        return Ok(());
    }
    #[cfg(not(feature = "parquet"))]
    if is_parquet(path) {
        return Err(super::db::without_parquet());
    }
    let failed = |e: std::io::Error| CliError::new(format!("cannot read {}: {e}", path.display()));
    for (number, line) in Lines::new(File::open(path).map_err(failed)?) {
        let row = line.map(|line| {
            let (position, rest) = line.split_once('\t')?;
            let fields: Vec<&str> = rest.split('\t').collect();
            parse::<R>(R::VARIANT, position, fields.try_into().ok()?)
        });
        match row {
            Ok(Some((pos, learned))) => take(pos, learned)?,
            Ok(None) => problems.at_line(&name, number, format!("expected {COLUMNS}")),
            Err(error) => problems.at_line(&name, number, error),
        }
    }
    Ok(())
}

fn parse<R: Coded>(variant: Variant, position: &str, fields: [&str; 5]) -> Option<(Position<R>, Learned)> {
    let [depth, score, bound, best, visits] = fields;
    let pos = Position::<R>::from_fen(&resolve(variant, position).ok()?).ok()?;
    let best = match best {
        "-" => 0,
        uci => pos.parse_uci(uci).ok()?.to_u16(),
    };
    let bound = KnownBound::named(bound)?;
    let (depth, score, visits) = (depth.parse().ok()?, score.parse().ok()?, visits.parse().ok()?);
    Some((pos, Learned { depth, score, bound, best, visits }))
}
