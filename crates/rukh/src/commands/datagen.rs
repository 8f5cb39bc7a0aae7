//! `rukh datagen`: self-play games for the trainer, and the tools that turn them into training records.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

use clap::{Arg, Command, ValueHint};
use rukh_code::Coded;
use rukh_core::{Move, Variant, dispatch};
use rukh_eval::Terms;
use rukh_lab::datagen::{Block, Job, Kind, Plan, Run, figures, openings, read, repair};
use rukh_store::selfplay::{Filter, MAX_OPENING, SelfPlayResult};

use crate::cli::define::{self, file, files, opt, threads, variant, word};
use crate::cli::{Args, CliError, Progress, Result, counted, not_an_input, percent, stop_signal};

pub fn command() -> Command {
    let games = || files("file", "game files");
    let out = |help| file("out FILE", help).required(true);
    let reading = |name, about, out: Option<Arg>| {
        let max_score = opt("max-score CP", "skip positions with larger scores (default 6000)");
        define::command(name, about).arg(games()).args(out).args([variant(), threads(), max_score])
    };
    let holdout = || opt("holdout N", "hold out one game in N for validation (default 64)");
    let records = |name, about| reading(name, about, Some(out("the file to write"))).arg(holdout());
    let ahead = "blend each score with this share of the score one ply later, recursively (default 0)";
    let seed = "random seed; the same seed gives the same games, whatever the number of threads (default 1)";
    let actions = [
        reading("info", "show statistics of game files", None),
        records("expand", "make training records, 36 bytes per position").arg(opt("ahead X", ahead)),
        records("label", "make random neighbouring positions, scored by the classical evaluation")
            .arg(opt("count N", "number of positions to make (default 1000000)")),
        define::command("repair", "copy all intact blocks of a damaged file, in the current format")
            .arg(word("file", "the damaged file").value_hint(ValueHint::FilePath))
            .arg(out("the new file")),
    ];
    define::command("datagen", "generate self-play games and turn them into training data")
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .arg(word("game", "the variant, as it used to be given").required(false).hide(true))
        .args([out("append the games to this file"), variant(), threads()])
        .arg(opt("games N", "stop after N games (default: no limit)"))
        .arg(opt("minutes M", "stop after M minutes (default: no limit)"))
        .arg(opt("soft N", "soft node limit per move (default 600)"))
        .arg(opt("hard N", "hard node limit per move (default 2.5 times the soft limit)"))
        .arg(opt("seed N", seed))
        .arg(opt("hash MIB", "hash table per thread (default 2)"))
        .arg(opt("random N", "random first plies, one more in every other game (default 8, Chess960 2, 0 with --openings)"))
        .arg(file("openings FILE", "play on from random positions of these games (PGN or .games): plies 8 to 47"))
        .arg(opt("opening CP", "discard random openings that score more than this (default 500)"))
        .arg(file("eval-file FILE", "network to play with, or <classical> (default: the built-in one)"))
        .arg(file("learn-file FILE", "also add what the searches find to this table of 'rukh learn'"))
        .subcommands(actions)
        .after_help(
            "After Ctrl-C, all finished games are in the file. Blocks of games carry checksums; a block cut short by a power\n\
             failure is dropped when the file is next opened. Other damage is skipped and reported (exit status 1), and\n\
             nothing is appended to a damaged file. docs/training.md explains how to get from games to a network;\n\
             docs/formats/games.md describes the file format.",
        )
}

pub fn run(args: Args) -> Result {
    match args.action() {
        Some(("repair", args)) => save(&args),
        Some((action, args)) => {
            let (variant, files) = args.variant_and_words("file")?;
            if files.is_empty() {
                return Err(CliError::usage("<file> is missing"));
            }
            let (variant, files) = (variant.unwrap_or(Variant::Chess), files.into_iter().map(PathBuf::from).collect());
            dispatch!(type R of variant => work::<R>(action, &args, variant, files))
        }
        None => {
            let (variant, more) = args.variant_and_words("game")?;
            if let Some(word) = more.first() {
                return Err(CliError::usage(format!("unexpected argument '{}'", word.to_string_lossy())));
            }
            let variant = variant.unwrap_or(Variant::Chess);
            let soft = args.positive("--soft")?.unwrap_or(600u32);
            let from = args.path("--openings");
            // An array of Chess960 is random by itself.
            let (usual, least, most) = match (&from, variant) {
                (Some(_), Variant::Chess960) => {
                    return Err(CliError::usage("--openings: Chess960 games start from random arrays"));
                }
                (Some(_), _) => (0, 0, 14),
                (None, Variant::Chess960) => (2, 1, MAX_OPENING - 1),
                (None, _) => (8, 1, MAX_OPENING - 1),
            };
            let random = args.or("--random", usual)?;
            if !(least..=most).contains(&random) {
                return Err(CliError::usage(format!("--random: {least} to {most}")));
            }
            let openings = match from {
                Some(path) => dispatch!(type R of variant => beginnings::<R>(&path, variant))?,
                None => Vec::new(),
            };
            let plan = Plan {
                variant,
                random,
                openings,
                threads: args.threads()?,
                out: args.path("--out").unwrap_or_default(),
                games: args.positive("--games")?.unwrap_or(u64::MAX),
                soft,
                hard: args.within("--hard", soft.saturating_mul(5) / 2, soft..=u32::MAX)?,
                seed: args.or("--seed", 1)?,
                eval_file: args.option("--eval-file")?.unwrap_or_default(),
                opening: args.positive::<u16>("--opening")?.map(i32::from),
                learn_file: args.path("--learn-file"),
                hash: args.within("--hash", 2, 1..=1024)?,
            };
            let minutes = args.positive("--minutes")?;
            dispatch!(type R of variant => generate::<R>(&plan, minutes))
        }
    }
}

