//! The file that segments live in: a header, sections, and a checksum for every 64 KiB.
//!
//! Layout: `docs/formats/database.md`. Checksums are tested when a block is first touched, so opening a large segment
//! is instant and damage is still found before its bytes are believed.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::DbError;
use super::map::Map;

/// Bytes of the header; sections begin behind it.
const HEADER: usize = 512;
/// Bytes under one checksum.
const BLOCK: usize = 64 << 10;
pub const SECTIONS: usize = 12;
pub const PARAMS: usize = 16;
const VERSION: u32 = 1;

/// Puts sections into a file, one after the other.
pub struct ContainerWriter {
    path: PathBuf,
    out: BufWriter<File>,
    at: u64,
    sections: [(u64, u64); SECTIONS],
    crcs: Vec<u8>,
    block: crc32fast::Hasher,
    in_block: usize,
}

impl ContainerWriter {
    pub fn create(path: &Path) -> Result<Self, DbError> {
        let file = File::create(path).map_err(DbError::io(path))?;
        let mut out = BufWriter::with_capacity(256 << 10, file);
        out.write_all(&[0; HEADER]).map_err(DbError::io(path))?;
        Ok(ContainerWriter {
            path: path.to_owned(),
            out,
            at: HEADER as u64,
            sections: [(0, 0); SECTIONS],
            crcs: Vec::new(),
            block: crc32fast::Hasher::new(),
            in_block: 0,
        })
    }

    fn put(&mut self, mut bytes: &[u8]) -> Result<(), DbError> {
        self.out.write_all(bytes).map_err(DbError::io(&self.path))?;
        self.at += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(BLOCK - self.in_block));
            self.block.update(now);
            self.in_block += now.len();
            if self.in_block == BLOCK {
                self.end_block();
            }
            bytes = rest;
        }
        Ok(())
    }

    fn end_block(&mut self) {
        let crc = std::mem::take(&mut self.block).finalize();
        self.crcs.extend(crc.to_le_bytes());
        self.in_block = 0;
    }

    /// Copies a section from a reader and aligns the end to eight bytes.
    pub fn section(&mut self, index: usize, mut from: impl Read) -> Result<(), DbError> {
        let start = self.at;
        let mut buf = vec![0; 256 << 10];
        loop {
            let n = from.read(&mut buf).map_err(DbError::io(&self.path))?;
            if n == 0 {
                break;
            }
            self.put(&buf[..n])?;
        }
        self.sections[index] = (start, self.at - start);
        let pad = self.at.next_multiple_of(8) - self.at;
        self.put(&[0; 8][..pad as usize])
    }

    /// Writes checksums and header and forces everything to the disk. Returns the file's size.
    pub fn finish(mut self, magic: &[u8; 8], params: &[u64; PARAMS]) -> Result<u64, DbError> {
        if self.in_block > 0 {
            self.end_block();
        }
        let io = DbError::io(&self.path);
        let crcs = std::mem::take(&mut self.crcs);
        let mut head = Vec::with_capacity(HEADER);
        head.extend(magic);
        head.extend(VERSION.to_le_bytes());
        head.extend(crc32fast::hash(&crcs).to_le_bytes());
        head.extend(self.at.to_le_bytes());
        head.extend(params.iter().flat_map(|p| p.to_le_bytes()));
        head.extend(self.sections.iter().flat_map(|(o, l)| [o.to_le_bytes(), l.to_le_bytes()]).flatten());
        head.resize(HEADER - 4, 0);
        head.extend(crc32fast::hash(&head).to_le_bytes());
        (|| {
            self.out.write_all(&crcs)?;
            self.out.seek(SeekFrom::Start(0))?;
            self.out.write_all(&head)?;
            self.out.flush()?;
            self.out.get_ref().sync_all()?;
            Ok(self.at + crcs.len() as u64)
        })()
        .map_err(io)
    }
}

/// A stream of bytes kept in a temporary file until its turn comes.
pub struct Spill {
    path: PathBuf,
    out: BufWriter<File>,
    len: u64,
}

