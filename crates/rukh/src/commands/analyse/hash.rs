//! `--load-hash` and `--save-hash`: what a search knows, from one computer to another.

use std::path::Path;

use rukh_code::Coded;
use rukh_core::{AnyGame, AnyPosition, Position, dispatch};
use rukh_engine::{Engine, Memo};
use rukh_protocol::game::{learned, memo};

use crate::cli::{Problems, Result, counted};
use crate::commands::known;

/// Rows that are written: the deepest ones. A hundred times what the learned table takes of a search.
const MOST: usize = 400_000;

/// Puts the rows of a file into the engine's table, and lets it remember them.
pub fn load(engine: &Engine, game: &AnyGame, path: &Path) -> Result {
    let rows = dispatch!(game, game => rows(path, game.position()))?;
    errln!("{}: {} loaded", path.display(), counted(engine.load_memory(&rows)? as u64, "position"));
    Ok(())
}

/// The position on the board only tells the rules.
fn rows<R: Coded>(path: &Path, _: &Position<R>) -> Result<Vec<(AnyPosition, Memo)>> {
    let (mut rows, mut problems) = (Vec::new(), Problems::new(20));
    known::read::<R>(path, &mut problems, |pos, learned| {
        rows.push((pos.into(), memo(&learned)));
        Ok(())
    })?;
    problems.verdict()?;
    Ok(rows)
}

/// Writes what the engine's table knows of the position on the board and around it.
pub fn save(engine: &Engine, path: &Path) -> Result {
    let (mut sink, rows) = (known::Sink::create(Some(path), true)?, engine.hash_rows(MOST)?);
    for (pos, memo) in &rows {
        dispatch!(pos, pos => sink.push(pos, &learned(memo)))?;
    }
    sink.finish()?;
    errln!("{}: {} written", path.display(), counted(rows.len() as u64, "position"));
    Ok(())
}
