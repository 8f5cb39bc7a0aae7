//! `rukh db`: build, ask, check and export game databases.

mod ask;
mod export;
#[cfg(feature = "parquet")]
mod scale;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Command;
use rukh_core::{Variant, dispatch};
use rukh_pgn::{GameResult, PgnError};
use rukh_store::db::{
    AnyDatabase, Filter, ImportObserver, ImportOptions, ImportReport, SEGMENT_BYTES, compact, import, open_any, repair,
};

use crate::cli::define::{self, choice, file, files, flag, json, opt, place, threads, variant};
use crate::cli::{Args, CliError, Progress, counted};
use crate::outln;

pub use export::each_game;

pub fn command() -> Command {
    let db = || file("db", "DIR", "the folder of the database").required(true);
    let memory = || opt("memory", "MB", "memory to use (default 512, at least 48)");
    let games = || files("games.pgn", "plain or packed; '-' is standard input");
    let working = |command: Command| {
        command
            .args([memory(), threads()])
            .arg(variant().help("what a new database holds: chess, chess960 or makruk"))
            .arg(opt("commit-every", "M", "commit after so many million positions (default 256)"))
            .arg(opt("segment-mb", "N", "most megabytes of a segment (default 5000)"))
            .arg(opt("min-elo", "N", "least mean rating"))
            .arg(opt("max-elo", "N", "greatest mean rating"))
            .arg(opt("since", "DATE", "first date: 2024, 2024.05 or 2024.05.31"))
            .arg(opt("until", "DATE", "last date"))
            .arg(opt("min-seconds", "N", "least time for 40 moves, from the TimeControl tag"))
            .arg(opt("max-seconds", "N", "most time for 40 moves"))
            .arg(choice("result", "R", &["1-0", "0-1", "1/2-1/2"], "only 1-0, 0-1 or 1/2-1/2"))
            .arg(opt("min-ply", "N", "index positions from this half-move on"))
            .arg(opt("max-ply", "N", "index positions up to this half-move; games are stored whole"))
            .arg(opt("min-games", "N", "index positions of at least N games"))
    };
    define::actions("db", "turn game files into an opening and game explorer")
        .subcommand(
            working(define::command("import", "add games; duplicates count once"))
                .args([db(), games()])
                .after_help("After a stop or a kill, the same command goes on where the last commit was."),
        )
        .subcommand(
            define::command("explore", "games, results, ratings and years of a position and of its moves; example games")
                .args([db(), place(), json()]),
        )
        .subcommand(
            define::command("games", "the example games of a position as PGN")
                .args([db(), place(), json()])
                .arg(opt("id", "NAME", "one game by its name")),
        )
        .subcommand(define::command("stats", "sizes and counts").args([db(), json()]))
        .subcommand(
            define::command("verify", "verify the checksums and replay every game")
                .args([db(), json()])
                .arg(flag("deep", "look up every position too")),
        )
        .subcommand(
            define::command("compact", "merge the segments of many imports into one; position codes stay the same")
                .args([db(), memory(), threads()]),
        )
        .subcommand(
            define::command("repair", "write a new MANIFEST for segments that have lost theirs; nothing is removed")
                .arg(db()),
        )
        .subcommand(
            define::command("export", "all games as PGN, a Polyglot book, or a table of positions and moves")
                .arg(db())
                .arg(file("out", "FILE", "a name ending in .pgn, .bin, .csv or .parquet; '-': CSV to standard output")
                    .required(true))
                .arg(opt("min-games", "N", "books and CSV: moves or positions of at least N games (default 3 and 2)")),
        )
        .subcommand(
            working(define::command("map", "for clusters: the games of a shard, or its positions, as a Parquet table"))
                .arg(games())
                .arg(file("games", "OUT.parquet", "write its games"))
                .arg(file("positions", "OUT.parquet", "write the figures of its positions")),
        )
        .subcommand(
            working(define::command("build", "for clusters: a database from unique games and grouped positions"))
                .arg(db())
                .arg(file("games", "DIR", "games (PGN)").required(true))
                .arg(file("positions", "DIR", "positions (Parquet); see scale/spark").required(true)),
        )
        .after_help(
            "A database has a folder of its own: one that is not empty and not a database is refused, and only files that the\n\
             database itself has made are ever removed. If a part of it is damaged, the answer comes from the rest, says so,\n\
             and the exit status is 1. A database holds chess, Chess960 or Makruk: what its first game is, by the game's\n\
             Variant tag, or what --variant says. Games of another variant are reported and left out.\n\
             Parquet needs a build with '--features parquet'.",
        )
}

