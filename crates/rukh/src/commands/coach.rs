//! `rukh coach`: a player's games reviewed, explained and joined by position.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use clap::Command;
use rukh_coach::check::check;
use rukh_coach::games::{self, EVERYBODY, read};
use rukh_coach::gaps::gaps_against;
use rukh_coach::insights::insights;
use rukh_coach::report::{Most, is_report, page};
use rukh_coach::tree::tree;
use rukh_coach::{Effort, Journal, Reviewed, review_all};
use rukh_core::Color;
use rukh_engine::Judgement;
use rukh_store::db::open_any;

use crate::cli::define::{self, file, files, flag, opt, threads};
use crate::cli::{Args, CliError, Problems, Progress, Result, counted, not_an_input, percent, stop_signal};

/// Nodes for each position, and megabytes for each thread.
pub const NODES: u64 = 60_000;
pub const HASH: u32 = 16;

pub fn command() -> Command {
    define::command("coach", "review a player's games and explain the mistakes, grouped by position")
        .arg(files("games.pgn", "PGN files or folders"))
        .arg(opt("player NAME", "the player (default: the one with the most games; *: both sides of every game)"))
        .arg(file("out FILE", "the report, a self-contained HTML page (default report.html)"))
        .arg(define::json())
        .arg(opt("nodes N", "nodes per position (default 60000); 20 times as many where a mark would appear"))
        .arg(threads())
        .arg(file("journal FILE", "stores results by position for the next run (default: in your data folder)"))
        .arg(file("syzygy PATH", "folders with Syzygy tablebases"))
        .arg(opt("hash MB", "hash table per thread (default 16)"))
        .arg(file("db DIR", "database of master games ('rukh db import') to find the gaps in your openings"))
        .arg(opt("mistakes N", "number of mistakes to show (default 60)"))
        .arg(flag("check", "re-check every mark with a search ten times as long, and list the ones it disagrees with"))
        .after_help(
            "You can stop at any time: results are kept in the journal, and the next run continues from there. No position is\n\
             analysed twice. Nothing leaves your computer.",
        )
}

pub fn run(args: Args) -> Result {
    let player = args.option("--player")?;
    let out = args.path("--out").unwrap_or_else(|| PathBuf::from("report.html"));
    let inputs = games::files(&args.inputs("games.pgn")?)?;
    // Whoever wants JSON gets a page only by asking for one.
    let as_json = args.flag("--json");
    let html = !as_json || args.path("--out").is_some();
    let kept = kept(&args);
    if html {
        not_an_input(&out, inputs.iter().chain(&kept).chain(&args.path("--db")))?;
        // Nobody has named this file: only an earlier report may be there.
        if args.path("--out").is_none() && out.exists() && !is_report(&out)? {
            let name = out.display();
            return Err(CliError::usage(format!(
                "{name} exists and is not a coach report: choose another file with --out"
            )));
        }
    }
    let hash = args.positive("--hash")?.unwrap_or(HASH);
    let mut options = vec![("Hash".to_owned(), hash.to_string())];
    options.extend(args.option("--syzygy")?.map(|path| ("SyzygyPath".to_owned(), path)));
    let effort = Effort { nodes: args.positive("--nodes")?.unwrap_or(NODES), threads: args.threads()?, options };
    let most = Most { mistakes: args.or("--mistakes", 60)?, ..Most::default() };
    // Before the work of a night, not after it.
    let masters = args.path("--db").map(|folder| open_any(&folder)).transpose()?;
    if html && (out.is_file() || !out.exists()) {
        drop(rukh_files::OutputFile::create(&out)?);
    }
    let found = read(&inputs, player.as_deref())?;
    let mut problems = Problems::new(20);
    found.problems.iter().for_each(|problem| problems.add(format_args!("rukh: skipped: {problem}")));
    let others = if found.others > 0 { format!(", {} without this player", found.others) } else { String::new() };
    // Each of their games comes twice.
    let (name, games) = match found.player.as_str() {
        EVERYBODY => ("both players", found.games.len() / 2),
        name => (name, found.games.len()),
    };
    errln!("{name}: {}{others}", counted(games as u64, "game"));

    let journal = journal(kept)?;
    let stop = stop_signal();
    let mut progress = Progress::new("coach", Some(found.games.len() as u64));
    let reviewed = review_all(&found.games, &effort, &journal, &stop, |done| progress.set(done as u64, "games"));
    progress.finish();
    let reviewed = reviewed?;
    if stop.load(Relaxed) {
        errln!("rukh: stopped; the report covers {} of {}", reviewed.len(), counted(found.games.len() as u64, "game"));
    }
    if args.flag("--check") {
        told(&reviewed, &effort, &stop)?;
    }
    let mut insights = insights(name, &reviewed);
    insights.openings = Color::ALL.map(|side| tree(&reviewed, side, &journal));
    if let Some(masters) = &masters {
        insights.gaps = Some(gaps_against(masters, &insights.openings)?);
    }
    if as_json {
        outln!("{}", rukh_api::coach::report(&insights, &reviewed));
    }
    if html {
        rukh_files::replace(&out, page(&insights, &reviewed, most).as_bytes())?;
        let [inaccuracies, mistakes, blunders] = insights.total.slips;
        errln!(
            "{}: accuracy {}, {}, {}, {}; {}",
            counted(reviewed.len() as u64, "game"),
            insights.total.accuracy_text(),
            counted(inaccuracies.into(), "inaccuracy"),
            counted(mistakes.into(), "mistake"),
            counted(blunders.into(), "blunder"),
            out.display()
        );
    }
    problems.verdict()
}

/// Where what was found by position is kept: in the file that was named, or in the one that all commands share.
pub fn kept(args: &Args) -> Option<PathBuf> {
    args.path("--journal").or_else(|| Some(rukh_files::data_folder()?.join("coach.journal")))
}

/// What was found by position, and is kept in this file.
pub fn journal(path: Option<PathBuf>) -> Result<Journal> {
    let Some(path) = path else { return Ok(Journal::in_memory()) };
    let journal = Journal::open(&path)?;
    if journal.len().1 > 0 {
        errln!("rukh: {} of the journal could not be read", counted(journal.len().1 as u64, "line"));
    }
    Ok(journal)
}

/// Which marks a deeper search does not share.
fn told(reviewed: &[Reviewed], effort: &Effort, stop: &AtomicBool) -> Result {
    let all = reviewed.iter().flat_map(|game| &game.moves).filter(|judged| judged.judgement.is_some()).count();
    let progress = Mutex::new(Progress::new("check", Some(all as u64)));
    let checked = check(reviewed, effort, stop, |done| {
        if let Ok(mut progress) = progress.lock() {
            progress.set(done as u64, "marks");
        }
    });
    drop(progress);
    let checked = checked?;
    for &(game, at) in &checked.doubtful {
        let (game, judged) = (&reviewed[game].game, &reviewed[game].moves[at]);
        let (white, black) = (game.tags.white(), game.tags.black());
        let (san, better) = (judged.position.san(judged.mv), judged.best.first().map(|&mv| judged.position.san(mv)));
        let sign = judged.judgement.map_or("", Judgement::sign);
        errln!("{white} – {black}: {} {san}{sign}, better {}", judged.ply / 2 + 1, better.unwrap_or_default());
    }
    let (marks, doubtful) = (checked.marks, checked.doubtful.len());
    let share = percent(doubtful as u64, marks as u64);
    errln!(
        "a search ten times as long re-checked {} and would have played the marked move itself in {doubtful} ({share:.1} %)",
        counted(marks as u64, "mark")
    );
    Ok(())
}
