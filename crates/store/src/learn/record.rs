//! What is known of a position, and its bytes in the table.

/// What a score means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bound {
    /// Nothing is known but that the position was seen.
    #[default]
    None,
    /// At most the score.
    Upper,
    /// At least the score.
    Lower,
    /// The score itself.
    Exact,
}

impl Bound {
    const ALL: [Bound; 4] = [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact];

    /// `none`, `upper`, `lower` or `exact`.
    pub fn name(self) -> &'static str {
        ["none", "upper", "lower", "exact"][self as usize]
    }

    /// The bound of a name.
    pub fn named(name: &str) -> Option<Bound> {
        Bound::ALL.into_iter().find(|b| b.name() == name)
    }
}

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Learned {
    /// Depth of the deepest search.
    pub depth: i16,
    /// Its score in the engine's units, for the side to move.
    pub score: i32,
    /// What the score means.
    pub bound: Bound,
    /// Its best move as `Move::to_u16`; 0 for none.
    pub best: u16,
    /// How often the position was recorded.
    pub visits: u32,
}

impl Learned {
    /// What both together know: a deeper result replaces a shallower one, visits add up.
    pub(super) fn merged(&self, new: &Learned) -> Learned {
        let visits = self.visits.saturating_add(new.visits.max(1));
        let better = match (self.bound, new.bound) {
            (_, Bound::None) => false,
            (Bound::None, _) => true,
            // At equal depth an exact score beats a bound, and newer beats older.
            _ => {
                new.depth > self.depth
                    || (new.depth == self.depth && (new.bound == Bound::Exact || self.bound != Bound::Exact))
            }
        };
        Learned { visits, ..if better { *new } else { *self } }
    }
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) number: u64,
    pub(super) stamp: u64,
    pub(super) learned: Learned,
    pub(super) fen: String,
}

/// The only kind of record so far: the position as text.
const KIND: u8 = 1;
/// Bytes before the text; in version 1 there is no kind.
const FIELDS: usize = 30;
const OLD_FIELDS: usize = 29;

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (now, later) = bytes.split_first_chunk()?;
    *bytes = later;
    Some(*now)
}

impl Record {
    /// Bytes of the record under `key`. The checksum at their end covers the key: a record in a wrong place is no record.
    pub(super) fn write(&self, key: u64) -> Vec<u8> {
        let l = &self.learned;
        let mut out = Vec::with_capacity(FIELDS + self.fen.len() + 4);
        out.push(KIND);
        out.push(l.bound as u8);
        out.extend(l.depth.to_le_bytes());
        out.extend(l.best.to_le_bytes());
        out.extend(l.score.to_le_bytes());
        out.extend(l.visits.to_le_bytes());
        out.extend(self.stamp.to_le_bytes());
        out.extend(self.number.to_le_bytes());
        out.extend(self.fen.as_bytes());
        out.extend(checksum(key, &out).to_le_bytes());
        out
    }

    /// The record of these bytes under `key`; none if they are damaged.
    pub(super) fn read(key: u64, bytes: &[u8]) -> Option<Record> {
        let (mut bytes, crc) = bytes.split_last_chunk()?;
        if checksum(key, bytes) != u32::from_le_bytes(*crc) || take::<1>(&mut bytes)? != [KIND] {
            return None;
        }
        let [bound] = take(&mut bytes)?;
        Some(Record {
            learned: Learned {
                bound: *Bound::ALL.get(usize::from(bound))?,
                depth: i16::from_le_bytes(take(&mut bytes)?),
                best: u16::from_le_bytes(take(&mut bytes)?),
                score: i32::from_le_bytes(take(&mut bytes)?),
                visits: u32::from_le_bytes(take(&mut bytes)?),
            },
            stamp: u64::from_le_bytes(take(&mut bytes)?),
            number: u64::from_le_bytes(take(&mut bytes)?),
            fen: String::from_utf8(bytes.to_vec()).ok()?,
        })
    }

    /// A record of version 1: number, stamp, score, visits, best move, depth, bound, FEN, and no checksum.
    pub(super) fn read_old(bytes: &[u8]) -> Option<Record> {
        let (mut head, fen) = bytes.split_at_checked(OLD_FIELDS)?;
        let (number, stamp) = (u64::from_le_bytes(take(&mut head)?), u64::from_le_bytes(take(&mut head)?));
        let (score, visits) = (i32::from_le_bytes(take(&mut head)?), u32::from_le_bytes(take(&mut head)?));
        let (best, depth) = (u16::from_le_bytes(take(&mut head)?), i16::from_le_bytes(take(&mut head)?));
        let bound = *Bound::ALL.get(usize::from(head[0]))?;
        let learned = Learned { depth, score, bound, best, visits };
        Some(Record { number, stamp, learned, fen: String::from_utf8(fen.to_vec()).ok()? })
    }

    /// What is worth keeping: deep results, positions that come again, and what was seen lately.
    pub(super) fn worth(&self, clock: u64) -> u64 {
        let depth = if self.learned.bound == Bound::None { 0 } else { self.learned.depth.max(0) as u64 };
        let visits = u64::from(u32::BITS - self.learned.visits.leading_zeros());
        let age = clock.saturating_sub(self.stamp);
        let fresh = u64::from(u64::BITS - age.leading_zeros()).min(32);
        4 * depth + 6 * visits + 2 * (32 - fresh)
    }
}