pub fn run(args: Args) -> Result<(), CliError> {
    let Some((action, args)) = args.action() else { return Ok(()) };
    let json = args.flag("--json");
    let deep = args.flag("--deep");
    let defaults = ImportOptions::default();
    let megabytes: Option<usize> = args.parsed("--memory")?;
    let millions: Option<u64> = args.parsed("--commit-every")?;
    let filter = Filter {
        min_rating: args.parsed("--min-elo")?,
        max_rating: args.parsed("--max-elo")?,
        since: args.option("--since")?.map(|text| date(&text, "--since", 0)).transpose()?,
        until: args.option("--until")?.map(|text| date(&text, "--until", u8::MAX)).transpose()?,
        min_seconds: args.parsed("--min-seconds")?,
        max_seconds: args.parsed("--max-seconds")?,
        result: match args.option("--result")?.as_deref() {
            None => None,
            Some("1-0") => Some(GameResult::White),
            Some("0-1") => Some(GameResult::Black),
            Some("1/2-1/2") => Some(GameResult::Draw),
            Some(other) => return Err(CliError::input("--result: expected 1-0, 0-1 or 1/2-1/2", other)),
        },
        min_ply: args.parsed("--min-ply")?.unwrap_or(0),
        max_ply: args.parsed("--max-ply")?,
        min_games: args.parsed("--min-games")?.unwrap_or(0),
    };
    let options = ImportOptions {
        memory: megabytes.map_or(defaults.memory, |mb| mb.clamp(48, 1 << 20) << 20),
        threads: args.threads()?.min(256),
        commit_every: millions.map_or(defaults.commit_every, |m| m.saturating_mul(1_000_000).max(1)),
        segment_bytes: args.parsed::<u64>("--segment-mb")?.map_or(SEGMENT_BYTES, |mb| mb.clamp(1, 1 << 30) * 1_000_000),
        variant: args.parsed::<Variant>("--variant")?,
        scratch: false,
        filter,
    };
    let id = args.option("--id")?;
    let game_table = args.path("--games");
    let position_table = args.path("--positions");
    let files = args.paths("games.pgn");
    if action == "map" {
        return run_map(&files, game_table, position_table, &options);
    }
    let dir = args.path("--db").unwrap_or_default();
    let place = args.position()?;
    match action {
        "import" => run_import(&dir, &files, &options),
        "explore" => dispatch!(open(&dir)?, db => ask::explore(&db, place.as_deref(), json)),
        "games" => dispatch!(open(&dir)?, db => ask::games(&db, place.as_deref(), id.as_deref(), json)),
        "stats" => dispatch!(open(&dir)?, db => ask::stats(&db, json)),
        "verify" => dispatch!(open(&dir)?, db => ask::verify(&db, deep, json)),
        "compact" => run_compact(&dir, &options),
        "repair" => run_repair(&dir),
        "export" => dispatch!(open(&dir)?, db => {
            export::export(&db, &args.path("--out").unwrap_or_default(), args.parsed("--min-games")?)?;
            ask::complete(db.missing())
        }),
        _ => {
            let (games, positions) = (game_table.unwrap_or_default(), position_table.unwrap_or_default());
            run_build(&dir, &games, &positions, &options)
        }
    }
}

#[cfg(feature = "parquet")]
fn run_map(
    files: &[PathBuf],
    games: Option<PathBuf>,
    positions: Option<PathBuf>,
    options: &ImportOptions,
) -> Result<(), CliError> {
    let (table, out) = match (games, positions) {
        (Some(out), None) => (scale::Table::Games, out),
        (None, Some(out)) => (scale::Table::Positions, out),
        _ => return Err(CliError::usage("give --games <out.parquet> or --positions <out.parquet>")),
    };
    let mut watch = Watch::new("map", files);
    scale::map(files, &table, &out, options, &mut watch)
}

#[cfg(feature = "parquet")]
fn run_build(dir: &Path, games: &Path, positions: &Path, options: &ImportOptions) -> Result<(), CliError> {
    let mut watch = Watch::new("build", &[]);
    scale::build(dir, games, positions, options, &mut watch)
}

#[cfg(not(feature = "parquet"))]
pub(super) fn without_parquet() -> CliError {
    CliError::new("this build has no Parquet: build with 'cargo build --release --features parquet'")
}

