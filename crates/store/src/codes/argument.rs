//! Where a command takes a position: `startpos`, a FEN, or a code.

use std::borrow::Cow;

use rukh_code::{AnyCode, CodeError, Codec, Coded, ExtendedCode, Format, PositionCode, Table};
use rukh_core::{Position, Variant, dispatch};

use super::{Opened, RecordError, default_records};
use crate::db::Stored;

/// Why a text is no position.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentError {
    /// A code that says no.
    #[error("{error}{}", help(error, *variant))]
    Code {
        /// Why.
        error: CodeError,
        /// In whose codes it was looked for.
        variant: Variant,
    },
    /// The records could not be read.
    #[error(transparent)]
    Records(#[from] RecordError),
}

/// Which file would help.
fn help(error: &CodeError, variant: Variant) -> String {
    let records = || default_records(variant).map_or("a file of positions".into(), |path| path.display().to_string());
    match error {
        CodeError::NoTable(Table::Record) => format!(": {} would have it ('--positions' names another)", records()),
        CodeError::NoTable(Table::Game) => ": name the database that made the code with '--db'".into(),
        CodeError::NoTable(Table::Opening) => format!(": {variant} has no openings, so it is of another game"),
        CodeError::NoTable(Table::Reachability) => {
            ": name the table of learned positions that made the code with '--learned'".into()
        }
        CodeError::TableVersion { table, .. } | CodeError::NoEntry { table, .. } => match table {
            Table::Record => format!(
                ": it was made with another file of positions than {}; name that one with '--positions'",
                records()
            ),
            Table::Game => ": it was made with another database; name that one with '--db'".into(),
            Table::Reachability => {
                ": it was made with another table of learned positions; name that one with '--learned'".into()
            }
            Table::Opening => ": it was made by a program with other openings".into(),
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
    let digits = text.strip_prefix(['-', '+']);
    let number = digits.is_some() || text.len() < 13 && (text == "0" || !text.starts_with('0')) && !text.is_empty();
    let number = number && digits.unwrap_or(text).bytes().all(|b| b.is_ascii_digit());
    number.then(|| {
        let raw = text.parse().map_err(|_| CodeError::Reserved)?;
        Ok(AnyCode::Short(PositionCode::from_raw(raw)?).into())
    })
}

/// The FEN of a position argument: `startpos`, a FEN as it is, or a code. Codes of records are looked up in the user's
/// own file.
///
/// ```
/// use rukh_core::Variant;
/// let fen = rukh_store::codes::resolve(Variant::Chess, "fd1i81yan7yas").unwrap();
/// assert_eq!(fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
/// ```
pub fn resolve(variant: Variant, text: &str) -> Result<Cow<'_, str>, ArgumentError> {
    dispatch!(type R of variant => resolved::<R>(R::codec(variant), text))
}

/// As [`resolve`], for commands that take moves from the initial position too: those stay as they are, for
/// [`crate::db::position`].
pub fn resolve_or_moves(variant: Variant, text: &str) -> Result<Cow<'_, str>, ArgumentError> {
    let text = text.trim();
    let one_word = !text.contains(|c: char| c.is_whitespace() || c == ',' || c == '/');
    if text == "startpos" {
        Ok(Cow::Borrowed(""))
    } else if one_word && (text.chars().count() >= 13 || is_code(text)) {
        resolve(variant, text)
    } else {
        Ok(Cow::Borrowed(text))
    }
}

fn resolved<'a, R: Stored>(codec: &Codec<R>, text: &'a str) -> Result<Cow<'a, str>, ArgumentError> {
    let text = text.trim();
    if text == "startpos" {
        return Ok(Cow::Borrowed(R::START_FEN));
    }
    // Whatever has ranks is a FEN, and its reader says best what is wrong with it.
    if text.contains('/') {
        return Ok(Cow::Borrowed(text));
    }
    decode(codec, text).map(|pos| Cow::Owned(pos.fen()))
}

/// The position of a code in text, with the tables that every program has.
fn decode<R: Stored>(codec: &Codec<R>, text: &str) -> Result<Position<R>, ArgumentError> {
    let failed = |error| ArgumentError::Code { error, variant: codec.variant() };
    let recorded = |code: PositionCode| matches!(code.format(), Format::Indexed { table: Table::Record, .. });
    let path = match read_code(text).map(|code| code.code) {
        Ok(AnyCode::Short(code)) if recorded(code) => default_records(codec.variant()),
        _ => None,
    };
    let opened = Opened::reading(codec, None, path.as_deref())?;
    opened.decode_text(text).map(|(pos, _)| pos).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever is told no is told which file would say yes.
    #[test]
    fn errors_name_the_file_that_would_help() {
        let said = |error| ArgumentError::Code { error, variant: Variant::Chess }.to_string();
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
        assert!(said(CodeError::NoTable(Table::Record)).contains("positions.chess"));
    }
}
