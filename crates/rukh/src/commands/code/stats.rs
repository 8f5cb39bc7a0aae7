//! `rukh code stats`: the share of each format by ply and by number of men.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Command;
use rukh_api::reports::{self, FormatCounts as Counts};
use rukh_code::{CodeError, Codec, Table, Tables};
use rukh_core::{AnyGame, AnyPosition, Position};
use rukh_engine::{Engine, Limits, Options};
use rukh_store::db::Database;

use super::source::{LeftOut, each_game};
use super::{Action, Game};
use crate::cli::define::{files, json, opt};
use crate::cli::{Args, CliError, Progress};
use crate::outln;

/// Positions that are encoded together.
const BATCH: usize = 1 << 14;
/// Plies beyond this are counted together.
const MAX_PLY: usize = 600;
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
/// Positions of a search that are counted, the deepest of its table.
const NODES: usize = 200;

/// Where a position comes from: the games, lines of searches, or the tree of a search.
#[derive(Clone, Copy)]
enum Origin {
    Game,
    Line,
    Tree,
}

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
    fn run<R: Game>(self, codec: &Codec<R>) -> Result<(), CliError> {
        let database =
            self.database.as_deref().map(|dir| Database::<R>::open(dir)?.whole()).transpose().map_err(CliError::new)?;
        let mut tally = Tally {
            codec,
            tables: R::tables(codec.variant(), database.as_ref(), self.room)?,
            waiting: Vec::new(),
            plies: Vec::new(),
            by_ply: vec![Counts::default(); MAX_PLY + 1],
            by_men: [Counts::default(); 33],
            by_table: [0; 4],
            by_origin: [Counts::default(); 3],
        };
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
            eprintln!("rukh: left out: {} broken games, {} of another variant", left_out.broken, left_out.other);
        }
        tally.print(self.json, used)
    }
}

struct Tally<'a, R: Game> {
    codec: &'a Codec<R>,
    tables: Box<dyn Tables<R> + 'a>,
    waiting: Vec<Position<R>>,
    plies: Vec<(usize, Origin)>,
    by_ply: Vec<Counts>,
    by_men: [Counts; 33],
    /// Positions that are not direct, by the table that has them.
    by_table: [u64; 4],
    by_origin: [Counts; 3],
}

impl<R: Game> Tally<'_, R> {
    /// Counts the line and a sample of the tree of a search.
    fn search(&mut self, engine: &Engine, nodes: u64, root: &Position<R>) {
        if engine.set_game(AnyGame::from(&AnyPosition::from(*root))).is_err() {
            return;
        }
        let mut line = Vec::new();
        engine.go(Limits::nodes(nodes), |info| line = info.pv.uci().map(|mv| mv.to_string()).collect());
        let mut pos = *root;
        for mv in &line {
            let Ok(mv) = pos.parse_uci(mv) else { break };
            pos = pos.after(mv);
            self.take(&pos, 0, Origin::Line);
        }
        for (pos, _) in engine.hash_rows(NODES).unwrap_or_default().iter().skip(1) {
            let pos: Option<&Position<R>> = pos.of();
            if let Some(pos) = pos {
                self.take(pos, 0, Origin::Tree);
            }
        }
    }

    fn take(&mut self, pos: &Position<R>, ply: usize, origin: Origin) {
        self.waiting.push(*pos);
        self.plies.push((ply.min(MAX_PLY), origin));
        if self.waiting.len() == BATCH {
            self.flush();
        }
    }

    /// Encodes what is waiting. The selector's rule, with the direct codes computed on all cores.
    fn flush(&mut self) {
        let results = self.codec.encode_many(&self.waiting);
        for ((pos, &(ply, origin)), result) in self.waiting.iter().zip(&self.plies).zip(results) {
            let mut one = Counts { positions: 1, ..Counts::default() };
            match result {
                Ok(_) => one.format2 = 1,
                Err(CodeError::DoesNotFit) => {
                    let table = place(self.tables.as_mut(), pos);
                    self.by_table[table as usize] += 1;
                    *if table == Table::Record { &mut one.aux } else { &mut one.format1 } = 1;
                }
                Err(_) => one.aux = 1,
            }
            self.by_origin[origin as usize].add(&one);
            if let Origin::Game = origin {
                self.by_ply[ply].add(&one);
                self.by_men[pos.occupied().count() as usize].add(&one);
            }
        }
        self.waiting.clear();
        self.plies.clear();
    }

    fn print(&self, json: bool, games: u64) -> Result<(), CliError> {
        let mut all = Counts::default();
        self.by_ply.iter().for_each(|counts| all.add(counts));
        if json {
            let [_, lines, tree] = &self.by_origin;
            outln!("{}", reports::codes(&all, &self.by_ply, &self.by_men, [lines, tree]));
            return Ok(());
        }
        outln!("{} games, {} positions ({})", games, all.positions, self.codec.variant());
        outln!("{}", heading("all"));
        outln!("{}", row("", &all));
        for (label, counts) in ["", "lines", "tree"].into_iter().zip(&self.by_origin).skip(1) {
            if counts.positions > 0 {
                outln!("{}", row(label, counts));
            }
        }
        if all.format1 + all.aux > 0 {
            let [opening, game, reachability, record] = self.by_table;
            outln!(
                "not direct: opening {opening}, game {game}, reachability {reachability}, auxiliary record {record}"
            );
        }
        outln!("\n{}", heading("ply"));
        let mut from = 1;
        for to in [10, 20, 30, 40, 50, 60, 70, 80, 100, 120, 160, 200, MAX_PLY] {
            let mut part = Counts::default();
            self.by_ply[from..=to].iter().for_each(|counts| part.add(counts));
            let label = if to == MAX_PLY { format!("{from}+") } else { format!("{from}–{to}") };
            if part.positions > 0 {
                outln!("{}", row(&label, &part));
            }
            from = to + 1;
        }
        outln!("\n{}", heading("men"));
        for (men, counts) in self.by_men.iter().enumerate().filter(|(_, counts)| counts.positions > 0) {
            outln!("{}", row(&men.to_string(), counts));
        }
        Ok(())
    }
}

/// The table that has a position, after it was added where the selector adds it.
fn place<R: Game>(tables: &mut (dyn Tables<R> + '_), pos: &Position<R>) -> Table {
    let known = Table::ALL.into_iter().find(|&table| tables.find(table, pos).is_some());
    let added = || [Table::Reachability, Table::Record].into_iter().find(|&table| tables.add(table, pos).is_some());
    known.or_else(added).unwrap_or(Table::Record)
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
