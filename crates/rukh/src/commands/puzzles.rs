//! `rukh puzzles`: positions of games in which one move wins.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use clap::Command;
use rukh_coach::CoachError;
use rukh_coach::mined::Mined;
use rukh_coach::puzzles::{Mining, Puzzle, mine};
use rukh_files::OutputFile;
use rukh_pgn::PgnReader;

use crate::cli::define::{self, file, files, opt, threads};
use crate::cli::{Args, CliError, Progress, counted, not_an_input};

pub fn command() -> Command {
    define::command("puzzles", "find positions in games where only one move wins")
        .arg(files("games.pgn", "files of games"))
        .arg(file("out", "FILE", "the puzzles as CSV (default: standard output)"))
        .arg(opt("scan", "N", "nodes for each position of a game (default 2000)"))
        .arg(opt("nodes", "N", "nodes of the first proof (default 100000); the second has 5 times as many"))
        .arg(opt("count", "N", "stop after N puzzles"))
        .arg(opt("minutes", "N", "stop after N minutes"))
        .arg(threads())
        .arg(opt("hash", "MB", "memory for each thread (default 16)"))
        .after_help(
            "A position is worth a proof where the game turns. Two searches of different depth must agree that one move wins and\n\
             that no other does. Themes are found by rule on the solution; the difficulty is how long a search needs. The format\n\
             is in docs/formats/puzzles.md. With --out, stop it whenever you like: what was found is in FILE.part, and the same\n\
             command goes on from there.",
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
    // A broken game is one game less; a file that ends in the middle may be most of them.
    let cut = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&cut);
    let games = readers.into_iter().flatten().filter_map(move |game| match game {
        Ok(game) => Some(game),
        Err(error) => {
            counter.fetch_add(u64::from(error.is_fatal()), Relaxed);
            eprintln!("rukh: skipped: {error}");
            None
        }
    });
    let out = out.filter(|out| out.as_os_str() != "-");
    // A device has no place beside it.
    let aside = out.as_deref().filter(|out| !out.exists() || out.is_file());
    let mut mined = match aside {
        Some(out) => Some(Mined::open(&Mined::beside(out), &task(&inputs, &plan)).map_err(CliError::new)?),
        None => None,
    };
    let (known, done) = match &mined {
        Some(mined) => (mined.codes(), mined.games().clone()),
        None => Default::default(),
    };
    if !done.is_empty() {
        eprintln!("goes on with {} of {}", counted(known.len() as u64, "puzzle"), counted(done.len() as u64, "game"));
    }
    let plan = Mining { most: plan.most.saturating_sub(known.len()), ..plan };
    let games = (0..).zip(games).filter(|(number, _)| !done.contains(number));
    // What has a place beside it is written at the end, all at once; standard output gets every puzzle at once.
    let mut file = None;
    if mined.is_none() {
        let mut direct = OutputFile::create_or_stdout(out.as_deref())?;
        writeln!(direct, "{}", Puzzle::HEAD)?;
        file = Some(direct);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let for_signal = Arc::clone(&stop);
    let _ = ctrlc::set_handler(move || for_signal.store(true, Relaxed));
    let mut progress = Progress::new("puzzles", None);
    let most = plan.most as u64;
    let totals = mine(games, &plan, &stop, known, |totals, number, puzzles| {
        if minutes.is_some_and(|m| progress.elapsed().as_secs_f64() > 60.0 * m) {
            stop.store(true, Relaxed);
        }
        progress.set(totals.puzzles, &format!("puzzles of {} games", totals.games));
        let rows: Vec<String> = puzzles.iter().map(Puzzle::row).collect();
        match (&mut mined, &mut file) {
            (Some(mined), _) => mined.add(number, rows),
            (None, Some(file)) => rows
                .iter()
                .try_for_each(|row| writeln!(file, "{row}"))
                .map_err(|error| CoachError::File("the puzzles".into(), error)),
            (None, None) => Ok(()),
        }
    });
    let seconds = progress.elapsed().as_secs_f64();
    progress.finish();
    let totals = totals.map_err(CliError::new)?;
    if let (Some(mined), Some(out)) = (mined, &out) {
        let mut whole = OutputFile::create(out)?;
        writeln!(whole, "{}", Puzzle::HEAD)?;
        for row in mined.rows() {
            writeln!(whole, "{row}")?;
        }
        whole.commit()?;
        if stop.load(Relaxed) && totals.puzzles < most {
            eprintln!("stopped: the same command goes on ({})", Mined::beside(out).display());
        } else {
            mined.remove().map_err(CliError::new)?;
        }
    } else if let Some(file) = file {
        file.commit()?;
    }
    eprintln!(
        "{} of {} ({} proved or refused) in {seconds:.0} s, {:.0} an hour",
        counted(totals.puzzles, "puzzle"),
        counted(totals.games, "game"),
        counted(totals.candidates, "position"),
        totals.puzzles as f64 * 3600.0 / seconds.max(1e-3)
    );
    match cut.load(Relaxed) {
        0 => Ok(()),
        n => Err(CliError::new(format!("{} could not be read to the end", counted(n, "file")))),
    }
}

/// What was asked for, in one line: only the same task can go on.
fn task(inputs: &[PathBuf], plan: &Mining) -> String {
    let mut text = format!("scan {} nodes {}", plan.scan, plan.nodes);
    for input in inputs {
        let bytes = std::fs::metadata(input).map_or(0, |about| about.len());
        text.push_str(&format!(", {} ({bytes} bytes)", input.display()));
    }
    text
}
