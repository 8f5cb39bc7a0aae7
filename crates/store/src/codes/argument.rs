//! Where a command takes a position: `startpos`, a FEN, or a code.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use rukh_code::{AnyCode, CodeError, Codec, ExtendedCode, Format, PositionCode, Table};
use rukh_core::{Position, Variant, dispatch};

use super::{OpenTables, Opened, RecordError, default_records};
use crate::db::Stored;

/// Why a text is no position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// Not even something like a code.
    #[error("expected a FEN, `startpos` or a code")]
    Unknown,
    /// A code that says no.
    #[error("{error}{}", help(error, *variant, records.as_deref()))]
    Code {
        /// Why.
        error: CodeError,
        /// In whose codes it was looked for.
        variant: Variant,
        /// The file of records that was asked.
        records: Option<PathBuf>,
    },
    /// The records could not be read.
    #[error(transparent)]
    Records(#[from] RecordError),
}

/// Which file would help, in words that are true in every front end: `rukh code decode` reads all of them.
fn help(error: &CodeError, variant: Variant, records: Option<&Path>) -> String {
    let records = || records.map_or("the user's own file".into(), |path| path.display().to_string());
    match error {
        CodeError::NoTable(Table::Record) => {
            let file = records();
            format!(
                ": it should be in {file}, which does not exist; 'rukh code decode --positions FILE' reads another file"
            )
        }
        CodeError::NoTable(Table::Game) => {
            ": 'rukh code decode --db FOLDER' looks it up in the database it was made with".into()
        }
        CodeError::NoTable(Table::Opening) => {
            format!(": there are no built-in openings for {variant}, so this must be another variant's code")
        }
        CodeError::NoTable(Table::Reachability) => {
            ": 'rukh code decode --learned FILE' looks it up in the table of learned positions it was made with".into()
        }
        CodeError::TableVersion { table, .. } | CodeError::NoEntry { table, .. } => match table {
            Table::Record => format!(
                ": it was made with a file of positions other than {}; use 'rukh code decode --positions FILE'",
                records()
            ),
            Table::Game => ": it was made with another database; use 'rukh code decode --db FOLDER'".into(),
            Table::Reachability => {
                ": it was made with another table of learned positions; use 'rukh code decode --learned FILE'".into()
            }
            Table::Opening => ": it was made by a program with different openings".into(),
        },
        CodeError::Version(..) | CodeError::Checksum(..) => ": the program that made it can decode it".into(),
        _ => String::new(),
    }
}

/// Whether a text has the form of a code rather than of a FEN, `startpos` or a name: a text of 13 characters or more (with
/// clocks or without), or a number.
pub fn is_code(text: &str) -> bool {
    read_code(text).is_ok()
}

/// Reads a code of the first versions: its text, with clocks or without, or its number ([`Opened::decode_text`] knows the later
/// ones, too). A number has a sign or at most twelve digits; longer
/// digits are a text.
///
/// ```
/// use rukh_store::codes::read_code;
/// assert_eq!(read_code("fd1i81yan7yas").unwrap(), read_code("-4355103028923420304").unwrap());
/// assert_eq!(read_code("5").unwrap(), read_code("+5").unwrap());
/// ```
pub fn read_code(text: &str) -> Result<ExtendedCode, CodeError> {
    read_number(text).unwrap_or_else(|| text.parse())
}

/// The code with a number, if the text is one.
pub(super) fn read_number(text: &str) -> Option<Result<ExtendedCode, CodeError>> {
    PositionCode::from_decimal(text).map(|code| code.map(|code| AnyCode::Short(code).into()))
}

/// The FEN of a position argument: `startpos`, a FEN as it is, or a code. Codes of records are looked up in the user's
/// own file.
///
/// ```
/// use rukh_core::Variant;
/// let fen = rukh_store::codes::resolve(Variant::Chess, "fdc_yeyowhwg-").unwrap();
/// assert_eq!(fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
/// ```
pub fn resolve(variant: Variant, text: &str) -> Result<Cow<'_, str>, ArgumentError> {
    dispatch!(type R of variant => resolve_with::<R>(variant, OpenTables::default(), text))
}

