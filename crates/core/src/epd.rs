//! EPD: a position and operations, as test suites use it.

use crate::fen::{self, FenError, FenReason};
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
    /// The position. Where no clocks follow the four fields, `hmvc` and `fmvn` set them.
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
    #[error("bad EPD: {0}: {1}")]
    Clock(&'static str, FenReason),
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
        let (halfmove, fullmove) = (epd.operand("hmvc").unwrap_or("0"), epd.operand("fmvn").unwrap_or("1"));
        let halfmove = fen::halfmove(halfmove).map_err(|reason| EpdError::Clock("hmvc", reason))?;
        let fullmove = fen::fullmove(fullmove).map_err(|reason| EpdError::Clock("fmvn", reason))?;
        if fields < 5 {
            let side = epd.position.side_to_move();
            (epd.position.halfmove, epd.position.ply) = (halfmove, fen::clocks(fullmove, side));
        }
        if fields >= 5 || R::EPD_FIELDS > 4 {
            epd.say_clocks_once();
        }
        Ok(epd)
    }

    /// The operations name the clocks as they are, unless the fields that are written do.
    fn say_clocks_once(&mut self) {
        self.operations.retain(|(code, _)| code != "hmvc" && code != "fmvn");
        if R::EPD_FIELDS > 4 {
            return;
        }
        for (code, clock, usual) in [("hmvc", self.position.halfmove, 0), ("fmvn", self.position.fullmove(), 1)] {
            if clock != usual {
                self.operations.push((code.to_string(), alloc::vec![clock.to_string()]));
            }
        }
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
        let words: Vec<&str> = fen.split(' ').take(R::EPD_FIELDS).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Chess;

    /// They were brought down to what FEN has, and what is no number became none.
    #[test]
    fn clocks_that_fen_refuses_are_refused() {
        let of = |operations: &str| Epd::<Chess>::parse(&alloc::format!("4k3/8/8/8/8/8/8/4K2R b K - {operations}"));
        let fen = |operations: &str| of(operations).unwrap().position.fen();
        assert_eq!(fen("hmvc 9999; fmvn 99999;"), "4k3/8/8/8/8/8/8/4K2R b K - 9999 99999");
        assert_eq!(fen("fmvn 7; id \"a\";"), "4k3/8/8/8/8/8/8/4K2R b K - 0 7");
        assert_eq!(fen("id \"a\";"), "4k3/8/8/8/8/8/8/4K2R b K - 0 1");
        for bad in ["hmvc 10000;", "hmvc many;", "hmvc -1;", "hmvc 4294967296;"] {
            assert_eq!(of(bad).map(drop), Err(EpdError::Clock("hmvc", FenReason::Halfmove)), "{bad}");
        }
        for bad in ["fmvn 100000;", "hmvc 3; fmvn +2;"] {
            assert_eq!(of(bad).map(drop), Err(EpdError::Clock("fmvn", FenReason::Fullmove)), "{bad}");
        }
    }

    /// They were lost when the line was written again, and what stood in the operations was never looked at, but taken for them then.
    #[test]
    fn clocks_beside_the_fields_are_written_as_operations() {
        let of = |rest: &str| Epd::<Chess>::parse(&alloc::format!("4k3/8/8/8/8/8/8/4K2R b K - {rest}"));
        for (rest, written) in [
            ("5 9 bm Kd7;", "bm Kd7; hmvc 5; fmvn 9;"),
            ("0 9", "fmvn 9;"),
            ("5", "hmvc 5;"),
            ("0 1 id \"a\";", "id \"a\";"),
            ("5 9 hmvc 7; c0 \"x\"; fmvn 3;", "c0 \"x\"; hmvc 5; fmvn 9;"),
            ("0 1 hmvc 7;", ""),
        ] {
            let epd = of(rest).unwrap();
            assert_eq!(epd.to_string(), alloc::format!("4k3/8/8/8/8/8/8/4K2R b K - {written}").trim_end(), "{rest}");
            assert_eq!(Epd::parse(&epd.to_string()), Ok(epd), "{rest}");
        }
        assert_eq!(of("0 1 fmvn 7/;").map(drop), Err(EpdError::Clock("fmvn", FenReason::Fullmove)));
    }
}
