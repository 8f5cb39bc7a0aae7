//! A code with what stands beside the position: clocks, and how often it has been on the board.

use std::fmt;
use std::str::FromStr;

use rukh_core::Position;

use crate::plain::Coded;
use crate::text::{ALPHABET, check, digit_of};
use crate::{AnyCode, CodeError, Codec};

const BASE: u64 = 39;
/// Half-move clocks that FEN has.
const CLOCKS: u64 = 10_000;
/// Move numbers that FEN has.
const MOVES: u64 = 99_999;
/// How often a position was there before: not, once, twice or more.
const TIMES: u64 = 3;

/// A position's code, its half-move clock, move number, and how often the game had it before. Without the latter three
/// (clock 0, move 1, never before) the text is the code's own; otherwise a point, digits and a check character follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ExtendedCode {
    /// The position.
    pub code: AnyCode,
    /// Half-moves since the last capture or pawn move, up to 9999.
    pub halfmove: u16,
    /// The number of the next move, 1 to 99999.
    pub fullmove: u32,
    /// How often the game had the position before: 0, 1, 2 (or more).
    pub repeated: u8,
}

impl ExtendedCode {
    fn extra(&self) -> u64 {
        let moves = u64::from(self.fullmove).saturating_sub(1);
        (moves * CLOCKS + u64::from(self.halfmove)) * TIMES + u64::from(self.repeated)
    }
}

impl From<AnyCode> for ExtendedCode {
    fn from(code: AnyCode) -> Self {
        Self { code, halfmove: 0, fullmove: 1, repeated: 0 }
    }
}

impl fmt::Display for ExtendedCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut extra = self.extra();
        if extra == 0 {
            return self.code.fmt(f);
        }
        let mut digits = Vec::new();
        while extra > 0 {
            digits.insert(0, (extra % BASE) as u8);
            extra /= BASE;
        }
        digits.push(check(&digits));
        let text: String = digits.iter().map(|&digit| char::from(ALPHABET[usize::from(digit)])).collect();
        f.pad(&format!("{}.{text}", self.code))
    }
}

impl FromStr for ExtendedCode {
    type Err = CodeError;

    fn from_str(text: &str) -> Result<Self, CodeError> {
        let Some((code, extra)) = text.split_once('.') else { return text.parse().map(AnyCode::into) };
        let digits = extra.chars().map(digit_of).collect::<Result<Vec<u8>, _>>()?;
        let (&last, digits) = digits.split_last().ok_or(CodeError::Clocks)?;
        if last != check(digits) {
            return Err(CodeError::TextCheck);
        }
        // No zeros before the number: every position has one text.
        if digits.first().is_none_or(|&digit| digit == 0) || digits.len() > 9 {
            return Err(CodeError::Clocks);
        }
        let extra = digits.iter().fold(0, |number, &digit| number * BASE + u64::from(digit));
        let (halfmove, moves) = (extra / TIMES % CLOCKS, extra / TIMES / CLOCKS);
        if moves >= MOVES {
            return Err(CodeError::Clocks);
        }
        let code = code.parse()?;
        Ok(Self { code, halfmove: halfmove as u16, fullmove: moves as u32 + 1, repeated: (extra % TIMES) as u8 })
    }
}

impl<R: Coded> Codec<R> {
    /// The code of a position with its clocks; `repeated` says how often the game had it before.
    pub fn extended(&self, pos: &Position<R>, repeated: u8) -> Result<ExtendedCode, CodeError> {
        let code = self.encode_any(pos)?;
        // A running count has the clock's place in FEN.
        let halfmove = if pos.count().is_some() { 0 } else { pos.halfmove_clock() };
        let fullmove = pos.fullmove();
        if u64::from(halfmove) >= CLOCKS || u64::from(fullmove) > MOVES || u64::from(repeated) >= TIMES {
            return Err(CodeError::Clocks);
        }
        Ok(ExtendedCode { code, halfmove, fullmove, repeated })
    }

    /// The position of an extended code with its clocks, and how often the game had it before.
    pub fn decode_extended(&self, code: ExtendedCode) -> Result<(Position<R>, u8), CodeError> {
        code.clocked(self.decode_any(code.code)?)
    }
}

impl ExtendedCode {
    /// The position with the clocks of this code, and how often the game had it before. A Makruk count has the clock's place.
    pub fn clocked<R: Coded>(&self, pos: Position<R>) -> Result<(Position<R>, u8), CodeError> {
        if self.halfmove == 0 && self.fullmove == 1 {
            return Ok((pos, self.repeated));
        }
        let fen = pos.fen();
        let mut fields: Vec<&str> = fen.split(' ').collect();
        let (halfmove, fullmove) = (self.halfmove.to_string(), self.fullmove.to_string());
        let [.., clock, number] = &mut fields[..] else { return Err(CodeError::Clocks) };
        *number = &fullmove;
        if pos.count().is_none() {
            *clock = &halfmove;
        } else if self.halfmove > 0 {
            return Err(CodeError::Clocks);
        }
        let pos = Position::from_fen(&fields.join(" ")).map_err(|error| CodeError::Illegal(error.reason))?;
        Ok((pos, self.repeated))
    }
}
