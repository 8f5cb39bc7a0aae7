//! How many more nodes several threads search than one.

use std::time::{Duration, Instant};

use rukh_engine::{Engine, Limits, Options};

use crate::cli::{Args, CliError};
use crate::outln;

/// Three middle games of the bench, each with something to find.
const POSITIONS: [&str; 3] = [
    "5rk1/2p3p1/1b1pp2p/1b4N1/3P1pqP/2P2BP1/3QPP2/4R1K1 b - - 29 41",
    "r1b1k2r/2q5/p2p1ppn/PpnPp2p/2p1P1PP/2N1QP1N/1PPKB3/R5R1 w kq - 1 17",
    "3r1rk1/1p1b1pp1/pq1bpn2/3p2Q1/1N1P4/2B2PP1/P3PNB1/2R2RK1 b - - 0 19",
];

/// Nodes, wall time and CPU time of some searches.
#[derive(Clone, Copy, Default)]
struct Effort {
    nodes: u64,
    wall: Duration,
    cpu: Duration,
}

impl Effort {
    fn per_second(&self) -> f64 {
        self.nodes as f64 / self.wall.as_secs_f64().max(1e-9)
    }

    fn per_cpu_second(&self) -> f64 {
        self.nodes as f64 / self.cpu.as_secs_f64().max(1e-9)
    }

    /// CPUs in use on average.
    fn cpus(&self) -> f64 {
        self.cpu.as_secs_f64() / self.wall.as_secs_f64().max(1e-9)
    }

    fn add(&mut self, other: Effort) {
        self.nodes += other.nodes;
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

pub fn run(count: usize, mut args: Args) -> Result<(), CliError> {
    let ms: u64 = args.parsed("--ms")?.unwrap_or(1000).clamp(10, 3_600_000);
    let rounds: u32 = args.parsed("--rounds")?.unwrap_or(3).clamp(1, 10_000);
    let hash: usize = args.parsed("--hash")?.unwrap_or(64);
    args.finish()?;
    let engine = |threads| {
        let mut options = Options::default();
        options.set("Threads", &format!("{threads}"))?;
        options.set("Hash", &format!("{hash}"))?;
        Engine::new(options)
    };
    let refused = |error| CliError::input(error, &format!("{count} threads, {hash} MB"));
    let engines = [engine(1).map_err(refused)?, engine(count).map_err(refused)?];
    for (engine, fen) in engines.iter().zip(POSITIONS) {
        search(engine, fen, ms.min(300))?;
    }
    let mut totals = [Effort::default(); 2];
    let mut ratios = Vec::new();
    for round in 1..=rounds {
        let mut pair = [Effort::default(); 2];
        for fen in POSITIONS {
            for (effort, engine) in pair.iter_mut().zip(&engines) {
                effort.add(search(engine, fen, ms)?);
            }
        }
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

fn search(engine: &Engine, fen: &str, ms: u64) -> Result<Effort, CliError> {
    engine.new_game();
    engine.set_position(fen).map_err(|error| CliError::input(error, fen))?;
    let (start, cpu) = (Instant::now(), cpu_time());
    let nodes = engine.go(Limits::movetime(ms), |_| {}).nodes;
    let wall = start.elapsed();
    // Elsewhere than on Linux wall time has to do: right on a free machine.
    let cpu = match (cpu, cpu_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => wall,
    };
    Ok(Effort { nodes, wall, cpu })
}

/// CPU time of all threads of this process. Linux tells it in nanoseconds, counted at every tick of the scheduler.
fn cpu_time() -> Option<Duration> {
    let mut nanoseconds = 0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_grows_with_work_in_any_thread() {
        let Some(before) = cpu_time() else { return };
        let start = Instant::now();
        let work = || {
            while start.elapsed() < Duration::from_millis(200) {
                std::hint::spin_loop();
            }
        };
        // Both are alive when the clock is read: an ended thread takes its time with it.
        std::thread::scope(|scope| {
            let other = scope.spawn(work);
            work();
            assert!(cpu_time().is_some_and(|now| now > before));
            other.join().expect("it only spins");
        });
    }

    #[test]
    fn positions_are_legal() {
        for fen in POSITIONS {
            assert!(rukh_core::Position::<rukh_core::Chess>::from_fen(fen).is_ok(), "{fen}");
        }
    }
}
