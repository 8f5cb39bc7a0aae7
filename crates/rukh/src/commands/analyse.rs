//! `rukh analyse`: what the engine thinks of a position or of a whole game.

mod annotate;
mod batch;
mod hash;

use std::time::Instant;

use clap::Command;
use rukh_api::Reporter;
use rukh_core::{Color, Writing};
use rukh_engine::{Engine, Limits};
use rukh_lab::annotate::Opinion;
use rukh_store::codes::is_code;

use crate::cli::define::{self, fen, file, opt};
use crate::cli::{Args, CliError, Progress, read_game};
use crate::game::{AnyGame, EngineArgs};
use crate::outln;

pub fn command() -> Command {
    let command = define::command("analyse", "analyse a position, or annotate the games of a PGN file")
        .visible_alias("analyze")
        .arg(
            define::position()
                .help("a FEN (quoted or not), startpos or a code; or a PGN file; '-' reads PGN from standard input"),
        )
        .arg(fen())
        .arg(file(
            "positions",
            "FILE",
            "one FEN per line ('-': standard input): FEN, depth, score, mate, best move, tab-separated",
        ))
        .arg(opt("movetime", "MS", "time for each position (default: 5000 for one position, 200 for each of a game)"))
        .arg(opt("nodes", "N", "nodes for each position"))
        .arg(opt("depth", "N", "depth for each position"))
        .arg(opt("multipv", "N", "lines for a position (default 3)"))
        .arg(file(
            "save-hash",
            "FILE",
            "write what the search knows afterwards: rows of code, depth, score, bound, best move\n\
             (text, or .parquet); 'rukh learn import' takes them too",
        ))
        .arg(file("load-hash", "FILE", "load it before the search"))
        .arg(opt("game", "N", "only the Nth game of the file"))
        .args([define::notation(), define::json().help("one position: the answer as one JSON object")]);
    define::engine(command).after_help(
        "A game is annotated with the evaluation after every move ([%eval] comments), with glyphs for inaccuracies (?!),\n\
         mistakes (?) and blunders (??) by the loss of winning chances, and with the better line. PGN goes to\n\
         standard output, a summary for each player to standard error. Existing comments are kept.",
    )
}

pub fn run(args: Args) -> Result<(), CliError> {
    let movetime: Option<u64> = args.parsed("--movetime")?;
    let nodes: Option<u64> = args.parsed("--nodes")?;
    let depth: Option<u32> = args.parsed("--depth")?;
    let multipv: usize = args.parsed("--multipv")?.unwrap_or(3);
    let only: Option<usize> = args.parsed("--game")?;
    let writing = args.parsed("--notation")?.unwrap_or_default();
    let setup = EngineArgs::take(&args)?;
    let list = args.path("--positions");
    let load = args.path("--load-hash");
    let save = args.path("--save-hash");
    let limits = |default: u64| Limits {
        movetime: if nodes.is_none() && depth.is_none() { Some(movetime.unwrap_or(default)) } else { movetime },
        nodes,
        depth,
        ..Limits::default()
    };
    let json = args.flag("--json");
    let single = || match (&load, &save, json) {
        (None, None, false) => Ok(()),
        _ => Err(CliError::usage("--save-hash, --load-hash and --json are for one position")),
    };
    if let Some(list) = list {
        single()?;
        return batch::batch(&setup, &list, &limits(200));
    }
    // A file need not have a name in Unicode; a position has.
    if let [file] = args.paths("position").as_slice()
        && (file.as_os_str() == "-" || file.is_file())
    {
        single()?;
        return annotate::games(&setup, file, &limits(200), only, writing);
    }
    let what = args.position()?;
    let what = what.ok_or_else(|| CliError::usage("a position or a PGN file is missing; see 'rukh help analyse'"))?;
    let game = match what.as_str() {
        text if is_position(text) => read_game(setup.variant, text)?,
        other => return Err(CliError::input("there is no such file, and it is no position", other)),
    };
    let engine = setup.engine()?;
    if let Some(path) = &load {
        hash::load(&engine, &game, path)?;
    }
    engine.set_option("MultiPV", &multipv.max(1).to_string()).map_err(CliError::new)?;
    engine.set_game(game.clone()).map_err(CliError::new)?;
    if json {
        object(&engine, limits(5000))?;
    } else {
        position(&engine, &game, multipv.max(1), limits(5000), writing)?;
    }
    save.map_or(Ok(()), |path| hash::save(&engine, &path))
}

/// Whether a text that names no file means a position.
fn is_position(text: &str) -> bool {
    let file = text.rsplit('.').next().is_some_and(|end| matches!(end, "pgn" | "zst" | "gz" | "bz2" | "games"));
    text == "startpos" || is_code(text) || !file && (text.contains('/') || text.len() >= 13)
}

/// The answer as the engine socket gives it (docs/formats/engine-socket.md).
fn object(engine: &Engine, limits: Limits) -> Result<(), CliError> {
    let mut reporter = Reporter::new(engine);
    let result = engine.go(limits, |info| drop(reporter.info(info))).sound().map_err(CliError::new)?;
    outln!("{}", reporter.result(&result));
    Ok(())
}

/// A table of the best lines.
fn position(engine: &Engine, game: &AnyGame, multipv: usize, limits: Limits, writing: Writing) -> Result<(), CliError> {
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
    result.sound().map_err(CliError::new)?;
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
