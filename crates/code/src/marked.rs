//! Texts that say which version of the codes they are of.
//!
//! The first texts said nothing about it: one of Makruk's version 2 may be another position's of version 3. Every later
//! version has a mark of its own, which is added to the check digit: its texts are read with its own model or refused as a
//! slip, and the texts that were there before stay what they are.

use rukh_core::{Position, Variant};

use crate::plain::Coded;
use crate::text::{ALPHABET, digit_of};
use crate::{AnyCode, CodeError, Codec, ExtendedCode, PositionCode};

const BASE: u8 = ALPHABET.len() as u8;

/// The newest version whose texts have no mark.
const fn unmarked(variant: Variant) -> u16 {
    match variant {
        Variant::Chess | Variant::Chess960 => 2,
        Variant::Makruk => 3,
    }
}

/// What is added to the check digit: different for every version of every variant, up to version 14.
const fn mark(variant: Variant, version: u16) -> u8 {
    if version <= unmarked(variant) { 0 } else { (13 * variant as u16 + version - 2) as u8 % BASE }
}

/// The text with its check digit moved on by so much.
fn moved(text: &str, by: u8) -> Result<String, CodeError> {
    let (code, clocks) = text.split_at(text.find('.').unwrap_or(text.len()));
    let last = code.chars().next_back().ok_or(CodeError::TextLength(0))?;
    let digit = usize::from((digit_of(last)? + by) % BASE);
    Ok(format!("{}{}{clocks}", &code[..code.len() - last.len_utf8()], char::from(ALPHABET[digit])))
}

/// Whether the model says which position a code is; tables have editions of their own.
fn is_of_model(code: AnyCode) -> bool {
    !matches!(code, AnyCode::Short(code) if !code.is_direct())
}

impl<R: Coded> Codec<R> {
    fn mark(&self) -> u8 {
        mark(self.variant(), self.stamp().version)
    }

    /// A code as text, with the mark of its version.
    ///
    /// ```
    /// use rukh_code::Codec;
    /// use rukh_core::{Chess, Position};
    /// let code = Codec::chess().encode_any(&Position::<Chess>::startpos()).unwrap();
    /// assert_eq!(Codec::chess().text(code), "fdc_yeyowhwg-");
    /// ```
    pub fn text(&self, code: impl Into<ExtendedCode>) -> String {
        let code = code.into();
        let text = code.to_string();
        let by = if is_of_model(code.code) { self.mark() } else { 0 };
        moved(&text, by).unwrap_or(text)
    }

    /// The codes that a text may be, the likeliest first, and who reads them. The codec of today leaves the choice to the
    /// text; an older one, or one with another model, reads its own only.
    pub fn readings<'a>(&'a self, text: &str) -> Result<Vec<(&'a Self, ExtendedCode)>, CodeError> {
        let (variant, today) = (self.variant(), self.stamp().version);
        let chooses = std::ptr::eq(self, R::codec(variant));
        let plain: Result<ExtendedCode, CodeError> = text.parse();
        if let Ok(code) = plain {
            if !is_of_model(code.code) || !chooses && self.mark() == 0 {
                return Ok(vec![(self, code)]);
            }
            let older = (2..=unmarked(variant)).rev().map(|version| R::codec_of_version(variant, version));
            let older = older.filter(|_| chooses).collect::<Vec<_>>();
            let newest = older.first().cloned().unwrap_or(Err(CodeError::TextCheck))?;
            let found = std::iter::once(newest).chain(older.into_iter().skip(1).flatten());
            return Ok(found.map(|codec| (codec, code)).collect());
        }
        let versions = if chooses { unmarked(variant) + 1..=today } else { today..=today };
        for version in versions.rev() {
            let by = BASE - mark(variant, version);
            if let Ok(code) = moved(text, by % BASE)?.parse::<ExtendedCode>()
                && is_of_model(code.code)
            {
                let older = || R::codec_of_version(variant, version).ok();
                // Chess has no version 3: what its mark would be is a slip.
                if let Some(codec) = if version == today { Some(self) } else { older() } {
                    return Ok(vec![(codec, code)]);
                }
            }
        }
        plain.map(|_| Vec::new())
    }

    /// What `decode` makes of the first reading of a text that it takes; its error for the likeliest one otherwise.
    pub fn first_reading<T>(
        &self,
        text: &str,
        decode: impl Fn(&Self, ExtendedCode) -> Result<T, CodeError>,
    ) -> Result<T, CodeError> {
        let mut failed = None;
        for (codec, code) in self.readings_or_hint(text)? {
            match decode(codec, code) {
                Ok(found) => return Ok(found),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or(CodeError::NoPosition))
    }

    fn readings_or_hint<'a>(&'a self, text: &str) -> Result<Vec<(&'a Self, ExtendedCode)>, CodeError> {
        self.readings(text).map_err(|error| match text.parse() {
            Ok(raw) if error == CodeError::TextCheck && PositionCode::from_raw(raw).is_ok() => CodeError::Unsigned(raw),
            _ => error,
        })
    }

    /// The text of any legal position, without tables.
    pub fn encode_text(&self, pos: &Position<R>) -> Result<String, CodeError> {
        self.encode_any(pos).map(|code| self.text(code))
    }

    /// The position of a text that needs no table, of today's version or an older one, and how often the game had it before.
    pub fn decode_text(&self, text: &str) -> Result<(Position<R>, u8), CodeError> {
        self.first_reading(text, Self::decode_extended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_different() {
        let newer = |variant| (unmarked(variant) + 1..=14).map(move |version| mark(variant, version));
        let mut marks: Vec<u8> = Variant::ALL.into_iter().flat_map(newer).collect();
        let count = marks.len();
        marks.sort_unstable();
        marks.dedup();
        assert_eq!((marks.len(), count), (35, 35));
        assert!(marks.iter().all(|&mark| 0 < mark && mark < BASE));
    }
}
