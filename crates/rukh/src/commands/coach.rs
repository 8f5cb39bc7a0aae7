//! `rukh coach`: a player's games reviewed, explained and joined by position.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use clap::Command;
use rukh_coach::check::check;
use rukh_coach::games::{EVERYBODY, read};
use rukh_coach::gaps::{Gap, Habit, gaps};
use rukh_coach::insights::insights;
use rukh_coach::report::{Most, json, page};
use rukh_coach::tree::tree;
use rukh_coach::{CoachError, Effort, Journal, Reviewed, review_all};
use rukh_core::{AnyPosition, Color};
use rukh_engine::Judgement;
use rukh_store::db::{AnyDatabase, open_any};

use crate::cli::define::{self, file, files, flag, opt, threads};
use crate::cli::{Args, CliError, Progress, counted, not_an_input};
use crate::outln;

pub fn command() -> Command {
    define::command("coach", "explain a player's games: the mistakes and their reasons, grouped by position")
        .arg(files("games.pgn", "files or folders of games"))
        .arg(opt("player", "NAME", "whose games (default: whoever is in most of them; *: both sides of every game)"))
        .arg(file("out", "FILE", "the report: one page that needs nothing else (default report.html)"))
        .arg(define::json())
        .arg(opt("nodes", "N", "nodes for each position (default 60000); 20 times as many where a mark would appear"))
        .arg(threads())
        .arg(file("journal", "FILE", "what was found by position, for the next time (default: in the data folder)"))
        .arg(file("syzygy", "PATH", "Syzygy tables"))
        .arg(opt("hash", "MB", "memory for each thread (default 16)"))
        .arg(file("db", "DIR", "a database of masters' games ('rukh db import'): shows the gaps of your openings against it"))
        .arg(opt("mistakes", "N", "how many mistakes the page shows (default 60)"))
        .arg(flag("check", "ask a search ten times deeper about every mark, and list those that it does not share"))
        .after_help(
            "Stop it whenever you like: what was found is in the journal, and the next run goes on from there. No position is\n\
             analysed twice. Nothing leaves this computer.",
        )
}

