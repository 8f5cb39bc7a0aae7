//! What the benchmark programs share: a CPU clock, contests in interleaved rounds, and the positions.
//!
//! The machine that runs a benchmark is seldom quiet. So two candidates are timed in turn, in many short rounds, by the
//! CPU time of their thread; the result is the median of the ratios within a round, which a slow minute cannot bend.
#![forbid(unsafe_code)]

// The page's chapter on bitboards races the same board; its crate is published, so the file lives there.
#[path = "../../api/src/learn/x88.rs"]
pub mod x88;

use std::time::{Duration, Instant};

/// CPU time used by this thread since it started; wall time where the system does not tell.
#[derive(Debug, Clone, Copy)]
pub struct CpuClock {
    start: Instant,
    cpu: Option<Duration>,
}

impl CpuClock {
    /// Starts the clock.
    pub fn start() -> Self {
        Self { start: Instant::now(), cpu: thread_cpu_time() }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        match (self.cpu, thread_cpu_time()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.start.elapsed(),
        }
    }
}

/// Linux: the first number of `schedstat` is the time on a CPU in nanoseconds, updated at every scheduler tick (some
/// milliseconds), so a sample must last many ticks.
fn thread_cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}

/// Two ways to do the same work. Both return the amount of work done (leaves, moves …), which must agree.
pub struct Contest<'a> {
    /// Table this belongs to.
    pub group: String,
    /// Row in the table.
    pub name: String,
    /// Ours.
    pub ours: Box<dyn Fn() -> u64 + 'a>,
    /// The other side's.
    pub theirs: Box<dyn Fn() -> u64 + 'a>,
}

/// The outcome of a [`Contest`].
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Table this belongs to.
    pub group: String,
    /// Row in the table.
    pub name: String,
    /// Our work per second, median.
    pub ours: f64,
    /// Their work per second, median.
    pub theirs: f64,
    /// How many times faster we are: the median of the ratios within a round.
    pub ratio: f64,
}

impl Comparison {
    /// One tab-separated line for `cargo xtask bench`.
    pub fn line(&self) -> String {
        format!("{}\t{}\t{:.0}\t{:.0}\t{:.4}", self.group, self.name, self.ours, self.theirs, self.ratio)
    }
}

/// A shorter sample would be blurred by the tick of the clock.
const SAMPLE: Duration = Duration::from_millis(200);

/// Runs all contests in interleaved rounds.
///
/// # Errors
/// When two sides disagree on the amount of work: then the figures mean nothing.
pub fn compete(contests: &[Contest<'_>], rounds: usize) -> Result<Vec<Comparison>, String> {
    let mut samples = vec![Vec::new(); contests.len()];
    let mut repeats = Vec::new();
    // Agreement, warm-up, and how often to repeat short work.
    for contest in contests {
        let (ours, theirs) = ((contest.ours)(), (contest.theirs)());
        if ours != theirs {
            return Err(format!("{} {}: {ours} against {theirs}", contest.group, contest.name));
        }
        repeats.push((ours, repeats_for(&contest.ours), repeats_for(&contest.theirs)));
    }
    for round in 0..rounds {
        for ((contest, samples), &(work, our_times, their_times)) in contests.iter().zip(&mut samples).zip(&repeats) {
            let speed = |f: &dyn Fn() -> u64, times: u32| {
                let time = timed(f, times);
                work as f64 * f64::from(times) / time.as_secs_f64()
            };
            // Who starts alternates: a frequency change in mid-round favours nobody.
            let (ours, theirs) = if round % 2 == 0 {
                let ours = speed(&contest.ours, our_times);
                (ours, speed(&contest.theirs, their_times))
            } else {
                let theirs = speed(&contest.theirs, their_times);
                (speed(&contest.ours, our_times), theirs)
            };
            samples.push((ours, theirs, ours / theirs));
        }
        eprint!("\rround {}/{rounds} ", round + 1);
    }
    eprintln!();
    Ok(contests
        .iter()
        .zip(&samples)
        .map(|(contest, samples)| Comparison {
            group: contest.group.clone(),
            name: contest.name.clone(),
            ours: median(samples.iter().map(|s| s.0)),
            theirs: median(samples.iter().map(|s| s.1)),
            ratio: median(samples.iter().map(|s| s.2)),
        })
        .collect())
}

fn timed(work: &dyn Fn() -> u64, times: u32) -> Duration {
    let clock = CpuClock::start();
    for _ in 0..times {
        work();
    }
    clock.elapsed().max(Duration::from_nanos(1))
}

/// How often to do the work for a sample that is long enough. Doubles until the clock has surely ticked.
fn repeats_for(work: &dyn Fn() -> u64) -> u32 {
    let mut times = 1;
    loop {
        let time = timed(work, times);
        if time >= SAMPLE / 4 || times >= 1 << 24 {
            let more = (SAMPLE.as_secs_f64() / time.as_secs_f64()).ceil().clamp(1.0, 16.0);
            return times * more as u32;
        }
        times *= 2;
    }
}

/// The middle value; the mean of the two middle ones when their number is even.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}

/// A chess position of the perft table: name, FEN, depth, leaves at that depth.
pub struct Bench {
    /// Short name.
    pub name: &'static str,
    /// The position.
    pub fen: &'static str,
    /// How deep to count.
    pub depth: u32,
    /// The right answer.
    pub leaves: u64,
}

/// Kiwipete, the favourite of move generator authors: it has everything.
pub const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Positions 1–5 of the usual list (chessprogramming.org, "Perft Results").
pub const POSITIONS: [Bench; 5] = [
    Bench {
        name: "start",
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        depth: 6,
        leaves: 119_060_324,
    },
    Bench { name: "kiwipete", fen: KIWIPETE, depth: 5, leaves: 193_690_690 },
    Bench { name: "position 3", fen: "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", depth: 7, leaves: 178_633_661 },
    Bench {
        name: "position 4",
        fen: "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        depth: 5,
        leaves: 15_833_292,
    },
    Bench {
        name: "position 5",
        fen: "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        depth: 5,
        leaves: 89_941_194,
    },
];

/// Rounds and depth reduction from the command line: `[rounds] [--quick]`.
///
/// # Errors
/// On an argument that is neither.
pub fn arguments(default_rounds: usize) -> Result<(usize, u32), String> {
    let (mut rounds, mut less) = (default_rounds, 0);
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "--quick" => (rounds, less) = (3, 1),
            _ => rounds = word.parse().map_err(|_| format!("'{word}' is neither a number of rounds nor --quick"))?,
        }
    }
    Ok((rounds.max(1), less))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
        assert!(median([].into_iter()).is_nan());
    }

    #[test]
    fn contests_must_agree() {
        let contest = |a: u64, b: u64| Contest {
            group: "g".into(),
            name: "n".into(),
            ours: Box::new(move || a),
            theirs: Box::new(move || b),
        };
        assert!(compete(&[contest(1, 2)], 1).is_err());
    }
}
