//! Whole games: evaluations after every move, glyphs and better lines where a move lost winning chances.

use std::io::Write as _;
use std::path::Path;

use rukh_coach::annotate::{self, Remark};
use rukh_coach::{Effort, Journal};
use rukh_core::{Color, Variant, Writing};
use rukh_engine::{Engine, Judgement, Limits};
use rukh_pgn::{GameTree, PgnWriter, TreeReader};

use crate::cli::{CliError, EngineArgs, Problems, Progress, Result, counted};

/// How moves are judged.
pub enum Judge {
    /// As `rukh coach` does: more nodes wherever a mark would appear, and no position twice.
    Review(Effort, Journal),
    /// By one search of each position, within limits that somebody has set.
    Search(EngineArgs, Limits, Vec<(Variant, Engine)>),
}

/// Annotates every game of a file.
pub fn games(mut judge: Judge, file: &Path, only: Option<usize>, writing: Writing) -> Result {
    let mut reader = TreeReader::open(file)?;
    let file = file.display();
    let (mut found, mut problems) = (0, Problems::new(20));
    // Games that are judged at the same time: both sides of each by a thread of its own.
    let together = match &judge {
        Judge::Review(effort, _) => effort.threads.div_ceil(2),
        Judge::Search(..) => 1,
    };
    let mut waiting = Vec::new();
    while let Some(game) = reader.next() {
        found += 1;
        if only.is_some_and(|only| only != found) {
            continue;
        }
        match game {
            Ok(game) => waiting.push(game),
            Err(error) if error.is_fatal() => return Err(CliError::new(error)),
            Err(error) => problems.add(format_args!("rukh: skipped: {error}")),
        }
        reader.take_notes().iter().for_each(|note| problems.add(note));
        if waiting.len() >= together {
            judge.write(std::mem::take(&mut waiting), writing)?;
        }
    }
    judge.write(waiting, writing)?;
    match (found, only) {
        (0, _) => Err(CliError::new(format!("{file} contains no games"))),
        (_, Some(only)) if only == 0 || only > found => {
            Err(CliError::new(format!("{file} contains {}: there is no game {only}", counted(found as u64, "game"))))
        }
        _ => problems.verdict(),
    }
}

impl Judge {
    fn write(&mut self, games: Vec<GameTree>, writing: Writing) -> Result {
        let remarks = match self {
            Judge::Review(effort, journal) => {
                let mut progress = Progress::new("analyse", Some(2 * games.len() as u64));
                let found = annotate::review(&games, effort, journal, |done| progress.set(done as u64, "sides"));
                progress.finish();
                found?
            }
            Judge::Search(setup, limits, engines) => {
                games.iter().map(|game| searched(setup, engines, game, limits, writing)).collect::<Result<_>>()?
            }
        };
        for (mut game, remarks) in games.into_iter().zip(remarks) {
            let tallies = annotate::annotate(&mut game, &remarks, writing);
            print(&game, tallies, writing)?;
        }
        Ok(())
    }
}

/// What one search of each position says.
fn searched(
    setup: &EngineArgs,
    engines: &mut Vec<(Variant, Engine)>,
    game: &GameTree,
    limits: &Limits,
    writing: Writing,
) -> Result<Vec<Remark>> {
    let variant = game.start.variant();
    let at = engines.iter().position(|(of, _)| *of == variant).unwrap_or(engines.len());
    if at == engines.len() {
        engines.push((variant, EngineArgs { variant, ..setup.clone() }.engine()?));
    }
    let mut progress = Progress::new("analyse", Some(game.main_line().count() as u64 + 1));
    let judged = annotate::judge(&engines[at].1, game, limits, writing, |done, san| progress.set(done as u64, san));
    progress.finish();
    Ok(judged?)
}

fn print(tree: &GameTree, tallies: [annotate::Tally; 2], writing: Writing) -> Result {
    let mut writer = PgnWriter::standard(Vec::new()).with_writing(writing);
    writer.write_tree(tree)?;
    let mut text = writer.finish()?;
    text.push(b'\n');
    std::io::stdout().write_all(&text)?;
    let names = [tree.tags.white(), tree.tags.black()];
    for ((color, name), tally) in Color::ALL.into_iter().zip(names).zip(tallies) {
        let slips = Judgement::ALL.into_iter().zip(tally.slips);
        let slips: Vec<String> = slips.map(|(what, n)| counted(n.into(), what.name())).collect();
        errln!(
            "{color} ({name}): {}, {}, {:.1} % of the chances kept",
            counted(tally.moves.into(), "move"),
            slips.join(", "),
            100.0 * tally.kept()
        );
    }
    Ok(())
}
