//! The database as text: a line for each position and move.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use rukh_code::Codec;
use rukh_core::Position;

use super::error::DbError;
use super::rows::Row;
use super::stats::Figures;
use super::{Database, Stored};

impl<R: Stored> Database<R> {
    /// Writes one line per position and move, positions of at least `min_games` by key, moves most played first. `work` is a folder
    /// for temporary files; `told` hears how many positions there were so far.
    pub fn write_csv<E: From<DbError> + From<io::Error>>(
        &self,
        work: &Path,
        out: &mut impl Write,
        min_games: u64,
        mut told: impl FnMut(u64),
    ) -> Result<(), E> {
        writeln!(out, "fen,uci,san,games,white,draws,black,mean_rating,first_year,last_year,code")?;
        let codec = R::codec(self.variant());
        let (mut at, mut count) = (None, 0);
        let mut moves: Vec<Row> = Vec::new();
        self.each_row(work, |row| {
            if at != Some(row.key) {
                lines(codec, &mut moves, out, min_games)?;
                at = Some(row.key);
                count += 1;
                told(count);
            }
            // Several segments may know the position.
            match moves.iter_mut().find(|known| known.uci == row.uci) {
                Some(known) => known.figures.add(&row.figures),
                None => moves.push(row),
            }
            Ok::<(), E>(())
        })?;
        Ok(lines(codec, &mut moves, out, min_games)?)
    }
}

/// Writes the moves of a position, and forgets them.
fn lines<R: Stored>(codec: &Codec<R>, moves: &mut Vec<Row>, out: &mut impl Write, min_games: u64) -> io::Result<()> {
    let mut moves = std::mem::take(moves);
    let mut total = Figures::default();
    moves.iter().for_each(|row| total.add(&row.figures));
    if total.games < min_games {
        return Ok(());
    }
    moves.sort_by(|a, b| b.figures.games.cmp(&a.figures.games).then_with(|| a.uci.cmp(&b.uci)));
    // What is not known is empty.
    let year = |year: u16| if year == 0 { String::new() } else { year.to_string() };
    // One code for all moves of a position: it costs more than the rest of a line.
    let (mut coded, mut code) = ("", String::new());
    for Row { position, uci, figures: f, .. } in moves.iter().filter(|row| !row.uci.is_empty()) {
        let wrong = |what: &dyn Display| io::Error::other(format!("{position} {uci}: {what}"));
        let pos = Position::<R>::from_fen(position).map_err(|e| wrong(&e))?;
        let san = pos.san(pos.parse_uci(uci).map_err(|e| wrong(&e))?);
        if coded != position {
            (coded, code) = (position.as_str(), codec.encode_text(&pos).unwrap_or_default());
        }
        let rating = f.mean_rating().map_or(String::new(), |rating| rating.to_string());
        let (first, last) = (year(f.first_year), year(f.last_year));
        let Figures { games, white, draws, black, .. } = f;
        writeln!(out, "{position},{uci},{san},{games},{white},{draws},{black},{rating},{first},{last},{code}")?;
    }
    Ok(())
}
