//! `rukh puzzles`: positions of games in which one move wins.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use clap::Command;
use rukh_coach::puzzles::{Mining, Puzzle, mine};
use rukh_files::OutputFile;
use rukh_pgn::PgnReader;

use crate::cli::define::{self, file, files, opt, threads};
use crate::cli::{Args, CliError, Progress, counted, not_an_input};

pub fn command() -> Command {
    define::command("puzzles", "mine games for positions in which exactly one move wins")
        .arg(files("games.pgn", "files of games"))
        .arg(file("out", "FILE", "the puzzles as CSV (default: standard output)"))
        .arg(opt("scan", "N", "nodes for each position of a game (default 2000)"))
        .arg(opt("nodes", "N", "nodes of the first proof (default 100000); the second has 5 times as many"))
        .arg(opt("count", "N", "end after so many puzzles"))
        .arg(opt("minutes", "N", "end after so many minutes"))
        .arg(threads())
        .arg(opt("hash", "MB", "memory for each thread (default 16)"))
        .after_help(
            "A position is worth a proof where the game turns. Two searches of different depth must agree that one move wins and\n\
             that no other does. Themes are found by rule on the solution; the difficulty is how long a search needs. The format\n\
             is in docs/formats/puzzles.md.",
        )
}

pub fn run(args: Args) -> Result<(), CliError> {
    let inputs = args.paths("games.pgn");
    let out = args.path("--out");
    if let Some(out) = &out {
        not_an_input(out, &inputs)?;
    }
    let minutes: Option<f64> = args.parsed("--minutes")?;
    let usual = Mining::default();
    let plan = Mining {
        scan: args.parsed("--scan")?.unwrap_or(usual.scan),
        nodes: args.parsed("--nodes")?.unwrap_or(usual.nodes),
        threads: args.threads()?,
        options: vec![("Hash".to_owned(), args.parsed::<u32>("--hash")?.unwrap_or(16).to_string())],
        most: args.parsed("--count")?.unwrap_or(usize::MAX),
    };
    let mut readers = Vec::new();
    for input in &inputs {
        readers.push(PgnReader::open(input).map_err(CliError::new)?);
    }
    let games = readers.into_iter().flatten().filter_map(|game| match game {
        Ok(game) => Some(game),
        Err(error) => {
            eprintln!("rukh: skipped: {error}");
            None
        }
    });
    let mut file = OutputFile::create_or_stdout(out.as_deref())?;
    writeln!(file, "{}", Puzzle::HEAD)?;
    let stop = Arc::new(AtomicBool::new(false));
    let for_signal = Arc::clone(&stop);
    let _ = ctrlc::set_handler(move || for_signal.store(true, Relaxed));
    let mut progress = Progress::new("puzzles", None);
    let mut failed = None;
    let totals = mine(games, &plan, &stop, |totals, puzzle| {
        if minutes.is_some_and(|m| progress.elapsed().as_secs_f64() > 60.0 * m) {
            stop.store(true, Relaxed);
        }
        if let Some(puzzle) = puzzle
            && let Err(error) = writeln!(file, "{}", puzzle.row())
        {
            failed = Some(error);
            stop.store(true, Relaxed);
        }
        progress.set(totals.puzzles, &format!("puzzles of {} games", totals.games));
    });
    let seconds = progress.elapsed().as_secs_f64();
    progress.finish();
    let totals = totals.map_err(CliError::new)?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    file.commit()?;
    eprintln!(
        "{} of {} ({} proved or refused) in {seconds:.0} s, {:.0} an hour",
        counted(totals.puzzles, "puzzle"),
        counted(totals.games, "game"),
        counted(totals.candidates, "position"),
        totals.puzzles as f64 * 3600.0 / seconds.max(1e-3)
    );
    Ok(())
}
