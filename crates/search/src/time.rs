//! Time: how long to think, and never longer than the clock allows.

use crate::limits::Limits;
use rukh_core::Color;

/// A point in time. On WebAssembly there is no system clock: the host gives one with `set_clock`.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    #[cfg(not(target_arch = "wasm32"))]
    start: std::time::Instant,
    #[cfg(target_arch = "wasm32")]
    start: f64,
}

#[cfg(target_arch = "wasm32")]
static HOST_CLOCK: std::sync::OnceLock<fn() -> f64> = std::sync::OnceLock::new();

/// Gives the search a clock in milliseconds where the system has none. Only the first call counts.
#[cfg(target_arch = "wasm32")]
pub fn set_clock(now_ms: fn() -> f64) {
    let _ = HOST_CLOCK.set(now_ms);
}

impl Clock {
    /// Starts counting.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn start() -> Clock {
        Clock { start: std::time::Instant::now() }
    }

    /// Milliseconds since the start.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn elapsed_ms(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    /// Starts counting.
    #[cfg(target_arch = "wasm32")]
    pub fn start() -> Clock {
        Clock { start: HOST_CLOCK.get().map_or(0.0, |now| now()) }
    }

    /// Milliseconds since the start; always 0 without a host clock.
    #[cfg(target_arch = "wasm32")]
    pub fn elapsed_ms(&self) -> u64 {
        HOST_CLOCK.get().map_or(0.0, |now| now() - self.start).max(0.0) as u64
    }
}

/// The plan for one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimePlan {
    /// Aim of a quiet position, before the factors below.
    soft: Option<f64>,
    /// Never think longer than this.
    hard: Option<u64>,
}

/// What the search knows after an iteration that says whether to go on.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Share of all nodes spent on the best move.
    pub best_fraction: f64,
    /// Iterations since the best move last changed.
    pub stable: u32,
    /// Fall of the score against recent iterations and the move before, centipawns (negative: it rose).
    pub falling: i32,
}

/// So many times the overhead are kept for delays, where there is that much.
const RESERVE: f64 = 9.0;

impl TimePlan {
    /// No limit of time.
    pub const NONE: TimePlan = TimePlan { soft: None, hard: None };

    /// Plans the time of one move. `overhead` milliseconds are lost between us and the clock in every move.
    pub fn new(limits: &Limits, us: Color, overhead: u64) -> TimePlan {
        if let Some(ms) = limits.movetime {
            let ms = ms.saturating_sub(overhead.min(ms / 2)).max(1);
            return TimePlan { soft: None, hard: Some(ms) };
        }
        let Some(time) = limits.time[us.index()] else { return TimePlan::NONE };
        let inc = limits.inc[us.index()] as f64;
        // The reserve is kept out of every sum below, so that even the hard limit leaves it on the clock.
        let usable = time.saturating_sub(overhead) as f64;
        let (soft, hard) = match limits.movestogo {
            Some(n) => {
                let n = n.clamp(1, 40) as f64;
                // Each move still to come pays the overhead once more.
                let left = (usable - overhead as f64 * (n - 1.0)).max(usable * 0.1);
                let share = left / n + 0.8 * inc;
                (share * 0.75, (share * 4.0).min(usable * if n < 1.5 { 0.95 } else { 0.75 }))
            }
            None => {
                // A busy machine loses more than the overhead now and then: some of it stays in reserve to the end.
                let left = usable - (RESERVE * overhead as f64).min(usable * 0.5);
                // …and what a move loses must not be spent out of the increment.
                let gain = (inc - 0.5 * overhead as f64).max(0.0);
                let share = left / 28.0 + 0.75 * gain;
                (share, (share * 4.5).min(left * 0.55))
            }
        };
        let hard = hard.min(usable * 0.95).max(1.0);
        TimePlan { soft: Some(soft.min(hard * 0.9).max(1.0)), hard: Some(hard as u64) }
    }

    /// The limit that must not be passed.
    pub fn hard(&self) -> Option<u64> {
        self.hard
    }

    /// Whether to end the search now that an iteration is complete.
    pub fn is_enough(&self, elapsed_ms: u64, progress: &Progress) -> bool {
        let Some(soft) = self.soft else { return false };
        elapsed_ms as f64 >= soft * Self::factor(progress)
    }

    /// Effort follows doubt: more when the best move takes a small share of the tree, has just changed, or looks worse.
    fn factor(p: &Progress) -> f64 {
        const STABILITY: [f64; 7] = [1.9, 1.35, 1.1, 0.95, 0.88, 0.82, 0.78];
        let nodes = (1.55 - p.best_fraction) * 1.45;
        let stability = STABILITY[(p.stable as usize).min(STABILITY.len() - 1)];
        let trend = (1.0 + f64::from(p.falling) * 0.008).clamp(0.80, 1.60);
        nodes * stability * trend
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(time: u64, inc: u64, movestogo: Option<u32>) -> Limits {
        Limits { time: [Some(time); 2], inc: [inc; 2], movestogo, ..Limits::default() }
    }

    #[test]
    fn the_hard_limit_leaves_the_overhead_on_the_clock() {
        for time in [1, 5, 20, 50, 100, 1000, 8000, 60_000, 5_400_000] {
            for inc in [0, 80, 1000, 30_000] {
                for mtg in [None, Some(1), Some(2), Some(40)] {
                    for overhead in [0, 10, 50, 500] {
                        let plan = TimePlan::new(&clock(time, inc, mtg), Color::White, overhead);
                        let hard = plan.hard().unwrap();
                        assert!(hard >= 1);
                        assert!(
                            hard + overhead <= time || hard == 1,
                            "{time}+{inc}, {mtg:?} to go, overhead {overhead}: hard {hard}"
                        );
                        assert!(plan.soft.unwrap() <= hard as f64 + 1.0);
                    }
                }
            }
        }
    }

    #[test]
    fn a_whole_game_at_the_soft_limit_never_runs_dry() {
        let (mut time, inc, overhead) = (8000u64, 80u64, 10u64);
        for _ in 0..300 {
            let plan = TimePlan::new(&clock(time, inc, None), Color::Black, overhead);
            // Every move takes the hard limit and loses the overhead.
            let used = plan.hard().unwrap() + overhead;
            assert!(used < time || time <= overhead + 1, "{used} of {time}");
            time = time - used + inc;
        }
    }

    #[test]
    fn a_stall_of_a_hundred_milliseconds_is_survived_at_one_second() {
        // 1+0.01, every move as long as the soft limit asks, 5 ms lost in each, and a stall now and then.
        let (mut time, inc, overhead) = (1000i64, 10, 20);
        for turn in 1..=400 {
            let plan = TimePlan::new(&clock(time as u64, inc, None), Color::White, overhead);
            let stall = if turn % 60 == 0 { 100 } else { 5 };
            time -= plan.soft.unwrap() as i64 + stall;
            assert!(time > 0, "move {turn}");
            time += inc as i64;
        }
    }

    #[test]
    fn doubt_costs_time() {
        let calm = Progress { best_fraction: 0.95, stable: 8, falling: 0 };
        let doubt = Progress { best_fraction: 0.3, stable: 0, falling: 40 };
        assert!(TimePlan::factor(&calm) < 0.9);
        assert!(TimePlan::factor(&doubt) > 2.5);
    }

    #[test]
    fn a_fixed_time_has_no_soft_limit() {
        let plan = TimePlan::new(&Limits::movetime(1000), Color::White, 10);
        assert_eq!(plan.hard(), Some(990));
        assert!(!plan.is_enough(980, &Progress { best_fraction: 1.0, stable: 50, falling: -500 }));
    }
}
