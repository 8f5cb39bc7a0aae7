//! The steps of a long task and their summary.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::shell::Result;

/// How a step ended.
pub enum Outcome {
    /// Passed, with a remark that may be empty.
    Ok(String),
    /// Could not be done on this machine, and why.
    Skipped(String),
    /// Went wrong.
    Failed(String),
}

/// Time on the wall, and of processors where the system tells it and no other step ran meanwhile.
struct Spent {
    wall: Duration,
    cpu: Option<Duration>,
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>6.1} s", self.wall.as_secs_f64())?;
        self.cpu.map_or(Ok(()), |cpu| write!(f, " {:>6.1} s CPU", cpu.as_secs_f64()))
    }
}

/// CPU time of all programs that we have started and that have ended: user and system time in a line of
/// `/proc/<pid>/stat`, where they are fields 16 and 17, in 1/100 s.
fn children(stat: &str) -> Option<Duration> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(16 - 3);
    let (user, system) = (fields.next()?.parse::<u64>().ok()?, fields.next()?.parse::<u64>().ok()?);
    Some(Duration::from_millis(10 * (user + system)))
}

fn children_cpu() -> Option<Duration> {
    children(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// Collects the outcomes of the steps; a failed step does not stop the others.
pub struct Report<'a> {
    start: Instant,
    /// The steps that are wanted; none: all.
    only: &'a [&'a str],
    steps: Mutex<Steps>,
    /// Whether two lists of steps are being run.
    two: AtomicBool,
}

#[derive(Default)]
struct Steps {
    /// The names of those that were passed over.
    others: Vec<&'static str>,
    done: Vec<(&'static str, Outcome, Spent)>,
}

impl<'a> Report<'a> {
    /// No steps yet; those in `only` will be run, or all if it is empty.
    pub fn of(only: &'a [&'a str]) -> Self {
        Self { start: Instant::now(), only, steps: Mutex::default(), two: AtomicBool::new(false) }
    }

    fn steps(&self) -> MutexGuard<'_, Steps> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs two lists of steps at the same time.
    pub fn beside(&self, one: impl FnOnce() + Send, other: impl FnOnce()) {
        self.two.store(true, Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(one);
            other();
        });
        self.two.store(false, Relaxed);
    }

    /// Runs one step, if it is wanted.
    pub fn step(&self, name: &'static str, work: impl FnOnce() -> Result<Outcome>) {
        if !self.only.is_empty() && !self.only.contains(&name) {
            self.steps().others.push(name);
            return;
        }
        eprintln!("\n=== {name}");
        let (start, before) = (Instant::now(), children_cpu());
        let outcome = work().unwrap_or_else(Outcome::Failed);
        match &outcome {
            Outcome::Failed(why) => eprintln!("--- {name} FAILED: {why}"),
            Outcome::Skipped(why) => eprintln!("--- {name} skipped: {why}"),
            Outcome::Ok(_) => {}
        }
        let cpu = before.zip(children_cpu()).filter(|_| !self.two.load(Relaxed));
        let cpu = cpu.map(|(before, after)| after.saturating_sub(before));
        self.steps().done.push((name, outcome, Spent { wall: start.elapsed(), cpu }));
    }

    /// Prints the summary; an error if any step failed.
    pub fn finish(self) -> Result {
        let Steps { others, done } = self.steps.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = self.only.iter().find(|name| !done.iter().any(|(step, ..)| step == *name)) {
            return Err(format!("there is no step '{name}'; there are {}", others.join(", ")));
        }
        println!("\n=== summary");
        let mut failed = Vec::new();
        for (name, outcome, time) in &done {
            let (word, remark) = match outcome {
                Outcome::Ok(remark) => ("ok", remark),
                Outcome::Skipped(why) => ("skipped", why),
                Outcome::Failed(why) => {
                    failed.push(*name);
                    ("FAILED", why)
                }
            };
            println!("{word:<8} {time}  {name:<22} {remark}");
        }
        let total = self.start.elapsed().as_secs();
        println!("{} steps in {} min {:02} s", done.len(), total / 60, total % 60);
        if let Some(cpu) = children_cpu() {
            println!("{} min {:02} s of CPU time", cpu.as_secs() / 60, cpu.as_secs() % 60);
        }
        if failed.is_empty() {
            println!("all is well");
            Ok(())
        } else {
            Err(format!("failed: {}", failed.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_run() {
        let mut ran = Vec::new();
        let report = Report::of(&["b"]);
        for name in ["a", "b", "c"] {
            report.step(name, || {
                ran.push(name);
                Ok(Outcome::Ok(String::new()))
            });
        }
        assert_eq!((ran, report.finish()), (vec!["b"], Ok(())));
        let report = Report::of(&["d"]);
        report.step("a", || Err("is not run".into()));
        assert!(report.finish().unwrap_err().contains("no step 'd'; there are a"));
    }

    #[test]
    fn two_lists_run_at_the_same_time_and_count_both() {
        let report = Report::of(&[]);
        let (to_one, from_other) = std::sync::mpsc::channel();
        let (to_other, from_one) = std::sync::mpsc::channel();
        let wait = Duration::from_secs(60);
        let this = &report;
        let one = move || {
            this.step("one", || {
                to_other.send(()).map_err(|error| error.to_string())?;
                from_other.recv_timeout(wait).map_err(|error| error.to_string())?;
                Ok(Outcome::Ok(String::new()))
            });
        };
        report.beside(one, || {
            report.step("other", || {
                to_one.send(()).map_err(|error| error.to_string())?;
                from_one.recv_timeout(wait).map_err(|error| error.to_string())?;
                Err("as it should".into())
            });
        });
        assert_eq!(report.finish(), Err("failed: other".into()));
    }

    #[test]
    fn children_are_counted_from_behind_the_name() {
        assert_eq!(children("7 (a) b) R 3 4 5 6 -1 8 9 10 11 12 1 2 150 25 20 0"), Some(Duration::from_millis(1750)));
        assert_eq!(children("7 (a) R 3 4"), None);
    }
}
