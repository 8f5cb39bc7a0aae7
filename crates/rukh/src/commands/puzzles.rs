//! `rukh puzzles`: positions of games in which one move wins.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use clap::Command;
use rukh_coach::mined::Harvest;
use rukh_coach::puzzles::{Mining, mine};
use rukh_engine::lock;
use rukh_pgn::PgnReader;

use crate::cli::define::{self, file, files, opt, threads};
use crate::cli::{Args, Problems, Progress, Result, counted, not_an_input, stop_signal};

pub fn command() -> Command {
    define::command("puzzles", "find puzzles in games: positions with a single winning move")
        .arg(files("games.pgn", "PGN files"))
        .arg(file("out FILE", "the puzzles as CSV (default: standard output)"))
        .arg(opt("scan N", "nodes per position when scanning games (default 2000)"))
        .arg(opt("nodes N", "nodes of the first verification (default 100000); the second uses 5 times as many"))
        .arg(opt("count N", "stop after N puzzles"))
        .arg(opt("minutes N", "stop after N minutes"))
        .arg(threads())
        .arg(opt("hash MB", "hash table per thread (default 16)"))
        .after_help(
            "Looks for positions where the evaluation swings. Two searches of different depth must agree that exactly one move\n\
             wins. Themes are detected in the solution; difficulty is how long the engine takes to find it. For the format see\n\
             docs/formats/puzzles.md. With --out you can stop at any time: the puzzles found so far are in FILE.part, and the\n\
             same command continues from there, unless the games come through a pipe.",
        )
}

pub fn run(args: Args) -> Result {
    let inputs = args.paths("games.pgn");
    let out = args.path("--out");
    if let Some(out) = &out {
        not_an_input(out, &inputs)?;
    }
    let minutes: Option<f64> = args.positive("--minutes")?;
    let usual = Mining::default();
    let plan = Mining {
        scan: args.positive("--scan")?.unwrap_or(usual.scan),
        nodes: args.positive("--nodes")?.unwrap_or(usual.nodes),
        threads: args.threads()?,
        options: vec![("Hash".to_owned(), args.positive("--hash")?.unwrap_or(16u32).to_string())],
        most: args.positive("--count")?.unwrap_or(usize::MAX),
    };
    let readers = inputs.iter().map(|input| PgnReader::open(input)).collect::<Result<Vec<_>, _>>()?;
    let problems = Arc::new(Mutex::new(Problems::new(20)));
    let named = Arc::clone(&problems);
    let games = readers.into_iter().flatten().filter_map(move |game| match game {
        Ok(game) => Some(game),
        Err(error) => {
            lock(&named).add(format_args!("rukh: skipped: {error}"));
            None
        }
    });
    let out = out.filter(|out| out.as_os_str() != "-");
    let task = out.as_ref().map_or(Ok(String::new()), |_| plan.task(&inputs))?;
    let mut harvest = Harvest::open(out.as_deref(), &task)?;
    let (known, done) = harvest.earlier();
    if !done.is_empty() {
        errln!("continuing with {} of {}", counted(known.len() as u64, "puzzle"), counted(done.len() as u64, "game"));
    }
    let plan = Mining { most: plan.most.saturating_sub(known.len()), ..plan };
    let games = (0..).zip(games).filter(|(number, _)| !done.contains(number));
    let stop = stop_signal();
    let mut progress = Progress::new("puzzles", None);
    let most = plan.most as u64;
    let totals = mine(games, &plan, &stop, known, |totals, number, puzzles| {
        if minutes.is_some_and(|m| progress.elapsed().as_secs_f64() > 60.0 * m) {
            stop.store(true, Relaxed);
        }
        progress.set(totals.puzzles, &format!("puzzles of {} games", totals.games));
        harvest.add(number, &puzzles)
    });
    let seconds = progress.elapsed().as_secs_f64();
    progress.finish();
    let totals = totals?;
    if let Some(part) = harvest.finish(!stop.load(Relaxed) || totals.puzzles >= most)? {
        errln!("stopped; run the same command to continue ({})", part.display());
    }
    errln!(
        "{} of {} ({} verified or rejected) in {seconds:.0} s, {:.0} an hour",
        counted(totals.puzzles, "puzzle"),
        counted(totals.games, "game"),
        counted(totals.candidates, "position"),
        totals.puzzles as f64 * 3600.0 / seconds.max(1e-3)
    );
    lock(&problems).verdict()
}