impl Spill {
    pub fn create(path: PathBuf) -> Result<Spill, DbError> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(DbError::io(&path))?;
        Ok(Spill { path, out: BufWriter::with_capacity(64 << 10, file), len: 0 })
    }

    #[inline]
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), DbError> {
        self.len += bytes.len() as u64;
        self.out.write_all(bytes).map_err(DbError::io(&self.path))
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    /// Moves the bytes into a section and removes the file.
    pub fn pour(mut self, index: usize, into: &mut ContainerWriter) -> Result<(), DbError> {
        let io = DbError::io(&self.path);
        (|| {
            self.out.flush()?;
            self.out.get_mut().rewind()
        })()
        .map_err(io)?;
        into.section(index, BufReader::new(self.out.get_mut()))
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        // Left-overs are also removed by the next import.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A segment file open for reading.
pub struct Container {
    path: PathBuf,
    map: Map,
    params: [u64; PARAMS],
    sections: [Range<usize>; SECTIONS],
    /// End of the checked part, start of the checksums.
    end: usize,
    /// One bit per block whose checksum has been found right.
    checked: Vec<AtomicU64>,
}

impl Container {
    pub fn open(path: &Path, magic: &[u8; 8]) -> Result<Container, DbError> {
        let map = Map::open(path)?;
        let bad = |problem: &str| DbError::damaged(path, problem);
        let head = map.get(..HEADER).ok_or_else(|| bad("shorter than its header"))?;
        let u32_at = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
        let u64_at = |i: usize| u64::from(u32_at(i)) | u64::from(u32_at(i + 4)) << 32;
        if &head[..8] != magic {
            return Err(bad("wrong kind of file"));
        }
        if crc32fast::hash(&head[..HEADER - 4]) != u32_at(HEADER - 4) {
            return Err(bad("header damaged"));
        }
        if u32_at(8) != VERSION {
            return Err(bad("written by another version of Rukh"));
        }
        let end = usize::try_from(u64_at(16)).unwrap_or(usize::MAX);
        let blocks = end.saturating_sub(HEADER).div_ceil(BLOCK);
        if end < HEADER || map.len() != end.saturating_add(4 * blocks) {
            return Err(bad("truncated, or longer than it should be"));
        }
        if crc32fast::hash(&map[end..]) != u32_at(12) {
            return Err(bad("checksums damaged"));
        }
        let params = std::array::from_fn(|i| u64_at(24 + 8 * i));
        let mut sections = std::array::from_fn(|_| 0..0);
        for (i, section) in sections.iter_mut().enumerate() {
            let at = 24 + 8 * PARAMS + 16 * i;
            let (start, len) = (u64_at(at), u64_at(at + 8));
            if start.checked_add(len).is_none_or(|e| e > end as u64) {
                return Err(bad("section outside the file"));
            }
            *section = start as usize..(start + len) as usize;
        }
        let checked = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Container { path: path.to_owned(), map, params, sections, end, checked })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn param(&self, index: usize) -> u64 {
        self.params[index]
    }

    pub fn size(&self) -> u64 {
        self.map.len() as u64
    }

    pub fn section_len(&self, index: usize) -> usize {
        self.sections[index].len()
    }

    /// Bytes `range` of a section, after their checksums were tested.
    #[inline]
    pub fn bytes(&self, section: usize, range: Range<usize>) -> Result<&[u8], DbError> {
        let s = &self.sections[section];
        if range.start > range.end || range.end > s.len() {
            return Err(self.outside(section));
        }
        let (from, to) = (s.start + range.start, s.start + range.end);
        if from < to {
            let (first, last) = ((from - HEADER) / BLOCK, (to - 1 - HEADER) / BLOCK);
            for block in first..=last {
                if self.checked[block / 64].load(Ordering::Relaxed) >> (block % 64) & 1 == 0 {
                    self.check(block)?;
                }
            }
        }
        Ok(&self.map[from..to])
    }

    #[cold]
    fn outside(&self, section: usize) -> DbError {
        DbError::damaged(&self.path, format!("a link points outside section {section}"))
    }

    #[cold]
    fn check(&self, block: usize) -> Result<(), DbError> {
        let from = HEADER + block * BLOCK;
        let to = (from + BLOCK).min(self.end);
        let c = &self.map[self.end + 4 * block..][..4];
        if crc32fast::hash(&self.map[from..to]) != u32::from_le_bytes([c[0], c[1], c[2], c[3]]) {
            return Err(DbError::damaged(&self.path, format!("checksum wrong in bytes {from} to {to}")));
        }
        self.checked[block / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
        Ok(())
    }

    /// Tests every block; returns the damaged ones in words.
    pub fn check_all(&self) -> Vec<DbError> {
        let blocks = (self.end - HEADER).div_ceil(BLOCK);
        (0..blocks).filter_map(|block| self.check(block).err()).collect()
    }

    /// A little-endian u64 of a section, by index.
    #[inline]
    pub fn u64(&self, section: usize, index: usize) -> Result<u64, DbError> {
        let b = self.bytes(section, 8 * index..8 * index + 8)?;
        Ok(u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
    }
}
