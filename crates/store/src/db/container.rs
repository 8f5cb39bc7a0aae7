//! The file that segments live in: a header, sections, and a checksum for every 64 KiB.
//!
//! Layout: `docs/formats/database.md`. Checksums are tested when a block is first touched, so opening a large segment
//! is instant and damage is still found before its bytes are believed. Blocks are read, not mapped: whoever truncates a
//! mapped file ends every process that looks at it. Nothing that stands in a file may make a reader panic.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::disk::{Appender, Folder, Handle};
use super::error::DbError;
use super::parse::hash_bytes;

/// Bytes of the header; sections begin behind it.
pub const HEADER: usize = 512;
/// Bytes under one checksum.
pub const BLOCK: usize = 64 << 10;
pub const SECTIONS: usize = 12;
pub const PARAMS: usize = 16;
const VERSION: u32 = 1;

/// What tells a file from every other: its size, and a hash of its header, which has the checksum of all checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seal {
    pub bytes: u64,
    pub sum: u64,
}

/// Puts sections into a file, one after the other.
pub struct ContainerWriter {
    out: Appender,
    sections: [(u64, u64); SECTIONS],
    crcs: Vec<u8>,
    block: crc32fast::Hasher,
    in_block: usize,
}

impl ContainerWriter {
    /// Begins a file, which must be empty.
    pub fn new(file: Handle) -> Result<Self, DbError> {
        let mut out = Appender::new(file, 256 << 10);
        out.put(&[0; HEADER])?;
        let (crcs, block) = (Vec::new(), crc32fast::Hasher::new());
        Ok(ContainerWriter { out, sections: [(0, 0); SECTIONS], crcs, block, in_block: 0 })
    }

    fn put(&mut self, mut bytes: &[u8]) -> Result<(), DbError> {
        self.out.put(bytes)?;
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

    /// Writes a section, piece by piece (`next` gives an empty one at the end), and aligns its end to eight bytes.
    fn fill<'a>(
        &mut self,
        index: usize,
        mut next: impl FnMut() -> Result<Cow<'a, [u8]>, DbError>,
    ) -> Result<(), DbError> {
        let start = self.out.len();
        loop {
            let piece = next()?;
            if piece.is_empty() {
                break;
            }
            self.put(&piece)?;
        }
        let len = self.out.len() - start;
        self.sections[index] = (start, len);
        self.put(&[0; 8][..(len.next_multiple_of(8) - len) as usize])
    }

    /// Writes a section that is in memory.
    pub fn section(&mut self, index: usize, bytes: &[u8]) -> Result<(), DbError> {
        let mut rest = bytes;
        self.fill(index, || Ok(Cow::Borrowed(std::mem::take(&mut rest))))
    }

    /// Writes checksums and header and forces everything to the disk.
    pub fn finish(mut self, magic: &[u8; 8], params: &[u64; PARAMS]) -> Result<Seal, DbError> {
        if self.in_block > 0 {
            self.end_block();
        }
        let end = self.out.len();
        let mut head = Vec::with_capacity(HEADER);
        head.extend(magic);
        head.extend(VERSION.to_le_bytes());
        head.extend(crc32fast::hash(&self.crcs).to_le_bytes());
        head.extend(end.to_le_bytes());
        head.extend(params.iter().flat_map(|p| p.to_le_bytes()));
        head.extend(self.sections.iter().flat_map(|(o, l)| [o.to_le_bytes(), l.to_le_bytes()]).flatten());
        head.resize(HEADER - 4, 0);
        head.extend(crc32fast::hash(&head).to_le_bytes());
        self.out.put(&self.crcs)?;
        let bytes = self.out.len();
        let file = self.out.finish()?;
        file.write_all_at(&head, 0)?;
        file.sync()?;
        Ok(Seal { bytes, sum: hash_bytes(0, &head) })
    }
}

/// A stream of bytes kept in a nameless file until its turn comes.
pub struct Spill(Appender);

impl Spill {
    pub fn create(folder: &Folder) -> Result<Spill, DbError> {
        Ok(Spill(Appender::new(folder.scratch()?, 64 << 10)))
    }

