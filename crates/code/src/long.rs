//! Codes without the limit of 63 bits: every legal position has one, and a text of its own.
//!
//! The same model divides an interval of 240 bits, and the shortest text that names a point of the position's part is its
//! code. Where an exact rank among all positions is shorter, that is the code instead.

use std::fmt;
use std::str::FromStr;

use rukh_core::Position;

use crate::big::Big;
use crate::interval::{Both, Interval};
use crate::plain::sealed::Parts;
use crate::plain::{Coded, Plain};
use crate::text::{ALPHABET, check, digit_of};
use crate::{CodeError, Codec, PositionCode};

/// Bits of the interval that is divided.
const UNIT_BITS: u32 = 240;
/// The first digit is none of the last two of the alphabet: a text can stand alone on a command line.
const FIRST: u64 = 37;
const BASE: u64 = 39;
/// Digits of the shortest long code: with the check character one more than a short one has.
const FEWEST: usize = 13;
/// The first digit of exact ranks; those of the model's codes are smaller.
const RANKED: u8 = 36;
/// Up to this many digits the model's code is taken without asking for the rank.
const WELL: usize = 20;
/// No code has more digits.
const MOST: usize = 34;

/// The code of a position that needs more than 63 bits: a number below 2^180, without any table.
///
/// ```
/// use rukh_code::{AnyCode, Codec};
/// use rukh_core::{Chess, Position};
/// let queens = "qqqqk3/qqqqq3/n6n/8/8/N6N/3QQQQQ/3KQQQQ w - - 0 1";
/// let pos = Position::<Chess>::from_fen(queens).unwrap();
/// let text = Codec::chess().encode_any(&pos).unwrap().to_string();
/// let code: AnyCode = text.parse().unwrap();
/// assert_eq!(Codec::chess().decode_any(code).unwrap(), pos);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LongCode(Big);

impl LongCode {
    /// Most bytes of a code.
    pub const MAX_BYTES: usize = 23;

    /// The number in decimal.
    pub fn number(self) -> String {
        let (mut left, mut digits) = (self.0, Vec::new());
        while left != Big::ZERO || digits.is_empty() {
            let (rest, digit) = left.divide(10);
            digits.push(b'0' + digit as u8);
            left = rest;
        }
        digits.iter().rev().map(|&digit| char::from(digit)).collect()
    }

    /// The number's bytes, most significant first, without zeros before them.
    pub fn to_bytes(self) -> Vec<u8> {
        self.0.to_bytes().iter().copied().skip_while(|&byte| byte == 0).collect()
    }

    /// The code with these bytes. Whether a position has it is for [`Codec::decode_long`] to say.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CodeError> {
        if bytes.len() > Self::MAX_BYTES || bytes.first() == Some(&0) {
            return Err(CodeError::NoPosition);
        }
        // A number beyond the last text has none.
        Big::from_bytes(bytes).map(Self).filter(|code| code.digits().is_some()).ok_or(CodeError::NoPosition)
    }

    /// Texts are numbered by length and then as they sort: this is the number.
    fn from_digits(digits: &[u8]) -> Option<Self> {
        value(digits)?.checked_add(before(digits.len())?).map(Self)
    }

    fn digits(self) -> Option<Vec<u8>> {
        let count = (FEWEST..=MOST).find(|&count| before(count + 1).is_some_and(|end| self.0 < end))?;
        let mut left = self.0.minus(before(count)?);
        let mut digits = vec![0; count];
        for digit in digits.iter_mut().rev() {
            let (rest, last) = left.divide(BASE);
            (left, *digit) = (rest, last as u8);
        }
        Some(digits)
    }
}

/// The number that digits are.
fn value(digits: &[u8]) -> Option<Big> {
    let step = |number: Big, &digit: &u8| number.checked_mul(BASE)?.checked_add(u64::from(digit).into());
    digits.iter().try_fold(Big::ZERO, step)
}

