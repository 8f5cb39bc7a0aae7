//! Lines to the GUI from more than one thread.

use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rukh_engine::lock;
/// A stream that is written one whole line at a time. When the GUI has gone, further lines are dropped.
pub struct Output {
    sink: Mutex<Box<dyn Write + Send>>,
    closed: AtomicBool,
}

impl Output {
    /// Standard output.
    pub fn stdout() -> Self {
        Self::new(io::stdout())
    }

    /// Any stream.
    pub fn new(sink: impl Write + Send + 'static) -> Self {
        Self { sink: Mutex::new(Box::new(sink)), closed: AtomicBool::new(false) }
    }

    /// Writes one or more whole lines and flushes.
    pub fn line(&self, text: &str) {
        if self.closed() {
            return;
        }
        let mut out = lock(&self.sink);
        let done = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
        if done.is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    /// A message for the person behind a UCI GUI.
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
