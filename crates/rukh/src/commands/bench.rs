//! `rukh bench`: a fixed workload whose node count is the checksum of the search.

mod threads;

use rukh_engine::{bench_classical, bench_page, bench_with};

use crate::cli::{Args, CliError};
use crate::outln;

pub const SUMMARY: &str = "search a fixed list of positions: nodes and speed";
pub const HELP: &str = "\
usage: rukh bench [depth] [--classical | --page]
       rukh bench --threads N [--ms MS] [--rounds N] [--hash MB]

Searches a fixed list of chess and Makruk positions to a fixed depth with one thread. The node count is the
same on every machine and in every build: it tells whether a change altered the search. The speed tells how
fast this machine is. Without a depth it takes the usual one, whose count is part of commit messages.
  --classical   with the classical evaluation instead of the networks
  --page        with the smaller networks that the page plays with

With --threads, how much N threads add: one thread and N take turns on three middle games, after a warm-up.
Wall time says what one gets on this machine now; CPU time takes out what other programs used of it.
  --ms MS       time for a search (1000);  --rounds N  how often (3);  --hash MB  table (64)";

pub fn run(mut args: Args) -> Result<(), CliError> {
    let (classical, page) = (args.flag("--classical"), args.flag("--page"));
    if let Some(count) = args.parsed("--threads")? {
        return threads::run(count, args);
    }
    let depth: u32 = match args.positional()? {
        Some(word) => word.parse().map_err(|_| CliError::input("the depth is no number", &word))?,
        None => rukh_engine::BENCH_DEPTH,
    };
    args.finish()?;
    let mut number = 0;
    let mut tell = |fen: &str, nodes| {
        number += 1;
        // A closed pipe shows in the summary; the work is short.
        let _ = line(number, fen, nodes);
    };
    let result = match (classical, page) {
        (true, true) => return Err(CliError::usage("--classical and --page: one of them")),
        (true, false) => bench_classical(depth, &mut tell),
        (false, true) => bench_page(depth, &mut tell),
        (false, false) => bench_with(depth, &mut tell),
    };
    outln!("\n{result}");
    Ok(())
}

fn line(number: u32, fen: &str, nodes: u64) -> Result<(), CliError> {
    outln!("{number:>3} {nodes:>10} nodes  {fen}");
    Ok(())
}
