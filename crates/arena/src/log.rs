//! The conversation with the engines, for `--log`.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A log file shared by all games. Every line is written at once, so that the log of a hung match is complete.
pub struct Log {
    file: Mutex<File>,
    start: Instant,
}

impl Log {
    /// Opens the file, keeping what is in it: it may be the log of another match, or not a log at all.
    pub fn append(path: impl AsRef<std::path::Path>) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { file: Mutex::new(file), start: Instant::now() })
    }

    /// Writes one line: `<` to the engine, `>` from it, `!` from its error output.
    pub fn line(&self, who: &str, direction: char, text: &str) {
        let seconds = self.start.elapsed().as_secs_f64();
        let line = format!("{seconds:.3} {who} {direction} {}\n", text.trim_end());
        // A full disk must not end the match.
        let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
