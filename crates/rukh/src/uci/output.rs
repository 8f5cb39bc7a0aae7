//! Lines to the GUI from more than one thread.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard output, one whole line at a time. When the GUI has gone, further lines are dropped.
#[derive(Default)]
pub struct Output {
    closed: AtomicBool,
}

impl Output {
    /// Writes one or more whole lines and flushes.
    pub fn line(&self, text: &str) {
        if self.closed() {
            return;
        }
        let mut out = io::stdout().lock();
        let done = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
        if done.is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    /// A message for the person behind the GUI.
    pub fn say(&self, text: &str) {
        for line in text.lines() {
            self.line(&format!("info string {line}"));
        }
    }

    /// Nobody reads any more.
    pub fn closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}