    #[inline]
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), DbError> {
        self.0.put(bytes)
    }

    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Moves the bytes into a section.
    pub fn pour(self, index: usize, into: &mut ContainerWriter) -> Result<(), DbError> {
        let len = self.0.len();
        let file = self.0.finish()?;
        let mut at = 0;
        into.fill(index, || {
            let mut piece = vec![0; (len - at).min(256 << 10) as usize];
            file.read_exact_at(&mut piece, at)?;
            at += piece.len() as u64;
            Ok(Cow::Owned(piece))
        })
    }
}

/// Memory for the blocks of files, shared by all files of a database. What finds no room is read again when it is
/// needed: slower, and right.
pub struct Room(AtomicUsize);

impl Room {
    pub fn new(bytes: usize) -> Arc<Room> {
        Arc::new(Room(AtomicUsize::new(bytes)))
    }

    pub fn take(&self, bytes: usize) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }

    pub fn give_back(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A block of a file.
#[derive(Default)]
struct Block {
    /// Its bytes, if there was room for them.
    bytes: OnceLock<Box<[u8]>>,
    /// Its checksum has been found right.
    checked: AtomicBool,
}

/// A segment file open for reading.
pub struct Container {
    file: Handle,
    seal: Seal,
    params: [u64; PARAMS],
    sections: [Range<usize>; SECTIONS],
    /// End of the checked part, start of the checksums.
    end: usize,
    crcs: Vec<u8>,
    blocks: Vec<Block>,
    room: Arc<Room>,
}

impl Drop for Container {
    fn drop(&mut self) {
        self.room.give_back(self.blocks.iter().filter_map(|b| b.bytes.get()).map(|bytes| bytes.len()).sum());
    }
}

impl Container {
    pub fn open(folder: &Folder, name: &str, magic: &[u8; 8], room: &Arc<Room>) -> Result<Container, DbError> {
        let file = folder.open(name)?;
        let bad = |problem: &str| Err(DbError::damaged(file.path(), problem));
        let bytes = file.len()?;
        if bytes < HEADER as u64 {
            return bad("shorter than its header");
        }
        let mut head = [0; HEADER];
        file.read_exact_at(&mut head, 0)?;
        let u32_at = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
        let u64_at = |i: usize| u64::from(u32_at(i)) | u64::from(u32_at(i + 4)) << 32;
        if &head[..8] != magic {
            return bad("wrong kind of file");
        }
        if crc32fast::hash(&head[..HEADER - 4]) != u32_at(HEADER - 4) {
            return bad("header damaged");
        }
        if u32_at(8) != VERSION {
            return bad("written by another version of Rukh");
        }
        let end = usize::try_from(u64_at(16)).unwrap_or(usize::MAX);
        let blocks = end.saturating_sub(HEADER).div_ceil(BLOCK);
        if end < HEADER || bytes != (end as u64).saturating_add(4 * blocks as u64) {
            return bad("truncated, or longer than it should be");
        }
        let mut crcs = vec![0; 4 * blocks];
        file.read_exact_at(&mut crcs, end as u64)?;
        if crc32fast::hash(&crcs) != u32_at(12) {
            return bad("checksums damaged");
        }
        let params = std::array::from_fn(|i| u64_at(24 + 8 * i));
        let mut sections = std::array::from_fn(|_| HEADER..HEADER);
        for (i, section) in sections.iter_mut().enumerate() {
            let at = 24 + 8 * PARAMS + 16 * i;
            let (start, len) = (u64_at(at), u64_at(at + 8));
            if len == 0 {
                continue;
            }
            if start < HEADER as u64 || start.checked_add(len).is_none_or(|e| e > end as u64) {
                return bad("section outside the file");
            }
            *section = start as usize..(start + len) as usize;
        }
        let seal = Seal { bytes, sum: hash_bytes(0, &head) };
        let blocks = std::iter::repeat_with(Block::default).take(blocks).collect();
        Ok(Container { seal, params, sections, end, crcs, blocks, room: room.clone(), file })
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// What tells this file from every other.
    pub fn seal(&self) -> Seal {
        self.seal
    }

    pub fn param(&self, index: usize) -> u64 {
        self.params[index]
    }

    pub fn size(&self) -> u64 {
        self.seal.bytes
    }

    pub fn section_len(&self, index: usize) -> usize {
        self.sections[index].len()
    }

    /// Where bytes of a section stand in the file.
    #[inline]
    fn place(&self, section: usize, from: usize, len: usize) -> Result<usize, DbError> {
        let s = &self.sections[section];
        match from.checked_add(len) {
            Some(to) if to <= s.len() => Ok(s.start + from),
            _ => Err(self.outside(section)),
        }
    }

    /// A block's bytes if they are in memory; they are right, or were when the block was first read.
    #[inline]
    fn block(&self, number: usize) -> Result<Option<&[u8]>, DbError> {
        let block = &self.blocks[number];
        match block.bytes.get() {
            Some(bytes) => Ok(Some(bytes)),
            None if block.checked.load(Ordering::Relaxed) => Ok(None),
            None => self.load(number),
        }
    }

    /// Bytes `range` of a section, after their checksums were tested.
    #[inline]
    pub fn bytes(&self, section: usize, range: Range<usize>) -> Result<Cow<'_, [u8]>, DbError> {
        let len = range.end.checked_sub(range.start).ok_or_else(|| self.outside(section))?;
        let from = self.place(section, range.start, len)? - HEADER;
        if len == 0 {
            return Ok(Cow::Borrowed(&[]));
        }
        let (number, at) = (from / BLOCK, from % BLOCK);
        if at + len <= BLOCK
            && let Some(block) = self.block(number)?
            && let Some(bytes) = block.get(at..at + len)
        {
            return Ok(Cow::Borrowed(bytes));
        }
        let mut bytes = vec![0; len];
        self.copy(from, &mut bytes)?;
        Ok(Cow::Owned(bytes))
    }

    /// A few bytes of a section.
    #[inline]
    pub fn array<const N: usize>(&self, section: usize, at: usize) -> Result<[u8; N], DbError> {
        let from = self.place(section, at, N)? - HEADER;
        let mut bytes = [0; N];
        if let Some(block) = self.block(from / BLOCK)?
            && let Some(here) = block.get(from % BLOCK..from % BLOCK + N)
        {
            bytes.copy_from_slice(here);
        } else {
            self.copy(from, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// Copies bytes that begin at `from` behind the header.
    fn copy(&self, mut from: usize, mut out: &mut [u8]) -> Result<(), DbError> {
        while !out.is_empty() {
            let (number, at) = (from / BLOCK, from % BLOCK);
            let len = out.len().min(BLOCK - at);
            let (now, rest) = out.split_at_mut(len);
            match self.block(number)?.and_then(|block| block.get(at..at + len)) {
                Some(bytes) => now.copy_from_slice(bytes),
                None => self.file.read_exact_at(now, (HEADER + from) as u64)?,
            }
            from += len;
            out = rest;
        }
        Ok(())
    }

    #[cold]
    fn outside(&self, section: usize) -> DbError {
        DbError::damaged(self.path(), format!("a link points outside section {section}"))
    }

    /// Reads a block and tests its checksum.
    fn read(&self, number: usize) -> Result<Box<[u8]>, DbError> {
        let from = HEADER + number * BLOCK;
        let to = (from + BLOCK).min(self.end);
        let mut bytes = vec![0; to - from].into_boxed_slice();
        self.file.read_exact_at(&mut bytes, from as u64)?;
        if self.crcs.get(4 * number..4 * number + 4) != Some(&crc32fast::hash(&bytes).to_le_bytes()) {
            return Err(DbError::damaged(self.path(), format!("checksum wrong in bytes {from} to {to}")));
        }
        Ok(bytes)
    }

    #[cold]
    fn load(&self, number: usize) -> Result<Option<&[u8]>, DbError> {
        let bytes = self.read(number)?;
        let block = &self.blocks[number];
        let len = bytes.len();
        if self.room.take(len) {
            if block.bytes.set(bytes).is_err() {
                // Another thread was faster.
                self.room.give_back(len);
            }
        } else {
            block.checked.store(true, Ordering::Relaxed);
        }
        Ok(block.bytes.get().map(|bytes| &**bytes))
    }

    /// Tests every block as it is on the disk now; returns the damaged ones in words.
    pub fn check_all(&self) -> Vec<DbError> {
        (0..self.blocks.len()).filter_map(|number| self.read(number).err()).collect()
    }

    /// A little-endian u64 of a section, by index.
    #[inline]
    pub fn u64(&self, section: usize, index: usize) -> Result<u64, DbError> {
        let at = index.checked_mul(8).ok_or_else(|| self.outside(section))?;
        Ok(u64::from_le_bytes(self.array(section, at)?))
    }
}
