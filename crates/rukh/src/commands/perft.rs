//! `rukh perft`: counts the leaves of the move tree.

use clap::Command;
use rukh_core::{Notation, Position, Rules, Variant, dispatch};
use rukh_lab::perft::Walk;

use crate::cli::define::{self, fen, flag, opt, position, threads, variant, word};
use crate::cli::{Args, CliError, Progress, read_position};
use crate::outln;

pub fn command() -> Command {
    define::command("perft", "count the leaves of the move tree: the standard test of a move generator")
        .arg(word("depth", "half-moves from the position to the leaves"))
        .arg(position())
        .args([fen(), variant(), threads()])
        .arg(flag("divide", "also print the count below each move"))
        .arg(opt("hash", "MB", "remember counts of positions met before (default 0: count everything)"))
        .after_help(
            "The last line of the output is the total alone.\n\n\
             Examples:\n  rukh perft 6\n  rukh perft 7 --hash 256\n  rukh perft 6 --variant makruk\n  \
             rukh perft 5 --divide \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\"",
        )
}

/// Beyond this no machine finishes, and 64 bits would not hold the count.
const MAX_DEPTH: u32 = 20;
/// One terabyte: a slip of the keyboard, not a wish.
const MAX_HASH_MB: usize = 1 << 20;

pub fn run(args: Args) -> Result<(), CliError> {
    let fen = args.position()?;
    let variant: Variant = args.parsed("--variant")?.unwrap_or(Variant::Chess);
    let divide = args.flag("--divide");
    let threads = args.threads()?;
    let hash = args.parsed("--hash")?.unwrap_or(0);
    let depth: u32 = args.required("depth")?;

    at_most("<depth>", depth as usize, MAX_DEPTH as usize)?;
    at_most("--hash", hash, MAX_HASH_MB)?;
    let walk = Walk { depth, threads, hash_mb: hash };
    dispatch!(type R of variant => count::<R>(&walk, variant, fen, divide, variant.notation()))
}

fn at_most(name: &str, value: usize, limit: usize) -> Result<(), CliError> {
    if value <= limit {
        return Ok(());
    }
    Err(CliError::input(format!("{name} is at most {limit}"), &value.to_string()))
}

fn count<R: Rules>(
    walk: &Walk,
    variant: Variant,
    fen: Option<String>,
    divide: bool,
    notation: Notation,
) -> Result<(), CliError> {
    let position: Position<R> = read_position(variant, fen.as_deref().unwrap_or("startpos"))?;
    let mut progress = None;
    let counts = walk.run(&position, |done, total, leaves| {
        let progress = progress.get_or_insert_with(|| Progress::new("perft", Some(total)));
        progress.set(done, &format!("{leaves} leaves"));
    })?;
    drop(progress);
    if divide {
        let mut lines: Vec<String> =
            counts.by_move.iter().map(|(mv, count)| format!("{}: {count}", position.uci(*mv, notation))).collect();
        lines.sort();
        for line in lines {
            outln!("{line}");
        }
        outln!();
    }
    outln!("{}", counts.total);
    Ok(())
}
