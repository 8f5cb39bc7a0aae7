//! A table in its stored form, in memory or in a file. The format is described in `docs/formats/makruk-tables.md`.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::path::{Path, PathBuf};
#[cfg(not(target_family = "wasm"))]
use std::sync::OnceLock;

use thiserror::Error;

use crate::material::{Groups, KHUN_SQUARES, Material};
#[cfg(not(target_family = "wasm"))]
use crate::positioned::Positioned;
use crate::rows::{PLANES, Row, RowHead};

/// No mate takes longer.
pub const MAX_DISTANCE: usize = (1 << PLANES) - 1;

pub(crate) const MAGIC: [u8; 8] = *b"RukhMkT1";
/// What tables of every version begin with.
#[cfg(not(target_family = "wasm"))]
const KIND: &[u8] = b"RukhMkT";
/// Fixed numbers, then two histograms.
pub(crate) const NUMBERS: usize = 72;
pub(crate) const HEAD: usize = NUMBERS + 2 * 8 * (MAX_DISTANCE + 1);
/// Rows that are checked and found together.
pub(crate) const BLOCK: usize = 64;

/// Why a table cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// Reading failed.
    #[error("'{path}': {error}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// Writing failed; the error names the file.
    #[error(transparent)]
    Output(std::io::Error),
    /// No table, or a damaged one.
    #[error("'{path}' is damaged ({reason}): make it again with `rukh tables`", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: &'static str,
    },
    /// A file of somebody else's in the place of a table.
    #[error("'{path}' is not a Rukh table and is not overwritten: move it, or choose another folder", path = path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// A table that this one builds on is not there.
    #[error("the table {0} is needed first")]
    Missing(Material),
}

/// How many positions have which distance, on the whole board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Census {
    /// Legal positions with the attacker to move.
    pub attacker_positions: u64,
    /// Legal positions with the bare Khun to move.
    pub bare_positions: u64,
    /// Positions with the attacker to move that are won in so many moves.
    pub attacker_wins: [u64; MAX_DISTANCE + 1],
    /// Positions with the bare Khun to move that are lost in so many moves of the attacker.
    pub bare_losses: [u64; MAX_DISTANCE + 1],
}

impl Default for Census {
    fn default() -> Self {
        Census {
            attacker_positions: 0,
            bare_positions: 0,
            attacker_wins: [0; MAX_DISTANCE + 1],
            bare_losses: [0; MAX_DISTANCE + 1],
        }
    }
}

impl Census {
    /// All positions with the attacker to move that are won, the count aside.
    pub fn won(&self) -> u64 {
        self.attacker_wins.iter().sum()
    }

    /// All positions with the bare Khun to move that are lost, the count aside.
    pub fn lost(&self) -> u64 {
        self.bare_losses.iter().sum()
    }

    /// Positions with the bare Khun to move that are lost in at most so many moves.
    pub fn lost_within(&self, moves: u16) -> u64 {
        self.bare_losses.iter().take(moves as usize + 1).sum()
    }

    /// Positions with the attacker to move that are won in at most so many moves.
    pub fn won_within(&self, moves: u16) -> u64 {
        self.attacker_wins.iter().take(moves as usize + 1).sum()
    }

    /// Longest mate: attacker to move, bare Khun to move.
    pub fn longest(&self) -> (usize, usize) {
        let last = |counts: &[u64]| counts.iter().rposition(|&n| n > 0).unwrap_or(0);
        (last(&self.attacker_wins), last(&self.bare_losses))
    }
}

/// The checksum of blocks and heads: not cryptographic, but every bit counts.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = 0x9E37_79B9_7F4A_7C15u64 ^ bytes.len() as u64;
    let mut step = |word: u64| {
        sum = (sum ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        sum ^= sum >> 32;
    };
    let words = bytes.chunks_exact(8);
    let rest = words.remainder();
    for word in words {
        step(u64::from_le_bytes(word.try_into().unwrap_or_default()));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    step(u64::from_le_bytes(last));
    sum
}

/// Where the blocks behind head and index are.
enum Blocks {
    /// In memory, one after the other; one bit per block whose checksum has been found right.
    Owned { data: Vec<u8>, checked: Vec<AtomicU64> },
    /// In the file, each read and checked when it is first needed, and kept from then on.
    #[cfg(not(target_family = "wasm"))]
    File { file: Positioned, len: u64, read: Vec<OnceLock<Box<[u8]>>> },
}

impl Blocks {
    fn len(&self) -> u64 {
        match self {
            Blocks::Owned { data, .. } => data.len() as u64,
            #[cfg(not(target_family = "wasm"))]
            Blocks::File { len, .. } => *len,
        }
    }
}

/// The distances to mate of one ending, attacker to move.
pub struct Table {
    material: Material,
    /// Head and index.
    head: Vec<u8>,
    data: Blocks,
    rows: usize,
    blocks: usize,
    census: Census,
    damaged: AtomicBool,
}

impl core::fmt::Debug for Table {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Table").field("material", &self.material.to_string()).field("bytes", &self.size()).finish()
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).map_or(0, |b| u64::from_le_bytes(b.try_into().unwrap_or_default()))
}

