//! What every command needs: arguments, errors, progress, and output that survives a closed pipe.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use rukh_core::{Position, Rules};

mod args;
mod error;
mod progress;

pub use args::Args;
pub use error::CliError;
#[allow(unused_imports)] // used by the long-running commands
pub use progress::Progress;

/// Reads a FEN; the error marks what is wrong with it.
pub fn read_fen<R: Rules>(fen: &str) -> Result<Position<R>, CliError> {
    Position::from_fen(fen).map_err(|error| CliError::at(&error, fen, error.start..error.end))
}

/// Writes a file whole at once: whoever reads it, and whoever comes after a power failure, finds the old or the new one.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let failed = |error: io::Error| CliError::new(format!("cannot write {}: {error}", path.display()));
    let mut half = path.as_os_str().to_owned();
    half.push(".tmp");
    let mut file = File::create(&half).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&half, path).map_err(failed)
}

/// "1 problem", "2 problems".
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
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
