//! `rukh analyse`: what the engine thinks of a position or of a whole game.

mod annotate;
mod batch;
mod hash;

use std::time::Instant;

use clap::Command;
use rukh_api::Reporter;
use rukh_coach::annotate::Opinion;
use rukh_coach::{Effort, Journal};
use rukh_core::{AnyGame, Color, Writing};
use rukh_engine::{Engine, Limits};
use rukh_store::codes::is_code;

use self::annotate::Judge;
use super::coach;
use crate::cli::define::{self, fen, file, opt};
use crate::cli::{Args, CliError, EngineArgs, Progress, Result, not_an_input, read_game};

pub fn command() -> Command {
    let command = define::command("analyse", "analyse a position, or annotate the games in a PGN file")
        .visible_alias("analyze")
        .arg(
            define::position()
                .help("a FEN (quoted or not), startpos or a code; or a PGN file ('-' for standard input)"),
        )
        .arg(fen())
        .arg(file(
            "positions FILE",
            "one FEN per line ('-': standard input); prints FEN, depth, score, mate, best move (TSV)",
        ))
        .arg(opt("movetime MS", "time per position (default for a single position: 5000)"))
        .arg(opt("nodes N", "nodes per position (default for games: 60000)"))
        .arg(opt("depth N", "depth per position"))
        .arg(file(
            "journal FILE",
            "for games: stores results by position, shared with 'rukh coach' (default: in your data folder)",
        ))
        .arg(opt("multipv N", "number of lines (default 3)"))
        .arg(file(
            "save-hash FILE",
            "save the hash table after the search: rows of code, depth, score, bound, best move\n\
             (text, or .parquet); 'rukh learn import' reads them too",
        ))
        .arg(file("load-hash FILE", "load a saved hash table before the search"))
        .arg(opt("game N", "only the Nth game in the file"))
        .args([define::notation(), define::json().help("one JSON object (single positions only)")]);
    define::engine(command).after_help(
        "Games are annotated with the evaluation after every move ([%eval] comments), with glyphs for inaccuracies (?!),\n\
         mistakes (?) and blunders (??) according to the winning chances lost, and with the better line. The PGN goes to\n\
         standard output, a summary for each player to standard error. Existing comments are kept. The marks are those of\n\
         'rukh coach': wherever one would appear, the search is repeated with 20 times as many nodes, and no position is\n\
         analysed twice, whatever file it is in. With --movetime or --depth, each position is searched exactly once.",
    )
}

pub fn run(args: Args) -> Result {
    let multipv: usize = args.positive("--multipv")?.unwrap_or(3);
    let only: Option<usize> = args.positive("--game")?;
    let writing = args.parsed("--notation")?.unwrap_or_default();
    let setup = EngineArgs::take(&args)?;
    let (load, save, json) = (args.path("--load-hash"), args.path("--save-hash"), args.flag("--json"));
    let single = || match (&load, &save, json) {
        (None, None, false) => Ok(()),
        _ => Err(CliError::usage("--save-hash, --load-hash and --json are for one position")),
    };
    if let Some(list) = args.path("--positions") {
        single()?;
        return batch::batch(&setup, &list, &args.limits(200)?);
    }
    // A file need not have a name in Unicode; a position has.
    if let [file] = args.paths("position").as_slice()
        && (file.as_os_str() == "-" || (file.exists() && !file.is_dir()))
    {
        single()?;
        return annotate::games(judge(&args, setup, &args.limits(200)?)?, file, only, writing);
    }
    let what = args.position()?;
    let what = what.ok_or_else(|| CliError::usage("a position or a PGN file is missing; see 'rukh help analyse'"))?;
    let game = match what.as_str() {
        text if is_position(text) => read_game(setup.variant, text)?,
        other => return Err(CliError::input("neither a file nor a position", other)),
    };
    let (engine, limits) = (setup.engine()?, args.limits(5000)?);
    if let Some(path) = &save {
        not_an_input(path, ["--eval-file", "--syzygy"].into_iter().filter_map(|name| args.path(name)))?;
    }
    if let Some(path) = &load {
        hash::load(&engine, &game, path)?;
    }
    engine.set_option("MultiPV", &multipv.max(1).to_string())?;
    engine.set_game(game.clone())?;
    if json {
        // The answer as the engine socket gives it (docs/formats/engine-socket.md).
        let mut reporter = Reporter::new(&engine);
        let result = engine.go(limits, |info| drop(reporter.info(info))).sound()?;
        outln!("{}", reporter.result(&result));
    } else {
        position(&engine, &game, multipv.max(1), limits, writing)?;
    }
    save.map_or(Ok(()), |path| hash::save(&engine, &path))
}

