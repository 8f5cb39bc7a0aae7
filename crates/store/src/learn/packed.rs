//! Rows in order, in blocks with a directory: the part of a table that is written at once and never changed.
//!
//! The order is that of the first half of the position's key, so that a look-up needs no code for a position that is not
//! there: to make one costs more than to read the block.

use std::collections::HashMap;
use std::io;
use std::iter::Peekable;
use std::sync::{Arc, Mutex, PoisonError};

use super::head::{HEAD, Head, Part};
use super::medium::Medium;
use super::row::{Name, Row, read_number, read_numbered, take, write_number, write_numbered};

/// A block is closed at this size.
const BLOCK: usize = 4096;
/// An entry of the directory: first place of the block, its end, its checksum.
const ENTRY: usize = 16;
/// Blocks that are kept in memory: 16 MB.
const KEPT: usize = 4096;

/// Where a position stands: the first half of its key.
pub(super) fn place(key: u64) -> u32 {
    (key >> 32) as u32
}

pub(super) fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    first: u32,
    start: u64,
    end: u64,
    crc: u32,
}

/// Blocks that are read as they are asked for, each compared with its checksum.
#[derive(Debug, Default)]
pub(super) struct Packed {
    directory: Vec<Entry>,
    clock: u64,
    kept: Mutex<HashMap<usize, Arc<[u8]>>>,
}

impl Packed {
    /// Reads the directory.
    pub(super) fn open(medium: &mut dyn Medium, head: &Head) -> io::Result<Packed> {
        let bytes = part(medium, head.blocks_end, head.directory)?;
        let (mut directory, mut start) = (Vec::with_capacity(bytes.len() / ENTRY), HEAD as u64);
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let wrong = || damaged("its directory is wrong");
            let first = u32::from_le_bytes(take(&mut rest).ok_or_else(wrong)?);
            let end = u64::from_le_bytes(take(&mut rest).ok_or_else(wrong)?);
            let crc = u32::from_le_bytes(take(&mut rest).ok_or_else(wrong)?);
            let follows = directory.last().is_none_or(|last: &Entry| last.first < first);
            if !follows || end <= start || end > head.blocks_end {
                return Err(wrong());
            }
            directory.push(Entry { first, start, end, crc });
            start = end;
        }
        if start != head.blocks_end {
            return Err(damaged("its directory is wrong"));
        }
        Ok(Packed { directory, clock: head.packed_clock, kept: Mutex::default() })
    }

    fn load(&self, medium: &Mutex<Box<dyn Medium>>, at: usize) -> io::Result<Vec<u8>> {
        let entry = self.directory[at];
        let mut bytes = vec![0; (entry.end - entry.start) as usize];
        medium.lock().unwrap_or_else(PoisonError::into_inner).read(entry.start, &mut bytes)?;
        if crc32fast::hash(&bytes) == entry.crc { Ok(bytes) } else { Err(damaged("the checksum of a block is wrong")) }
    }

    fn block(&self, medium: &Mutex<Box<dyn Medium>>, at: usize) -> io::Result<Arc<[u8]>> {
        if let Some(block) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&at) {
            return Ok(block.clone());
        }
        let block: Arc<[u8]> = self.load(medium, at)?.into();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(at, block.clone());
        Ok(block)
    }

    /// The rows at a place, as a rule none or one.
    pub(super) fn at(&self, medium: &Mutex<Box<dyn Medium>>, place: u32) -> io::Result<Vec<Row>> {
        let after = self.directory.partition_point(|entry| entry.first <= place);
        let Some(at) = after.checked_sub(1) else { return Ok(Vec::new()) };
        let block = self.block(medium, at)?;
        let wrong = || damaged("a block is wrong");
        let mut rest = &block[..];
        let count = read_number(&mut rest).ok_or_else(wrong)?;
        let (mut here, mut wanted) = (u64::from(self.directory[at].first), 0..0);
        for n in 0..count {
            here = here.saturating_add(read_number(&mut rest).ok_or_else(wrong)?);
            match here.cmp(&u64::from(place)) {
                std::cmp::Ordering::Less => wanted = n + 1..n + 1,
                std::cmp::Ordering::Equal => wanted.end = n + 1,
                // The other places must still be stepped over.
                std::cmp::Ordering::Greater => {}
            }
        }
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let mut rows = Vec::new();
        for n in 0..wanted.end {
            let row = Row::read(self.clock, &mut rest).ok_or_else(wrong)?;
            if n >= wanted.start {
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// All rows of a block with their places.
    fn rows(&self, medium: &Mutex<Box<dyn Medium>>, at: usize) -> io::Result<Vec<(u32, Row)>> {
        let (first, bytes) = (self.directory[at].first, self.load(medium, at)?);
        let read = || -> Option<Vec<(u32, Row)>> {
            let mut rest = &bytes[..];
            let count = usize::try_from(read_number(&mut rest)?).ok().filter(|&count| count <= bytes.len())?;
            let (mut here, mut places) = (first, Vec::with_capacity(count));
            for _ in 0..count {
                here = here.checked_add(u32::try_from(read_number(&mut rest)?).ok()?)?;
                places.push(here);
            }
            let rows = places.into_iter().map(|place| Some((place, Row::read(self.clock, &mut rest)?)));
            let rows = rows.collect::<Option<Vec<_>>>()?;
            rest.is_empty().then_some(rows)
        };
        read().ok_or_else(|| damaged("a block is wrong"))
    }

    /// All rows in order.
    pub(super) fn all<'a>(
        &'a self,
        medium: &'a Mutex<Box<dyn Medium>>,
    ) -> impl Iterator<Item = io::Result<(u32, Row)>> + 'a {
        (0..self.directory.len()).flat_map(move |at| {
            let (rows, error) = match self.rows(medium, at) {
                Ok(rows) => (rows, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            rows.into_iter().map(Ok).chain(error)
        })
    }
}

/// The bytes of a part, which must be as their checksum says.
pub(super) fn part(medium: &mut dyn Medium, start: u64, part: Part) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(part.end - start).map_err(|_| damaged("it is too large"))?];
    medium.read(start, &mut bytes)?;
    if crc32fast::hash(&bytes) != part.crc {
        return Err(damaged("the checksum of a part is wrong"));
    }
    Ok(bytes)
}

