//! `rukh suite`: solves a file of test positions.

use std::fs::File;
use std::time::Instant;

use clap::{Command, ValueHint};
use rukh_core::AnyPosition;
use rukh_engine::Limits;
use rukh_files::Lines;
use rukh_lab::suite::{Task, solve};

use crate::cli::define::{self, flag, opt, word};
use crate::cli::{Args, CliError, Problems, Progress};
use crate::game::EngineArgs;
use crate::outln;

pub fn command() -> Command {
    let command = define::command("suite", "solve a file of test positions (best move, avoid move, mate distance)")
        .arg(word("file.epd", "the positions").value_hint(ValueHint::FilePath))
        .arg(opt("movetime", "MS", "time for each position (default 1000)"))
        .arg(opt("nodes", "N", "nodes for each position; the result can be repeated exactly"))
        .arg(opt("depth", "N", "depth for each position"))
        .arg(opt("first", "N", "only the first N positions"))
        .arg(opt("max-mate", "N", "only positions with a mate in at most N"))
        .arg(opt("hold", "N", "end a search early once the solution has stood for N iterations"))
        .arg(flag("quiet", "only the summary"));
    define::engine(command).after_help(
        "Searches every position of an EPD file and counts those solved:\n  \
         bm MOVES   the move played is one of these        am MOVES   the move played is none of these\n  \
         dm N       mate in N is announced with exactly that distance (negative: the side to move is mated);\n             \
         the search is told to prove it, like `go mate N`",
    )
}

pub fn run(args: Args) -> Result<(), CliError> {
    let movetime: Option<u64> = args.parsed("--movetime")?;
    let nodes: Option<u64> = args.parsed("--nodes")?;
    let depth: Option<u32> = args.parsed("--depth")?;
    let first: usize = args.parsed("--first")?.unwrap_or(usize::MAX);
    let max_mate: Option<i32> = args.parsed("--max-mate")?;
    let hold: Option<u32> = args.parsed("--hold")?;
    let quiet = args.flag("--quiet");
    let setup = EngineArgs::take(&args)?;
    let path = args.path("file.epd").unwrap_or_default();
    let file = path.display().to_string();
    let movetime = if nodes.is_none() && depth.is_none() { Some(movetime.unwrap_or(1000)) } else { movetime };
    let limits = Limits { movetime, nodes, depth, ..Limits::default() };

    let source = File::open(&path).map_err(|error| CliError::new(format!("cannot read {file}: {error}")))?;
    let mut tasks = Vec::new();
    let mut problems = Problems::new(20);
    for (number, line) in Lines::new(source) {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                problems.at_line(&file, number, error);
                continue;
            }
        };
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let read = AnyPosition::from_epd(setup.variant, &line).map_err(|error| error.to_string());
        let task = read.and_then(|(game, operations)| {
            let task = Task::new(&game, &operations)?;
            let id = operations.iter().find(|(name, _)| name == "id").and_then(|(_, operands)| operands.first());
            let name = id.cloned().unwrap_or_else(|| format!("line {number}"));
            Ok((name, game, task))
        });
        match task {
            Ok(task) if max_mate.is_none_or(|max| task.2.mate.is_some_and(|mate| mate.abs() <= max)) => {
                tasks.push(task)
            }
            Ok(_) => {}
            Err(error) => problems.at_line(&file, number, CliError::input(error, &line)),
        }
    }
    tasks.truncate(first);
    if tasks.is_empty() {
        return Err(CliError::new(format!("{file} holds no test position")));
    }

    let engine = setup.engine()?;
    let start = Instant::now();
    let mut progress = Progress::new("suite", Some(tasks.len() as u64));
    let (mut solved, mut nodes_total) = (0, 0);
    for (at, (name, game, task)) in tasks.iter().enumerate() {
        progress.set(at as u64, &format!("{solved} solved, now {name}"));
        let mate = task.mate.map(i32::unsigned_abs);
        let found = solve(&engine, game, task, Limits { mate, ..limits.clone() }, hold)?;
        nodes_total += found.nodes;
        if found.solved {
            solved += 1;
        } else if !quiet {
            let played = game.parse_uci(&found.played).map_or("nothing".to_owned(), |mv| game.san(mv));
            outln!("failed  {name}: {}, played {played} ({})  {}", task.wanted(game), found.score, game.fen());
        }
    }
    progress.finish();
    outln!("{solved} of {} solved, {nodes_total} nodes, {:.1} s", tasks.len(), start.elapsed().as_secs_f64());
    problems.verdict()
}
