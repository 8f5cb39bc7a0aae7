//! `rukh db`: build, ask, check and export game databases.

#[cfg(feature = "parquet")]
mod scale;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use rukh_core::{Chess, Notation, Position};
use rukh_store::book::{BookMaker, MakeOptions, write_entries};
use rukh_store::db::{
    Database, Figures, Filter, GameRef, ImportObserver, ImportOptions, ImportReport, compact, import,
};
use rukh_store::openings::openings;
use rukh_store::pgn::{GameResult, PgnError, PgnWriter};

use super::book::position;
use crate::cli::{Args, CliError, Progress};
use crate::outln;

pub const SUMMARY: &str = "turn game files into an opening and game explorer";
pub const HELP: &str = "\
usage: rukh db import --db <dir> [options] <games.pgn>...
       rukh db explore --db <dir> [--json] [position]
       rukh db games --db <dir> [position]
       rukh db stats --db <dir> [--json]
       rukh db verify --db <dir> [--deep]
       rukh db compact --db <dir> [--memory <MB>]
       rukh db export --db <dir> --out <file.pgn|.bin|.csv|.parquet>
       rukh db map --games|--positions <out.parquet> <games.pgn>...
       rukh db build --db <dir> --games <dir> --positions <dir>

import   adds games (plain or packed files, '-' for standard input); a game counts once however often
         it comes; after a stop or a kill, the same command goes on where the last commit was
explore  games, results, ratings and years of a position and of its moves; example games
games    the example games of a position as PGN
stats    sizes and counts
verify   checksums, replays every game; --deep looks up every position too
compact  merges the segments of many imports into one; codes of positions stay
export   all games as PGN, a Polyglot book, or a table of positions and moves as CSV or Parquet
map      for clusters: the games of a shard, or the figures of its positions, as a Parquet table
build    for clusters: a database from unique games (PGN) and grouped positions (Parquet); see scale/spark
         (Parquet needs a build with '--features parquet')

A position is a FEN or moves from the initial position (\"e4 e5 Nf3\" or \"e2e4 e7e5\").

  --memory <MB>       memory to use (default 512, at least 48)
  --threads <n>       parsing threads (default: all cores)
  --commit-every <M>  commit after so many million positions (default 256)
  --min-elo <n>       least mean rating         --max-elo <n>   greatest mean rating
  --since <year>      first year                --until <year>  last year
  --min-seconds <n>   least time for 40 moves, from the TimeControl tag
  --result <r>        only 1-0, 0-1 or 1/2-1/2
  --max-ply <n>       index positions up to this half-move; games are stored whole
  --min-games <n>     index positions of at least n games; export them too
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
        since: args.parsed("--since")?,
        until: args.parsed("--until")?,
        min_seconds: args.parsed("--min-seconds")?,
        result: match args.option("--result")?.as_deref() {
            None => None,
            Some("1-0") => Some(GameResult::White),
            Some("0-1") => Some(GameResult::Black),
            Some("1/2-1/2") => Some(GameResult::Draw),
            Some(other) => return Err(CliError::input("--result: expected 1-0, 0-1 or 1/2-1/2", other)),
        },
        max_ply: args.parsed("--max-ply")?,
        min_games: args.parsed("--min-games")?.unwrap_or(0),
    };
    let options = ImportOptions {
        memory: megabytes.map_or(defaults.memory, |mb| mb.clamp(48, 1 << 20) << 20),
        threads: args.parsed("--threads")?.unwrap_or(defaults.threads).min(256),
        commit_every: millions.map_or(defaults.commit_every, |m| m.saturating_mul(1_000_000).max(1)),
        filter,
    };
    let game_table = args.option("--games")?.map(PathBuf::from);
    let position_table = args.option("--positions")?.map(PathBuf::from);
    let action: String = args.required("import|explore|games|stats|verify|compact|export|map|build")?;
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
        "explore" => explore(&open(&dir)?, &position(args.rest()?.as_deref())?, json),
        "games" => games(&open(&dir)?, &position(args.rest()?.as_deref())?),
        "stats" => args.finish().and_then(|()| stats(&open(&dir)?, json)),
        "verify" => args.finish().and_then(|()| verify(&open(&dir)?, deep)),
        "compact" => args.finish().and_then(|()| run_compact(&dir, &options)),
        "export" => {
            args.finish()?;
            let out = out.ok_or_else(|| CliError::usage("--out <file> is missing"))?;
            export(&open(&dir)?, &out, options.filter.min_games)
        }
        "build" => {
            args.finish()?;
            let games = game_table.ok_or_else(|| CliError::usage("--games <dir> is missing"))?;
            let positions = position_table.ok_or_else(|| CliError::usage("--positions <dir> is missing"))?;
            run_build(&dir, &games, &positions, &options)
        }
        other => {
            Err(CliError::input("expected import, explore, games, stats, verify, compact, export, map or build", other))
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
    let mut watch = Watch { progress: Progress::new("map", None), start: Instant::now(), shown: 0 };
    scale::map(files, &table, &out, options, &mut watch)
}

