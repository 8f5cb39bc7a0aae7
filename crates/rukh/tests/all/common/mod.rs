//! Drives the built binary through pipes, as a GUI does.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Long enough for a loaded machine, short enough for a hanging test to end.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// What `rukh` says to these words, without an input.
pub fn rukh(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rukh")).args(words).stdin(Stdio::null()).output().expect("rukh starts")
}

/// The same in a folder, with an input.
pub fn fed(words: &[&str], folder: &Path, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rukh"))
        .current_dir(folder)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("rukh starts");
    // The program may end before it has read everything.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("it ends")
}

/// How long a thread that does nothing but look takes to see a flag now: what a busy machine adds to every answer.
pub fn delay() -> Duration {
    let (looks, flag) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let seen = scope.spawn(|| {
            looks.store(true, SeqCst);
            while !flag.load(SeqCst) {
                std::hint::spin_loop();
            }
            Instant::now()
        });
        while !looks.load(SeqCst) {
            std::thread::yield_now();
        }
        let asked = Instant::now();
        flag.store(true, SeqCst);
        seen.join().expect("it only looks").saturating_duration_since(asked)
    })
}

/// A running engine.
pub struct Dialogue {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
}

impl Dialogue {
    /// Starts `rukh` with these arguments.
    pub fn start(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rukh"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the binary starts");
        let stdout = child.stdout.take().expect("piped");
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines }
    }

    /// Sends one line (or several, joined by line breaks).
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends raw bytes.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("still open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the engine reads");
    }

    /// The next line.
    pub fn line(&mut self) -> (Instant, String) {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("no answer in {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => panic!("the engine has gone"),
        }
    }

    /// Lines up to and including the first that begins so.
    pub fn until(&mut self, start: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            let (_, line) = self.line();
            let found = line.starts_with(start);
            seen.push(line);
            if found {
                return seen;
            }
        }
    }

    /// The first line that begins so; earlier ones are dropped.
    pub fn find(&mut self, start: &str) -> String {
        self.until(start).pop().unwrap_or_default()
    }

    /// How long the answer that begins with `start` takes from now.
    pub fn timed(&mut self, send: &str, start: &str) -> Duration {
        let begin = Instant::now();
        self.send(send);
        loop {
            let (at, line) = self.line();
            if line.starts_with(start) {
                return at.saturating_duration_since(begin);
            }
        }
    }

    /// Closes the engine's input.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end; returns the remaining lines and whether it ended well.
    pub fn end(&mut self) -> (Vec<String>, bool) {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("our child") {
                break status;
            }
            assert!(begin.elapsed() < PATIENCE, "the engine does not end");
            std::thread::sleep(Duration::from_millis(2));
        };
        let rest = self.lines.iter().map(|(_, line)| line).collect();
        (rest, status.success())
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
