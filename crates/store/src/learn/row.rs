//! Rows of the table: a position as its code, what is known of it, and the bytes of both.

use rukh_code::{AnyCode, CodeError, Coded, LongCode, PositionCode};
use rukh_core::{Position, Variant};

use super::{KnownBound, Learned};

/// A code as the table keeps it. Chess positions that only Chess960 has are in its codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name {
    /// 1: long, 2: of Chess960.
    kind: u8,
    len: u8,
    bytes: [u8; LongCode::MAX_BYTES],
}

const LONG: u8 = 1;
const CHESS960: u8 = 2;
/// Bytes of a direct code.
const DIRECT: usize = 8;

impl Name {
    /// The least of all.
    pub(super) const LEAST: Name = Name { kind: 0, len: 0, bytes: [0; LongCode::MAX_BYTES] };

    /// The name of a position; none of one that has no code (a Makruk count that has run out).
    pub(super) fn of<R: Coded>(pos: &Position<R>) -> Option<Name> {
        let (code, family) = match R::codec(R::VARIANT).encode_any(pos) {
            Err(CodeError::Castling) => (R::codec(Variant::Chess960).encode_any(pos), CHESS960),
            code => (code, 0),
        };
        match code.ok()? {
            AnyCode::Short(code) => Some(Name::new(family, &code.raw().to_le_bytes())),
            AnyCode::Long(code) => Some(Name::new(family | LONG, &code.to_bytes())),
        }
    }

    fn new(kind: u8, code: &[u8]) -> Name {
        let mut bytes = [0; LongCode::MAX_BYTES];
        bytes[..code.len()].copy_from_slice(code);
        Name { kind, len: code.len() as u8, bytes }
    }

    fn code_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Whether the code is a direct one, which needs no number beside it.
    pub(super) fn is_direct(&self) -> bool {
        self.kind & LONG == 0
    }

    /// The code, and whose it is.
    pub(super) fn code<R: Coded>(&self) -> Result<(Variant, AnyCode), CodeError> {
        let variant = if self.kind & CHESS960 == 0 { R::VARIANT } else { Variant::Chess960 };
        let code = match self.code_bytes().first_chunk().filter(|_| self.is_direct()) {
            Some(raw) => PositionCode::from_raw(i64::from_le_bytes(*raw))?.into(),
            None => AnyCode::Long(LongCode::from_bytes(self.code_bytes())?),
        };
        Ok((variant, code))
    }

    pub(super) fn position<R: Coded>(&self) -> Result<Position<R>, CodeError> {
        let (variant, code) = self.code::<R>()?;
        R::codec(variant).decode_any(code)
    }

    /// The code's bytes behind its kind, which stands elsewhere.
    fn write(&self, out: &mut Vec<u8>) {
        if !self.is_direct() {
            out.push(self.len);
        }
        out.extend(self.code_bytes());
    }

    fn read(kind: u8, bytes: &mut &[u8]) -> Option<Name> {
        let len = if kind & LONG == 0 { DIRECT } else { usize::from(take::<1>(bytes)?[0]) };
        let (code, rest) = bytes.split_at_checked(len).filter(|_| len <= LongCode::MAX_BYTES)?;
        *bytes = rest;
        Some(Name::new(kind, code))
    }
}

/// A row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) name: Name,
    pub(super) learned: Learned,
    /// The table's clock at the last change.
    pub(super) stamp: u64,
}

impl Row {
    /// Appends the bytes of a row at a time of the table's clock.
    pub(super) fn write(&self, clock: u64, out: &mut Vec<u8>) {
        let Learned { depth, score, bound, best, visits } = self.learned;
        out.push(bound as u8 | self.name.kind << 2);
        self.name.write(out);
        out.extend(best.to_le_bytes());
        write_number(zigzag(depth.into()), out);
        write_number(zigzag(score), out);
        write_number(visits.into(), out);
        write_number(clock.saturating_sub(self.stamp), out);
    }

    /// Reads a row; none if there is none in these bytes.
    pub(super) fn read(clock: u64, bytes: &mut &[u8]) -> Option<Row> {
        let [tag] = take(bytes)?;
        let bound = KnownBound::ALL[usize::from(tag & 3)];
        let name = Name::read(Some(tag >> 2).filter(|&kind| kind <= 3)?, bytes)?;
        let best = u16::from_le_bytes(take(bytes)?);
        let depth = i16::try_from(unzigzag(read_number(bytes)?)?).ok()?;
        let score = unzigzag(read_number(bytes)?)?;
        let visits = u32::try_from(read_number(bytes)?).ok()?;
        let stamp = clock.checked_sub(read_number(bytes)?)?;
        Some(Row { name, learned: Learned { depth, score, bound, best, visits }, stamp })
    }

    /// What is worth keeping: deep results, positions that come again, and what was seen lately.
    pub(super) fn worth(&self, clock: u64) -> u64 {
        let depth = if self.learned.bound == KnownBound::None { 0 } else { self.learned.depth.max(0) as u64 };
        let visits = u64::from(u32::BITS - self.learned.visits.leading_zeros());
        let age = clock.saturating_sub(self.stamp);
        let fresh = u64::from(u64::BITS - age.leading_zeros()).min(32);
        4 * depth + 6 * visits + 2 * (32 - fresh)
    }
}