pub fn run(args: Args) -> Result<(), CliError> {
    let player = args.option("--player")?;
    let out = args.path("--out").unwrap_or_else(|| PathBuf::from("report.html"));
    let inputs = args.paths("games.pgn");
    // Whoever wants JSON gets a page only by asking for one.
    let as_json = args.flag("--json");
    let html = !as_json || args.path("--out").is_some();
    if html {
        not_an_input(&out, &inputs)?;
    }
    let hash = args.parsed::<u32>("--hash")?.unwrap_or(16);
    let mut options = vec![("Hash".to_owned(), hash.to_string())];
    options.extend(args.option("--syzygy")?.map(|path| ("SyzygyPath".to_owned(), path)));
    let effort = Effort { nodes: args.parsed("--nodes")?.unwrap_or(60_000), threads: args.threads()?, options };
    let most = Most { mistakes: args.parsed("--mistakes")?.unwrap_or(60), ..Most::default() };
    // Before the work of a night, not after it.
    let masters = args.path("--db").map(|folder| open_any(&folder)).transpose().map_err(CliError::new)?;
    let found = read(&inputs, player.as_deref()).map_err(CliError::new)?;
    for problem in found.problems.iter().take(20) {
        eprintln!("rukh: skipped: {problem}");
    }
    let others = if found.others > 0 { format!(", {} of others", found.others) } else { String::new() };
    // Each of their games comes twice.
    let (name, games) = match found.player.as_str() {
        EVERYBODY => ("both players", found.games.len() / 2),
        name => (name, found.games.len()),
    };
    eprintln!("{name}: {}{others}", counted(games as u64, "game"));

    let journal = match args.path("--journal").or_else(|| Some(rukh_files::data_folder()?.join("coach.journal"))) {
        Some(path) => Journal::open(&path).map_err(CliError::new)?,
        None => Journal::in_memory(),
    };
    if journal.len().1 > 0 {
        eprintln!("rukh: {} of the journal could not be read", counted(journal.len().1 as u64, "line"));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let for_signal = Arc::clone(&stop);
    // A second handler cannot be set, and need not be: the journal is whole at every moment.
    let _ = ctrlc::set_handler(move || for_signal.store(true, Relaxed));
    let mut progress = Progress::new("coach", Some(found.games.len() as u64));
    let reviewed = review_all(&found.games, &effort, &journal, &stop, |done| progress.set(done as u64, "games"));
    progress.finish();
    let reviewed = reviewed.map_err(CliError::new)?;
    if stop.load(Relaxed) {
        eprintln!("rukh: stopped; the report is of {} of {} games", reviewed.len(), found.games.len());
    }
    if args.flag("--check") {
        told(&reviewed, &effort, &stop)?;
    }
    let mut insights = insights(name, &reviewed);
    if let Some(masters) = &masters {
        insights.gaps = Some(repertoire(masters, &reviewed, &journal)?);
    }
    if as_json {
        outln!("{}", json(&insights, &reviewed));
    }
    if html {
        rukh_files::replace(&out, page(&insights, &reviewed, most).as_bytes())?;
        let [inaccuracies, mistakes, blunders] = insights.total.slips;
        eprintln!(
            "{}: accuracy {}, {}, {}, {}; {}",
            counted(reviewed.len() as u64, "game"),
            insights.total.accuracy_text(),
            counted(inaccuracies.into(), "inaccuracy"),
            counted(mistakes.into(), "mistake"),
            counted(blunders.into(), "blunder"),
            out.display()
        );
    }
    Ok(())
}

/// The gaps of both sides' openings against the games of a database; games of other rules than the database's have none.
fn repertoire(database: &AnyDatabase, reviewed: &[Reviewed], journal: &Journal) -> Result<Vec<Gap>, CliError> {
    let mut found = Vec::new();
    for side in Color::ALL {
        let nodes = tree(reviewed, side, journal);
        found.extend(
            gaps(&nodes, side, &mut |spot| Ok(Some(habits(database, &spot.position)?))).map_err(CliError::new)?,
        );
    }
    found.sort_by_key(|gap| std::cmp::Reverse(gap.games));
    Ok(found)
}

/// What the games of a database play in a position.
fn habits(database: &AnyDatabase, pos: &AnyPosition) -> Result<Vec<Habit>, CoachError> {
    let found = match (database, pos) {
        (AnyDatabase::Chess(db) | AnyDatabase::Chess960(db), AnyPosition::Chess(pos) | AnyPosition::Chess960(pos)) => {
            db.explore(pos)
        }
        (AnyDatabase::Makruk(db), AnyPosition::Makruk(pos)) => db.explore(pos),
        _ => return Ok(Vec::new()),
    };
    let found = found.map_err(|error| CoachError::Refused(error.to_string()))?;
    Ok(found.moves.iter().map(|explored| Habit { mv: explored.mv, games: explored.figures.games }).collect())
}

/// Which marks a deeper search does not share.
fn told(reviewed: &[Reviewed], effort: &Effort, stop: &AtomicBool) -> Result<(), CliError> {
    let all = reviewed.iter().flat_map(|game| &game.moves).filter(|judged| judged.judgement.is_some()).count();
    let progress = Mutex::new(Progress::new("check", Some(all as u64)));
    let checked = check(reviewed, effort, stop, |done| {
        if let Ok(mut progress) = progress.lock() {
            progress.set(done as u64, "marks");
        }
    });
    drop(progress);
    let checked = checked.map_err(CliError::new)?;
    for &(game, at) in &checked.doubtful {
        let (game, judged) = (&reviewed[game].game, &reviewed[game].moves[at]);
        let (white, black) = (game.tags.white(), game.tags.black());
        let (san, better) = (judged.position.san(judged.mv), judged.best.first().map(|&mv| judged.position.san(mv)));
        let sign = judged.judgement.map_or("", Judgement::sign);
        eprintln!("{white} – {black}: {} {san}{sign}, better {}", judged.ply / 2 + 1, better.unwrap_or_default());
    }
    let (marks, doubtful) = (checked.marks, checked.doubtful.len());
    let share = 100.0 * doubtful as f64 / marks.max(1) as f64;
    eprintln!(
        "a search ten times deeper was asked about {} and plays the marked move itself at {doubtful} ({share:.1} %)",
        counted(marks as u64, "mark")
    );
    Ok(())
}
