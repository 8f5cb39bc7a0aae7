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
//! are a `stop`, too, but a `perft` may finish, and at the end of input a `bench`: whoever sends one wants its number.
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

use std::io::{self, BufRead, BufReader};
use std::sync::{Arc, Mutex};
use std::thread;

use session::Heard;
pub use session::Session;

use crate::input::{Lines, MAX_LINE};
use crate::output::Output;
use rukh_engine::{SEARCH_STACK, lock};

/// Speaks UCI on standard input and output until `quit` or the end of input.
pub fn run() -> io::Result<()> {
    let session = Session::new(Arc::new(Output::stdout())).map_err(io::Error::other)?;
    converse(&session, BufReader::new(io::stdin()))
}

/// Reads lines until `quit` or the end of input, and finishes.
///
/// Two threads take turns: the one that reads `go` searches at once, and the other reads on. A search that had to wait for a
/// thread to start or to wake would lose milliseconds of its clock on a busy machine, move by move.
pub fn converse(session: &Session, input: impl BufRead + Send) -> io::Result<()> {
    let lines = Mutex::new(Some(Lines::new(input, MAX_LINE)));
    thread::scope(|scope| {
        let start = |name: &str| {
            let builder = thread::Builder::new().name(name.into()).stack_size(SEARCH_STACK);
            builder.spawn_scoped(scope, || take_turns(session, &lines))
        };
        let (one, other) = (start("uci-1")?, start("uci-2")?);
        let crashed = |_| Err(io::Error::other("a thread of the session crashed"));
        one.join().unwrap_or_else(crashed).and(other.join().unwrap_or_else(crashed))
    })
}

/// One of the threads that read. There are no `lines` any more once one of them has come to the end.
fn take_turns(session: &Session, lines: &Mutex<Option<Lines<impl BufRead>>>) -> io::Result<()> {
    loop {
        let mut turn = lock(lines);
        let search = loop {
            let Some(reader) = &mut *turn else { return Ok(()) };
            let line = reader.next_line();
            let heard = line.as_ref().map_or(None, |line| line.as_deref()).map(|line| session.hear(line));
            match heard {
                Some(Heard::Done) => {}
                Some(Heard::Search(search)) => break search,
                Some(Heard::Quit) | None => {
                    *turn = None;
                    drop(turn);
                    if heard.is_some() {
                        session.quit()
                    } else {
                        session.finish()
                    }
                    return line.map(drop);
                }
            }
        };
        drop(turn);
        search();
    }
}
