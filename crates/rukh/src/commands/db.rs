//! `rukh db`: build, ask, check and export game databases.

mod ask;
mod export;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Command;
use rukh_core::dispatch;
use rukh_pgn::PgnError;
use rukh_store::db::{
    Filter, ImportObserver, ImportOptions, ImportReport, SEGMENT_BYTES, compact, import, open_any, repair,
};

use super::pgn::RESULTS;
use crate::cli::define::{self, choice, file, files, flag, json, opt, place, threads, variant};
use crate::cli::{Args, CliError, Problems, Progress, Result, bytes_of, counted, not_an_input};

pub use export::each_game;

pub fn command() -> Command {
    let db = || file("db DIR", "the database folder").required(true);
    let memory = || opt("memory MB", "memory to use (default 512, at least 48)");
    let games = || files("games.pgn", "PGN files, plain or compressed; '-' is standard input");
    let out = file("out FILE", "output file ending in .pgn, .bin, .csv or .parquet; '-': CSV on standard output");
    let working = |command: Command| {
        command
            .args([memory(), threads()])
            .arg(
                variant()
                    .help("variant of a new database: chess, chess960 or makruk (default: that of the first game)"),
            )
            .arg(opt("commit-every M", "commit after every M million positions (default 256)"))
            .arg(opt("segment-mb N", "maximum segment size in megabytes (default 5000)"))
            .arg(opt("min-elo N", "minimum average rating"))
            .arg(opt("max-elo N", "maximum average rating"))
            .arg(opt("since DATE", "earliest date: 2024, 2024.05 or 2024.05.31"))
            .arg(opt("until DATE", "latest date"))
            .arg(opt("min-seconds N", "minimum time for 40 moves, from the TimeControl tag"))
            .arg(opt("max-seconds N", "maximum time for 40 moves"))
            .arg(choice("result R", &["1-0", "0-1", "1/2-1/2"], "only 1-0, 0-1 or 1/2-1/2"))
            .arg(opt("min-ply N", "index positions from this ply on"))
            .arg(opt("max-ply N", "index positions up to this ply; games are still stored in full"))
            .arg(opt("min-games N", "index only positions that occur in at least N games"))
    };
    let actions = [
        working(define::command("import", "add games; duplicates are skipped"))
            .args([db(), games()])
            .after_help("After an interruption, the same command continues from the last commit."),
        define::command(
            "explore",
            "show games, results, ratings and years for a position and its moves, with example games",
        )
        .args([db(), place(), json()]),
        define::command("games", "example games with a position, as PGN")
            .args([db(), place(), json()])
            .arg(opt("id NAME", "a single game by its ID")),
        define::command("stats", "show sizes and counts").args([db(), json()]),
        define::command("verify", "check all checksums and replay every game")
            .args([db(), json()])
            .arg(flag("deep", "also look up every position")),
        define::command("compact", "merge the segments of many imports into one; position codes stay valid")
            .args([db(), memory()])
            .arg(threads()),
        define::command("repair", "write a new MANIFEST if it has been lost; nothing is removed").arg(db()),
        define::command("export", "export all games as PGN, a Polyglot book, or a table of positions and moves")
            .args([db(), out.required(true)])
            .arg(opt("min-games N", "only moves (books) or positions (CSV) with at least N games (default 3 and 2)")),
        working(define::command(
            "map",
            "for clusters: write the games of a shard, or its positions, as a Parquet table",
        ))
        .arg(games())
        .arg(file("games OUT.parquet", "write the games"))
        .arg(file("positions OUT.parquet", "write the positions with their statistics")),
        working(define::command(
            "build",
            "for clusters: build a database from deduplicated games and grouped positions",
        ))
        .arg(db())
        .arg(file("games DIR", "games (PGN)").required(true))
        .arg(file("positions DIR", "positions (Parquet); see scale/spark").required(true)),
    ];
    define::actions("db", "build and explore game databases")
        .subcommands(actions)
        .after_help(
            "A database has a folder to itself: a folder with other files in it is rejected, and only the database's own files\n\
             are ever removed. If part of a database is damaged, answers come from the rest and say so, and the exit status\n\
             is 1. A database holds chess, Chess960 or Makruk games, decided by --variant or by the Variant tag of the first\n\
             game; games of other variants are reported and skipped. Parquet needs a build with '--features parquet'.",
        )
}

