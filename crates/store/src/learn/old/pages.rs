//! redb's file within a table of version 1 or 2, for reading: what redb writes while it looks (repairs of an unclean end, its
//! own head) stays in memory, and the file is left as it is.
//!
//! redb checks its own sums only after an unclean end, and takes damaged pages at their word otherwise. A table of version 2
//! has a sum for every page, with which it is compared before redb sees it. `docs/formats/learned.md` describes the file.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redb::StorageBackend;

use crate::learn::head::HEAD;
use crate::learn::medium::Medium;

/// Size of a page, redb's and ours.
const PAGE: usize = 4096;
/// redb's own head, at the start of its file.
const REDB_HEAD: usize = 320;
/// redb's flags, a byte of its head: 1 the second slot is in use, 2 not closed.
const REDB_FLAGS: usize = 9;
const REDB_UNCLEAN: u8 = 2;
/// Where redb's head stands in that of version 2.
const INNER: usize = 32;

/// States of a table of version 2: being used or left by a killed process (no sums), being closed or opened (the length is
/// right, the sums are not), closed (with sums behind the pages).
const OPEN: u8 = 0;
const SEALED: u8 = 2;

/// Why a file cannot be opened as it is.
#[derive(Debug)]
pub(super) enum Fault {
    /// What is wrong with it.
    Damaged(&'static str),
    Io(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Io(error)
    }
}

#[derive(Debug)]
struct Inner {
    medium: Box<dyn Medium>,
    /// Bytes as redb sees them: whole pages.
    length: u64,
    /// The sum of each page of the medium, where it is known.
    sums: Vec<Option<u32>>,
    /// Pages that redb has written.
    written: HashMap<usize, Box<[u8; PAGE]>>,
}

/// redb's file within ours.
#[derive(Debug)]
pub(super) struct Pages(Mutex<Inner>);

impl Pages {
    /// A table of version 1: redb's bytes alone.
    pub(super) fn first(mut medium: Box<dyn Medium>) -> Result<Pages, Fault> {
        if older_slot(medium.as_mut())? {
            return Err(Fault::Damaged("its head leads to an older state"));
        }
        let length = medium.len()?;
        Pages::new(medium, length, HashMap::new())
    }

    fn new(medium: Box<dyn Medium>, length: u64, written: HashMap<usize, Box<[u8; PAGE]>>) -> Result<Pages, Fault> {
        if !length.is_multiple_of(PAGE as u64) || length < 2 * PAGE as u64 {
            return Err(Fault::Damaged("its length is wrong"));
        }
        let sums = vec![None; (length / PAGE as u64) as usize];
        Ok(Pages(Mutex::new(Inner { medium, length, sums, written })))
    }

