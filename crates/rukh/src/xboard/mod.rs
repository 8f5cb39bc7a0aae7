//! The Chess Engine Communication Protocol: `rukh xboard`.
//!
//! Three threads: one reads lines, one searches, and the session between them owns the game. Everything reaches the
//! session through one channel, so that a search that ends and a command that arrives can never be confused.

mod clock;
mod command;
mod session;

use std::sync::mpsc;

use crate::cli::CliError;
use crate::uci::{Lines, MAX_LINE};

/// What the session hears.
pub(crate) enum Event {
    /// A line from the GUI.
    Line(String),
    /// The GUI has closed its end.
    Eof,
    /// A search has ended.
    Done {
        /// Which search.
        id: u64,
        /// The move found.
        best: Option<String>,
        /// The reply it expects.
        reply: Option<String>,
    },
}

/// Speaks CECP on standard input and output until `quit` or the end of input.
pub fn run() -> Result<(), CliError> {
    let (sender, events) = mpsc::channel();
    let lines = sender.clone();
    // Never joined: it may wait for a line for ever after `quit`.
    std::thread::Builder::new().name("xboard-reader".into()).spawn(move || {
        let mut input = Lines::new(std::io::stdin().lock(), MAX_LINE);
        while let Ok(Some(line)) = input.next_line() {
            if lines.send(Event::Line(line)).is_err() {
                return;
            }
        }
        let _ = lines.send(Event::Eof);
    })?;
    let mut session = session::Session::new(sender).map_err(CliError::new)?;
    while let Ok(event) = events.recv() {
        if !session.hear(event) {
            break;
        }
    }
    session.finish();
    Ok(())
}
