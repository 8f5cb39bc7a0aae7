//! The Universal Chess Interface: `rukh` with no arguments.
//!
//! The main thread reads and answers; searches run on a thread of their own, so that `isready` and `stop` never wait.
//! A command that needs the engine idle (`position`, `setoption`, another `go` …) waits for a limited search and ends
//! an unlimited one, so that a script may send its lines at once.

mod command;
mod info;
mod input;
mod output;
mod session;

pub use command::MAX_LINE;
pub use input::Lines;
pub use output::Output;

use crate::cli::CliError;

/// Speaks UCI on standard input and output until `quit` or the end of input.
pub fn run() -> Result<(), CliError> {
    let mut lines = Lines::new(std::io::stdin().lock(), MAX_LINE);
    let mut session = session::Session::new().map_err(CliError::new)?;
    while let Some(line) = lines.next_line()? {
        if !session.handle(&line) {
            break;
        }
    }
    session.finish();
    Ok(())
}