/// As [`resolve`], for commands that take moves from the initial position too: those stay as they are, for
/// [`crate::db::position`].
pub fn resolve_or_moves<'a, R: Stored>(
    variant: Variant,
    open: OpenTables<'_, R>,
    text: &'a str,
) -> Result<Cow<'a, str>, ArgumentError> {
    let text = text.trim();
    let one_word = !text.contains(|c: char| c.is_whitespace() || c == ',' || c == '/');
    if text == "startpos" {
        Ok(Cow::Borrowed(""))
    } else if one_word && (text.chars().count() >= 13 || is_code(text)) {
        resolve_with(variant, open, text)
    } else {
        Ok(Cow::Borrowed(text))
    }
}

/// As [`resolve`], with what else is open: codes of that database or table are known, too.
pub fn resolve_with<'a, R: Stored>(
    variant: Variant,
    open: OpenTables<'_, R>,
    text: &'a str,
) -> Result<Cow<'a, str>, ArgumentError> {
    let text = text.trim();
    if text == "startpos" {
        return Ok(Cow::Borrowed(R::START_FEN));
    }
    // Whatever has ranks is a FEN, and its reader says best what is wrong with it.
    if text.contains('/') {
        return Ok(Cow::Borrowed(text));
    }
    match decode(R::codec(variant), open, text) {
        Err(ArgumentError::Code { error: CodeError::TextLength(length), .. }) if length < 13 => {
            Err(ArgumentError::Unknown)
        }
        Err(_) if text.contains(char::is_whitespace) => Err(ArgumentError::Unknown),
        decoded => decoded.map(|pos| Cow::Owned(pos.fen())),
    }
}

/// The position of a code in text, with the tables that every program has and what else is open.
fn decode<R: Stored>(codec: &Codec<R>, open: OpenTables<'_, R>, text: &str) -> Result<Position<R>, ArgumentError> {
    let records = default_records(codec.variant());
    let recorded = |code: PositionCode| matches!(code.format(), Format::Indexed { table: Table::Record, .. });
    let needed = matches!(read_code(text).map(|code| code.code), Ok(AnyCode::Short(code)) if recorded(code));
    let opened = Opened::reading(codec, open, records.as_deref().filter(|_| needed))?;
    let failed = |error| ArgumentError::Code { error, variant: codec.variant(), records };
    opened.decode_text(text).map(|(pos, _)| pos).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_code_is_not_called_one() {
        for text in ["", "hello", "e4 e5", "startpos moves e2e4", "fd1i81yan7ya"] {
            let said = resolve(Variant::Chess, text).unwrap_err().to_string();
            assert_eq!(said, "expected a FEN, `startpos` or a code", "{text}");
        }
        let mistyped = resolve(Variant::Chess, "fd1i81yan7yaa").unwrap_err().to_string();
        assert!(mistyped.contains("check character"), "{mistyped}");
    }

    /// An error names the file that would help.
    #[test]
    fn errors_name_the_file_that_would_help() {
        let said = |error| {
            let records = Some("some/positions.chess".into());
            ArgumentError::Code { error, variant: Variant::Chess, records }.to_string()
        };
        let files = [
            (Table::Record, "--positions"),
            (Table::Game, "--db"),
            (Table::Reachability, "--learned"),
            (Table::Opening, "openings"),
        ];
        for (table, file) in files {
            for error in [
                CodeError::NoTable(table),
                CodeError::TableVersion { table, code: 3, ours: 4 },
                CodeError::NoEntry { table, index: 5 },
            ] {
                let text = said(error);
                assert!(text.contains(file), "{text}");
            }
        }
        assert!(said(CodeError::NoTable(Table::Record)).contains("in some/positions.chess, which does not exist"));
    }
}
