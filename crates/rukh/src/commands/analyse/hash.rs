//! `--load-hash` and `--save-hash`: what a search knows, from one computer to another.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rukh_code::Coded;
use rukh_core::{AnyPosition, Position, dispatch};
use rukh_engine::{Engine, Memo, Memory};
use rukh_protocol::game::{learned, memo};

use crate::cli::{CliError, Problems};
use crate::commands::known;
use crate::game::AnyGame;

/// Rows that are written: the deepest ones. A hundred times what the learned table takes of a search.
const MOST: usize = 400_000;

/// Rows from a file by the position's key, recalled before each search: the known root is taken up where it was left.
struct Loaded(HashMap<u64, Memo>);

impl<R: Coded> Memory<R> for Loaded {
    fn recall(&self, root: &Position<R>, most: usize, _: Duration) -> Vec<(Position<R>, Memo)> {
        let (mut pos, mut line) = (*root, Vec::new());
        while let Some(memo) = self.0.get(&pos.key()).filter(|_| line.len() < most.min(64)) {
            line.push((pos, *memo));
            let Some(mv) = pos.legal_from_u16(memo.best) else { break };
            pos = pos.after(mv);
        }
        line
    }

    fn record(&self, _: Vec<(Position<R>, Memo)>) {}
}

/// Puts the rows of a file into the engine's table.
pub fn load(engine: &Engine, game: &AnyGame, path: &Path) -> Result<(), CliError> {
    dispatch!(game, game => {
        let rows = rows(path, game.position())?;
        let taken = engine.load_hash(rows.iter().map(|(pos, memo)| (AnyPosition::from(*pos), *memo)));
        eprintln!("{}: {} positions loaded", path.display(), taken.map_err(CliError::new)?);
        attach(engine, rows);
    });
    // The memory that was just given is used while this is on.
    engine.set_option("Learn", "true").map_err(CliError::new)
}

/// The position on the board only tells the rules.
fn rows<R: Coded>(path: &Path, _: &Position<R>) -> Result<Vec<(Position<R>, Memo)>, CliError> {
    let (mut rows, mut problems) = (Vec::new(), Problems::new(20));
    known::read::<R>(path, &mut problems, |pos, learned| {
        rows.push((pos, memo(&learned)));
        Ok(())
    })?;
    problems.verdict()?;
    Ok(rows)
}

/// Games that have a memory of their own kind in the engine.
trait Remembered: Coded {
    fn give(engine: &Engine, memory: Arc<dyn Memory<Self>>);
}

impl Remembered for rukh_core::Chess {
    fn give(engine: &Engine, memory: Arc<dyn Memory<Self>>) {
        engine.set_chess_memory(Some(memory));
    }
}

impl Remembered for rukh_core::Makruk {
    fn give(engine: &Engine, memory: Arc<dyn Memory<Self>>) {
        engine.set_makruk_memory(Some(memory));
    }
}

fn attach<R: Remembered>(engine: &Engine, rows: Vec<(Position<R>, Memo)>) {
    R::give(engine, Arc::new(Loaded(rows.into_iter().map(|(pos, memo)| (pos.key(), memo)).collect())));
}

/// Writes what the engine's table knows of the position on the board and around it.
pub fn save(engine: &Engine, path: &Path) -> Result<(), CliError> {
    let mut sink = known::Sink::create(Some(path), true, &[])?;
    for (pos, memo) in engine.hash_rows(MOST).map_err(CliError::new)? {
        let learned = learned(&memo);
        dispatch!(&pos, pos => sink.push(pos, &learned))?;
    }
    eprintln!("{}: {} positions written", path.display(), sink.finish()?);
    Ok(())
}
