//! Many positions, one a line, for scripts and clusters.

use std::io::{BufWriter, Write};
use std::path::Path;

use rukh_coach::annotate::Opinion;
use rukh_engine::Limits;
use rukh_files::Lines;
use rukh_pgn::Input;

use crate::cli::{CliError, EngineArgs, Problems, Progress, Result, counted, read_game};

/// Reads FENs and writes, for each, a line: the FEN as it came, depth, centipawns, moves to mate, best move, parted by
/// tabs. A position without moves has depth 0 and empty fields. A line that is no position is reported and has no answer.
pub fn batch(setup: &EngineArgs, path: &Path, limits: &Limits) -> Result {
    let input = Input::open(path).map_err(|error| CliError::new(format!("{}: {error}", path.display())))?;
    let path = path.to_string_lossy();
    let engine = setup.engine()?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut progress = Progress::new("analyse", None);
    let mut problems = Problems::new(0);
    let mut done = 0;
    for (number, line) in Lines::new(input.reader) {
        let Some(line) = problems.good(&path, number, line) else { continue };
        let fen = line.trim();
        if fen.is_empty() {
            continue;
        }
        let Some(game) = problems.good(&path, number, read_game(setup.variant, fen)) else { continue };
        let mut best = Opinion::default();
        if game.finished().is_none() {
            // Each position stands for itself: the answer does not depend on its neighbours.
            engine.new_game();
            engine.set_game(game)?;
            engine.go(limits.clone(), |info| best = Opinion::of(info)).sound()?;
        }
        let (mut score, mut mate) = (String::new(), String::new());
        match best.mate {
            _ if best.line.is_empty() => {}
            Some(moves) => mate = moves.to_string(),
            None => score = best.cp.to_string(),
        }
        let mv = best.line.first().map_or("", String::as_str);
        writeln!(out, "{fen}\t{}\t{score}\t{mate}\t{mv}", best.depth)?;
        done += 1;
        progress.set(done, "positions");
    }
    out.flush()?;
    progress.finish();
    match problems.count() {
        0 => Ok(()),
        n => Err(CliError::new(format!("left out: {} without a position", counted(n, "line")))),
    }
}
