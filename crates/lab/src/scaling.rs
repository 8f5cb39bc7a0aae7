//! How many more nodes several threads search than one.

use std::time::{Duration, Instant};

use rukh_engine::{Engine, EngineError, Limits, Options};

use crate::LabError;

/// Three middle games of the bench, each with something to find.
const POSITIONS: [&str; 3] = [
    "5rk1/2p3p1/1b1pp2p/1b4N1/3P1pqP/2P2BP1/3QPP2/4R1K1 b - - 29 41",
    "r1b1k2r/2q5/p2p1ppn/PpnPp2p/2p1P1PP/2N1QP1N/1PPKB3/R5R1 w kq - 1 17",
    "3r1rk1/1p1b1pp1/pq1bpn2/3p2Q1/1N1P4/2B2PP1/P3PNB1/2R2RK1 b - - 0 19",
];

/// Nodes, wall time and CPU time of some searches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Effort {
    /// Nodes.
    pub nodes: u64,
    /// Wall time.
    pub wall: Duration,
    /// CPU time of all threads.
    pub cpu: Duration,
}

impl Effort {
    /// Nodes a second.
    pub fn per_second(&self) -> f64 {
        self.nodes as f64 / self.wall.as_secs_f64().max(1e-9)
    }

    /// Nodes a second of CPU time.
    pub fn per_cpu_second(&self) -> f64 {
        self.nodes as f64 / self.cpu.as_secs_f64().max(1e-9)
    }

    /// CPUs in use on average.
    pub fn cpus(&self) -> f64 {
        self.cpu.as_secs_f64() / self.wall.as_secs_f64().max(1e-9)
    }

    /// Adds another one.
    pub fn add(&mut self, other: Effort) {
        self.nodes += other.nodes;
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

/// One thread and `threads` of them, side by side.
pub struct Scaling {
    engines: [Engine; 2],
    ms: u64,
}

impl Scaling {
    /// Makes both engines and warms them up; a search will take `ms` milliseconds.
    pub fn new(threads: usize, hash: usize, ms: u64) -> Result<Scaling, LabError> {
        let engine = |threads: usize| {
            let mut options = Options::default();
            options.set("Threads", &format!("{threads}"))?;
            options.set("Hash", &format!("{hash}"))?;
            Engine::new(options)
        };
        let refused = |error: EngineError| LabError::refused(error);
        let engines = [engine(1).map_err(refused)?, engine(threads).map_err(refused)?];
        for (engine, fen) in engines.iter().zip(POSITIONS) {
            search(engine, fen, ms.min(300))?;
        }
        Ok(Scaling { engines, ms })
    }

    /// Both take turns on all positions.
    pub fn round(&self) -> Result<[Effort; 2], LabError> {
        let mut pair = [Effort::default(); 2];
        for fen in POSITIONS {
            for (effort, engine) in pair.iter_mut().zip(&self.engines) {
                effort.add(search(engine, fen, self.ms)?);
            }
        }
        Ok(pair)
    }
}

/// The two of all rounds together.
pub fn together(rounds: &[[Effort; 2]]) -> [Effort; 2] {
    let mut all = [Effort::default(); 2];
    rounds.iter().for_each(|round| all.iter_mut().zip(round).for_each(|(all, &effort)| all.add(effort)));
    all
}

/// How many times a figure of one thread several have: the median of the rounds, of which there is one at least.
pub fn median_ratio(rounds: &[[Effort; 2]], of: fn(&Effort) -> f64) -> f64 {
    let mut ratios: Vec<f64> = rounds.iter().map(|[one, many]| of(many) / of(one)).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn search(engine: &Engine, fen: &str, ms: u64) -> Result<Effort, LabError> {
    engine.new_game();
    engine.set_position(fen).map_err(LabError::new)?;
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

/// CPU time of all threads of this process, those that have ended included; known on Linux only.
fn cpu_time() -> Option<Duration> {
    cpu_time_of(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// The user and system time in a line of `/proc/<pid>/stat`. It counts in 1/100 s on every machine Rust has a name for.
fn cpu_time_of(stat: &str) -> Option<Duration> {
    // The program's name, in parentheses, may hold spaces and parentheses itself. Behind it comes field 3; the times are
    // fields 14 and 15.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(14 - 3);
    let (user, system) = (fields.next()?.parse::<u64>().ok()?, fields.next()?.parse::<u64>().ok()?);
    Some(Duration::from_millis(user.checked_add(system)?.checked_mul(10)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_added_and_compared() {
        let effort = |nodes| Effort { nodes, wall: Duration::from_secs(1), cpu: Duration::from_secs(2) };
        let rounds = [[effort(100), effort(150)], [effort(100), effort(400)], [effort(100), effort(190)]];
        assert_eq!(together(&rounds).map(|all| (all.nodes, all.cpus())), [(300, 2.0), (740, 2.0)]);
        assert!((median_ratio(&rounds, Effort::per_second) - 1.9).abs() < 1e-9);
    }

    #[test]
    fn cpu_time_is_read_behind_any_name() {
        let stat = "7 (a) b 1 2 (c) R 3 4 5 6 -1 8 9 10 11 12 130 14 15 16 20 0 5 0 99";
        assert_eq!(cpu_time_of(stat), Some(Duration::from_millis(1440)));
        for broken in
            ["", "7 (a", "7 (a) R 3", "7 (a) R 3 4 5 6 -1 8 9 10 11 12 130", "7 (a) R 3 4 5 6 -1 8 9 10 11 12 x 14"]
        {
            assert_eq!(cpu_time_of(broken), None, "{broken}");
        }
    }

    /// Threads of other tests begin and end meanwhile; they can only make the sum grow sooner.
    #[test]
    fn cpu_time_keeps_the_work_of_ended_threads() {
        let Some(before) = cpu_time() else { return };
        let (start, mut last) = (Instant::now(), before);
        while last < before + Duration::from_millis(100) {
            let spin = || {
                let start = Instant::now();
                while start.elapsed() < Duration::from_millis(20) {
                    std::hint::spin_loop();
                }
            };
            std::thread::spawn(spin).join().expect("it only spins");
            let now = cpu_time().expect("it could be read before");
            assert!(now >= last, "an ended thread took its time with it: {last:?}, then {now:?}");
            assert!(start.elapsed() < Duration::from_secs(120), "only {:?} of CPU time", now - before);
            last = now;
        }
    }

    #[test]
    fn positions_are_legal() {
        for fen in POSITIONS {
            assert!(rukh_core::Position::<rukh_core::Chess>::from_fen(fen).is_ok(), "{fen}");
        }
    }
}