fn u32_at(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes(b.try_into().unwrap_or_default()) as usize)
}

/// Rows of an ending.
pub(crate) fn row_count(material: Material) -> usize {
    KHUN_SQUARES
        * match material.pieces() {
            1 => Groups::<1>::new(material).len,
            2 => Groups::<2>::new(material).len,
            _ => Groups::<3>::new(material).len,
        }
}

impl Table {
    /// A table that was packed a moment ago.
    pub(crate) fn packed(material: Material, mut bytes: Vec<u8>, rows: usize, census: Census) -> Table {
        let blocks = rows.div_ceil(BLOCK);
        let data = bytes.split_off(data_start(blocks).min(bytes.len()));
        let checked = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(!0)).collect();
        let data = Blocks::Owned { data, checked };
        Table { material, head: bytes, data, rows, blocks, census, damaged: AtomicBool::new(false) }
    }

    /// The ending, its rows and blocks, if the first bytes are the head of a table.
    fn shape(head: &[u8]) -> Result<(Material, usize, usize), &'static str> {
        if head.len() < HEAD || head[..8] != MAGIC {
            return Err("it is no table of this version");
        }
        if checksum(&head[..NUMBERS - 8]) != u64_at(head, NUMBERS - 8) {
            return Err("the checksum of its head is wrong");
        }
        let material = Material::new([head[8], head[9], head[10], head[11]]).ok_or("its pieces are no ending")?;
        let rows = row_count(material);
        let blocks = rows.div_ceil(BLOCK);
        if u64_at(head, 16) != rows as u64 || u64_at(head, 24) != blocks as u64 {
            return Err("its size does not fit its pieces");
        }
        Ok((material, rows, blocks))
    }

    /// A table whose head and index are `head`.
    fn new(head: Vec<u8>, data: Blocks) -> Result<Table, &'static str> {
        let (material, rows, blocks) = Self::shape(&head)?;
        if head.len() != data_start(blocks) || data.len() != u64_at(&head, 32) {
            return Err("its length is wrong");
        }
        if checksum(&head[NUMBERS..]) != u64_at(&head, 56) {
            return Err("the checksum of its index is wrong");
        }
        let mut census =
            Census { attacker_positions: u64_at(&head, 40), bare_positions: u64_at(&head, 48), ..Census::default() };
        for (i, n) in census.attacker_wins.iter_mut().chain(&mut census.bare_losses).enumerate() {
            *n = u64_at(&head, NUMBERS + 8 * i);
        }
        Ok(Table { material, head, data, rows, blocks, census, damaged: AtomicBool::new(false) })
    }

    /// Reads a table from bytes in the format of the files.
    pub fn read(mut bytes: Vec<u8>) -> Result<Table, TableError> {
        let damaged = |reason| TableError::Damaged { path: "table in memory".into(), reason };
        let (_, _, blocks) = Self::shape(&bytes).map_err(damaged)?;
        let data = bytes.split_off(data_start(blocks).min(bytes.len()));
        let checked = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self::new(bytes, Blocks::Owned { data, checked }).map_err(damaged)
    }

    /// Opens the file of an ending in `folder`. Head and index are checked now, each block when it is first needed.
    #[cfg(not(target_family = "wasm"))]
    pub fn open(folder: &Path, material: Material) -> Result<Table, TableError> {
        let path = Self::path(folder, material);
        let io = |error| TableError::Io { path: path.clone(), error };
        let damaged = |reason| TableError::Damaged { path: path.clone(), reason };
        let file = std::fs::File::open(&path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let file = Positioned::new(file);
        let first = file.read(0, size.min(HEAD as u64) as usize).map_err(io)?;
        let (found, _, blocks) = Self::shape(&first).map_err(damaged)?;
        if found != material {
            return Err(damaged("it holds another ending"));
        }
        let start = data_start(blocks) as u64;
        let len = size.checked_sub(start).ok_or("its length is wrong").map_err(damaged)?;
        let head = file.read(0, start as usize).map_err(io)?;
        let read = (0..blocks).map(|_| OnceLock::new()).collect();
        Self::new(head, Blocks::File { file, len, read }).map_err(damaged)
    }

    /// The file of an ending.
    pub fn path(folder: &Path, material: Material) -> PathBuf {
        folder.join(format!("{material}.mkt"))
    }

    /// Refuses a file of another kind in the place of a table, which writing would replace. An empty one is nobody's.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn room_for(folder: &Path, material: Material) -> Result<(), TableError> {
        use std::io::Read;
        let path = Self::path(folder, material);
        let mut start = Vec::new();
        let read = std::fs::File::open(&path).and_then(|file| file.take(KIND.len() as u64).read_to_end(&mut start));
        match read {
            Ok(_) if start.is_empty() || start == KIND => Ok(()),
            Ok(_) => Err(TableError::NotOurs { path }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(TableError::Io { path, error }),
        }
    }

    /// Writes the table to its file in `folder`. The file is whole or not there; one of another kind is not replaced.
    #[cfg(not(target_family = "wasm"))]
    pub fn save(&self, folder: &Path) -> Result<PathBuf, TableError> {
        Self::room_for(folder, self.material)?;
        let path = Self::path(folder, self.material);
        let mut bytes = self.head.clone();
        match &self.data {
            Blocks::Owned { data, .. } => bytes.extend_from_slice(data),
            Blocks::File { file, len, .. } => {
                let read = file.read(self.head.len() as u64, *len as usize);
                bytes.extend(read.map_err(|error| TableError::Io { path: path.clone(), error })?);
            }
        }
        rukh_files::replace(&path, &bytes).map_err(TableError::Output)?;
        Ok(path)
    }

    /// The ending.
    pub fn material(&self) -> Material {
        self.material
    }

    /// Bytes of the stored form.
    pub fn size(&self) -> usize {
        self.head.len() + self.data.len() as usize
    }

    /// The checksum of the head, in which are the checksums of all else.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn sum(&self) -> u64 {
        u64_at(&self.head, NUMBERS - 8)
    }

    /// How many positions have which distance.
    pub fn census(&self) -> &Census {
        &self.census
    }

    /// Whether a block with a wrong checksum was met. Such a table answers nothing.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Relaxed)
    }

    /// Compares every block with its checksum.
    pub fn check(&self) -> bool {
        (0..self.blocks).all(|block| self.block(block).is_some())
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// A block with the right checksum.
    #[inline]
    fn block(&self, block: usize) -> Option<&[u8]> {
        match &self.data {
            Blocks::Owned { data, checked } => {
                let (start, end) = self.place(block);
                let bytes = data.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?);
                let (known, mask) = (checked.get(block / 64)?, 1u64 << (block % 64));
                if known.load(Relaxed) & mask == 0 {
                    self.verified(block, bytes)?;
                    known.fetch_or(mask, Relaxed);
                }
                bytes
            }
            #[cfg(not(target_family = "wasm"))]
            Blocks::File { read, .. } => match read.get(block)?.get() {
                Some(bytes) => Some(bytes),
                None => self.fetch(block),
            },
        }
    }

    /// Where a block begins and ends, counted from the end of the index.
    fn place(&self, block: usize) -> (u64, u64) {
        let start = |block: usize| 8 * u32_at(&self.head, HEAD + 4 * block) as u64;
        (start(block), if block + 1 < self.blocks { start(block + 1) } else { self.data.len() })
    }

    /// The bytes of a block if they are whole; a block that is not damages the table.
    fn verified<'a>(&self, block: usize, bytes: Option<&'a [u8]>) -> Option<&'a [u8]> {
        let sum = u64_at(&self.head, sums_start(self.blocks) + 8 * block);
        let good = bytes.filter(|bytes| bytes.len() >= 2 * BLOCK && checksum(bytes) == sum);
        if good.is_none() {
            self.damaged.store(true, Relaxed);
        }
        good
    }

    #[cfg(not(target_family = "wasm"))]
    #[cold]
    fn fetch(&self, block: usize) -> Option<&[u8]> {
        let Blocks::File { file, len, read } = &self.data else { return None };
        let (start, end) = self.place(block);
        let inside = start <= end && end <= *len;
        let bytes = if inside { file.read(self.head.len() as u64 + start, (end - start) as usize).ok() } else { None };
        self.verified(block, bytes.as_deref())?;
        // Another thread may have been first, with the same bytes.
        Some(read.get(block)?.get_or_init(|| bytes.unwrap_or_default().into()))
    }

    /// A row by its number; `None` in a damaged table.
    #[inline]
    pub(crate) fn row(&self, number: usize) -> Option<Row<'_>> {
        if number >= self.rows || self.is_damaged() {
            return None;
        }
        let block = self.block(number / BLOCK)?;
        let (heads, planes) = block.split_at_checked(2 * BLOCK)?;
        let at = number % BLOCK;
        let head = RowHead::from_bytes([heads[at], heads[BLOCK + at]]);
        let before: usize = heads[BLOCK..BLOCK + at].iter().map(|w| (w & 7) as usize).sum();
        let planes = planes.get(8 * before..8 * (before + head.width as usize))?;
        Some(Row { head, planes })
    }
}

pub(crate) fn sums_start(blocks: usize) -> usize {
    HEAD + (4 * blocks).next_multiple_of(8)
}

pub(crate) fn data_start(blocks: usize) -> usize {
    sums_start(blocks) + 8 * blocks
}
