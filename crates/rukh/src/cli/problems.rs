//! Bad parts of an input that do not end the work: named as they come, counted for the exit status.
//!
//! One rule for all commands: the rest is used and what was made of it is kept, but the exit status is 1, because the answer is
//! not of everything that was asked about.

use std::fmt::Display;

use super::{CliError, Result, counted};

/// Shows the first problems on stderr and counts all of them.
pub struct Problems {
    limit: u64,
    count: u64,
}

impl Problems {
    /// Shows at most `limit` problems; 0 for all.
    pub fn new(limit: u64) -> Problems {
        Problems { limit, count: 0 }
    }

    /// Whether the next problem will be shown.
    pub fn shows_another(&self) -> bool {
        self.limit == 0 || self.count < self.limit
    }

    /// A problem that says itself where it is.
    pub fn add(&mut self, problem: impl Display) {
        if self.shows_another() {
            errln!("{problem}");
        } else if self.count == self.limit {
            errln!("(further problems are only counted)");
        }
        self.count += 1;
    }

    /// A problem in a line of a file, or of standard input for `-`.
    pub fn at_line(&mut self, file: &str, line: u64, problem: impl Display) {
        let file = if file == "-" { "standard input" } else { file };
        self.add(format_args!("{file}:{line}: {problem}"));
    }

    /// What was made of a line of a file; what is wrong with it is noted.
    pub fn good<T>(&mut self, file: &str, line: u64, made: Result<T, impl Display>) -> Option<T> {
        made.map_err(|problem| self.at_line(file, line, problem)).ok()
    }

    /// So many problems that nobody names one by one.
    pub fn add_all(&mut self, count: u64, said: impl Display) {
        if count > 0 {
            self.add(said);
            self.count += count - 1;
        }
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// An error if there were any.
    pub fn verdict(&self) -> Result {
        match self.count {
            0 => Ok(()),
            n => Err(CliError::new(counted(n, "problem"))),
        }
    }
}