#[cfg(feature = "parquet")]
fn run_build(dir: &Path, games: &Path, positions: &Path, options: &ImportOptions) -> Result<(), CliError> {
    let mut watch = Watch { progress: Progress::new("build", None), start: Instant::now(), shown: 0 };
    scale::build(dir, games, positions, options, &mut watch)
}

#[cfg(feature = "parquet")]
fn export_parquet(db: &Database, path: &Path) -> Result<(), CliError> {
    scale::export(db, path).map(|_| ())
}

#[cfg(not(feature = "parquet"))]
fn without_parquet() -> CliError {
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

#[cfg(not(feature = "parquet"))]
fn export_parquet(_: &Database, _: &Path) -> Result<(), CliError> {
    Err(without_parquet())
}

fn open(dir: &Path) -> Result<Database, CliError> {
    let db = Database::open(dir).map_err(CliError::new)?;
    for damage in db.damaged() {
        eprintln!("warning: {damage}; its games are missing from the answer");
    }
    Ok(db)
}

struct Watch {
    progress: Progress,
    start: Instant,
    shown: usize,
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
        self.progress.set(report.games, &format!("games, {rate:.0} games/s, {doing}"));
    }
}

fn run_import(dir: &Path, files: &[PathBuf], options: &ImportOptions) -> Result<(), CliError> {
    let start = Instant::now();
    let mut watch = Watch { progress: Progress::new("import", None), start, shown: 0 };
    let report = import(dir, files, options, &mut watch).map_err(CliError::new)?;
    watch.progress.finish();
    let seconds = start.elapsed().as_secs_f64();
    outln!(
        "{} games added, {} known already, {} refused by filters, {} problems",
        report.games,
        report.duplicates + report.resumed,
        report.filtered,
        report.problems
    );
    eprintln!(
        "{} positions in {seconds:.1} s: {:.0} positions/s",
        report.positions,
        report.positions as f64 / seconds.max(1e-9)
    );
    match report.problems {
        0 => Ok(()),
        n => Err(CliError::new(format!("{n} problems; the good games were imported"))),
    }
}

fn run_compact(dir: &Path, options: &ImportOptions) -> Result<(), CliError> {
    let mut watch = Watch { progress: Progress::new("compact", None), start: Instant::now(), shown: 0 };
    let (before, after) = compact(dir, options, &mut watch).map_err(CliError::new)?;
    watch.progress.finish();
    outln!("{before} segments before, {after} after");
    Ok(())
}

fn explore(db: &Database, pos: &Position<Chess>, json: bool) -> Result<(), CliError> {
    if json {
        outln!("{}", db.explore_json(pos, Notation::Standard).map_err(CliError::new)?);
        return Ok(());
    }
    let found = db.explore(pos).map_err(CliError::new)?;
    if let Some(opening) = openings().find(pos) {
        outln!("{} {}", opening.eco(), opening.name);
    }
    if found.figures.games == 0 {
        outln!("not in the database");
        return Ok(());
    }
    outln!("{:<7} {:>10}  {:>5} {:>5} {:>5}   {:>6}  years", "move", "games", "white", "draw", "black", "rating");
    for m in &found.moves {
        let name = openings().find(&pos.after(m.mv)).map_or(String::new(), |o| format!("   {}", o.name));
        outln!("{:<7} {}{name}", pos.san(m.mv), row(&m.figures));
    }
    outln!("{:<7} {}", "all", row(&found.figures));
    outln!("");
    for &game in &found.examples {
        let g = db.game(game).map_err(CliError::new)?;
        let year = g.tags.date().map_or("?".into(), |d| d.0.to_string());
        let elo = |e: Option<u16>| e.map_or(String::new(), |e| format!(" ({e})"));
        outln!(
            "{}{} – {}{}  {}  {year}  [{}/{}]",
            g.tags.white(),
            elo(g.tags.white_elo()),
            g.tags.black(),
            elo(g.tags.black_elo()),
            g.result,
            game.segment,
            game.game
        );
    }
    Ok(())
}

fn row(f: &Figures) -> String {
    let share = |n: u64| format!("{:.0} %", 100.0 * n as f64 / f.games.max(1) as f64);
    let rating = f.mean_rating().map_or("–".into(), |r| r.to_string());
    let years = match (f.first_year, f.last_year) {
        (0, 0) => "–".into(),
        (a, b) if a == b => a.to_string(),
        (a, b) => format!("{a}–{b}"),
    };
    format!(
        "{:>10}  {:>5} {:>5} {:>5}   {rating:>6}  {years:<9}",
        f.games,
        share(f.white),
        share(f.draws),
        share(f.black)
    )
}

fn games(db: &Database, pos: &Position<Chess>) -> Result<(), CliError> {
    let found = db.explore(pos).map_err(CliError::new)?;
    let mut writer = PgnWriter::new(BufWriter::new(std::io::stdout().lock()));
    for &game in &found.examples {
        writer.write_game(&db.game(game).map_err(CliError::new)?)?;
    }
    writer.finish()?;
    Ok(())
}

