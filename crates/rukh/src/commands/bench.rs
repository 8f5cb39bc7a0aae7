//! `rukh bench`: a fixed workload whose node count is the checksum of the search.

use clap::Command;
use rukh_engine::{bench_classical, bench_page, bench_with};
use rukh_lab::scaling::{Effort, Scaling};

use crate::cli::define::{self, flag, opt, word};
use crate::cli::{Args, CliError};
use crate::outln;

pub fn command() -> Command {
    define::command("bench", "search a fixed list of positions: nodes and speed")
        .arg(word("depth", "instead of the usual one").required(false))
        .arg(flag("classical", "with the classical evaluation instead of the networks"))
        .arg(flag("page", "with the smaller networks that the page plays with").conflicts_with("classical"))
        .arg(opt("threads", "N", "measure how much N threads add: one and N take turns on three middle games"))
        .arg(opt("ms", "MS", "with --threads: time for a search (default 1000)"))
        .arg(opt("rounds", "N", "with --threads: how often (default 3)"))
        .arg(opt("hash", "MB", "with --threads: hash table (default 64)"))
        .after_help(
            "Searches chess and Makruk positions to a fixed depth with one thread. The node count is the same on every\n\
             machine and in every build: it tells whether a change altered the search. The speed tells how fast this\n\
             machine is. With --threads, wall time says what one gets on this machine now; CPU time takes out what other\n\
             programs used of it.",
        )
}

pub fn run(args: Args) -> Result<(), CliError> {
    let (classical, page) = (args.flag("--classical"), args.flag("--page"));
    if let Some(count) = args.parsed("--threads")? {
        return threads(count, args);
    }
    let depth = args.parsed("depth")?.unwrap_or(rukh_engine::BENCH_DEPTH);
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

/// How many more nodes several threads search than one.
fn threads(count: usize, args: Args) -> Result<(), CliError> {
    let ms: u64 = args.parsed("--ms")?.unwrap_or(1000).clamp(10, 3_600_000);
    let rounds: u32 = args.parsed("--rounds")?.unwrap_or(3).clamp(1, 10_000);
    let hash: usize = args.parsed("--hash")?.unwrap_or(64);
    let scaling = Scaling::new(count, hash, ms)
        .map_err(|error| CliError::input(error, &format!("{count} threads, {hash} MB")))?;
    let mut totals = [Effort::default(); 2];
    let mut ratios = Vec::new();
    for round in 1..=rounds {
        let pair = scaling.round()?;
        let [one, many] = pair;
        let (wall, cpu) = (many.per_second() / one.per_second(), many.per_cpu_second() / one.per_cpu_second());
        outln!(
            "round {round}: 1 thread {:>9.0} nodes/s ({:.2} CPUs), {count} threads {:>9.0} nodes/s ({:.2} CPUs): {wall:.2} times, {cpu:.3} per CPU second",
            one.per_second(),
            one.cpus(),
            many.per_second(),
            many.cpus(),
        );
        ratios.push((wall, cpu));
        totals.iter_mut().zip(pair).for_each(|(total, part)| total.add(part));
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let [one, many] = totals;
    outln!("\n| threads | nodes a second | nodes a CPU second | CPUs in use |\n| ---: | ---: | ---: | ---: |");
    for (threads, effort) in [(1, one), (count, many)] {
        let (wall, cpu, cpus) = (effort.per_second(), effort.per_cpu_second(), effort.cpus());
        outln!("| {threads} | {wall:.0} | {cpu:.0} | {cpus:.2} |");
    }
    let wall = median(ratios.iter().map(|r| r.0).collect());
    let cpu = median(ratios.iter().map(|r| r.1).collect());
    outln!(
        "\n{count} threads: {wall:.2} times the nodes of one in the same time; {cpu:.3} of its nodes per CPU second, \
         which is {:.2} times on {count} free cores (medians of {rounds} rounds)",
        cpu * count as f64
    );
    Ok(())
}
