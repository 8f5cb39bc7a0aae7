//! The one error type of the command line.

use std::fmt;
use std::ops::Range;
use std::process::ExitCode;

use anstyle::AnsiColor;
use rukh_lab::LabError;

/// An error as the user sees it: one line on stderr, the offending part marked, and a non-zero exit status.
///
/// ```text
/// rukh: 'x' is not a piece: rnbqkbnr/ppp»x«pppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
/// ```
#[derive(Debug)]
pub struct CliError {
    message: String,
    /// The text that was wrong and the bytes of it to mark.
    place: Option<(String, Range<usize>)>,
    status: u8,
    /// Nobody reads our output any more: leave without a word.
    silent: bool,
}

#[allow(dead_code)] // each constructor serves the commands that need it
impl CliError {
    /// Something went wrong (exit status 1).
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), place: None, status: 1, silent: false }
    }

    /// The command line itself is wrong (exit status 2).
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { status: 2, ..Self::new(message) }
    }

    /// Something is wrong at `range` (bytes) of `input`; the range is marked in the report. An empty range marks a place.
    pub fn at(message: impl fmt::Display, input: &str, range: Range<usize>) -> Self {
        Self { place: Some((input.to_owned(), range)), status: 2, ..Self::new(message) }
    }

    /// The whole of `input` is wrong.
    pub fn input(message: impl fmt::Display, input: &str) -> Self {
        Self::at(message, input, 0..input.len())
    }

    /// The line without colours, as tests and logs want it.
    pub fn line(&self) -> String {
        self.render("»", "«")
    }

    /// Prints the error and returns the exit status.
    pub fn report(&self) -> ExitCode {
        if !self.silent {
            let red = AnsiColor::Red.on_default().bold();
            // Plain where colours are not wanted: NO_COLOR, TERM=dumb, a file, a pipe.
            anstream::eprintln!("rukh: {}", self.render(&format!("{red}»"), &format!("«{red:#}")));
        }
        ExitCode::from(self.status)
    }

    fn render(&self, open: &str, close: &str) -> String {
        let mut line = one_line(&self.message);
        if let Some((input, range)) = &self.place {
            let start = floor_boundary(input, range.start);
            let end = floor_boundary(input, range.end.max(start)).max(start);
            // A huge input is shown around the mark only: the report stays one readable line.
            const AROUND: usize = 120;
            let from = floor_boundary(input, start.saturating_sub(AROUND));
            let shown_end = floor_boundary(input, end.min(start + AROUND)).max(start);
            let to = floor_boundary(input, shown_end.saturating_add(AROUND));
            line += ": ";
            line += if from > 0 { "…" } else { "" };
            line += &one_line(&input[from..start]);
            line += open;
            line += &one_line(&input[start..shown_end]);
            line += close;
            line += &one_line(&input[shown_end..to]);
            line += if to < input.len() { "…" } else { "" };
        }
        line
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())
    }
}

impl std::error::Error for CliError {}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        let silent = error.kind() == std::io::ErrorKind::BrokenPipe;
        Self { silent, ..Self::new(error) }
    }
}

impl From<LabError> for CliError {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Refused(message) => Self::usage(message),
            LabError::Io(error) => error.into(),
            LabError::Failed(message) => Self::new(message),
        }
    }
}

impl From<String> for CliError {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl From<&str> for CliError {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}

/// The largest character boundary at or below `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Control characters (line breaks, escape codes from a hostile file) become blanks.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