    /// A table of version 2, whose head is sound; tells whether it was closed properly. None if nothing was ever in it.
    pub(super) fn second(mut medium: Box<dyn Medium>) -> Result<Option<(Pages, bool)>, Fault> {
        let physical = medium.len()?;
        let mut head = [0; HEAD];
        medium.read(0, &mut head)?;
        let state = head[10];
        if state > SEALED {
            return Err(Fault::Damaged("its state is unknown"));
        }
        let mut first = Box::new([0; PAGE]);
        first[..REDB_HEAD].copy_from_slice(&head[INNER..INNER + REDB_HEAD]);
        if first[..REDB_FLAGS] == [0; REDB_FLAGS] {
            return Ok(None);
        }
        let mut length = [0; 8];
        length.copy_from_slice(&head[16..24]);
        let length = if state == OPEN { physical } else { u64::from_le_bytes(length) };
        if length > physical {
            return Err(Fault::Damaged("its length is wrong"));
        }
        let pages = Pages::new(medium, length, HashMap::from([(0, first)]))?;
        if state == SEALED {
            let mut inner = pages.inner();
            let mut seal = vec![0; 4 * (inner.sums.len() - 1)];
            if physical != length + seal.len() as u64 {
                return Err(Fault::Damaged("its length is wrong"));
            }
            inner.medium.read(length, &mut seal)?;
            if crc32fast::hash(&seal) != u32::from_le_bytes([head[24], head[25], head[26], head[27]]) {
                return Err(Fault::Damaged("the checksum of its checksums is wrong"));
            }
            for (sum, bytes) in inner.sums[1..].iter_mut().zip(seal.chunks_exact(4)) {
                *sum = Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
            }
        }
        Ok(Some((pages, state == SEALED)))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a closed file of redb's own (version 1) points to the older of its two states: no checksum covers that bit.
fn older_slot(medium: &mut dyn Medium) -> io::Result<bool> {
    /// Where the number of a slot's transaction stands.
    const NUMBERS: [usize; 2] = [64 + 104, 192 + 104];
    let mut head = [0; REDB_HEAD];
    medium.read(0, &mut head)?;
    let flags = head[REDB_FLAGS];
    let [first, second] = NUMBERS.map(|at| {
        let mut number = [0; 8];
        number.copy_from_slice(&head[at..at + 8]);
        u64::from_le_bytes(number)
    });
    Ok(flags & REDB_UNCLEAN == 0 && if flags & 1 == 0 { second > first } else { first > second })
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

impl Inner {
    /// A whole page, as it was written.
    fn page(&mut self, page: usize) -> io::Result<[u8; PAGE]> {
        if let Some(bytes) = self.written.get(&page) {
            return Ok(**bytes);
        }
        let mut bytes = [0; PAGE];
        self.medium.read((page * PAGE) as u64, &mut bytes)?;
        if self.sums[page].is_some_and(|sum| sum != crc32fast::hash(&bytes)) {
            return Err(damaged("the checksum of a page is wrong"));
        }
        Ok(bytes)
    }

    /// The pages of a range, each with the part of it that is meant.
    fn parts(&self, at: u64, len: usize) -> io::Result<impl Iterator<Item = (usize, std::ops::Range<usize>)> + use<>> {
        let end = at.checked_add(len as u64).filter(|&end| end <= self.length);
        let end = end.ok_or_else(|| damaged("a page lies beyond the end"))?;
        let first = at / PAGE as u64;
        Ok((first..end.div_ceil(PAGE as u64)).map(move |page| {
            let start = page * PAGE as u64;
            let within = |place: u64| place.saturating_sub(start).min(PAGE as u64) as usize;
            (page as usize, within(at)..within(end))
        }))
    }
}

impl StorageBackend for Pages {
    fn len(&self) -> io::Result<u64> {
        Ok(self.inner().length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let (mut inner, mut out) = (self.inner(), out);
        for (page, part) in inner.parts(offset, out.len())? {
            let (now, later) = out.split_at_mut(part.len());
            now.copy_from_slice(&inner.page(page)?[part]);
            out = later;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut inner = self.inner();
        if !len.is_multiple_of(PAGE as u64) {
            return Err(io::Error::other("redb asks for a part of a page"));
        }
        let pages = (len / PAGE as u64) as usize;
        inner.written.retain(|&page, _| page < pages);
        for page in inner.sums.len()..pages {
            inner.written.insert(page, Box::new([0; PAGE]));
        }
        inner.sums.resize(pages, None);
        inner.length = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let (mut inner, mut data) = (self.inner(), data);
        for (page, part) in inner.parts(offset, data.len())? {
            let (now, later) = data.split_at(part.len());
            let mut bytes = if part.len() == PAGE { [0; PAGE] } else { inner.page(page)? };
            bytes[part].copy_from_slice(now);
            inner.written.insert(page, Box::new(bytes));
            data = later;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::medium::InMemory;

    #[test]
    fn the_head_of_version_1_must_lead_to_the_newer_state() {
        // Flags (1: the second state counts, 2: not closed), the numbers of the two states, whether the head is wrong.
        for (flags, first, second, wrong) in [
            (0u8, 5u64, 4u64, false),
            (0, 4, 5, true),
            (0, 5, 5, false),
            (1, 5, 4, true),
            (1, 4, 5, false),
            (1, 5, 5, false),
            (2, 4, 5, false),
            (3, 5, 4, false),
        ] {
            let mut head = vec![0; 320];
            head[9] = flags;
            head[168..176].copy_from_slice(&first.to_le_bytes());
            head[296..304].copy_from_slice(&second.to_le_bytes());
            assert_eq!(older_slot(&mut InMemory::new(head)).unwrap(), wrong, "{flags} {first} {second}");
        }
        assert!(older_slot(&mut InMemory::new(vec![0; 319])).is_err());
    }

    /// Shrunk and grown again, a page is empty; what lies in the file does not come back.
    #[test]
    fn what_is_written_stays_in_memory() {
        let file = InMemory::new(vec![7; 4 * PAGE]);
        let pages = Pages::new(Box::new(file.clone()), 4 * PAGE as u64, HashMap::new()).unwrap();
        pages.write(PAGE as u64 - 2, &[1, 2, 3, 4]).unwrap();
        let mut bytes = [0; 6];
        pages.read(PAGE as u64 - 3, &mut bytes).unwrap();
        assert_eq!(bytes, [7, 1, 2, 3, 4, 7]);
        pages.set_len(PAGE as u64).unwrap();
        assert!(pages.read(PAGE as u64, &mut bytes).is_err());
        pages.set_len(3 * PAGE as u64).unwrap();
        pages.read(PAGE as u64 - 3, &mut bytes).unwrap();
        assert_eq!(bytes, [7, 1, 2, 0, 0, 0]);
        assert_eq!(file.bytes(), vec![7; 4 * PAGE]);
    }
}
