//! One UCI engine as a child process: starting it, talking to it, and never waiting for it without a deadline.
//!
//! A reader thread stamps every line with its time of arrival, so that a busy runner does not charge an engine for its
//! own delays. Line length and queue are bounded: an engine that floods its output blocks itself, not us.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::log::Log;
use super::spec::EngineSpec;
use super::uci::{SearchInfo, UciOption};

/// Longest line kept; the rest of a longer one is dropped.
const MAX_LINE: u64 = 32 * 1024;
/// Lines waiting to be read by us.
const QUEUE: usize = 512;
/// How often a wait looks whether the match was stopped.
const POLL: Duration = Duration::from_millis(50);
/// Time given to an engine to leave after `quit`.
const QUIT: Duration = Duration::from_millis(500);

/// Why an engine did not do what it was asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The process ended or closed its output; says how.
    Crash(String),
    /// No answer in time; says to what.
    Hang(String),
    /// The match was stopped meanwhile: nobody's fault.
    Interrupted,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(how) => write!(f, "crashed ({how})"),
            Self::Hang(what) => write!(f, "gave no answer to '{what}'"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// An engine's reply to `go`.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The word after `bestmove`.
    pub best: String,
    /// From `go` to the arrival of the answer.
    pub used: Duration,
    /// It answered only after the deadline and a `stop`.
    pub overdue: bool,
    /// What it last said about its search.
    pub info: SearchInfo,
}

/// How long an engine may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// From start to `uciok`, and from `isready` to `readyok`.
    pub start: Duration,
    /// For a move when no clock limits it.
    pub stall: Duration,
    /// After the deadline and a `stop`, before the engine counts as hung.
    pub grace: Duration,
}

/// A running engine. Dropping it kills the process.
pub struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<(Instant, String)>,
    last_error: Arc<Mutex<String>>,
    label: String,
    log: Option<Arc<Log>>,
    /// What the engine calls itself.
    pub id_name: Option<String>,
    /// The options it offers.
    pub options: Vec<UciOption>,
}

impl Process {
    /// Starts the program; an error here means that the command itself is wrong.
    pub fn spawn(spec: &EngineSpec, label: &str, log: Option<Arc<Log>>) -> io::Result<Self> {
        let mut command = Command::new(&spec.command);
        command.args(&spec.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        // A Ctrl-C on the terminal must reach the runner only: it ends the games in its own way.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("no pipes to the process"));
        };
        let (sender, lines) = sync_channel(QUEUE);
        thread::spawn(move || forward_lines(stdout, &sender));
        let last_error = Arc::new(Mutex::new(String::new()));
        let (shared, error_log, error_label) = (Arc::clone(&last_error), log.clone(), label.to_owned());
        thread::spawn(move || keep_last_line(stderr, &shared, error_log.as_deref(), &error_label));
        Ok(Self { child, stdin, lines, last_error, label: label.to_owned(), log, id_name: None, options: Vec::new() })
    }

