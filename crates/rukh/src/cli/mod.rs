//! What every command needs: arguments, errors, progress, and output that survives a closed pipe.

use std::path::Path;

use rukh_core::{Position, Rules, Variant};
use rukh_files::same_file;
use rukh_store::codes::{resolve, resolve_or_moves};

use crate::game::AnyGame;

mod args;
pub mod define;
mod error;
mod problems;
mod progress;

pub use args::Args;
pub use error::CliError;
pub use problems::Problems;
#[allow(unused_imports)] // used by the long-running commands
pub use progress::Progress;

/// Reads a position: `startpos`, a FEN, or a code. The error marks what is wrong with it.
pub fn read_position<R: Rules>(variant: Variant, text: &str) -> Result<Position<R>, CliError> {
    let fen = resolve(variant, text).map_err(|error| CliError::input(error, text))?;
    Position::from_fen(&fen).map_err(|error| CliError::at(&error, &fen, error.start..error.end))
}

/// The same as the beginning of a game.
pub fn read_game(variant: Variant, text: &str) -> Result<AnyGame, CliError> {
    let fen = resolve(variant, text).map_err(|error| CliError::input(error, text))?;
    AnyGame::from_fen(variant, &fen).map_err(|error| CliError::input(error, &fen))
}

/// Reads a position that may also be moves from the initial one.
pub fn read_place<R: Rules>(variant: Variant, text: &str) -> Result<Position<R>, CliError> {
    let text = resolve_or_moves(variant, text).map_err(|error| CliError::input(error, text))?;
    rukh_store::db::position(&text).map_err(|error| CliError::input(error.problem, &error.part))
}

/// Refuses an output that would replace one of the inputs by something of another kind.
pub fn not_an_input<P: AsRef<Path>>(out: &Path, inputs: impl IntoIterator<Item = P>) -> Result<(), CliError> {
    match inputs.into_iter().find(|input| same_file(out, input.as_ref())) {
        None => Ok(()),
        Some(input) if input.as_ref() == out => {
            Err(CliError::usage(format!("{} is read, so it is not written", out.display())))
        }
        Some(input) => Err(CliError::usage(format!(
            "{} is the same file as {}, which is read, so it is not written",
            out.display(),
            input.as_ref().display()
        ))),
    }
}

/// "1 problem", "2 problems", "3 inaccuracies".
pub fn counted(count: u64, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if count == 1 => format!("{count} {what}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

/// `println!` that returns an error instead of panicking when nobody reads any more (`rukh … | head -1`).
///
/// Needs a function that returns `Result<_, CliError>` (or any error made from `std::io::Error`).
#[macro_export]
macro_rules! outln {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        writeln!(std::io::stdout(), $($text)*)?
    }};
}