pub fn run(args: Args) -> Result {
    let Some((action, args)) = args.action() else { return Ok(()) };
    let json = args.flag("--json");
    let defaults = ImportOptions::default();
    let megabytes = args.parsed("--memory")?.map(|_: usize| args.within("--memory", 48, 48..=1 << 20)).transpose()?;
    let millions: Option<f64> = args.positive("--commit-every")?;
    let filter = Filter {
        min_rating: args.parsed("--min-elo")?,
        max_rating: args.parsed("--max-elo")?,
        since: args.date("--since", 0)?,
        until: args.date("--until", u8::MAX)?,
        min_seconds: args.parsed("--min-seconds")?,
        max_seconds: args.parsed("--max-seconds")?,
        result: args.one_of("--result", &RESULTS.map(|result| (result.as_str(), result))[..3])?,
        min_ply: args.or("--min-ply", 0)?,
        max_ply: args.parsed("--max-ply")?,
        min_games: args.or("--min-games", 0)?,
    };
    let options = ImportOptions {
        memory: megabytes.map_or(defaults.memory, |mb| mb << 20),
        threads: args.threads()?.min(256),
        commit_every: millions.map_or(defaults.commit_every, |m| (m * 1e6).ceil() as u64),
        segment_bytes: args.positive::<u64>("--segment-mb")?.map_or(SEGMENT_BYTES, |mb| mb.saturating_mul(1_000_000)),
        variant: args.parsed("--variant")?,
        scratch: false,
        filter,
    };
    let dir = args.path("--db").unwrap_or_default();
    let place = args.position()?.unwrap_or_default();
    match action {
        "import" => run_import(&dir, &args.inputs("games.pgn")?, &options),
        "explore" => dispatch!(open_any(&dir)?, db => ask::explore(&db, &place, json)),
        "games" => {
            let id = args.option("--id")?;
            dispatch!(open_any(&dir)?, db => ask::games(&db, &place, id.as_deref(), json))
        }
        "stats" => dispatch!(open_any(&dir)?, db => ask::stats(&db, json)),
        "verify" => dispatch!(open_any(&dir)?, db => ask::verify(&db, args.flag("--deep"), json)),
        "compact" => {
            let (before, after) = compact(&dir, &options, &mut Watch::new("compact", &[]))?;
            outln!("{} before, {after} after", counted(before as u64, "segment"));
            Ok(())
        }
        "repair" => {
            let found = repair(&dir)?;
            for name in &found.left {
                errln!("{name}: left alone; it does not belong to any segment, or its games are in another one");
            }
            outln!("{} with {}", counted(found.segments as u64, "segment"), counted(found.games, "game"));
            Ok(())
        }
        "export" => dispatch!(open_any(&dir)?, db => {
            let out = args.path("--out").unwrap_or_default();
            not_an_input(&out, [&dir])?;
            export::export(&db, &out, args.parsed("--min-games")?)?;
            ask::complete(db.missing())
        }),
        action => run_for_cluster(action, &args, &options),
    }
}

/// `map` and `build`.
#[cfg(feature = "parquet")]
fn run_for_cluster(action: &str, args: &Args, options: &ImportOptions) -> Result {
    let (games, positions, files) = (args.path("--games"), args.path("--positions"), args.inputs("games.pgn")?);
    if action == "build" {
        let (dir, games, positions) = (args.path("--db"), games.unwrap_or_default(), positions.unwrap_or_default());
        let mut watch = Watch::new("build", &[]);
        let (report, positions) = rukh_scale::build(&dir.unwrap_or_default(), &games, &positions, options, &mut watch)?;
        outln!("{}, {}", counted(report.games, "game"), counted(positions, "position"));
        return Ok(());
    }
    let (table, out) = match (games, positions) {
        (Some(out), None) => (rukh_scale::ShardTable::Games, out),
        (None, Some(out)) => (rukh_scale::ShardTable::Positions, out),
        _ => return Err(CliError::usage("give --games <out.parquet> or --positions <out.parquet>")),
    };
    not_an_input(&out, &files)?;
    let (report, rows) = rukh_scale::map(&files, table, &out, options, &mut Watch::new("map", &files))?;
    outln!("{}, {}, {}", counted(report.games, "game"), counted(rows, "row"), counted(report.problems, "problem"));
    Ok(())
}

#[cfg(not(feature = "parquet"))]
fn run_for_cluster(_: &str, _: &Args, _: &ImportOptions) -> Result {
    Err(without_parquet())
}

#[cfg(not(feature = "parquet"))]
pub(super) fn without_parquet() -> CliError {
    CliError::new("this build has no Parquet: build with 'cargo build --release --features parquet'")
}

struct Watch {
    progress: Progress,
    start: Instant,
    problems: Problems,
    /// The sizes of the files are known, so that the time left is.
    sized: bool,
}

impl Watch {
    fn new(name: &'static str, files: &[PathBuf]) -> Watch {
        let total = bytes_of(files).filter(|&sum| sum > 0);
        let (progress, problems) = (Progress::new(name, total), Problems::new(20));
        Watch { progress, start: Instant::now(), problems, sized: total.is_some() }
    }
}

impl ImportObserver for Watch {
    fn problem(&mut self, error: &PgnError) {
        self.problems.add(error);
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

fn run_import(dir: &Path, files: &[PathBuf], options: &ImportOptions) -> Result {
    let start = Instant::now();
    let mut watch = Watch::new("import", files);
    let report = import(dir, files, options, &mut watch)?;
    watch.progress.finish();
    let seconds = start.elapsed().as_secs_f64();
    outln!(
        "{} added, {} duplicates, {} filtered out, {}",
        counted(report.games, "game"),
        report.duplicates + report.resumed,
        report.filtered,
        counted(report.problems, "problem")
    );
    errln!(
        "{} in {seconds:.1} s: {:.0} positions/s",
        counted(report.positions, "position"),
        report.positions as f64 / seconds.max(1e-9)
    );
    match report.problems {
        0 => Ok(()),
        n => Err(CliError::new(format!("{}; the good games were imported", counted(n, "problem")))),
    }
}
