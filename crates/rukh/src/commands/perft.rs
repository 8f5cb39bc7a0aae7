//! `rukh perft`: counts the leaves of the move tree.

use std::fmt::Display;

use clap::Command;
use rukh_api::reports;
use rukh_core::{Position, Variant, dispatch};
use rukh_lab::perft::Walk;
use rukh_store::db::Stored;

use crate::cli::define::{self, fen, flag, json, opt, position, threads, variant, word};
use crate::cli::{Args, CliError, Progress, Result, read_position};

pub fn command() -> Command {
    define::command("perft", "count the leaves of the move tree (the standard test of a move generator)")
        .arg(word("depth", "depth in plies"))
        .arg(position())
        .args([fen(), variant(), threads(), json()])
        .arg(flag("divide", "also print the count for each move"))
        .arg(opt("hash MB", "hash table for counts of positions seen before (default 0: none)"))
        .after_help(
            "The last line of the output is the total on its own.\n\n\
             Examples:\n  rukh perft 6\n  rukh perft 7 --hash 256\n  rukh perft 6 --variant makruk\n  \
             rukh perft 5 --divide \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\"",
        )
}

/// Beyond this no machine finishes, and 64 bits would not hold the count.
const MAX_DEPTH: u32 = 20;
/// One terabyte: a slip of the keyboard, not a wish.
const MAX_HASH_MB: usize = 1 << 20;

pub fn run(args: Args) -> Result {
    let variant: Variant = args.or("--variant", Variant::Chess)?;
    let walk = Walk {
        depth: at_most("<depth>", args.required("depth")?, MAX_DEPTH)?,
        threads: args.threads()?,
        hash_mb: at_most("--hash", args.or("--hash", 0)?, MAX_HASH_MB)?,
    };
    dispatch!(type R of variant => count::<R>(&walk, variant, &args))
}

fn at_most<T: PartialOrd + Display>(name: &str, value: T, limit: T) -> Result<T> {
    if value <= limit {
        return Ok(value);
    }
    Err(CliError::input(format!("{name} is at most {limit}"), &value.to_string()))
}

fn count<R: Stored>(walk: &Walk, variant: Variant, args: &Args) -> Result {
    let position: Position<R> =
        read_position(variant, Default::default(), args.position()?.as_deref().unwrap_or("startpos"))?;
    let mut progress = None;
    let counts = walk.run(&position, |done, total, leaves| {
        let progress = progress.get_or_insert_with(|| Progress::new("perft", Some(total)));
        progress.set(done, &format!("{leaves} leaves"));
    })?;
    drop(progress);
    if args.flag("--json") {
        outln!("{}", reports::perft(variant, &position, walk.depth, counts.total, &counts.by_move));
        return Ok(());
    }
    if args.flag("--divide") {
        let line = |(mv, count): &_| format!("{}: {count}", position.uci(*mv, variant.notation()));
        let mut lines: Vec<String> = counts.by_move.iter().map(line).collect();
        lines.sort();
        for line in lines {
            outln!("{line}");
        }
        outln!("");
    }
    outln!("{}", counts.total);
    Ok(())
}