/// Who sets limits of his own gets one search of each position; everybody else the review of the coach.
fn judge(args: &Args, setup: EngineArgs, limits: &Limits) -> Result<Judge> {
    if args.option("--movetime")?.is_some() || limits.depth.is_some() {
        return Ok(Judge::Search(setup, limits.clone(), Vec::new()));
    }
    let own_network = setup.options.iter().any(|(name, _)| *name == "EvalFile");
    // One thread a side: what a search finds must not depend on how many there are.
    let options = setup.options.into_iter().filter(|(name, _)| *name != "Threads");
    let mut options: Vec<(String, String)> = options.map(|(name, value)| (name.to_owned(), value)).collect();
    if !options.iter().any(|(name, _)| name == "Hash") {
        options.push(("Hash".to_owned(), coach::HASH.to_string()));
    }
    let effort = Effort { nodes: limits.nodes.unwrap_or(coach::NODES), threads: args.threads()?, options };
    let journal = match args.path("--journal") {
        // What another network says is not for the others.
        _ if own_network => Journal::in_memory(),
        Some(named) => coach::journal(Some(named))?,
        // A coach that works all night keeps nobody else from working.
        None => coach::journal(coach::kept(args)).unwrap_or_else(|error| {
            errln!("rukh: {error}; new results will not be saved");
            Journal::in_memory()
        }),
    };
    Ok(Judge::Review(effort, journal))
}

/// Whether a text that names no file means a position.
fn is_position(text: &str) -> bool {
    let file = text.rsplit('.').next().is_some_and(|end| matches!(end, "pgn" | "zst" | "gz" | "bz2" | "games"));
    text == "startpos" || is_code(text) || !file && (text.contains('/') || text.len() >= 13)
}

/// A table of the best lines.
fn position(engine: &Engine, game: &AnyGame, multipv: usize, limits: Limits, writing: Writing) -> Result {
    if let Some(outcome) = game.finished() {
        outln!("{}", outcome);
        return Ok(());
    }
    let start = Instant::now();
    let mut progress = Progress::new("analyse", limits.movetime);
    let mut lines: Vec<Opinion> = vec![Opinion::default(); multipv.min(game.legal_moves().len())];
    let mut summary = (0, 0, 0);
    let result = engine.go(limits, |info| {
        summary = (info.depth, info.nodes, info.nps);
        if let Some(slot) = lines.get_mut(info.multipv.max(1) - 1) {
            *slot = Opinion::of(info);
        }
        progress.set(start.elapsed().as_millis() as u64, &format!("depth {}", info.depth));
    });
    progress.finish();
    result.sound()?;
    outln!("{}", game.fen());
    outln!("depth {}, {} nodes, {} nodes/s, {:.1} s\n", summary.0, summary.1, summary.2, start.elapsed().as_secs_f64());
    outln!("     score  chance  depth  line");
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.line.is_empty()) {
        let mover = game.side_to_move();
        let white = if mover == Color::White { line.chance } else { 1.0 - line.chance };
        outln!(
            "{:>2}  {:>6}  {:>4.0} %  {:>5}  {}",
            at + 1,
            line.for_white(mover),
            white * 100.0,
            line.depth,
            game.written_line(&line.line[..line.line.len().min(12)], writing)
        );
    }
    Ok(())
}
