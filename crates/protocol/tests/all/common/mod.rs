//! A session in this process, and what it said.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use rukh_protocol::Output;
use rukh_protocol::uci::Session;

/// Long enough for any machine; only a test that fails waits so long.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// What was said.
#[derive(Clone, Default)]
pub struct Said(Arc<(Mutex<Vec<u8>>, Condvar)>);

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().unwrap().extend_from_slice(bytes);
        self.0.1.notify_all();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Said {
    /// All lines so far; they are forgotten.
    pub fn take(&self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.0.0.lock().unwrap());
        String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
    }

    /// Waits until a whole line begins so.
    pub fn wait_for(&self, start: &str) {
        let begin = Instant::now();
        let mut said = self.0.0.lock().unwrap();
        loop {
            let text = String::from_utf8_lossy(&said);
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            if whole.lines().any(|line| line.starts_with(start)) {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "no '{start}' in\n{text}");
            said = self.0.1.wait_timeout(said, Duration::from_millis(100)).unwrap().0;
        }
    }
}

/// A UCI session and its transcript.
pub struct Talk {
    pub session: Arc<Session>,
    pub said: Said,
}

impl Talk {
    pub fn new() -> Talk {
        let said = Said::default();
        let session = Session::new(Arc::new(Output::new(said.clone()))).unwrap();
        Talk { session: Arc::new(session), said }
    }

    /// Sends lines.
    pub fn send(&self, lines: &str) {
        for line in lines.lines() {
            self.session.line(line);
        }
    }

    /// Waits until nothing runs and nothing waits; all that was said.
    pub fn settled(&self, what: &str) -> Vec<String> {
        let begin = Instant::now();
        while !self.session.is_idle() {
            assert!(begin.elapsed() < PATIENCE, "{what}: still busy\n{}", self.said.take().join("\n"));
            std::thread::sleep(Duration::from_millis(1));
        }
        self.said.take()
    }

    /// Ends the session as `quit` does; all that was said.
    pub fn quit(self, what: &str) -> Vec<String> {
        let (send, receive) = std::sync::mpsc::channel();
        let session = Arc::clone(&self.session);
        std::thread::spawn(move || {
            session.quit();
            let _ = send.send(());
        });
        assert!(receive.recv_timeout(PATIENCE).is_ok(), "{what}: does not end\n{}", self.said.take().join("\n"));
        self.said.take()
    }
}

/// How many lines begin so.
pub fn count(lines: &[String], start: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(start)).count()
}
