//! The one error type of the command line.

use std::any::Any;
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::process::ExitCode;

use anstyle::AnsiColor;
use rukh_coach::CoachError;
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
        let message = message.to_string();
        // Many errors quote it themselves.
        if ["'", "`"].iter().any(|quote| message.contains(&format!("{quote}{input}{quote}"))) {
            return Self::usage(message);
        }
        Self::at(message, input, 0..input.len())
    }

    /// Prints the error and returns the exit status.
    pub fn report(&self) -> ExitCode {
        if !self.silent {
            let red = AnsiColor::Red.on_default().bold();
            // Plain where colours are not wanted: NO_COLOR, TERM=dumb, a file, a pipe.
            let line = self.render(&format!("{red}»"), &format!("«{red:#}"));
            let _ = writeln!(anstream::stderr(), "rukh: {line}");
        }
        ExitCode::from(self.status)
    }

    fn render(&self, open: &str, close: &str) -> String {
        let mut line = one_line(&self.message);
        if let Some((input, range)) = &self.place {
            let start = input.floor_char_boundary(range.start);
            let end = input.floor_char_boundary(range.end.max(start));
            // A huge input is shown around the mark only: the report stays one readable line.
            const AROUND: usize = 120;
            let from = input.floor_char_boundary(start.saturating_sub(AROUND));
            let shown_end = input.floor_char_boundary(end.min(start + AROUND));
            let to = input.floor_char_boundary(shown_end.saturating_add(AROUND));
            let (before, marked, behind) = (&input[from..start], &input[start..shown_end], &input[shown_end..to]);
            let [before, marked, behind] = [before, marked, behind].map(one_line);
            let (cut, cut_behind) = (if from > 0 { "…" } else { "" }, if to < input.len() { "…" } else { "" });
            line += &format!(": {cut}{before}{open}{marked}{close}{behind}{cut_behind}");
        }
        line
    }
}

/// The line without colours, as logs want it.
impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render("»", "«"))
    }
}

/// Whatever went wrong in another room ends the command. What the laboratory refuses was asked for wrongly.
impl<E: std::error::Error + 'static> From<E> for CliError {
    fn from(error: E) -> Self {
        let any: &dyn Any = &error;
        let lab = any.downcast_ref::<LabError>();
        let io = match (lab, any.downcast_ref::<CoachError>()) {
            (Some(LabError::Io(io)), _) | (_, Some(CoachError::Output(io))) => Some(io),
            _ => any.downcast_ref::<io::Error>(),
        };
        let refused = matches!(lab, Some(LabError::Refused(_)));
        let silent = io.is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe);
        Self { silent, status: if refused { 2 } else { 1 }, ..Self::new(error) }
    }
}

/// Control characters (line breaks, escape codes from a hostile file) become blanks.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
