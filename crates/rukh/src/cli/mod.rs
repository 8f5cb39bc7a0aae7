//! What every command needs: arguments, errors, progress, and output that survives a closed pipe.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rukh_core::{AnyGame, Position, Variant};
use rukh_files::{lies_in, same_input, same_twice};
use rukh_store::codes::{OpenTables, resolve, resolve_or_moves, resolve_with};
use rukh_store::db::Stored;

/// `println!` that returns an error instead of panicking when nobody reads any more (`rukh … | head -1`).
///
/// Needs a function that returns `Result<_>` (or any error made from `std::io::Error`).
macro_rules! outln {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        writeln!(std::io::stdout(), "{}", $crate::cli::printable(&format_args!($($text)*)))?
    }};
}

/// `eprintln!` that does not mind when nobody reads any more: the work goes on (`rukh … 2>&1 | head -1`).
macro_rules! errln {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "{}", $crate::cli::printable(&format_args!($($text)*)));
    }};
}

mod args;
pub mod define;
mod engine;
mod error;
mod problems;
mod progress;

pub use args::Args;
pub use engine::{EngineArgs, refused};
pub use error::CliError;
pub use problems::Problems;
pub use progress::Progress;

/// What a command comes to.
pub type Result<T = (), E = CliError> = std::result::Result<T, E>;

/// Reads a position: `startpos`, a FEN, or a code, also one of the table or database that is open. The error marks what is
/// wrong with it.
pub fn read_position<R: Stored>(variant: Variant, open: OpenTables<'_, R>, text: &str) -> Result<Position<R>> {
    let fen = resolve_with(variant, open, text).map_err(|error| CliError::input(error, text))?;
    Position::from_fen(&fen).map_err(|error| CliError::at(&error, &fen, error.start..error.end))
}

/// The same as the beginning of a game.
pub fn read_game(variant: Variant, text: &str) -> Result<AnyGame> {
    let fen = resolve(variant, text).map_err(|error| CliError::input(error, text))?;
    AnyGame::from_fen(variant, &fen).map_err(|error| CliError::at(&error, &fen, error.start..error.end))
}

/// Reads a position that may also be moves from the initial one, or a code of the database that is open.
pub fn read_place<R: Stored>(variant: Variant, open: OpenTables<'_, R>, text: &str) -> Result<Position<R>> {
    let text = resolve_or_moves(variant, open, text).map_err(|error| CliError::input(error, text))?;
    rukh_store::db::position(&text).map_err(|error| CliError::input(error.problem, &error.part))
}

/// Refuses an output that would replace one of the inputs by something of another kind. A database has its folder to itself:
/// nothing else is written there.
pub fn not_an_input<P: AsRef<Path>>(out: &Path, inputs: impl IntoIterator<Item = P>) -> Result {
    let taken = |input: &P| same_input(out, input.as_ref()) || lies_in(out, input.as_ref());
    let Some(input) = inputs.into_iter().filter(|_| out.as_os_str() != "-").find(taken) else { return Ok(()) };
    let (input, shown) = (input.as_ref(), out.display());
    Err(CliError::usage(if input == out {
        format!("{shown} is an input file, so it is not overwritten")
    } else if input.is_dir() {
        format!("{shown} is in {}, which is an input folder; choose another place", input.display())
    } else {
        format!("{shown} is the same file as {}, which is an input file, so it is not overwritten", input.display())
    }))
}

/// Refuses options that name the same file: what is written last would be all that is left.
pub fn each_its_own(args: &Args, options: &[&'static str]) -> Result {
    let named = |name: &&'static str| Some((*name, args.path(name).filter(|path| path.as_os_str() != "-")?));
    let files: Vec<_> = options.iter().filter_map(named).collect();
    let Some((first, second, path)) = same_twice(&files) else { return Ok(()) };
    Err(CliError::input(format!("{first} and {second} name the same file"), &path.to_string_lossy()))
}

/// Bytes of all files together; none if one of them is no file.
pub fn bytes_of(files: &[PathBuf]) -> Option<u64> {
    let size = |file: &PathBuf| std::fs::metadata(file).ok().filter(|about| about.is_file()).map(|about| about.len());
    files.iter().map(size).sum()
}

/// Raised by Ctrl-C. A second handler cannot be set, and need not be: what was done so far is kept all the while.
pub fn stop_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    let _ = ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed));
    stop
}

/// A share in per cent.
pub fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// "1 problem", "2 problems", "3 inaccuracies".
pub fn counted(count: u64, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if count == 1 => format!("{count} {what}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

/// Text for a terminal. What a hostile file or engine has put into a name to move the cursor, to colour or to rename the window
/// becomes a blank.
pub fn printable(text: &dyn std::fmt::Display) -> String {
    let unsafe_there = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.to_string().replace(unsafe_there, " ")
}
