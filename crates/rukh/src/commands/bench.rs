//! `rukh bench`: a fixed workload whose node count is the checksum of the search.

use std::io::Write;

use clap::Command;
use rukh_engine::{bench_classical, bench_page, bench_with};
use rukh_lab::scaling::{Effort, Scaling, median_ratio, together};

use crate::cli::define::{self, flag, json, opt, word};
use crate::cli::{Args, Result};

pub fn command() -> Command {
    define::command("bench", "search a fixed set of positions: node count and speed")
        .arg(word("depth", "search depth instead of the default").required(false))
        .arg(flag("classical", "use the classical evaluation instead of NNUE"))
        .arg(flag("page", "use the smaller networks of the web page").conflicts_with("classical"))
        .arg(json().conflicts_with("threads"))
        .arg(opt("threads N", "measure the speedup of N threads over one, in turn, on three middlegame positions"))
        .arg(opt("ms MS", "with --threads: time per search (default 1000)").requires("threads"))
        .arg(opt("rounds N", "with --threads: number of rounds (default 3)").requires("threads"))
        .arg(opt("hash MB", "with --threads: hash table (default 64)").requires("threads"))
        .after_help(
            "Searches chess and Makruk positions to a fixed depth with one thread. The node count is the same on every\n\
             machine and in every build, so it shows whether a change has altered the search. With --threads, wall time\n\
             shows what you get on this machine right now, CPU time what you would get without other programs running.",
        )
}

pub fn run(args: Args) -> Result {
    let (classical, page) = (args.flag("--classical"), args.flag("--page"));
    if let Some(count) = args.positive("--threads")? {
        return threads(count, args);
    }
    let depth = args.or("depth", rukh_engine::BENCH_DEPTH)?;
    let (json, mut positions) = (args.flag("--json"), Vec::new());
    let mut tell = |fen: &str, nodes| {
        positions.push((fen.to_owned(), nodes));
        if !json {
            // A closed pipe shows in the summary; the work is short.
            let _ = writeln!(std::io::stdout(), "{:>3} {nodes:>10} nodes  {fen}", positions.len());
        }
    };
    let result = match (classical, page) {
        (true, _) => bench_classical(depth, &mut tell),
        (_, true) => bench_page(depth, &mut tell),
        (false, false) => bench_with(depth, &mut tell),
    };
    if json {
        outln!("{}", rukh_api::reports::bench(depth, &positions, &result));
    } else {
        outln!("\n{result}");
    }
    Ok(())
}

/// How many more nodes several threads search than one.
fn threads(count: usize, args: Args) -> Result {
    let ms: u64 = args.within("--ms", 1000, 10..=3_600_000)?;
    let rounds: u32 = args.within("--rounds", 3, 1..=10_000)?;
    let hash: usize = args.positive("--hash")?.unwrap_or(64);
    let scaling = Scaling::new(count, hash, ms)?;
    let mut pairs = Vec::new();
    for round in 1..=rounds {
        let [one, many] = scaling.round()?;
        outln!(
            "round {round}: 1 thread {:>9.0} nodes/s ({:.2} CPUs), {count} threads {:>9.0} nodes/s ({:.2} CPUs): {:.2} times, {:.3} per CPU second",
            one.per_second(),
            one.cpus(),
            many.per_second(),
            many.cpus(),
            many.per_second() / one.per_second(),
            many.per_cpu_second() / one.per_cpu_second(),
        );
        pairs.push([one, many]);
    }
    outln!("\n| threads | nodes a second | nodes a CPU second | CPUs in use |\n| ---: | ---: | ---: | ---: |");
    for (threads, effort) in [1, count].into_iter().zip(together(&pairs)) {
        let (wall, cpu, cpus) = (effort.per_second(), effort.per_cpu_second(), effort.cpus());
        outln!("| {threads} | {wall:.0} | {cpu:.0} | {cpus:.2} |");
    }
    let (wall, cpu) = (median_ratio(&pairs, Effort::per_second), median_ratio(&pairs, Effort::per_cpu_second));
    outln!(
        "\n{count} threads: {wall:.2} times the nodes of one in the same time; {cpu:.3} of its nodes per CPU second, \
         which is {:.2} times on {count} free cores (medians of {rounds} rounds)",
        cpu * count as f64
    );
    Ok(())
}
