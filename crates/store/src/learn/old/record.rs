//! Records of versions 1 and 2: the position is text.

use crate::learn::{KnownBound, Learned};

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::learn) struct Record {
    pub(in crate::learn) number: u64,
    pub(in crate::learn) stamp: u64,
    pub(in crate::learn) learned: Learned,
    pub(in crate::learn) fen: String,
}

/// The only kind of record so far: the position as text.
const KIND: u8 = 1;
/// Bytes before the text; in version 1 there is no kind.
#[cfg(test)]
const FIELDS: usize = 30;
const FIRST_FIELDS: usize = 29;

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (now, later) = bytes.split_first_chunk()?;
    *bytes = later;
    Some(*now)
}

impl Record {
    /// Bytes of the record under `key`. The checksum at their end covers the key: a record in a wrong place is no record.
    #[cfg(test)]
    fn write(&self, key: u64) -> Vec<u8> {
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
                bound: *KnownBound::ALL.get(usize::from(bound))?,
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
    pub(super) fn read_first(bytes: &[u8]) -> Option<Record> {
        let (mut head, fen) = bytes.split_at_checked(FIRST_FIELDS)?;
        let (number, stamp) = (u64::from_le_bytes(take(&mut head)?), u64::from_le_bytes(take(&mut head)?));
        let (score, visits) = (i32::from_le_bytes(take(&mut head)?), u32::from_le_bytes(take(&mut head)?));
        let (best, depth) = (u16::from_le_bytes(take(&mut head)?), i16::from_le_bytes(take(&mut head)?));
        let bound = *KnownBound::ALL.get(usize::from(head[0]))?;
        let learned = Learned { depth, score, bound, best, visits };
        Some(Record { number, stamp, learned, fen: String::from_utf8(fen.to_vec()).ok()? })
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

    #[test]
    fn records_by_the_byte() {
        let record = Record {
            number: 0x0102_0304_0506_0708,
            stamp: 0x1112_1314_1516_1718,
            learned: Learned { depth: -2, score: -77, bound: KnownBound::Lower, best: 0xa1b2, visits: 0x2122_2324 },
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
        let learned = Learned { depth: -10, score: -7, bound: KnownBound::Exact, best: 9, visits: 8 };
        assert_eq!(Record::read_first(&bytes), Some(Record { number: 5, stamp: 6, learned, fen: "fen".into() }));
        assert_eq!(Record::read_first(&bytes[..28]), None);
        bytes[28] = 4;
        assert_eq!(Record::read_first(&bytes), None);
    }
}