fn checksum(key: u64, bytes: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&key.to_le_bytes());
    crc.update(bytes);
    crc.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(bound: Bound, depth: i16, score: i32, visits: u32) -> Learned {
        Learned { depth, score, bound, best: 7, visits }
    }

    #[test]
    fn bounds_have_names() {
        for (bound, name) in Bound::ALL.into_iter().zip(["none", "upper", "lower", "exact"]) {
            assert_eq!((bound.name(), Bound::named(name)), (name, Some(bound)));
        }
        assert_eq!(Bound::named("Exact"), None);
    }

    #[test]
    fn the_better_result_stays() {
        use Bound::{Exact, Lower, None, Upper};
        // Old, new, and whether the new one is taken.
        let cases = [
            ((None, 0), (None, 5), false),
            ((None, 9), (Upper, 1), true),
            ((Upper, 9), (None, 20), false),
            ((Exact, 9), (Lower, 10), true),
            ((Exact, 9), (Exact, 8), false),
            ((Exact, 9), (Exact, 9), true),
            ((Exact, 9), (Lower, 9), false),
            ((Lower, 9), (Exact, 9), true),
            ((Lower, 9), (Upper, 9), true),
            ((Lower, 9), (Exact, 8), false),
        ];
        for ((old, old_depth), (new, new_depth), taken) in cases {
            let old = learned(old, old_depth, 11, 5);
            let new = learned(new, new_depth, 22, 3);
            let expected = Learned { visits: 8, ..if taken { new } else { old } };
            assert_eq!(old.merged(&new), expected, "{old:?} and {new:?}");
        }
        let often = learned(Exact, 9, 0, u32::MAX - 1);
        assert_eq!(often.merged(&learned(Exact, 1, 0, 5)).visits, u32::MAX);
        // Whoever records has seen it.
        assert_eq!(often.merged(&learned(Exact, 1, 0, 0)).visits, u32::MAX);
        assert_eq!(learned(Exact, 1, 0, 3).merged(&Learned::default()).visits, 4);
    }

    #[test]
    fn worth_by_the_number() {
        let worth = |bound, depth, visits, stamp, clock| {
            Record { number: 0, stamp, learned: learned(bound, depth, 0, visits), fen: String::new() }.worth(clock)
        };
        // 4 a ply of depth, 6 for each doubling of visits, 2 for each halving of the age below 2^32.
        assert_eq!(worth(Bound::Exact, 10, 1, 7, 7), 40 + 6 + 64);
        assert_eq!(worth(Bound::Lower, 10, 4, 6, 7), 40 + 18 + 62);
        assert_eq!(worth(Bound::None, 10, 0, 0, 7), 2 * (32 - 3));
        assert_eq!(worth(Bound::Exact, -5, 255, 0, 8), 48 + 2 * (32 - 4));
        assert_eq!(worth(Bound::Exact, 0, 0, 0, u64::MAX), 0);
        // A stamp from the future is as good as new.
        assert_eq!(worth(Bound::Exact, 0, 0, 9, 1), 64);
    }

    #[test]
    fn records_by_the_byte() {
        let record = Record {
            number: 0x0102_0304_0506_0708,
            stamp: 0x1112_1314_1516_1718,
            learned: Learned { depth: -2, score: -77, bound: Bound::Lower, best: 0xa1b2, visits: 0x2122_2324 },
            fen: "a fen".into(),
        };
        let bytes = record.write(99);
        assert_eq!(bytes.len(), FIELDS + 5 + 4);
        assert_eq!(bytes[..10], [1, 2, 0xfe, 0xff, 0xb2, 0xa1, 0xb3, 0xff, 0xff, 0xff]);
        assert_eq!(bytes[10..30], *b"\x24\x23\x22\x21\x18\x17\x16\x15\x14\x13\x12\x11\x08\x07\x06\x05\x04\x03\x02\x01");
        assert_eq!(bytes[30..35], *b"a fen");
        assert_eq!(Record::read(99, &bytes), Some(record.clone()));
        assert_eq!(Record::read(98, &bytes), None, "another key");
        for bit in 0..8 * bytes.len() {
            let mut bad = bytes.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::read(99, &bad), None, "bit {bit}");
        }
        for cut in 0..bytes.len() {
            assert_eq!(Record::read(99, &bytes[..cut]), None, "{cut} bytes");
        }
        // Sound, but not of this kind, or too short, or with an unknown bound.
        let signed = |bytes: &[u8]| [bytes, &checksum(99, bytes).to_le_bytes()].concat();
        assert_eq!(Record::read(99, &signed(&bytes[..35])), Some(record));
        assert_eq!(Record::read(99, &signed(&[2])), None);
        assert_eq!(Record::read(99, &signed(&bytes[..29])), None);
        assert_eq!(Record::read(99, &signed(&[&[1, 4], &bytes[2..35]].concat())), None);
    }

    #[test]
    fn records_of_version_1_by_the_byte() {
        let mut bytes = Vec::new();
        bytes.extend(5u64.to_le_bytes());
        bytes.extend(6u64.to_le_bytes());
        bytes.extend((-7i32).to_le_bytes());
        bytes.extend(8u32.to_le_bytes());
        bytes.extend(9u16.to_le_bytes());
        bytes.extend((-10i16).to_le_bytes());
        bytes.push(3);
        bytes.extend(b"fen");
        let learned = Learned { depth: -10, score: -7, bound: Bound::Exact, best: 9, visits: 8 };
        assert_eq!(Record::read_old(&bytes), Some(Record { number: 5, stamp: 6, learned, fen: "fen".into() }));
        assert_eq!(Record::read_old(&bytes[..28]), None);
        bytes[28] = 4;
        assert_eq!(Record::read_old(&bytes), None);
    }
}
