//! Whole games: evaluations after every move, glyphs and better lines where a move lost winning chances.

use std::io::Write as _;
use std::path::Path;

use rukh_core::{Color, Variant, Writing};
use rukh_engine::{Engine, Judgement, Limits};
use rukh_lab::annotate;
use rukh_pgn::{GameTree, PgnWriter, TreeReader};

use crate::cli::{CliError, Progress, counted};
use crate::game::EngineArgs;

/// Annotates every game of a file.
pub fn games(
    setup: &EngineArgs,
    file: &Path,
    limits: &Limits,
    only: Option<usize>,
    writing: Writing,
) -> Result<(), CliError> {
    let reader = TreeReader::open(file).map_err(CliError::new)?;
    let file = file.display();
    let mut found = 0;
    let mut engines: Vec<(Variant, Engine)> = Vec::new();
    for game in reader {
        found += 1;
        if only.is_some_and(|only| only != found) {
            continue;
        }
        let game = match game {
            Ok(game) => game,
            Err(error) if error.is_fatal() => return Err(CliError::new(error)),
            Err(error) => {
                eprintln!("rukh: skipped: {error}");
                continue;
            }
        };
        let variant = game.start.variant();
        if !engines.iter().any(|(of, _)| *of == variant) {
            engines.push((variant, EngineArgs { variant, ..setup.clone() }.engine()?));
        }
        let engine = engines.iter().find(|(of, _)| *of == variant).map(|(_, engine)| engine);
        if let Some(engine) = engine {
            one(engine, game, limits, writing)?;
        }
    }
    match (found, only) {
        (0, _) => Err(CliError::new(format!("{file} holds no game"))),
        (_, Some(only)) if only == 0 || only > found => {
            Err(CliError::new(format!("{file} holds {found} games, there is no game {only}")))
        }
        _ => Ok(()),
    }
}

fn one(engine: &Engine, mut tree: GameTree, limits: &Limits, writing: Writing) -> Result<(), CliError> {
    let mut progress = Progress::new("analyse", Some(tree.main_line().count() as u64 + 1));
    let tallies = annotate::annotate(engine, &mut tree, limits, writing, |done, san| progress.set(done as u64, san))?;
    progress.finish();
    let mut writer = PgnWriter::standard(Vec::new()).with_writing(writing);
    writer.write_tree(&tree)?;
    let mut text = writer.finish()?;
    text.push(b'\n');
    std::io::stdout().write_all(&text)?;
    for (color, tally) in Color::ALL.into_iter().zip(tallies) {
        let name = match color {
            Color::White => tree.tags.white(),
            Color::Black => tree.tags.black(),
        };
        let slips = Judgement::ALL.into_iter().zip(tally.slips);
        let slips: Vec<String> = slips.map(|(what, n)| counted(n.into(), what.name())).collect();
        eprintln!(
            "{color} ({name}): {}, {}, {:.1} % of the chances kept",
            counted(tally.moves.into(), "move"),
            slips.join(", "),
            100.0 * tally.kept()
        );
    }
    Ok(())
}