/// A number that was given, and its position.
pub(super) fn write_numbered(number: u64, name: &Name, out: &mut Vec<u8>) {
    write_number(number, out);
    out.push(name.kind);
    name.write(out);
}

pub(super) fn read_numbered(bytes: &mut &[u8]) -> Option<(u64, Name)> {
    let number = read_number(bytes)?;
    let [kind] = take(bytes)?;
    Some((number, Name::read(Some(kind).filter(|&kind| kind <= 3)?, bytes)?))
}

/// Seven bits a byte, the lowest first; all bytes but the last have the top bit.
pub(super) fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(super) fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Small numbers of either sign become small ones without.
fn zigzag(number: i32) -> u64 {
    (number << 1 ^ number >> 31) as u32 as u64
}

fn unzigzag(number: u64) -> Option<i32> {
    let number = u32::try_from(number).ok()?;
    Some((number >> 1) as i32 ^ -((number & 1) as i32))
}

pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (now, later) = bytes.split_first_chunk()?;
    *bytes = later;
    Some(*now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::{Chess, Makruk};

    fn row(stamp: u64, learned: Learned) -> Row {
        Row { name: Name::LEAST, learned, stamp }
    }

    #[test]
    fn worth_by_the_number() {
        let worth = |bound, depth, visits, stamp, clock| {
            let learned = Learned { depth, score: 0, bound, best: 7, visits };
            row(stamp, learned).worth(clock)
        };
        // 4 a ply of depth, 6 for each doubling of visits, 2 for each halving of the age below 2^32.
        assert_eq!(worth(KnownBound::Exact, 10, 1, 7, 7), 40 + 6 + 64);
        assert_eq!(worth(KnownBound::Lower, 10, 4, 6, 7), 40 + 18 + 62);
        assert_eq!(worth(KnownBound::None, 10, 0, 0, 7), 2 * (32 - 3));
        assert_eq!(worth(KnownBound::Exact, -5, 255, 0, 8), 48 + 2 * (32 - 4));
        assert_eq!(worth(KnownBound::Exact, 0, 0, 0, u64::MAX), 0);
        // A stamp from the future is as good as new.
        assert_eq!(worth(KnownBound::Exact, 0, 0, 9, 1), 64);
    }

    #[test]
    fn every_kind_of_position_has_a_name_and_comes_back() {
        let kinds = [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0),
            ("qqqqk3/qqqqq3/n6n/8/8/N6N/3QQQQQ/3KQQQQ w - - 0 1", 1),
            ("nrbbqnkr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w HBhb - 0 1", 2),
            ("1r2k2r/pqqpppqp/qn5n/8/8/QN5N/PQQPPPQP/1R2K2R w HBhb - 0 1", 3),
        ];
        for (fen, kind) in kinds {
            let pos = Position::<Chess>::from_fen(fen).unwrap();
            let name = Name::of(&pos).unwrap();
            assert_eq!((name.kind, name.position::<Chess>().unwrap()), (kind, pos), "{fen}");
        }
        // What a Met was before is not in the key, but it is in the code.
        let [first, second] = ["8/3k4/6M~1/2K1S3/8/8/8/8 b - - 0 1", "8/3k4/6M1/2K1S3/8/8/8/8 b - - 0 1"]
            .map(|fen| Position::<Makruk>::from_fen(fen).unwrap());
        assert_eq!(first.key(), second.key());
        assert_ne!(Name::of(&first), Name::of(&second));
    }

    #[test]
    fn rows_by_the_byte() {
        let learned = Learned { depth: 18, score: -77, bound: KnownBound::Lower, best: 0xa1b2, visits: 300 };
        let start = Name::of(&Position::<Chess>::startpos()).unwrap();
        let long = Name { kind: 3, len: 9, bytes: Name::new(3, &[1, 2, 3, 4, 5, 6, 7, 8, 9]).bytes };
        let extreme = Learned { depth: i16::MIN, score: i32::MIN, bound: KnownBound::Exact, best: 0, visits: u32::MAX };
        let mut bytes = Vec::new();
        Row { name: start, learned, stamp: 95 }.write(100, &mut bytes);
        assert_eq!(bytes[0], 2);
        assert_eq!(bytes[1..9], (-4352707067001205567i64).to_le_bytes());
        assert_eq!(bytes[9..], [0xb2, 0xa1, 36, 0x99, 1, 0xac, 2, 5]);
        for row in [
            Row { name: start, learned, stamp: 100 },
            Row { name: long, learned: extreme, stamp: 0 },
            Row { name: long, learned: Learned { score: i32::MAX, depth: i16::MAX, ..extreme }, stamp: 7 },
        ] {
            let mut bytes = Vec::new();
            row.write(100, &mut bytes);
            let mut rest = &bytes[..];
            assert_eq!((Row::read(100, &mut rest), rest.len()), (Some(row), 0));
            for cut in 0..bytes.len() {
                assert_eq!(Row::read(100, &mut &bytes[..cut]), None);
            }
            assert!(
                row.stamp == 100 || Row::read(row.stamp.saturating_sub(1), &mut &bytes[..]).is_none_or(|r| r != row)
            );
            bytes[0] |= 0x10;
            assert_eq!(Row::read(100, &mut &bytes[..]), None, "an unknown kind");
        }
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            write_number(number, &mut bytes);
            assert_eq!(read_number(&mut &bytes[..]), Some(number));
        }
        assert_eq!(read_number(&mut &[0xff; 11][..]), None);
    }
}
