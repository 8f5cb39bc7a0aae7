//! `rukh datagen`: self-play games for the trainer, and the tools that turn them into training records.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use clap::{Command, ValueHint};
use rukh_code::Coded;
use rukh_core::{Variant, dispatch};
use rukh_eval::Terms;
use rukh_lab::datagen::{Block, Job, Kind, Plan, Run, figures, read, repair};
use rukh_store::selfplay::{Filter, MAX_OPENING, SelfPlayResult};

use crate::cli::define::{self, file, files, opt, threads, word};
use crate::cli::{Args, CliError, Progress, not_an_input};
use crate::outln;

pub fn command() -> Command {
    let game = || word("game", "chess, chess960 or makruk");
    let games = || files("file", "games");
    let out = |help| file("out", "FILE", help).required(true);
    let records = |name, about| {
        define::command(name, about)
            .args([game(), games(), out("the file to write"), threads()])
            .arg(opt("max-score", "CP", "skip positions with larger scores (default 6000)"))
            .arg(opt("holdout", "N", "hold out one game in N for validation (default 64)"))
    };
    define::command("datagen", "play training games and turn them into training records")
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .args([game(), out("games are added to this file"), threads()])
        .arg(opt("games", "N", "stop after N games (default: no limit)"))
        .arg(opt("minutes", "M", "stop after M minutes (default: no limit)"))
        .arg(opt("soft", "N", "soft node limit per move (default 600)"))
        .arg(opt("hard", "N", "hard node limit per move (default 2.5 times the soft limit)"))
        .arg(opt(
            "seed",
            "N",
            "the same seed gives the same blocks of games, whatever the number of threads (default 1)",
        ))
        .arg(opt("hash", "MIB", "hash table of each thread (default 2)"))
        .arg(opt("random", "N", "random plies in front, one more in every second game (default 8; chess960: 2)"))
        .arg(opt("opening", "CP", "discard random openings whose first score is larger (default 500; 0: only equal ones)"))
        .arg(file("eval-file", "FILE", "network to play with, or <classical> (default: as the engine plays)"))
        .arg(file("learn-file", "FILE", "what the searches find goes into this table of 'rukh learn', too"))
        .subcommand(
            define::command("info", "what is in the files").args([game(), games(), threads()]).arg(opt(
                "max-score",
                "CP",
                "skip positions with larger scores (default 6000)",
            )),
        )
        .subcommand(records("expand", "training records, 36 bytes per position").arg(opt(
            "ahead",
            "X",
            "blend this share of the score one ply later into each score, recursively (default 0)",
        )))
        .subcommand(records("label", "random neighbours, scored by the classical evaluation").arg(opt(
            "count",
            "N",
            "number of positions to make (default 1000000)",
        )))
        .subcommand(
            define::command("repair", "copy all intact blocks of a damaged file, in today's format")
                .arg(word("file", "the damaged file").value_hint(ValueHint::FilePath))
                .arg(out("the new file")),
        )
        .after_help(
            "Ctrl-C keeps every finished game; only whole games are kept. A block of games carries checksums; a block cut\n\
             short by a power failure is dropped when the file is opened again. Readers skip and report other damage (exit\n\
             status 1); nothing is appended to a damaged file. docs/formats/games.md describes the file, docs/training.md\n\
             explains how to get from games to a network.",
        )
}

pub fn run(args: Args) -> Result<(), CliError> {
    match args.action() {
        Some(("repair", args)) => save(&args),
        Some((action, args)) => {
            let work = Work::parse(action, &args)?;
            let variant: Variant = args.required("game")?;
            dispatch!(type R of variant => work.run::<R>(variant, &args.paths("file")))
        }
        None => {
            let variant: Variant = args.required("game")?;
            let soft = args.parsed("--soft")?.unwrap_or(600u32).max(1);
            let hard = args.parsed("--hard")?.unwrap_or(soft.saturating_mul(5) / 2).max(soft);
            let minutes = args.parsed("--minutes")?;
            // An array of Chess960 is random by itself.
            let random = args.parsed("--random")?.unwrap_or(if variant == Variant::Chess960 { 2 } else { 8 });
            if !(1..MAX_OPENING).contains(&random) {
                return Err(CliError::usage(format!("--random: 1 to {}", MAX_OPENING - 1)));
            }
            let plan = Plan {
                variant,
                random,
                threads: args.threads()?,
                out: args.path("--out").unwrap_or_default(),
                games: args.parsed("--games")?.unwrap_or(u64::MAX),
                soft,
                hard,
                seed: args.parsed("--seed")?.unwrap_or(1),
                eval_file: args.option("--eval-file")?.unwrap_or_default(),
                opening: args.parsed::<u16>("--opening")?.map(i32::from),
                learn_file: args.path("--learn-file"),
                hash: args.parsed("--hash")?.unwrap_or(2usize).clamp(1, 1024),
            };
            dispatch!(type R of variant => generate::<R>(&plan, minutes))
        }
    }
}

