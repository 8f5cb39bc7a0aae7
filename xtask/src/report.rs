//! The steps of a long task and their summary.

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

/// Collects the outcomes of the steps; a failed step does not stop the others.
pub struct Report {
    start: Instant,
    steps: Vec<(&'static str, Outcome, Duration)>,
}

impl Report {
    /// No steps yet.
    pub fn new() -> Self {
        Self { start: Instant::now(), steps: Vec::new() }
    }

    /// Runs one step.
    pub fn step(&mut self, name: &'static str, work: impl FnOnce() -> Result<Outcome>) {
        eprintln!("\n=== {name}");
        let start = Instant::now();
        let outcome = work().unwrap_or_else(Outcome::Failed);
        match &outcome {
            Outcome::Failed(why) => eprintln!("--- {name} FAILED: {why}"),
            Outcome::Skipped(why) => eprintln!("--- {name} skipped: {why}"),
            Outcome::Ok(_) => {}
        }
        self.steps.push((name, outcome, start.elapsed()));
    }

    /// Prints the summary; an error if any step failed.
    pub fn finish(self) -> Result {
        println!("\n=== summary");
        let mut failed = Vec::new();
        for (name, outcome, time) in &self.steps {
            let (word, remark) = match outcome {
                Outcome::Ok(remark) => ("ok", remark),
                Outcome::Skipped(why) => ("skipped", why),
                Outcome::Failed(why) => {
                    failed.push(*name);
                    ("FAILED", why)
                }
            };
            println!("{word:<8} {:>6.1} s  {name:<22} {remark}", time.as_secs_f64());
        }
        let total = self.start.elapsed().as_secs();
        println!("{} steps in {} min {:02} s", self.steps.len(), total / 60, total % 60);
        if failed.is_empty() {
            println!("all is well");
            Ok(())
        } else {
            Err(format!("failed: {}", failed.join(", ")))
        }
    }
}
