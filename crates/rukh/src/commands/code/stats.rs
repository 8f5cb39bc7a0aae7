//! `rukh code stats`: the share of each format by ply and by number of men.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Command;
use rukh_api::reports;
use rukh_code::{Codec, Coded, FormatCounts as Counts};
use rukh_core::Variant;
use rukh_engine::{Engine, Options};
use rukh_lab::codes::{LeftOut, MAX_PLY, Origin, Tally, each_game};
use rukh_store::db::{Database, Stored};

use super::{Action, tables};
use crate::cli::define::{files, json, opt};
use crate::cli::{Args, CliError, Progress, counted};
use crate::outln;

/// Bars of the plot.
const BAR: usize = 50;

pub fn describe(command: Command) -> Command {
    command
        .arg(files("file", "PGN, or files of 'rukh datagen'"))
        .arg(json())
        .arg(opt("skip", "N", "leave out the first N games"))
        .arg(opt("games", "N", "at most N games"))
        .arg(opt(
            "room",
            "N",
            "positions that the table of learned positions takes (default 1000000); what no table has goes\n\
             there, and into auxiliary records when it is full",
        ))
        .arg(opt(
            "search",
            "N",
            "search one position in 40 with N nodes; count its line and 200 positions of its tree, too",
        ))
}

pub struct Stats {
    files: Vec<PathBuf>,
    database: Option<PathBuf>,
    json: bool,
    skip: u64,
    games: u64,
    room: usize,
    search: Option<u64>,
}

/// Of the positions of games one in so many is searched.
const SEARCHED: usize = 40;

impl Stats {
    pub fn from_args(args: &Args) -> Result<Self, CliError> {
        Ok(Self {
            files: args.paths("file"),
            database: args.path("--db"),
            json: args.flag("--json"),
            skip: args.parsed("--skip")?.unwrap_or(0),
            games: args.parsed("--games")?.unwrap_or(u64::MAX),
            room: args.parsed("--room")?.unwrap_or(1_000_000),
            search: args.parsed("--search")?,
        })
    }
}

impl Action for Stats {
    fn run<R: Stored>(self, codec: &Codec<R>) -> Result<(), CliError> {
        let database =
            self.database.as_deref().map(|dir| Database::<R>::open(dir)?.whole()).transpose().map_err(CliError::new)?;
        let mut tally = Tally::new(codec, tables(codec.variant(), database.as_ref(), self.room)?);
        let engine = self.search.map(|_| Engine::new(Options { variant: codec.variant(), ..Options::default() }));
        let engine = engine.transpose().map_err(CliError::new)?;
        let mut roots = 0;
        // The total is in bytes; standard input has none.
        let sizes: Option<Vec<u64>> = self.files.iter().map(|file| Some(std::fs::metadata(file).ok()?.len())).collect();
        let mut progress = Progress::new("code stats", sizes.map(|sizes| sizes.iter().sum()));
        let (mut seen, mut used, mut before) = (0, 0, 0);
        let mut left_out = LeftOut::default();
        for file in &self.files {
            let more = each_game::<R>(file, codec.variant(), &mut left_out, |bytes, start, moves| {
                seen += 1;
                if seen > self.skip {
                    let mut pos = *start;
                    for (ply, &mv) in moves.iter().enumerate() {
                        pos = pos.after(mv);
                        tally.take(&pos, ply + 1, Origin::Game);
                        roots += 1;
                        if let (Some(engine), Some(nodes)) = (&engine, self.search)
                            && roots % SEARCHED == 0
                        {
                            tally.search(engine, nodes, &pos);
                        }
                    }
                    used += 1;
                }
                if seen % 64 == 0 {
                    progress.set(before + bytes, &format!("bytes, {used} games, {} skipped", seen - used));
                }
                used < self.games
            })?;
            if !more {
                break;
            }
            before += std::fs::metadata(file).map_or(0, |data| data.len());
        }
        tally.flush();
        progress.finish();
        if left_out.broken + left_out.other > 0 {
            let broken = counted(left_out.broken as u64, "broken game");
            eprintln!("rukh: left out: {broken}, {} of another variant", left_out.other);
        }
        left_out.damage.iter().for_each(|said| eprintln!("{said}"));
        print(&tally, codec.variant(), self.json, used)
    }
}

fn print<R: Coded>(tally: &Tally<'_, R>, variant: Variant, json: bool, games: u64) -> Result<(), CliError> {
    let mut all = Counts::default();
    tally.by_ply.iter().for_each(|counts| all.add(counts));
    if json {
        let [_, lines, tree] = &tally.by_origin;
        outln!("{}", reports::codes(&all, &tally.by_ply, &tally.by_men, [lines, tree]));
        return Ok(());
    }
    outln!("{} games, {} positions ({})", games, all.positions, variant);
    outln!("{}", heading("all"));
    outln!("{}", row("", &all));
    for (label, counts) in ["", "lines", "tree"].into_iter().zip(&tally.by_origin).skip(1) {
        if counts.positions > 0 {
            outln!("{}", row(label, counts));
        }
    }
    if all.format1 + all.aux > 0 {
        let [opening, game, reachability, record] = tally.by_table;
        outln!("not direct: opening {opening}, game {game}, reachability {reachability}, auxiliary record {record}");
    }
    outln!("\n{}", heading("ply"));
    let mut from = 1;
    for to in [10, 20, 30, 40, 50, 60, 70, 80, 100, 120, 160, 200, MAX_PLY] {
        let mut part = Counts::default();
        tally.by_ply[from..=to].iter().for_each(|counts| part.add(counts));
        let label = if to == MAX_PLY { format!("{from}+") } else { format!("{from}–{to}") };
        if part.positions > 0 {
            outln!("{}", row(&label, &part));
        }
        from = to + 1;
    }
    outln!("\n{}", heading("men"));
    for (men, counts) in tally.by_men.iter().enumerate().filter(|(_, counts)| counts.positions > 0) {
        outln!("{}", row(&men.to_string(), counts));
    }
    Ok(())
}

fn heading(name: &str) -> String {
    format!("{name:>8} {:>10} {:>8} {:>8} {:>8}  █ direct ▒ table · record", "positions", "format 2", "format 1", "aux")
}

/// One line: numbers and a bar.
fn row(label: &str, counts: &Counts) -> String {
    let share = |n: u64| 100.0 * n as f64 / counts.positions.max(1) as f64;
    let (direct, table) = (share(counts.format2), share(counts.format1));
    let mut line =
        format!("{label:>8} {:>10} {direct:>7.2}% {table:>7.2}% {:>7.2}%  ", counts.positions, share(counts.aux));
    let width = |percent: f64| (percent * BAR as f64 / 100.0).round() as usize;
    let (first, second) = (width(direct), width(direct + table));
    let _ = write!(line, "{}{}{}", "█".repeat(first), "▒".repeat(second - first), "·".repeat(BAR - second));
    line
}
