//! The 64-bit code itself and how it says what it is.

use std::fmt;
use std::str::FromStr;

use crate::{CodeError, text};

/// A position as a 64-bit integer: equal positions have equal codes.
///
/// | code | what |
/// | --- | --- |
/// | negative | Format 2, direct: the lower 63 bits are the position itself |
/// | 0 … 2^60 − 1 | Format 1, indexed: table (2 bits), edition (8 bits), index (50 bits) |
/// | 2^60 … 2^61 − 1 | auxiliary record: zero (2 bits), edition (8 bits), number of the record (50 bits) |
///
/// The text form has 13 characters; upper and lower case are the same, and a check character catches slips. `Display` and
/// `FromStr` are that of the number alone. What people and other programs are to read is [`Codec::text`](crate::Codec::text),
/// which says the version of the codes too, and is read by [`Codec::decode_text`](crate::Codec::decode_text).
///
/// ```
/// use rukh_code::PositionCode;
/// let code = PositionCode::from_raw(-42).unwrap();
/// let text = code.to_string();
/// assert_eq!(text.len(), 13);
/// assert_eq!(text.parse(), Ok(code));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct PositionCode(i64);

/// The tables of Format 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Table {
    /// Positions of opening books.
    Opening,
    /// Positions of stored games.
    Game,
    /// Positions learned in play.
    Reachability,
    /// Full records of whatever nothing else holds.
    Record,
}

impl Table {
    /// All of them, in the order in which the selector asks.
    pub const ALL: [Self; 4] = [Self::Opening, Self::Game, Self::Reachability, Self::Record];
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Opening => "opening",
            Self::Game => "game",
            Self::Reachability => "reachability",
            Self::Record => "auxiliary record",
        })
    }
}

/// What a code is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Format 2: the payload, below 2^63.
    Direct(u64),
    /// Format 1, or an auxiliary record ([`Table::Record`]).
    Indexed {
        /// Where it is.
        table: Table,
        /// The edition of that table: indices of one edition mean nothing to another.
        edition: u8,
        /// Which entry, below 2^50.
        index: u64,
    },
}

const INDEX_BITS: u32 = 50;
const EDITION_BITS: u32 = 8;
const TABLE_SHIFT: u32 = INDEX_BITS + EDITION_BITS;
/// Marks auxiliary records.
const RECORD: u64 = 1 << 60;

impl PositionCode {
    /// The most entries that a table can have.
    pub const MAX_ENTRIES: u64 = 1 << INDEX_BITS;

    /// The code with this number, if its layout is one of the three.
    pub fn from_raw(raw: i64) -> Result<Self, CodeError> {
        let bits = raw as u64;
        let reserved = bits >= text::INDEXED || (bits & !RECORD) >> TABLE_SHIFT == 3;
        let bad_record = bits & RECORD != 0 && (bits & !RECORD) >> TABLE_SHIFT != 0;
        if raw >= 0 && (reserved || bad_record) { Err(CodeError::Reserved) } else { Ok(Self(raw)) }
    }

    /// The number: what databases store.
    #[inline]
    pub const fn raw(self) -> i64 {
        self.0
    }

    /// The code whose number a text is, in decimal: with a sign, or of at most twelve digits. Of other texts none: longer digits
    /// are a text form like others.
    ///
    /// ```
    /// use rukh_code::PositionCode;
    /// assert_eq!(PositionCode::from_decimal("-42"), Some(PositionCode::from_raw(-42)));
    /// assert_eq!(PositionCode::from_decimal("5"), PositionCode::from_decimal("+5"));
    /// assert_eq!(PositionCode::from_decimal("0000000000038"), None);
    /// ```
    pub fn from_decimal(text: &str) -> Option<Result<Self, CodeError>> {
        let signed = text.strip_prefix(['-', '+']);
        let short = text.len() < text::LENGTH && (text == "0" || !text.starts_with('0'));
        let digits = signed.or(short.then_some(text)).filter(|digits| !digits.is_empty())?;
        let number = digits.bytes().all(|b| b.is_ascii_digit());
        number.then(|| text.parse().map_err(|_| CodeError::Reserved).and_then(Self::from_raw))
    }

    /// The direct code with this payload, which must be below 2^63.
    #[inline]
    pub(crate) const fn direct(payload: u64) -> Self {
        debug_assert!(payload >> 63 == 0);
        Self((payload | 1 << 63) as i64)
    }

    /// The code of entry `index` of a table; none if the index is 2^50 or more.
    pub const fn indexed(table: Table, edition: u8, index: u64) -> Option<Self> {
        if index >= Self::MAX_ENTRIES {
            return None;
        }
        let place = match table {
            Table::Record => RECORD,
            _ => (table as u64) << TABLE_SHIFT,
        };
        Some(Self((place | (edition as u64) << INDEX_BITS | index) as i64))
    }

