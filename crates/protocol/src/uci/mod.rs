//! The Universal Chess Interface: `rukh` with no arguments.
//!
//! The thread that reads never waits for a search. Searches (and `perft`, `bench`) run beside it, one at a time, and while
//! one runs
//!
//! - `stop`, `ponderhit`, `debug` and `quit` act at once;
//! - `isready` is answered at once, unless the search has been told to end: then after the commands that wait for that;
//! - `uci`, `d`, `eval` and `help` are answered at once when nothing waits, else in their turn;
//! - `position`, `setoption`, `ucinewgame`, `go`, `flip`, `bench` and `perft` wait for the search to end, in the order in which
//!   they came, so that a script may send its lines at once. A search without a limit (`infinite`, `ponder`) is ended by them.
//!
//! `stop` means every `go` before it: those that still wait are answered as soon as they have a move. `quit` and the end of input
//! are a `stop`, too, but a `perft` or `bench` may finish: whoever sends one wants its number. (`stop` ends a `perft`.)
//!
//! Every `go` gets exactly one `bestmove`, after at least one `info` line. The move is legal wherever there is a legal move: a
//! draw that the rules know (five-fold repetition, 75 moves, bare kings, a Makruk count that has run out) may be played on.
//! The last `info` line with `multipv 1` begins with it. What cannot be understood after `go` is reported with `info string` and
//! left out; should no limit be left, the search lasts [a second](session::UNREADABLE_MS). After a `position` that
//! was refused the engine does not know what is on the GUI's board: `go` is answered `bestmove (none)`, with the reason, until
//! a `position` is understood.

mod command;
mod extras;
mod info;
mod queue;
mod session;

use std::io;
use std::sync::Arc;

pub use session::Session;

use crate::input::{Lines, MAX_LINE};
use crate::output::Output;

/// Speaks UCI on standard input and output until `quit` or the end of input.
pub fn run() -> io::Result<()> {
    let mut lines = Lines::new(io::stdin().lock(), MAX_LINE);
    let session = Session::new(Arc::new(Output::stdout())).map_err(io::Error::other)?;
    while let Some(line) = lines.next_line()? {
        if !session.line(&line) {
            break;
        }
    }
    session.finish();
    Ok(())
}
