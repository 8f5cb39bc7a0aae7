//! The first sector of a table: it says where everything lies and whether it is whole. `docs/formats/learned.md` has the bytes.

use std::io;

use rukh_code::{Coded, Stamp};
use rukh_core::Variant;

use super::medium::Medium;

pub(super) const MAGIC: &[u8; 8] = b"RUKHLRND";
const VERSION: u16 = 3;
/// One sector of a disk, so that it is written whole or not at all.
pub(super) const HEAD: usize = 512;
/// What redb's own files begin with: tables of version 1, and further on those of version 2.
const REDB_MAGIC: &[u8; 9] = b"redb\x1a\x0a\xa9\x0d\x0a";
const INNER: usize = 32;

/// What a file is, before its contents are looked at.
#[derive(Debug)]
pub(super) enum Kind {
    Empty,
    /// A table of today.
    Table(Head),
    /// A table of this older version.
    Old(u16),
    /// Of a later version.
    Newer(u16),
    Foreign,
    Damaged(&'static str),
}

/// Bytes of a part, with their checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Part {
    pub(super) end: u64,
    pub(super) crc: u32,
}

/// The parts follow each other: blocks of rows, their directory, numbers, journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The codes of the variant, and of Chess960 in a table of chess.
    pub(super) stamps: [[u8; Stamp::SIZE]; 2],
    /// Made beside another table, whose name it does not have yet or has just got: only the program that packs makes such a one.
    pub(super) beside: bool,
    /// One more for every call of `record`.
    pub(super) clock: u64,
    /// The clock when the blocks were written: ages count from it.
    pub(super) packed_clock: u64,
    /// The first number that was not given.
    pub(super) next: u64,
    /// Rows in the blocks.
    pub(super) rows: u64,
    /// Where the blocks end; each has its checksum in the directory.
    pub(super) blocks_end: u64,
    pub(super) directory: Part,
    pub(super) numbers: Part,
    pub(super) journal: Part,
}

/// What the codes of a table are: those of `R`, and of Chess960 for chess.
pub(super) fn stamps<R: Coded>() -> [[u8; Stamp::SIZE]; 2] {
    let own = R::codec(R::VARIANT).stamp().to_bytes();
    let other = R::codec(Variant::Chess960).stamp().to_bytes();
    [own, if other == own { [0; Stamp::SIZE] } else { other }]
}

impl Head {
    /// The head of an empty table.
    pub(super) fn new<R: Coded>() -> Head {
        let nothing = Part { end: HEAD as u64, crc: crc32fast::hash(&[]) };
        Head {
            stamps: stamps::<R>(),
            beside: false,
            clock: 0,
            packed_clock: 0,
            next: 0,
            rows: 0,
            blocks_end: HEAD as u64,
            directory: nothing,
            numbers: nothing,
            journal: nothing,
        }
    }