/// The digits of a rank, no more than it needs.
fn ranked(rank: Big) -> Vec<u8> {
    let (mut left, mut digits) = (rank, Vec::new());
    while left != Big::ZERO || digits.len() + 1 < FEWEST {
        let (rest, digit) = left.divide(BASE);
        digits.push(digit as u8);
        left = rest;
    }
    digits.push(RANKED);
    digits.reverse();
    digits
}

/// How many texts are shorter than this many digits.
fn before(count: usize) -> Option<Big> {
    let (mut sum, mut texts) = (Big::ZERO, Big::from(FIRST));
    for digits in 1..count {
        if digits >= FEWEST {
            sum = sum.checked_add(texts)?;
        }
        texts = texts.checked_mul(BASE)?;
    }
    Some(sum)
}

impl fmt::Display for LongCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = self.digits().unwrap_or_default();
        digits.push(check(&digits));
        let text: String = digits.iter().map(|&digit| char::from(ALPHABET[usize::from(digit)])).collect();
        f.pad(&text)
    }
}

impl fmt::Debug for LongCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LongCode({self})")
    }
}

impl FromStr for LongCode {
    type Err = CodeError;

    fn from_str(text: &str) -> Result<Self, CodeError> {
        let count = text.chars().count();
        if !(FEWEST + 1..=MOST + 1).contains(&count) {
            return Err(CodeError::TextLength(count));
        }
        let digits = text.chars().map(digit_of).collect::<Result<Vec<u8>, _>>()?;
        let (&last, digits) = digits.split_last().ok_or(CodeError::TextCheck)?;
        if last != check(digits) {
            return Err(CodeError::TextCheck);
        }
        if u64::from(digits[0]) >= FIRST {
            return Err(CodeError::TextRange);
        }
        Self::from_digits(digits).ok_or(CodeError::TextRange)
    }
}

/// A code of any length: 64 bits where the position fits them or stands in a table, more where not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AnyCode {
    /// Thirteen characters.
    Short(PositionCode),
    /// Fourteen characters or more, and no table.
    Long(LongCode),
}

impl fmt::Display for AnyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short(code) => code.fmt(f),
            Self::Long(code) => code.fmt(f),
        }
    }
}

/// The length tells which one a text is.
impl FromStr for AnyCode {
    type Err = CodeError;

    fn from_str(text: &str) -> Result<Self, CodeError> {
        if text.chars().count() > FEWEST { text.parse().map(Self::Long) } else { text.parse().map(Self::Short) }
    }
}

impl From<PositionCode> for AnyCode {
    fn from(code: PositionCode) -> Self {
        Self::Short(code)
    }
}

impl<R: Coded> Codec<R> {
    /// The code of any legal position, without tables: direct where it fits 63 bits, else long.
    pub fn encode_any(&self, pos: &Position<R>) -> Result<AnyCode, CodeError> {
        let Parts(plain) = R::take_apart(pos);
        if let Some(rank) = self.exact_rank(&plain)? {
            return Ok(AnyCode::Short(PositionCode::direct(rank)));
        }
        let both = self.coder().narrowed(&plain, Both { short: Some(self.coder().share()), long: unit() });
        match both {
            Some(Both { short: Some(short), .. }) => Ok(AnyCode::Short(PositionCode::direct(short.low))),
            both => self.long(&plain, both.map(|both| both.long)).map(AnyCode::Long),
        }
    }

    /// The position of a code that needs no table. A code that needs one is an error that names it.
    pub fn decode_any(&self, code: AnyCode) -> Result<Position<R>, CodeError> {
        match code {
            AnyCode::Short(code) => self.decode(code),
            AnyCode::Long(code) => self.decode_long(code),
        }
    }

    /// The position of a long code. A position has one code: a longer one of a position that fits is none.
    pub fn decode_long(&self, code: LongCode) -> Result<Position<R>, CodeError> {
        let pos = self.followed_long(code)?;
        if self.encode_any(&pos)? == AnyCode::Long(code) { Ok(pos) } else { Err(CodeError::NoPosition) }
    }