/// How the games of a file begin; what could not be read is said.
fn beginnings<R: Terms>(path: &Path, variant: Variant) -> Result<Vec<Vec<Move>>> {
    let (openings, left_out) = openings::<R>(path, variant)?;
    errln!("{}: {} to play on from", path.display(), counted(openings.len() as u64, "game"));
    if left_out > 0 {
        errln!("{}: {} left out", path.display(), counted(left_out as u64, "unreadable or foreign game"));
    }
    Ok(openings)
}

/// Plays until the plan is fulfilled or the user stops it.
fn generate<R: Terms + Coded>(plan: &Plan, minutes: Option<f64>) -> Result {
    let run = Run::<R>::open(plan)?;
    if run.before() > 0 {
        errln!("{}: continuing after {}", plan.out.display(), counted(run.before(), "game"));
    }
    let stop = stop_signal();
    let mut progress = Progress::new("datagen", (plan.games != u64::MAX).then_some(plan.games));
    let totals = run.play(&stop, |totals| {
        if minutes.is_some_and(|m| totals.elapsed.as_secs_f64() > 60.0 * m) {
            stop.store(true, Relaxed);
        }
        progress.set(totals.games, &format!("games, {totals}"));
    });
    progress.finish();
    let totals = totals?;
    outln!(
        "{}, {}; {totals}; file {:.2} MB",
        counted(totals.games, "game"),
        counted(totals.plies, "half-move"),
        totals.bytes as f64 / 1e6
    );
    Ok(())
}

/// `info`, `expand` and `label`.
fn work<R: Terms>(action: &str, args: &Args, variant: Variant, files: Vec<PathBuf>) -> Result {
    let out = args.path("--out");
    let job = Job {
        kind: if action == "label" { Kind::Label } else { Kind::Expand },
        threads: args.threads()?,
        filter: Filter { max_score: args.or("--max-score", 6_000)?, ..Filter::default() },
        holdout: args.positive("--holdout")?.unwrap_or(64u64),
        count: args.positive("--count")?.unwrap_or(1_000_000),
        ahead: args.or("--ahead", 0.0)?,
    };
    if !(0.0..1.0).contains(&job.ahead) {
        return Err(CliError::usage("--ahead: at least 0, below 1"));
    }
    if let Some(out) = &out {
        not_an_input(out, &files)?;
    }
    let (mut blocks, mut damaged) = (Vec::new(), 0);
    for path in &files {
        let (complaint, damage) = read(path, variant, &mut blocks)?;
        if let Some(said) = complaint {
            errln!("{}: {said}", path.display());
        }
        damaged += usize::from(damage);
    }
    match &out {
        Some(out) => {
            let mut progress = None;
            let written = job.write::<R>(&blocks, out, |done, total| {
                progress.get_or_insert_with(|| Progress::new("expand", Some(total))).set(done, "");
            });
            drop(progress);
            let written = written?;
            let (games, records) = (counted(written.games, "game"), counted(written.records, "record"));
            outln!("{games}, {records} in {}", out.display());
        }
        None => info::<R>(&blocks, &job.filter)?,
    }
    // What is left of the games was used; whoever goes on from here must know that it is not all.
    match damaged {
        0 => Ok(()),
        1 => {
            Err(CliError::new("a file is damaged and games are missing ('rukh datagen repair' keeps the intact ones)"))
        }
        n => Err(CliError::new(format!("{n} files are damaged and games are missing"))),
    }
}

fn info<R: Terms>(blocks: &[Block], filter: &Filter) -> Result {
    let found = figures::<R>(blocks, filter)?;
    let (games, plies, kept) = (found.games, found.plies, found.kept);
    outln!("games      {games} ({:.1} scored plies each)", plies as f64 / games.max(1) as f64);
    outln!(
        "results    White {:.1} %, draw {:.1} %, Black {:.1} %",
        percent(found.results[SelfPlayResult::WhiteWins as usize], games),
        percent(found.results[SelfPlayResult::Draw as usize], games),
        percent(found.results[SelfPlayResult::BlackWins as usize], games)
    );
    outln!("plies      {plies}");
    outln!(
        "kept       {kept} ({:.1} %), {:.2} % of them twice",
        percent(kept, plies),
        percent(kept - found.different, kept)
    );
    outln!("bytes      {} ({:.3} a ply)", found.bytes, found.bytes as f64 / plies.max(1) as f64);
    let men = |b: usize| found.men[2 + 4 * b..(6 + 4 * b).min(33)].iter().sum();
    let text: Vec<String> = (0..8).map(|b| format!("{:.1}", percent(men(b), kept))).collect();
    outln!("men 2-5, 6-9, ... 30-32 (%): {}", text.join(" "));
    let (a, b) = found.model.all.fit();
    outln!("model      half of the games are won from {a:.0} centipawns on, width {b:.0}");
    for (least, most, scores, (a, b)) in found.model.by_men() {
        outln!("  {least:>2}-{most:<2} men  {a:.0}, width {b:.0} ({scores} scores)");
    }
    Ok(())
}

fn save(args: &Args) -> Result {
    let (path, out) = (args.path("file").unwrap_or_default(), args.path("--out").unwrap_or_default());
    let kept = repair(&path, &out)?;
    let (games, blocks) = (counted(kept.games, "game"), counted(kept.blocks, "good block"));
    outln!("{games} in {blocks} written to {}", out.display());
    outln!("{}", kept.complaint.unwrap_or_else(|| "the file was not damaged".into()));
    Ok(())
}
