//! Progress on stderr.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// A progress line on stderr: redrawn in place on a terminal, a plain line now and then elsewhere, and nothing at all
/// for work that is done at once.
///
/// ```text
/// let mut progress = Progress::new("perft", Some(total));
/// progress.set(done, "e2e4 9771632");   // as often as you like: it draws only when it is time
/// progress.finish();
/// ```
pub struct Progress {
    name: &'static str,
    total: Option<u64>,
    start: Instant,
    next: Instant,
    terminal: bool,
    drawn: bool,
}

/// Short work shows no progress.
const QUIET: Duration = Duration::from_millis(700);
const REDRAW: Duration = Duration::from_millis(100);
/// Between plain lines when stderr is a file or a pipe.
const LOG: Duration = Duration::from_secs(15);
const BAR: usize = 24;

impl Progress {
    /// Starts the clock. `total` is what `done` will reach, if that is known.
    pub fn new(name: &'static str, total: Option<u64>) -> Self {
        let start = Instant::now();
        let terminal = std::io::stderr().is_terminal();
        let next = start + if terminal { QUIET } else { LOG };
        Self { name, total, start, next, terminal, drawn: false }
    }

    /// Reports how far the work is, with a short note.
    pub fn set(&mut self, done: u64, note: &str) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + if self.terminal { REDRAW } else { LOG };
        let line = line(self.name, done, self.total, now - self.start, note, self.terminal);
        // Progress is a courtesy: a closed stderr must not stop the work.
        let mut stderr = std::io::stderr().lock();
        let _ = if self.terminal {
            self.drawn = true;
            write!(stderr, "\r\x1b[2K{line}").and_then(|()| stderr.flush())
        } else {
            writeln!(stderr, "{line}")
        };
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Wipes the line, so that what is printed next stands alone; the next report draws it again.
    pub fn wipe(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let mut stderr = std::io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[2K").and_then(|()| stderr.flush());
        }
    }

    /// Wipes the line for good. Also done when dropped.
    pub fn finish(self) {}
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// A line of progress.
pub fn line(name: &str, done: u64, total: Option<u64>, elapsed: Duration, note: &str, bar: bool) -> String {
    let seconds = elapsed.as_secs();
    let mut line = format!("{name} ");
    if let Some(total) = total.filter(|&total| total > 0) {
        let share = (done as f64 / total as f64).clamp(0.0, 1.0);
        if bar {
            let full = (share * BAR as f64) as usize;
            line += &format!("[{}{}] ", "█".repeat(full), "·".repeat(BAR - full));
        }
        line += &format!("{:3.0} % {done}/{total} {}", share * 100.0, clock(seconds));
        if share > 0.02 && share < 1.0 {
            line += &format!(", {} left", clock((elapsed.as_secs_f64() * (1.0 / share - 1.0)) as u64));
        }
        if !note.is_empty() {
            line += "  ";
            line += note;
        }
    } else {
        // What is counted begins the note: "pgn 5000 games, 0:15".
        let space = if note.is_empty() { "" } else { " " };
        line += &format!("{done}{space}{note}, {}", clock(seconds));
    }
    line
}

fn clock(seconds: u64) -> String {
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m}:{s:02}") }
}