/// Numbers that were given, in order.
pub(super) fn numbers(medium: &mut dyn Medium, head: &Head) -> io::Result<Vec<(u64, Name)>> {
    let bytes = part(medium, head.directory.end, head.numbers)?;
    let (mut rest, mut numbers) = (&bytes[..], Vec::new());
    while !rest.is_empty() {
        let (number, name) = read_numbered(&mut rest).ok_or_else(|| damaged("its numbers are wrong"))?;
        if number >= head.next {
            return Err(damaged("a number was never given"));
        }
        numbers.push((number, name));
    }
    Ok(numbers)
}

/// Two lists of rows in order as one; of rows with one name that of `new` counts.
pub(super) fn merged<'a>(
    old: impl Iterator<Item = io::Result<(u32, Row)>> + 'a,
    new: impl Iterator<Item = (u32, Row)> + 'a,
) -> impl Iterator<Item = io::Result<(u32, Row)>> + 'a {
    let (mut old, mut new): (Peekable<_>, Peekable<_>) = (old.peekable(), new.peekable());
    std::iter::from_fn(move || {
        let Some(&(place, row)) = new.peek() else { return old.next() };
        match old.peek() {
            Some(Err(_)) => old.next(),
            Some(Ok((at, known))) if (*at, known.name) < (place, row.name) => old.next(),
            Some(Ok((at, known))) if (*at, known.name) == (place, row.name) => {
                old.next();
                new.next().map(Ok)
            }
            _ => new.next().map(Ok),
        }
    })
}

/// Writes a whole table without a journal beside another: rows in order, numbers in order. Gives its head.
pub(super) fn write(
    medium: &mut dyn Medium,
    mut head: Head,
    rows: impl Iterator<Item = io::Result<(u32, Row)>>,
    given: impl Iterator<Item = (u64, Name)>,
) -> io::Result<Head> {
    (head.packed_clock, head.beside) = (head.clock, true);
    // Its first words say whose it is and that it is not whole. What is there already is of the same kind.
    let unfinished = Head { journal: Part { end: u64::MAX, crc: 0 }, ..head };
    medium.set_len(HEAD as u64)?;
    medium.write(0, &unfinished.encode())?;
    medium.sync()?;
    let mut out = Writer { medium, at: HEAD as u64, buffer: Vec::new() };
    let (mut directory, mut block) = (Vec::new(), Block::default());
    head.rows = 0;
    let mut last = 0;
    for row in rows {
        let (place, row) = row?;
        // Checksums can be forged: what is read is not in order because it ought to be.
        if place < last {
            return Err(damaged("its rows are not in order"));
        }
        last = place;
        // Rows of one place stay together.
        if block.places.len() + block.rows.len() >= BLOCK && block.last != place {
            block.close(&mut out, &mut directory)?;
        }
        block.add(place, &row, head.packed_clock);
        head.rows += 1;
    }
    block.close(&mut out, &mut directory)?;
    head.blocks_end = out.end();
    head.directory = out.part(&directory)?;
    let mut bytes = Vec::new();
    given.for_each(|(number, name)| write_numbered(number, &name, &mut bytes));
    head.numbers = out.part(&bytes)?;
    head.journal = Part { end: head.numbers.end, crc: crc32fast::hash(&[]) };
    out.flush()?;
    // The head says that it is whole: no sooner than it is.
    out.medium.sync()?;
    head.replace(&unfinished, out.medium)?;
    Ok(head)
}

/// Writes one after another, many bytes at once.
struct Writer<'a> {
    medium: &'a mut dyn Medium,
    at: u64,
    buffer: Vec<u8>,
}

impl Writer<'_> {
    fn end(&self) -> u64 {
        self.at + self.buffer.len() as u64
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend(bytes);
        if self.buffer.len() >= 1 << 20 { self.flush() } else { Ok(()) }
    }

    fn part(&mut self, bytes: &[u8]) -> io::Result<Part> {
        self.put(bytes)?;
        Ok(Part { end: self.end(), crc: crc32fast::hash(bytes) })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.medium.write(self.at, &self.buffer)?;
        self.at = self.end();
        self.buffer.clear();
        Ok(())
    }
}

#[derive(Default)]
struct Block {
    first: u32,
    last: u32,
    count: u64,
    places: Vec<u8>,
    rows: Vec<u8>,
}

impl Block {
    fn add(&mut self, place: u32, row: &Row, clock: u64) {
        if self.count == 0 {
            (self.first, self.last) = (place, place);
        }
        write_number(u64::from(place - self.last), &mut self.places);
        row.write(clock, &mut self.rows);
        self.last = place;
        self.count += 1;
    }

    fn close(&mut self, out: &mut Writer<'_>, directory: &mut Vec<u8>) -> io::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(BLOCK + 64);
        write_number(self.count, &mut bytes);
        bytes.append(&mut self.places);
        bytes.append(&mut self.rows);
        out.put(&bytes)?;
        directory.extend(self.first.to_le_bytes());
        directory.extend(out.end().to_le_bytes());
        directory.extend(crc32fast::hash(&bytes).to_le_bytes());
        *self = Block::default();
        Ok(())
    }
}