fn stats(db: &Database, json: bool) -> Result<(), CliError> {
    let t = db.totals();
    let per = |bytes: u64| bytes as f64 / t.positions.max(1) as f64;
    if json {
        outln!("{}", t.json(db.damaged().len()));
        return Ok(());
    }
    outln!("segments           {:>14}", t.segments);
    outln!("games              {:>14}", t.games);
    outln!("positions          {:>14}", t.positions);
    outln!("  of several games {:>14}", t.repeated);
    outln!("bytes              {:>14}   {:5.2} a position", t.bytes, per(t.bytes));
    outln!("  code both ways   {:>14}   {:5.2}", t.code_bytes, per(t.code_bytes));
    outln!("  figures          {:>14}   {:5.2}", t.stats_bytes, per(t.stats_bytes));
    let rest = t.bytes - t.code_bytes - t.stats_bytes;
    outln!("  headers, checks  {rest:>14}   {:5.2}", per(rest));
    Ok(())
}

fn verify(db: &Database, deep: bool) -> Result<(), CliError> {
    let mut progress = Progress::new("verify", Some(db.totals().games));
    let v = db.verify(deep, |games| progress.set(games, "games"));
    progress.finish();
    for problem in &v.problems {
        outln!("{problem}");
    }
    outln!("{} games replayed, {} positions looked up, {} problems", v.games, v.positions, v.problems.len());
    if v.problems.is_empty() { Ok(()) } else { Err(CliError::new("the database is damaged")) }
}

fn export(db: &Database, path: &Path, min_games: u64) -> Result<(), CliError> {
    let failed = |e: std::io::Error| CliError::new(format!("cannot write {}: {e}", path.display()));
    let kind = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    if kind == "parquet" {
        return export_parquet(db, path);
    }
    if !matches!(kind, "pgn" | "bin" | "csv") {
        let expected = "--out: expected a name ending in .pgn, .bin, .csv or .parquet";
        return Err(CliError::input(expected, &path.to_string_lossy()));
    }
    let mut sink = BufWriter::new(File::create(path).map_err(failed)?);
    let mut progress = Progress::new("export", Some(db.totals().games));
    let mut count = 0u64;
    let mut each = |f: &mut dyn FnMut(GameRef) -> Result<(), CliError>| {
        for segment in db.segments() {
            for game in 0..segment.games.len() {
                f(GameRef { segment: segment.id, game })?;
                count += 1;
                progress.set(count, "games");
            }
        }
        Ok::<_, CliError>(())
    };
    match kind {
        "pgn" => {
            let mut writer = PgnWriter::new(&mut sink);
            each(&mut |game| writer.write_game(&db.game(game).map_err(CliError::new)?).map_err(failed))?;
        }
        "bin" => {
            let least = if min_games > 0 { min_games.min(u64::from(u32::MAX)) as u32 } else { 3 };
            let mut maker = BookMaker::new(MakeOptions { min_games: least, ..MakeOptions::default() });
            each(&mut |game| {
                maker.add(&db.game(game).map_err(CliError::new)?);
                Ok(())
            })?;
            write_entries(&maker.finish(), &mut sink).map_err(failed)?;
        }
        _ => export_csv(db, &mut sink, min_games.max(2), &mut each)?,
    }
    sink.flush().map_err(failed)?;
    progress.finish();
    Ok(())
}

type Each<'a> = dyn FnMut(&mut dyn FnMut(GameRef) -> Result<(), CliError>) -> Result<(), CliError> + 'a;

/// One row per position and move. Positions are met by playing the games; each is written when its first game is played.
fn export_csv(db: &Database, sink: &mut impl Write, min_games: u64, each: &mut Each<'_>) -> Result<(), CliError> {
    writeln!(sink, "fen,uci,san,games,white,draws,black,mean_rating,first_year,last_year")?;
    each(&mut |game| {
        let Some(segment) = db.segments().iter().find(|s| s.id == game.segment) else { return Ok(()) };
        let mut path = Vec::new();
        segment
            .games
            .replay(game.game, |_, pos, mv| {
                path.extend(mv.map(|_| *pos));
                true
            })
            .map_err(CliError::new)?;
        let first = segment.games.first_ordinal(game.game).map_err(CliError::new)?;
        for (ply, pos) in path.iter().enumerate() {
            let code = db.code(pos).map_err(CliError::new)?;
            if code != Some(segment.base + first + ply as u64) {
                continue;
            }
            let found = db.explore(pos).map_err(CliError::new)?;
            if found.figures.games < min_games {
                continue;
            }
            for m in &found.moves {
                let f = &m.figures;
                writeln!(
                    sink,
                    "{},{},{},{},{},{},{},{},{},{}",
                    pos.fen(),
                    pos.uci(m.mv, Notation::Standard),
                    pos.san(m.mv),
                    f.games,
                    f.white,
                    f.draws,
                    f.black,
                    f.mean_rating().unwrap_or(0),
                    f.first_year,
                    f.last_year
                )?;
            }
        }
        Ok(())
    })
}