    /// What the code is.
    pub const fn format(self) -> Format {
        let bits = self.0 as u64;
        if self.0 < 0 {
            return Format::Direct(bits & !(1 << 63));
        }
        let table = match bits >> TABLE_SHIFT {
            0 => Table::Opening,
            1 => Table::Game,
            2 => Table::Reachability,
            _ => Table::Record,
        };
        Format::Indexed { table, edition: (bits >> INDEX_BITS) as u8, index: bits & (Self::MAX_ENTRIES - 1) }
    }

    /// Whether this is Format 2: a code that needs no table.
    #[inline]
    pub const fn is_direct(self) -> bool {
        self.0 < 0
    }
}

impl fmt::Display for PositionCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(str::from_utf8(&text::write(self.0)).unwrap_or_default())
    }
}

impl fmt::Debug for PositionCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PositionCode({self})")
    }
}

impl FromStr for PositionCode {
    type Err = CodeError;

    fn from_str(text: &str) -> Result<Self, CodeError> {
        Self::from_raw(text::read(text)?)
    }
}

impl TryFrom<i64> for PositionCode {
    type Error = CodeError;

    fn try_from(raw: i64) -> Result<Self, CodeError> {
        Self::from_raw(raw)
    }
}

impl From<PositionCode> for i64 {
    fn from(code: PositionCode) -> Self {
        code.0
    }
}

/// Text where a person reads it, the number elsewhere.
#[cfg(feature = "serde")]
mod with_serde {
    use super::PositionCode;
    use serde::de::{Deserialize, Deserializer, Error, Visitor};
    use serde::ser::{Serialize, Serializer};
    use std::fmt;

    impl Serialize for PositionCode {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            if serializer.is_human_readable() {
                serializer.collect_str(self)
            } else {
                serializer.serialize_i64(self.raw())
            }
        }
    }

    struct Reader;

    impl Visitor<'_> for Reader {
        type Value = PositionCode;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a position code")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<PositionCode, E> {
            text.parse().map_err(E::custom)
        }

        fn visit_i64<E: Error>(self, raw: i64) -> Result<PositionCode, E> {
            PositionCode::from_raw(raw).map_err(E::custom)
        }
    }

    impl<'de> Deserialize<'de> for PositionCode {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            if deserializer.is_human_readable() {
                deserializer.deserialize_str(Reader)
            } else {
                deserializer.deserialize_i64(Reader)
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use serde::de::IntoDeserializer;
        use serde::de::value::{Error as ValueError, I64Deserializer, StrDeserializer};

        #[test]
        fn reads_text_and_refuses_nonsense() {
            let code = PositionCode::from_raw(-7).unwrap();
            let text = code.to_string();
            let from: StrDeserializer<'_, ValueError> = text.as_str().into_deserializer();
            assert_eq!(PositionCode::deserialize(from), Ok(code));
            let wrong: StrDeserializer<'_, ValueError> = "nonsense".into_deserializer();
            assert!(PositionCode::deserialize(wrong).is_err());
            let number: I64Deserializer<ValueError> = (-7i64).into_deserializer();
            assert_eq!(Deserializer::deserialize_i64(number, Reader), Ok(code));
        }

        #[test]
        fn writes_text_for_people() {
            let code = PositionCode::from_raw(-7).unwrap();
            // `fmt::Formatter` is serde's smallest serializer: human readable, texts only.
            struct Shown(PositionCode);
            impl fmt::Display for Shown {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.0.serialize(f)
                }
            }
            assert_eq!(Shown(code).to_string(), code.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts() {
        assert_eq!(PositionCode::direct(5).format(), Format::Direct(5));
        assert!(PositionCode::direct(5).is_direct());
        for table in Table::ALL {
            let code = PositionCode::indexed(table, 200, 12_345).unwrap();
            assert_eq!(code.format(), Format::Indexed { table, edition: 200, index: 12_345 });
            assert!(code.raw() >= 0 && !code.is_direct());
            assert_eq!(PositionCode::from_raw(code.raw()), Ok(code));
            assert_eq!(code.to_string().parse(), Ok(code));
        }
        assert_eq!(PositionCode::indexed(Table::Game, 0, 1 << 50), None);
    }

    #[test]
    fn reserved_codes_are_refused() {
        for raw in [1i64 << 61, i64::MAX, 3 << 58, 1 << 60 | 1 << 58] {
            assert_eq!(PositionCode::from_raw(raw), Err(CodeError::Reserved));
        }
    }
}
