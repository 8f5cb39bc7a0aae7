//! `rukh code stats`: the share of each format by ply and by number of men.

use clap::Command;
use rukh_api::reports;
use rukh_code::{Codec, MemoryTables, Tables};
use rukh_engine::{Engine, Options};
use rukh_lab::codes::{LeftOut, Tally, each_game};
use rukh_store::codes::StoreTables;
use rukh_store::db::Stored;

use super::database;
use crate::cli::define::{files, json, opt};
use crate::cli::{Args, Problems, Progress, Result, bytes_of, counted};

pub fn describe(command: Command) -> Command {
    command
        .arg(files("file", "PGN or 'rukh datagen' files"))
        .arg(json())
        .arg(opt("skip N", "skip the first N games"))
        .arg(opt("games N", "at most N games"))
        .arg(opt(
            "room N",
            "capacity of the table of learned positions (default 1000000), used for positions in no other\n\
             table; when it is full, they become auxiliary records",
        ))
        .arg(opt(
            "search N",
            "search one position in 40 with N nodes, and count its line and 200 positions of its tree too",
        ))
}

pub fn run<R: Stored>(codec: &Codec<R>, args: &Args) -> Result {
    let (files, search) = (args.inputs("file")?, args.positive("--search")?);
    let (skip, games, room) =
        (args.or("--skip", 0)?, args.positive("--games")?.unwrap_or(u64::MAX), args.or("--room", 1_000_000)?);
    let database = database(codec, args)?;
    let tables: Box<dyn Tables<R> + '_> = match &database {
        Some(_) => Box::new(StoreTables::new(database.as_ref(), room)),
        None => Box::new(MemoryTables::new(room)),
    };
    let engine = search.map(|_| Engine::new(Options { variant: codec.variant(), ..Options::default() }));
    let mut tally = Tally::new(codec, tables, engine.transpose()?.zip(search));
    // The total is in bytes; standard input has none.
    let mut progress = Progress::new("code stats", bytes_of(&files));
    let (mut seen, mut used, mut before) = (0, 0, 0);
    let mut left_out = LeftOut::default();
    for file in &files {
        let more = each_game::<R>(file, codec.variant(), &mut left_out, |bytes, start, moves| {
            seen += 1;
            if seen > skip {
                tally.game(start, moves);
                used += 1;
            }
            if seen % 64 == 0 {
                progress.set(before + bytes, &format!("bytes, {used} games, {} skipped", seen - used));
            }
            used < games
        })?;
        if !more {
            break;
        }
        before += std::fs::metadata(file).map_or(0, |data| data.len());
    }
    tally.flush();
    progress.finish();
    if left_out.other > 0 {
        errln!("rukh: skipped: {} of another variant", counted(left_out.other as u64, "game"));
    }
    let (mut problems, broken) = (Problems::new(0), left_out.broken as u64);
    problems.add_all(broken, format_args!("rukh: left out: {}", counted(broken, "broken game")));
    left_out.damage.iter().for_each(|said| problems.add(said));
    let all = tally.all();
    if args.flag("--json") {
        let [_, lines, tree] = &tally.by_origin;
        outln!("{}", reports::codes(&all, &tally.by_ply, &tally.by_men, [lines, tree]));
    } else {
        let (games, positions) = (counted(used, "game"), counted(all.positions, "position"));
        outln!("{games}, {positions} ({})\n{}", codec.variant(), tally.to_string().trim_end());
    }
    problems.verdict()
}
