//! EPD: a position and operations, as test suites use it.

use crate::fen::FenError;
use crate::position::Position;
use crate::rules::Rules;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// One line of an EPD file: four fields of a FEN, then operations such as `bm Qg6; id "WAC.001";`.
///
/// ```
/// use rukh_core::{Chess, Epd};
/// let epd: Epd<Chess> = Epd::parse("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"WAC.001\";").unwrap();
/// assert_eq!(epd.operand("bm"), Some("Qg6"));
/// assert_eq!(epd.operand("id"), Some("WAC.001"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epd<R: Rules> {
    /// The position; `hmvc` and `fmvn` set its clocks.
    pub position: Position<R>,
    /// Operations in order: opcode and operands.
    pub operations: Vec<(String, Vec<String>)>,
}

/// A line that is not EPD.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum EpdError {
    #[error("{0}")]
    Fen(#[from] FenError),
    #[error("bad EPD: a quoted text has no end")]
    OpenQuote,
    #[error("bad EPD: the operation `{0}` is not a name of letters, digits and underscores that begins with a letter")]
    Opcode(String),
}

impl<R: Rules> Epd<R> {
    /// Reads one line. Clocks may follow the four fields, as in a FEN.
    pub fn parse(line: &str) -> Result<Self, EpdError> {
        let mut rest = line.trim();
        let mut end = 0;
        let mut fields = 0;
        // Four fields, and up to two more if they are numbers.
        for word in rest.split_ascii_whitespace() {
            let number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
            if fields == 6 || fields >= 4 && !number {
                break;
            }
            fields += 1;
            end = word.as_ptr() as usize - rest.as_ptr() as usize + word.len();
        }
        let position = Position::from_fen(&rest[..end])?;
        rest = rest[end..].trim_start();
        let mut operations = Vec::new();
        while !rest.is_empty() {
            let (operation, after) = Self::operation(rest)?;
            rest = after.trim_start();
            operations.extend(operation);
        }
        let mut epd = Self { position, operations };
        if fields < 5 {
            let number = |code| epd.operand(code).and_then(|s| s.parse::<u32>().ok());
            let (halfmove, fullmove) = (number("hmvc"), number("fmvn"));
            epd.position.halfmove = halfmove.unwrap_or(0).min(9999);
            let color = epd.position.ply & 1;
            epd.position.ply = 2 * fullmove.unwrap_or(1).clamp(1, 99_999) - 2 + color;
        }
        Ok(epd)
    }

    /// One operation up to its semicolon, and the text after it.
    #[allow(clippy::type_complexity)]
    fn operation(text: &str) -> Result<(Option<(String, Vec<String>)>, &str), EpdError> {
        let mut words = Vec::new();
        let mut word = String::new();
        let mut chars = text.char_indices();
        let mut quoted = false;
        let mut end = text.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    loop {
                        match chars.next() {
                            Some((_, '"')) => break,
                            Some((_, inner)) => word.push(inner),
                            None => return Err(EpdError::OpenQuote),
                        }
                    }
                    quoted = true;
                }
                ';' => {
                    end = at + 1;
                    break;
                }
                c if c.is_whitespace() => {
                    if !word.is_empty() || quoted {
                        words.push(core::mem::take(&mut word));
                        quoted = false;
                    }
                }
                c => word.push(c),
            }
        }
        if !word.is_empty() || quoted {
            words.push(word);
        }
        let rest = &text[end..];
        if words.is_empty() {
            return Ok((None, rest));
        }
        let code = words.remove(0);
        // A name that began with a digit could be taken for a clock when the line is read again.
        let starts_well = code.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !starts_well || !code.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(EpdError::Opcode(crate::uci::quote(&code)));
        }
        Ok((Some((code, words)), rest))
    }

    /// The operands of an operation.
    pub fn operands(&self, code: &str) -> Option<&[String]> {
        self.operations.iter().find(|(name, _)| name == code).map(|(_, operands)| operands.as_slice())
    }

    /// The first operand of an operation.
    pub fn operand(&self, code: &str) -> Option<&str> {
        self.operands(code)?.first().map(String::as_str)
    }
}

impl<R: Rules> core::fmt::Display for Epd<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let fen = self.position.fen();
        // Makruk keeps its count in fields 4 and 5, so its EPD has all six.
        let fields = if R::SLIDING_DIAGONALS { 4 } else { 6 };
        let words: Vec<&str> = fen.split(' ').take(fields).collect();
        f.write_str(&words.join(" "))?;
        for (code, operands) in &self.operations {
            write!(f, " {code}")?;
            for operand in operands {
                let bare = !operand.is_empty() && operand.chars().all(|c| c.is_ascii_graphic() && c != ';' && c != '"');
                // `id` and comments are texts by definition, numbers and moves are not.
                let text = code == "id" || code.len() == 2 && code.starts_with('c');
                let operand = operand.to_string().replace('"', "'");
                if bare && !text { write!(f, " {operand}")? } else { write!(f, " \"{operand}\"")? }
            }
            f.write_str(";")?;
        }
        Ok(())
    }
}