    /// The exact rank of a position as a long code, also where it has a shorter one: how files of long codes keep what fits
    /// a direct code in their version and in no later one.
    pub fn exact_long(&self, pos: &Position<R>) -> Result<LongCode, CodeError> {
        let Parts(plain) = R::take_apart(pos);
        self.check(&plain)?;
        let rank = self.whole().encode(&plain).ok_or(CodeError::NoPosition)?;
        LongCode::from_digits(&ranked(rank)).ok_or(CodeError::NoPosition)
    }

    /// The position of its own long code, or of an exact one.
    pub fn decode_exact_too(&self, code: LongCode) -> Result<Position<R>, CodeError> {
        let pos = self.followed_long(code)?;
        let own = self.encode_any(&pos)? == AnyCode::Long(code) || self.exact_long(&pos)? == code;
        if own { Ok(pos) } else { Err(CodeError::NoPosition) }
    }

    fn followed_long(&self, code: LongCode) -> Result<Position<R>, CodeError> {
        let digits = code.digits().ok_or(CodeError::NoPosition)?;
        let plain = if digits[0] == RANKED {
            value(&digits[1..]).and_then(|rank| self.whole().decode(rank))
        } else {
            self.coder().followed(point(&digits), unit()).map(|(plain, _)| plain)
        };
        let plain = plain.ok_or(CodeError::NoPosition)?;
        R::build(&Parts(plain)).map_err(CodeError::Illegal)
    }

    /// The long code of a position with this part of the unit.
    fn long(&self, plain: &Plain, part: Option<Interval<Big>>) -> Result<LongCode, CodeError> {
        let learned = part.and_then(|part| shortest(&part));
        // Few positions need it, and the ranks of all positions take a while to set up.
        let digits = match learned {
            Some(digits) if digits.len() <= WELL => Some(digits),
            learned => {
                let ranked = self.whole().encode(plain).map(ranked);
                let shorter = |digits: &Vec<u8>| ranked.as_ref().is_none_or(|ranked| digits.len() <= ranked.len());
                learned.filter(shorter).or(ranked)
            }
        };
        digits.and_then(|digits| LongCode::from_digits(&digits)).ok_or(CodeError::NoPosition)
    }
}

fn unit() -> Interval<Big> {
    Interval { low: Big::ZERO, width: Big::power_of_two(UNIT_BITS) }
}

/// The fewest digits that name a point of the part, as a fraction of the unit; of these the smallest.
fn shortest(part: &Interval<Big>) -> Option<Vec<u8>> {
    let end = part.low.checked_add(part.width)?;
    (FEWEST..=MOST).find_map(|count| {
        let (mut digits, mut left) = (Vec::with_capacity(count), part.low);
        for at in 0..count {
            let (over, rest) = left.checked_mul(radix(at))?.split(UNIT_BITS);
            digits.push(over as u8);
            left = rest;
        }
        // The first number of so many digits that is not before the part.
        if left != Big::ZERO {
            let up = digits.iter().enumerate().rposition(|(at, &d)| u64::from(d) + 1 < radix(at))?;
            digits[up] += 1;
            digits[up + 1..].fill(0);
        }
        (point(&digits) < end).then_some(digits)
    })
}

fn radix(at: usize) -> u64 {
    if at == 0 { RANKED.into() } else { BASE }
}

/// Where a fraction stands in the unit, rounded down.
fn point(digits: &[u8]) -> Big {
    digits.iter().enumerate().rev().fold(Big::ZERO, |below, (at, &digit)| {
        let whole = Big::power_of_two(UNIT_BITS).checked_mul(digit.into()).unwrap_or_default();
        whole.checked_add(below).unwrap_or_default().divide(radix(at)).0
    })
}
