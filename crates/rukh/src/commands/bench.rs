//! `rukh bench`: a fixed workload whose node count is the checksum of the search.

use rukh_engine::{BenchResult, bench_with};

use crate::cli::{Args, CliError};
use crate::outln;

pub const SUMMARY: &str = "search a fixed list of positions: nodes and speed";
pub const HELP: &str = "\
usage: rukh bench [depth]

Searches a fixed list of chess and Makruk positions to a fixed depth with one thread. The node count is the
same on every machine and in every build: it tells whether a change altered the search. The speed tells how
fast this machine is. Without a depth it takes the usual one, whose count is part of commit messages.";

/// The lines under a bench; the last one is what other tools read: `<nodes> nodes <nps> nps`.
pub fn summary(result: &BenchResult) -> String {
    let nps = result.nps();
    format!(
        "Total time (ms) : {}\nNodes searched  : {}\nNodes/second    : {nps}\n{} nodes {nps} nps",
        result.time_ms, result.nodes, result.nodes
    )
}

pub fn run(mut args: Args) -> Result<(), CliError> {
    let depth: u32 = match args.positional()? {
        Some(word) => word.parse().map_err(|_| CliError::input("the depth is no number", &word))?,
        None => rukh_engine::BENCH_DEPTH,
    };
    args.finish()?;
    let mut number = 0;
    let result = bench_with(depth, &mut |fen, nodes| {
        number += 1;
        // A closed pipe shows in the summary; the work is short.
        let _ = line(number, fen, nodes);
    });
    outln!("\n{}", summary(&result));
    Ok(())
}

fn line(number: u32, fen: &str, nodes: u64) -> Result<(), CliError> {
    outln!("{number:>3} {nodes:>10} nodes  {fen}");
    Ok(())
}
