//! `rukh db`: build, ask, check and export game databases.

mod ask;
mod export;
#[cfg(feature = "parquet")]
mod scale;

use std::path::{Path, PathBuf};
use std::time::Instant;

use rukh_core::{Variant, dispatch};
use rukh_pgn::{GameResult, PgnError};
use rukh_store::db::{
    AnyDatabase, Filter, ImportObserver, ImportOptions, ImportReport, SEGMENT_BYTES, compact, import, open_any, repair,
};

use crate::cli::{Args, CliError, Progress, counted};
use crate::outln;

pub use export::each_game;

pub const SUMMARY: &str = "turn game files into an opening and game explorer";
pub const HELP: &str = "\
usage: rukh db import --db <dir> [options] <games.pgn>...
       rukh db explore --db <dir> [--json] [position]
       rukh db games --db <dir> [--json] [position]
       rukh db stats --db <dir> [--json]
       rukh db verify --db <dir> [--deep] [--json]
       rukh db compact --db <dir> [--memory <MB>]
       rukh db repair --db <dir>
       rukh db export --db <dir> --out <file.pgn|.bin|.csv|.parquet>
       rukh db map --games|--positions <out.parquet> <games.pgn>...
       rukh db build --db <dir> --games <dir> --positions <dir>

import   adds games (plain or packed files, '-' for standard input); a game counts once however often
         it comes; after a stop or a kill, the same command goes on where the last commit was
explore  games, results, ratings and years of a position and of its moves; example games
games    the example games of a position as PGN; --id <name> for one game by its name
stats    sizes and counts
verify   checksums, replays every game; --deep looks up every position too
compact  merges the segments of many imports into one; codes of positions stay
repair   writes a new MANIFEST for segments that have lost theirs; nothing is removed
export   all games as PGN, a Polyglot book, or a table of positions and moves as CSV or Parquet
map      for clusters: the games of a shard, or the figures of its positions, as a Parquet table
build    for clusters: a database from unique games (PGN) and grouped positions (Parquet); see scale/spark
         (Parquet needs a build with '--features parquet')

A database has a folder of its own: one that is not empty and not a database is refused, and only files that
the database itself has made are ever removed. If a part of it is damaged, the answer comes from the rest,
says so, and the exit status is 1.
A database holds chess, Chess960 or Makruk: what its first game is, by the game's Variant tag, or what
--variant says. Games of another variant are reported and left out.
A position is a FEN or moves from the initial position (\"e4 e5 Nf3\" or \"e2e4 e7e5\").

  --variant <name>    what a new database holds: chess, chess960 or makruk
  --memory <MB>       memory to use (default 512, at least 48)
  --threads <n>       parsing threads (default: all cores)
  --commit-every <M>  commit after so many million positions (default 256)
  --segment-mb <n>    most megabytes of a segment (default 5000)
  --min-elo <n>       least mean rating         --max-elo <n>      greatest mean rating
  --since <date>      first date                --until <date>     last date: 2024, 2024.05 or 2024.05.31
  --min-seconds <n>   least time for 40 moves   --max-seconds <n>  most time, from the TimeControl tag
  --result <r>        only 1-0, 0-1 or 1/2-1/2
  --min-ply <n>       index positions from this half-move on
  --max-ply <n>       index positions up to this half-move; games are stored whole
  --min-games <n>     index positions of at least n games; of books and CSV: export moves or positions
                      of at least n games (default 3 and 2)
  --json              one JSON object
";

pub fn run(mut args: Args) -> Result<(), CliError> {
    let dir = args.option("--db")?.map(PathBuf::from);
    let out = args.option("--out")?.map(PathBuf::from);
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
        threads: args.parsed("--threads")?.unwrap_or(defaults.threads).min(256),
        commit_every: millions.map_or(defaults.commit_every, |m| m.saturating_mul(1_000_000).max(1)),
        segment_bytes: args.parsed::<u64>("--segment-mb")?.map_or(SEGMENT_BYTES, |mb| mb.clamp(1, 1 << 30) * 1_000_000),
        variant: args.parsed::<Variant>("--variant")?,
        scratch: false,
        filter,
    };
    let id = args.option("--id")?;
    let game_table = args.option("--games")?.map(PathBuf::from);
    let position_table = args.option("--positions")?.map(PathBuf::from);
    let action: String = args.required("import|explore|games|stats|verify|compact|repair|export|map|build")?;
    if action == "map" {
        let mut files = Vec::new();
        while let Some(file) = args.positional()? {
            files.push(PathBuf::from(file));
        }
        return run_map(&files, game_table, position_table, &options);
    }
    let dir = dir.ok_or_else(|| CliError::usage("--db <dir> is missing"))?;
    match action.as_str() {
        "import" => {
            let mut files = Vec::new();
            while let Some(file) = args.positional()? {
                files.push(PathBuf::from(file));
            }
            if files.is_empty() {
                return Err(CliError::usage("<games.pgn> is missing; '-' reads standard input"));
            }
            run_import(&dir, &files, &options)
        }
        "explore" => dispatch!(open(&dir)?, db => ask::explore(&db, args.rest()?.as_deref(), json)),
        "games" => dispatch!(open(&dir)?, db => ask::games(&db, args.rest()?.as_deref(), id.as_deref(), json)),
        "stats" => args.finish().and_then(|()| dispatch!(open(&dir)?, db => ask::stats(&db, json))),
        "verify" => args.finish().and_then(|()| dispatch!(open(&dir)?, db => ask::verify(&db, deep, json))),
        "compact" => args.finish().and_then(|()| run_compact(&dir, &options)),
        "repair" => args.finish().and_then(|()| run_repair(&dir)),
        "export" => {
            args.finish()?;
            let out = out.ok_or_else(|| CliError::usage("--out <file> is missing"))?;
            dispatch!(open(&dir)?, db => {
                export::export(&db, &out, options.filter.min_games)?;
                ask::complete(db.missing())
            })
        }
        "build" => {
            args.finish()?;
            let games = game_table.ok_or_else(|| CliError::usage("--games <dir> is missing"))?;
            let positions = position_table.ok_or_else(|| CliError::usage("--positions <dir> is missing"))?;
            run_build(&dir, &games, &positions, &options)
        }
        other => Err(CliError::input(
            "expected import, explore, games, stats, verify, compact, repair, export, map or build",
            other,
        )),
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
fn date(text: &str, option: &str, missing: u8) -> Result<(u16, u8, u8), CliError> {
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