    /// Sends one command line.
    pub fn send(&mut self, line: &str) -> Result<(), Failure> {
        if let Some(log) = &self.log {
            log.line(&self.label, '<', line);
        }
        let result = self.stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.stdin.flush());
        result.map_err(|_| self.crash())
    }

    /// `uci` … `uciok`: learns name and options.
    pub fn handshake(&mut self, patience: Patience, stop: &AtomicBool) -> Result<(), Failure> {
        self.send("uci")?;
        let deadline = Instant::now() + patience.start;
        loop {
            let line = self.receive_in_time(deadline, stop, "uci")?;
            let line = line.trim();
            if line == "uciok" {
                return Ok(());
            } else if let Some(name) = line.strip_prefix("id name ") {
                self.id_name =
                    Some(name.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(100).collect());
            } else if let Some(option) = UciOption::parse(line) {
                // A thousand options is not an engine.
                if self.options.len() < 1000 {
                    self.options.push(option);
                }
            }
        }
    }

    /// `isready` … `readyok`.
    pub fn ready(&mut self, patience: Patience, stop: &AtomicBool) -> Result<(), Failure> {
        self.send("isready")?;
        let deadline = Instant::now() + patience.start;
        while self.receive_in_time(deadline, stop, "isready")?.trim() != "readyok" {}
        Ok(())
    }

    /// Lets the engine search: `position`, then `go`, until `bestmove`.
    ///
    /// `allowance` is what its clock permits, margin included; without one [`Patience::stall`] counts.
    pub fn search(
        &mut self,
        position: &str,
        go: &str,
        allowance: Option<Duration>,
        patience: Patience,
        stop: &AtomicBool,
    ) -> Result<Answer, Failure> {
        // Whatever it said out of turn is not an answer to this `go`. One queue's worth: a flood has no end.
        for _ in 0..QUEUE {
            if self.lines.try_recv().is_err() {
                break;
            }
        }
        self.send(position)?;
        // The clock starts before the write: on a busy machine the engine may run before we are back from it.
        let start = Instant::now();
        self.send(go)?;
        let deadline = start + allowance.unwrap_or(patience.stall);
        let mut answer = Answer::default();
        loop {
            let until = if answer.overdue { deadline + patience.grace } else { deadline };
            let expired = match self.receive(until, stop, go) {
                Ok((arrival, line)) => {
                    let mut words = line.split_ascii_whitespace();
                    match words.next() {
                        Some("bestmove") => {
                            answer.best = words.next().unwrap_or("(none)").chars().take(20).collect();
                            answer.used = arrival.saturating_duration_since(start);
                            answer.overdue = arrival > deadline;
                            return Ok(answer);
                        }
                        Some("info") => answer.info.update(&line),
                        _ => {}
                    }
                    arrival > until
                }
                Err(Failure::Hang(_)) => true,
                Err(failure) => return Err(failure),
            };
            if expired {
                if answer.overdue {
                    return Err(hang(go));
                }
                answer.overdue = true;
                self.send("stop")?;
            }
        }
    }

    /// The next line, if one comes within this time.
    pub fn line(&mut self, wait: Duration) -> Result<Option<String>, Failure> {
        match self.lines.recv_timeout(wait) {
            Ok((_, line)) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.crash()),
        }
    }

    /// Asks the engine to leave, and makes it leave if it does not.
    pub fn quit(mut self) {
        if self.send("quit").is_ok() {
            self.wait(QUIT);
        }
    }

    /// The next line, which must have come before the deadline: an engine that talks without end gets no extra time.
    fn receive_in_time(&mut self, deadline: Instant, stop: &AtomicBool, asked: &str) -> Result<String, Failure> {
        let (arrival, line) = self.receive(deadline, stop, asked)?;
        if arrival <= deadline { Ok(line) } else { Err(hang(asked)) }
    }

    /// The next line, waiting until `deadline`; `asked` is what we wait for an answer to.
    fn receive(&mut self, deadline: Instant, stop: &AtomicBool, asked: &str) -> Result<(Instant, String), Failure> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Interrupted);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(POLL)) {
                Ok(stamped) => {
                    if let Some(log) = &self.log {
                        log.line(&self.label, '>', &stamped.1);
                    }
                    return Ok(stamped);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.crash()),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    return Err(hang(asked));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Says how the process ended.
    fn crash(&mut self) -> Failure {
        let mut how = match self.wait(Duration::from_millis(300)) {
            Some(status) => status.to_string(),
            None => "it closed its output".to_owned(),
        };
        let last = self.last_error.lock().unwrap_or_else(PoisonError::into_inner);
        if !last.is_empty() {
            how += ": ";
            how += &last;
        }
        Failure::Crash(how)
    }

    fn wait(&mut self, patience: Duration) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only if the process is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// No answer to that command.
fn hang(asked: &str) -> Failure {
    Failure::Hang(asked.split(' ').next().unwrap_or(asked).to_owned())
}

/// Reads a line of at most [`MAX_LINE`] bytes into `buffer`, dropping the rest; Ok(false) at the end.
fn read_line(reader: &mut impl BufRead, buffer: &mut Vec<u8>) -> io::Result<bool> {
    buffer.clear();
    if reader.take(MAX_LINE).read_until(b'\n', buffer)? == 0 {
        return Ok(false);
    }
    if buffer.last() != Some(&b'\n') {
        // Either the end, or a line too long: skip to its end in bounded steps.
        let mut skipped = Vec::new();
        while reader.take(MAX_LINE).read_until(b'\n', &mut skipped)? > 0 && skipped.last() != Some(&b'\n') {
            skipped.clear();
        }
    }
    Ok(true)
}

fn forward_lines(stdout: impl Read, sender: &SyncSender<(Instant, String)>) {
    let mut reader = BufReader::new(stdout);
    let mut buffer = Vec::new();
    while read_line(&mut reader, &mut buffer).unwrap_or(false) {
        let now = Instant::now();
        let line = String::from_utf8_lossy(&buffer).trim_end().to_owned();
        if sender.send((now, line)).is_err() {
            return;
        }
    }
}

fn keep_last_line(stderr: impl Read, last: &Mutex<String>, log: Option<&Log>, label: &str) {
    let mut reader = BufReader::new(stderr);
    let mut buffer = Vec::new();
    while read_line(&mut reader, &mut buffer).unwrap_or(false) {
        let line = String::from_utf8_lossy(&buffer);
        let line = line.trim();
        if let Some(log) = log {
            log.line(label, '!', line);
        }
        // A Rust panic ends with a hint about backtraces; the line before it is the one that tells.
        if !line.is_empty() && !line.starts_with("note: ") {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = line.chars().take(200).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded() {
        let mut text = b"short\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', 3 * MAX_LINE as usize));
        text.extend(b"\nafter\nno end");
        let mut reader = BufReader::new(&text[..]);
        let mut buffer = Vec::new();
        let mut lengths = Vec::new();
        while read_line(&mut reader, &mut buffer).unwrap() {
            lengths.push(buffer.len());
        }
        assert_eq!(lengths, [6, MAX_LINE as usize, 6, 6]);
    }

    #[test]
    fn failures_read_well() {
        assert_eq!(Failure::Hang("go".into()).to_string(), "gave no answer to 'go'");
        assert_eq!(Failure::Crash("exit status: 3".into()).to_string(), "crashed (exit status: 3)");
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let spec = EngineSpec { command: "there/is/no/such/engine".into(), ..EngineSpec::default() };
        assert!(Process::spawn(&spec, "x", None).is_err());
    }
}
