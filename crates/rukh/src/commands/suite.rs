//! `rukh suite`: solves a file of test positions.

use std::fs::File;
use std::time::Instant;

use clap::{Command, ValueHint};
use rukh_api::reports::{self, Solved};
use rukh_engine::Limits;
use rukh_files::Lines;
use rukh_lab::suite::{Task, solve};

use crate::cli::define::{self, flag, json, opt, word};
use crate::cli::{Args, CliError, EngineArgs, Problems, Progress, Result};

pub fn command() -> Command {
    let command = define::command("suite", "run a suite of test positions (best move, avoid move, mate distance)")
        .arg(word("file.epd", "the test positions").value_hint(ValueHint::FilePath))
        .arg(opt("movetime MS", "time per position (default 1000)"))
        .arg(opt("nodes N", "nodes per position; gives the same result every time"))
        .arg(opt("depth N", "depth per position"))
        .arg(opt("first N", "only the first N positions"))
        .arg(opt("max-mate N", "only positions with a mate in at most N"))
        .arg(opt("hold N", "stop a search early once it has held the solution for N iterations"))
        .arg(flag("quiet", "only the summary"))
        .arg(json());
    define::engine(command).after_help(
        "Searches every position in an EPD file and counts the ones solved:\n  \
         bm MOVES   plays one of these moves               am MOVES   plays none of these moves\n  \
         dm N       announces mate in exactly N (negative: the side to move gets mated);\n             \
         searched as with `go mate N`",
    )
}

pub fn run(args: Args) -> Result {
    let (max_mate, hold): (Option<i32>, Option<u32>) = (args.positive("--max-mate")?, args.positive("--hold")?);
    let (first, quiet, json) =
        (args.positive("--first")?.unwrap_or(usize::MAX), args.flag("--quiet"), args.flag("--json"));
    let setup = EngineArgs::take(&args)?;
    let path = args.path("file.epd").unwrap_or_default();
    let file = path.display().to_string();
    let limits = args.limits(1000)?;

    let source = File::open(&path).map_err(|error| CliError::new(format!("cannot read {file}: {error}")))?;
    let mut tasks = Vec::new();
    let mut problems = Problems::new(20);
    for (number, line) in Lines::new(source) {
        let Some(line) = problems.good(&file, number, line) else { continue };
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let read = Task::read(setup.variant, &line).map_err(|error| CliError::input(error, &line));
        let Some((name, game, task)) = problems.good(&file, number, read) else { continue };
        if max_mate.is_none_or(|max| task.mate.is_some_and(|mate| mate.abs() <= max)) {
            tasks.push((name.unwrap_or_else(|| format!("line {number}")), game, task));
        }
    }
    tasks.truncate(first);
    if tasks.is_empty() {
        return Err(CliError::new(format!("{file} contains no test positions")));
    }

    let engine = setup.engine()?;
    let start = Instant::now();
    let mut progress = Progress::new("suite", Some(tasks.len() as u64));
    let (mut solved, mut nodes_total, mut results) = (0, 0, Vec::new());
    for (at, (name, game, task)) in tasks.iter().enumerate() {
        progress.set(at as u64, &format!("{solved} solved, now {name}"));
        let mate = task.mate.map(i32::unsigned_abs);
        let found = solve(&engine, game, task, Limits { mate, ..limits.clone() }, hold)?;
        nodes_total += found.nodes;
        solved += usize::from(found.solved);
        if quiet || (found.solved && !json) {
            continue;
        }
        let found = Solved {
            name: name.clone(),
            fen: game.fen(),
            wanted: task.wanted(game),
            played: game.parse_uci(&found.played).ok().map(|mv| (found.played, game.san(mv))),
            score: found.score,
            nodes: found.nodes,
            solved: found.solved,
        };
        if json {
            results.push(found);
        } else {
            let played = found.played.map_or("nothing".to_owned(), |(_, san)| san);
            outln!("failed  {}: {}, played {played} ({})  {}", found.name, found.wanted, found.score, found.fen);
        }
    }
    progress.finish();
    let seconds = start.elapsed().as_secs_f64();
    if json {
        outln!("{}", reports::suite(tasks.len(), solved, nodes_total, seconds, problems.count(), &results));
    } else {
        outln!("{solved} of {} solved, {nodes_total} nodes, {seconds:.1} s", tasks.len());
    }
    problems.verdict()
}