#[cfg(not(feature = "parquet"))]
fn run_map(_: &[PathBuf], _: Option<PathBuf>, _: Option<PathBuf>, _: &ImportOptions) -> Result<(), CliError> {
    Err(without_parquet())
}

#[cfg(not(feature = "parquet"))]
fn run_build(_: &Path, _: &Path, _: &Path, _: &ImportOptions) -> Result<(), CliError> {
    Err(without_parquet())
}

fn open(dir: &Path) -> Result<AnyDatabase, CliError> {
    open_any(dir).map_err(CliError::new)
}

/// A date of which month and day may be missing; `missing` stands for them.
pub(super) fn date(text: &str, option: &str, missing: u8) -> Result<(u16, u8, u8), CliError> {
    let wrong = || CliError::input(format!("{option}: expected a date like 2024, 2024.05 or 2024.05.31"), text);
    let mut parts = text.split(['.', '-']);
    let year: u16 = parts.next().and_then(|y| y.parse().ok()).filter(|&y| y < 4096).ok_or_else(wrong)?;
    let mut part = |most: u8| match parts.next() {
        None => Ok(missing),
        Some(text) => text.parse().ok().filter(|n| (1..=most).contains(n)).ok_or_else(wrong),
    };
    let (month, day) = (part(12)?, part(31)?);
    if parts.next().is_some() { Err(wrong()) } else { Ok((year, month, day)) }
}

struct Watch {
    progress: Progress,
    start: Instant,
    shown: usize,
    /// The sizes of the files are known, so that the time left is.
    sized: bool,
}

impl Watch {
    fn new(name: &'static str, files: &[PathBuf]) -> Watch {
        let sizes: Option<Vec<u64>> =
            files.iter().map(|file| std::fs::metadata(file).ok().filter(|m| m.is_file()).map(|m| m.len())).collect();
        let total = sizes.map(|sizes| sizes.iter().sum()).filter(|&sum| sum > 0);
        Watch { progress: Progress::new(name, total), start: Instant::now(), shown: 0, sized: total.is_some() }
    }
}

impl ImportObserver for Watch {
    fn problem(&mut self, error: &PgnError) {
        self.shown += 1;
        match self.shown {
            1..=20 => eprintln!("{error}"),
            21 => eprintln!("(further problems are only counted)"),
            _ => {}
        }
    }

    fn progress(&mut self, report: &ImportReport, doing: &str) {
        let rate = report.games as f64 / self.start.elapsed().as_secs_f64().max(1e-3);
        if self.sized {
            self.progress.set(report.taken, &format!("bytes, {} games, {rate:.0} games/s, {doing}", report.games));
        } else {
            self.progress.set(report.games, &format!("games, {rate:.0} games/s, {doing}"));
        }
    }
}

fn run_import(dir: &Path, files: &[PathBuf], options: &ImportOptions) -> Result<(), CliError> {
    let start = Instant::now();
    let mut watch = Watch::new("import", files);
    let report = import(dir, files, options, &mut watch).map_err(CliError::new)?;
    watch.progress.finish();
    let seconds = start.elapsed().as_secs_f64();
    outln!(
        "{} games added, {} known already, {} refused by filters, {}",
        report.games,
        report.duplicates + report.resumed,
        report.filtered,
        counted(report.problems, "problem")
    );
    eprintln!(
        "{} positions in {seconds:.1} s: {:.0} positions/s",
        report.positions,
        report.positions as f64 / seconds.max(1e-9)
    );
    match report.problems {
        0 => Ok(()),
        n => Err(CliError::new(format!("{}; the good games were imported", counted(n, "problem")))),
    }
}

fn run_compact(dir: &Path, options: &ImportOptions) -> Result<(), CliError> {
    let mut watch = Watch::new("compact", &[]);
    let (before, after) = compact(dir, options, &mut watch).map_err(CliError::new)?;
    watch.progress.finish();
    outln!("{before} segments before, {after} after");
    Ok(())
}

fn run_repair(dir: &Path) -> Result<(), CliError> {
    let found = repair(dir).map_err(CliError::new)?;
    for name in &found.left {
        eprintln!("{name}: left alone; it belongs to no segment, or its games are in another");
    }
    outln!("{} with {}", counted(found.segments as u64, "segment"), counted(found.games, "game"));
    Ok(())
}
