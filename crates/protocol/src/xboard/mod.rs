//! The Chess Engine Communication Protocol: `rukh xboard`.
//!
//! Three threads: one reads lines, one searches, and the session between them owns the game. Everything reaches the
//! session through one channel, so that a search that ends and a command that arrives can never be confused. The reader waits
//! for nobody, and the session only for a search that it has told to stop: a command that changes what is searched (`setboard`,
//! `option`, `undo` …) ends the search first; an analysis, or the engine's own move, is taken up again afterwards. `new` and
//! `variant` end an analysis for good.

mod clock;
mod command;
mod session;

use std::io;
use std::sync::{Arc, mpsc};

use rukh_engine::GoResult;

use crate::input::{Lines, MAX_LINE};
use crate::output::Output;

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
        /// What it found.
        result: GoResult,
    },
}

/// Speaks CECP on standard input and output until `quit` or the end of input.
pub fn run() -> io::Result<()> {
    let mut input = Lines::new(io::BufReader::new(io::stdin()), MAX_LINE);
    converse(std::iter::from_fn(move || input.next_line().ok().flatten()), Arc::new(Output::stdout()))
}

/// One dialogue: these lines in, until `quit` or their end; the answers go to `output`.
pub fn converse(lines: impl Iterator<Item = String> + Send + 'static, output: Arc<Output>) -> io::Result<()> {
    let (sender, events) = mpsc::channel();
    let reader = sender.clone();
    // Never joined: it may wait for a line for ever after `quit`.
    std::thread::Builder::new().name("xboard-reader".into()).spawn(move || {
        for line in lines {
            if reader.send(Event::Line(line)).is_err() {
                return;
            }
        }
        let _ = reader.send(Event::Eof);
    })?;
    let mut session = session::Session::new(sender, output).map_err(io::Error::other)?;
    while let Ok(event) = events.recv() {
        if !session.hear(event) {
            break;
        }
    }
    session.finish();
    Ok(())
}