    pub(super) fn encode(&self) -> [u8; HEAD] {
        let mut out = [0; HEAD];
        out[..8].copy_from_slice(MAGIC);
        out[8..10].copy_from_slice(&VERSION.to_le_bytes());
        out[10] = u8::from(self.beside);
        out[12..24].copy_from_slice(&self.stamps[0]);
        out[24..36].copy_from_slice(&self.stamps[1]);
        let words = [
            self.clock, self.packed_clock, self.next, self.rows, self.blocks_end, self.directory.end, self.numbers.end,
            self.journal.end,
        ];
        for (at, word) in words.into_iter().enumerate() {
            out[40 + 8 * at..48 + 8 * at].copy_from_slice(&word.to_le_bytes());
        }
        for (at, part) in [self.directory, self.numbers, self.journal].into_iter().enumerate() {
            out[104 + 4 * at..108 + 4 * at].copy_from_slice(&part.crc.to_le_bytes());
        }
        let crc = crc32fast::hash(&out[..HEAD - 4]);
        out[HEAD - 4..].copy_from_slice(&crc.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8; HEAD]) -> Option<Head> {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[40 + 8 * at..48 + 8 * at]);
            u64::from_le_bytes(word)
        };
        let crc = |at: usize| {
            let mut crc = [0; 4];
            crc.copy_from_slice(&bytes[104 + 4 * at..108 + 4 * at]);
            u32::from_le_bytes(crc)
        };
        let mut stamps = [[0; Stamp::SIZE]; 2];
        stamps[0].copy_from_slice(&bytes[12..24]);
        stamps[1].copy_from_slice(&bytes[24..36]);
        let head = Head {
            stamps,
            beside: bytes[10] == 1,
            clock: word(0),
            packed_clock: word(1),
            next: word(2),
            rows: word(3),
            blocks_end: word(4),
            directory: Part { end: word(5), crc: crc(0) },
            numbers: Part { end: word(6), crc: crc(1) },
            journal: Part { end: word(7), crc: crc(2) },
        };
        let places = [HEAD as u64, head.blocks_end, head.directory.end, head.numbers.end, head.journal.end];
        (places.is_sorted() && head.encode() == *bytes).then_some(head)
    }

    /// Whether a file is new, or what a killed program left of a table that it made beside another. A table that has had
    /// its name, or anything else, is somebody's.
    pub(super) fn may_go(medium: &mut dyn Medium) -> io::Result<bool> {
        let mut bytes = [0; HEAD];
        let new = matches!(Head::read(medium)?, Kind::Empty);
        Ok(new || medium.read(0, &mut bytes).is_ok() && Head::decode(&bytes).is_some_and(|head| head.beside))
    }

    /// Takes the place of the head on the disk, `old`.
    pub(super) fn replace(&self, old: &Head, medium: &mut dyn Medium) -> io::Result<()> {
        medium.write(0, &self.encode()).and_then(|()| medium.sync()).inspect_err(|_| {
            // A part of a head would be a damaged table.
            let _ = medium.write(0, &old.encode());
        })
    }

    /// A table that was made beside another and has its name becomes one like any other.
    pub(super) fn settle(&mut self, medium: &mut dyn Medium) -> io::Result<()> {
        // The name first: a power failure must not leave a table like any other under the name that it was made with.
        medium.sync()?;
        let settled = Head { beside: false, ..*self };
        settled.replace(self, medium)?;
        *self = settled;
        Ok(())
    }

    /// What a medium holds.
    pub(super) fn read(medium: &mut dyn Medium) -> io::Result<Kind> {
        let length = medium.len()?;
        let mut bytes = vec![0; HEAD.min(usize::try_from(length).unwrap_or(HEAD))];
        medium.read(0, &mut bytes)?;
        // The power failed before its head was on the disk.
        if length <= HEAD as u64 && bytes.iter().all(|&byte| byte == 0) {
            return Ok(Kind::Empty);
        }
        let alike = |at: usize, magic: &[u8]| {
            let found = bytes.get(at..at + magic.len()).unwrap_or_default();
            // A damaged beginning must not turn a table into a foreign file.
            found.iter().zip(magic).filter(|(a, b)| a == b).count() >= 6
        };
        let ours = alike(0, MAGIC) || alike(INNER, REDB_MAGIC);
        let Some(bytes) = bytes.first_chunk::<HEAD>().filter(|_| ours) else {
            return Ok(match () {
                () if ours => Kind::Damaged("it ends within its head"),
                () if alike(0, REDB_MAGIC) => Kind::Old(1),
                () => Kind::Foreign,
            });
        };
        let crc = u32::from_le_bytes([bytes[508], bytes[509], bytes[510], bytes[511]]);
        if crc32fast::hash(&bytes[..HEAD - 4]) != crc || &bytes[..8] != MAGIC {
            return Ok(Kind::Damaged("the checksum of its head is wrong"));
        }
        Ok(match u16::from_le_bytes([bytes[8], bytes[9]]) {
            2 => Kind::Old(2),
            VERSION => match Head::decode(bytes) {
                Some(head) if head.journal.end > length => Kind::Damaged("its length is wrong"),
                Some(head) => Kind::Table(head),
                None => Kind::Damaged("its head is wrong"),
            },
            version => Kind::Newer(version),
        })
    }
}
