//! Bad parts of an input that do not end the work: named as they come, counted for the exit status.

use std::fmt::Display;

use super::{CliError, counted};

/// Shows the first problems on stderr and counts all of them.
pub struct Problems {
    shown: u64,
    limit: u64,
    count: u64,
}

impl Problems {
    /// Shows at most `limit` problems; 0 for all.
    pub fn new(limit: u64) -> Problems {
        Problems { shown: 0, limit, count: 0 }
    }

    /// A problem that says itself where it is.
    pub fn add(&mut self, problem: impl Display) {
        self.count += 1;
        if self.limit == 0 || self.shown < self.limit {
            self.shown += 1;
            eprintln!("{problem}");
        }
    }

    /// A problem in a line of a file, or of standard input for `-`.
    pub fn at_line(&mut self, file: &str, line: u64, problem: impl Display) {
        let file = if file == "-" { "standard input" } else { file };
        self.add(format_args!("{file}:{line}: {problem}"));
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// An error if there were any.
    pub fn verdict(&self) -> Result<(), CliError> {
        match self.count {
            0 => Ok(()),
            n => Err(CliError::new(counted(n, "problem"))),
        }
    }
}
