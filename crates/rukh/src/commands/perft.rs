//! `rukh perft`: counts the leaves of the move tree.

use std::str::FromStr;

use rukh_core::{Notation, Position, Rules, Variant, dispatch};
use rukh_lab::perft::Walk;

use crate::cli::{Args, CliError, Progress, read_position};
use crate::outln;

pub const SUMMARY: &str = "count the leaves of the move tree: the proof of a move generator";
pub const HELP: &str = "\
usage: rukh perft <depth> [options]

Counts the positions reached after <depth> plies. The last line of the output is the total alone.

options:
  --fen <fen>       start here instead of the start position
  --variant <name>  chess (default), chess960 or makruk
  --divide          also print the count below each move
  --threads <n>     share the work among n threads (default 1)
  --hash <MB>       remember counts of positions met before (default 0: count everything)

examples:
  rukh perft 6
  rukh perft 5 --divide --fen \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\"
  rukh perft 7 --threads 2 --hash 256
  rukh perft 6 --variant makruk";

/// Beyond this no machine finishes, and 64 bits would not hold the count.
const MAX_DEPTH: u32 = 20;
const MAX_THREADS: usize = 1024;
/// One terabyte: a slip of the keyboard, not a wish.
const MAX_HASH_MB: usize = 1 << 20;

pub fn run(mut args: Args) -> Result<(), CliError> {
    let fen = args.option("--fen")?;
    let variant = match args.option("--variant")? {
        Some(name) => {
            Variant::from_str(&name).map_err(|error| CliError::input(format!("--variant: {error}"), &name))?
        }
        None => Variant::Chess,
    };
    let divide = args.flag("--divide");
    let threads = args.parsed("--threads")?.unwrap_or(1);
    let hash = args.parsed("--hash")?.unwrap_or(0);
    let depth: u32 = args.required("depth")?;
    args.finish()?;

    at_most("<depth>", depth as usize, MAX_DEPTH as usize)?;
    at_most("--threads", threads, MAX_THREADS)?;
    at_most("--hash", hash, MAX_HASH_MB)?;
    let walk = Walk { depth, threads: threads.max(1), hash_mb: hash };
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