/// Plays until the plan is fulfilled or the user stops it.
fn generate<R: Terms + Coded>(plan: &Plan, minutes: Option<f64>) -> Result<(), CliError> {
    let run = Run::<R>::open(plan)?;
    if run.before() > 0 {
        eprintln!("{}: {} games are there, going on", plan.out.display(), run.before());
    }
    let stop = Arc::new(AtomicBool::new(false));
    let for_signal = Arc::clone(&stop);
    // A second handler cannot be set, and need not be: the run then ends without a last partial block.
    let _ = ctrlc::set_handler(move || for_signal.store(true, Relaxed));
    let mut progress = Progress::new("datagen", (plan.games != u64::MAX).then_some(plan.games));
    let totals = run.play(&stop, |totals| {
        if minutes.is_some_and(|m| totals.elapsed.as_secs_f64() > 60.0 * m) {
            stop.store(true, Relaxed);
        }
        progress.set(totals.games, &totals.to_string());
    });
    progress.finish();
    let totals = totals?;
    outln!(
        "{} games, {} plies, {} kept positions; {totals}; file {:.2} MB",
        totals.games,
        totals.plies,
        totals.kept,
        totals.bytes as f64 / 1e6
    );
    Ok(())
}

/// `info`, `expand` and `label`.
struct Work {
    job: Job,
    /// None for `info`.
    out: Option<PathBuf>,
}

impl Work {
    fn parse(word: &str, args: &Args) -> Result<Work, CliError> {
        let threads = args.threads()?;
        let out = args.path("--out");
        let filter = Filter { max_score: args.parsed("--max-score")?.unwrap_or(6_000), ..Filter::default() };
        let holdout = args.parsed("--holdout")?.unwrap_or(64u64).max(1);
        let ahead: f64 = args.parsed("--ahead")?.unwrap_or(0.0);
        if !(0.0..1.0).contains(&ahead) {
            return Err(CliError::usage("--ahead: at least 0, below 1"));
        }
        let count = args.parsed("--count")?.unwrap_or(1_000_000);
        let kind = if word == "label" { Kind::Label } else { Kind::Expand };
        let job = Job { kind, threads, filter, holdout, count, ahead };
        Ok(Work { job, out: out.filter(|_| word != "info") })
    }

    fn run<R: Terms>(&self, variant: Variant, files: &[PathBuf]) -> Result<(), CliError> {
        if let Some(out) = &self.out {
            not_an_input(out, files)?;
        }
        let mut blocks: Vec<Block> = Vec::new();
        let mut damaged = 0;
        for path in files {
            let (complaint, damage) = read(path, variant, &mut blocks)?;
            if let Some(said) = complaint {
                eprintln!("{}: {said}", path.display());
            }
            damaged += usize::from(damage);
        }
        match &self.out {
            Some(out) => {
                let mut progress = None;
                let written = self.job.write::<R>(&blocks, out, |done, total| {
                    progress.get_or_insert_with(|| Progress::new("expand", Some(total))).set(done, "");
                });
                drop(progress);
                let written = written?;
                outln!("{} games, {} records in {}", written.games, written.records, out.display());
            }
            None => info::<R>(&blocks, &self.job.filter)?,
        }
        // What is left of the games was used; whoever goes on from here must know that it is not all.
        match damaged {
            0 => Ok(()),
            1 => Err(CliError::new("a file is damaged, games are missing ('rukh datagen repair' keeps the good ones)")),
            n => Err(CliError::new(format!("{n} files are damaged, games are missing"))),
        }
    }
}

fn info<R: Terms>(blocks: &[Block], filter: &Filter) -> Result<(), CliError> {
    let found = figures::<R>(blocks, filter)?;
    let share = |n: u64, of: u64| 100.0 * n as f64 / of.max(1) as f64;
    let (games, plies, kept) = (found.games, found.plies, found.kept);
    outln!("games      {games} ({:.1} scored plies each)", plies as f64 / games.max(1) as f64);
    outln!(
        "results    White {:.1} %, draw {:.1} %, Black {:.1} %",
        share(found.results[SelfPlayResult::WhiteWins as usize], games),
        share(found.results[SelfPlayResult::Draw as usize], games),
        share(found.results[SelfPlayResult::BlackWins as usize], games)
    );
    outln!("plies      {plies}");
    outln!(
        "kept       {kept} ({:.1} %), {:.2} % of them twice",
        share(kept, plies),
        share(kept - found.different, kept)
    );
    outln!("bytes      {} ({:.3} a ply)", found.bytes, found.bytes as f64 / plies.max(1) as f64);
    let men = |b: usize| found.men[2 + 4 * b..(6 + 4 * b).min(33)].iter().sum();
    let text: Vec<String> = (0..8).map(|b| format!("{:.1}", share(men(b), kept))).collect();
    outln!("men 2-5, 6-9, ... 30-32 (%): {}", text.join(" "));
    let (a, b) = found.model.all.fit();
    outln!("model      half of the games are won from {a:.0} centipawns on, width {b:.0}");
    for (least, most, scores, (a, b)) in found.model.by_men() {
        outln!("  {least:>2}-{most:<2} men  {a:.0}, width {b:.0} ({scores} scores)");
    }
    Ok(())
}

fn save(args: &Args) -> Result<(), CliError> {
    let (path, out) = (args.path("file").unwrap_or_default(), args.path("--out").unwrap_or_default());
    let kept = repair(&path, &out)?;
    outln!("{} games in {} good blocks written to {}", kept.games, kept.blocks, out.display());
    outln!("{}", kept.complaint.unwrap_or_else(|| "the file was not damaged".into()));
    Ok(())
}
