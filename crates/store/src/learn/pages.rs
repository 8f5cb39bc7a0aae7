//! The file under the learned table: redb's pages, a checksum for each, and a head that says whether they can be trusted.
//!
//! redb checks its own sums only after an unclean end, and takes damaged pages at their word otherwise. Here every page that
//! it reads is compared with the sum that was written when the table was closed, or since: damage becomes an error before
//! redb sees it. `docs/formats/learned.md` describes the file byte by byte.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redb::StorageBackend;

use super::medium::Medium;

/// Size of a page, redb's and ours.
const PAGE: usize = 4096;
/// redb's own head, at the start of its file.
const REDB_HEAD: usize = 320;
/// What redb's own files begin with, and so tables of version 1.
const REDB_MAGIC: &[u8; 9] = b"redb\x1a\x0a\xa9\x0d\x0a";
/// redb's flags, a byte of its head: 1 the second slot is in use, 2 not closed.
const REDB_FLAGS: usize = 9;
const REDB_UNCLEAN: u8 = 2;
const MAGIC: &[u8; 8] = b"RUKHLRND";
const VERSION: u16 = 2;
/// Our head: one sector of a disk, so that it is written whole or not at all.
const HEAD: usize = 512;
/// Where redb's head stands in ours.
const INNER: usize = 32;

/// Whether the pages are as the sums say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Being used, or left by a killed process: no sums.
    Open,
    /// Being closed or opened: the length is right, the sums are not.
    Closing,
    /// Closed, with sums behind the pages.
    Sealed,
}

/// Why a file cannot be opened as it is.
#[derive(Debug)]
pub(super) enum Fault {
    /// Something else.
    Foreign,
    /// A table of version 1.
    Old,
    /// A table of a later version.
    Newer(u16),
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
struct Head {
    state: State,
    length: u64,
    seal: u32,
    redb: [u8; REDB_HEAD],
}

impl Head {
    fn encode(&self) -> [u8; HEAD] {
        let mut out = [0u8; HEAD];
        out[..8].copy_from_slice(MAGIC);
        out[8..10].copy_from_slice(&VERSION.to_le_bytes());
        out[10] = self.state as u8;
        out[16..24].copy_from_slice(&self.length.to_le_bytes());
        out[24..28].copy_from_slice(&self.seal.to_le_bytes());
        out[INNER..INNER + REDB_HEAD].copy_from_slice(&self.redb);
        let crc = crc32fast::hash(&out[..HEAD - 4]);
        out[HEAD - 4..].copy_from_slice(&crc.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Result<Head, Fault> {
        let alike = |at: usize, magic: &[u8]| {
            let found = bytes.get(at..at + magic.len()).unwrap_or_default();
            // A damaged beginning must not turn a table into a foreign file.
            found.iter().zip(magic).filter(|(a, b)| a == b).count() >= 6
        };
        let whole: Option<&[u8; HEAD]> = bytes.get(..HEAD).and_then(|bytes| bytes.try_into().ok());
        let ours = alike(0, MAGIC) || alike(INNER, REDB_MAGIC);
        let Some(bytes) = whole.filter(|_| ours) else {
            return Err(match () {
                () if ours => Fault::Damaged("it ends within its head"),
                () if alike(0, REDB_MAGIC) => Fault::Old,
                () => Fault::Foreign,
            });
        };
        let crc = u32::from_le_bytes([bytes[508], bytes[509], bytes[510], bytes[511]]);
        if crc32fast::hash(&bytes[..HEAD - 4]) != crc || &bytes[..8] != MAGIC {
            return Err(Fault::Damaged("the checksum of its head is wrong"));
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        let state = match (version, bytes[10]) {
            (VERSION, 0) => State::Open,
            (VERSION, 1) => State::Closing,
            (VERSION, 2) => State::Sealed,
            _ => return Err(Fault::Newer(version)),
        };
        let mut length = [0; 8];
        length.copy_from_slice(&bytes[16..24]);
        let mut redb = [0; REDB_HEAD];
        redb.copy_from_slice(&bytes[INNER..INNER + REDB_HEAD]);
        let seal = u32::from_le_bytes([bytes[24], bytes[25], bytes[26], bytes[27]]);
        Ok(Head { state, length: u64::from_le_bytes(length), seal, redb })
    }
}

#[derive(Debug)]
struct Inner {
    medium: Box<dyn Medium>,
    head: Head,
    /// Bytes as redb sees them: whole pages.
    length: u64,
    /// The sum of each page, where it is known; that of page 0 is the head's.
    sums: Vec<Option<u32>>,
    /// Something could not be read or written: what is on the disk must be looked at before it is trusted again.
    failed: bool,
}

/// redb's file within ours.
#[derive(Debug)]
pub(super) struct Pages(Mutex<Inner>);

impl Pages {
    /// Opens a table or makes one of an empty file; tells whether it was closed properly.
    pub(super) fn open(mut medium: Box<dyn Medium>) -> Result<(Pages, bool), Fault> {
        let physical = medium.len()?;
        if physical == 0 {
            return Ok((Pages::create(medium)?, true));
        }
        let mut bytes = vec![0; HEAD.min(usize::try_from(physical).unwrap_or(HEAD))];
        medium.read(0, &mut bytes)?;
        let head = Head::decode(&bytes)?;
        if head.redb[..REDB_MAGIC.len()] == [0; REDB_MAGIC.len()] {
            // Killed while it was made: nothing was ever in it.
            medium.set_len(0)?;
            return Ok((Pages::create(medium)?, true));
        }
        let length = if head.state == State::Open { physical } else { head.length };
        if length > physical || !length.is_multiple_of(PAGE as u64) || length < 2 * PAGE as u64 {
            return Err(Fault::Damaged("its length is wrong"));
        }
        let pages = (length / PAGE as u64) as usize;
        let mut sums = vec![None; pages];
        if head.state == State::Sealed {
            let mut seal = vec![0; 4 * (pages - 1)];
            if physical != length + seal.len() as u64 {
                return Err(Fault::Damaged("its length is wrong"));
            }
            medium.read(length, &mut seal)?;
            if crc32fast::hash(&seal) != head.seal {
                return Err(Fault::Damaged("the checksum of its checksums is wrong"));
            }
            for (sum, bytes) in sums[1..].iter_mut().zip(seal.chunks_exact(4)) {
                *sum = Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
            }
        }
        let clean = head.state == State::Sealed;
        Ok((Pages(Mutex::new(Inner { medium, head, length, sums, failed: false })), clean))
    }

    fn create(mut medium: Box<dyn Medium>) -> io::Result<Pages> {
        let head = Head { state: State::Open, length: 0, seal: 0, redb: [0; REDB_HEAD] };
        medium.write(0, &head.encode())?;
        medium.sync()?;
        Ok(Pages(Mutex::new(Inner { medium, head, length: 0, sums: Vec::new(), failed: false })))
    }

    /// Whether a file begins as ours do.
    pub(super) fn is_table(start: &[u8]) -> bool {
        start.starts_with(MAGIC)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does it, and remembers a failure.
    fn with<T>(&self, f: impl FnOnce(&mut Inner) -> io::Result<T>) -> io::Result<T> {
        let mut inner = self.inner();
        let result = f(&mut inner);
        inner.failed |= result.is_err();
        result
    }
}

/// Whether a closed file of redb's own (version 1) points to the older of its two states: no checksum covers that bit.
pub(super) fn older_slot(medium: &mut dyn Medium) -> io::Result<bool> {
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
    fn write_head(&mut self) -> io::Result<()> {
        self.medium.write(0, &self.head.encode())
    }

    /// Before the first change: from now on the sums behind the pages are old. The next head says that the table is open.
    fn unseal(&mut self) -> io::Result<()> {
        if self.head.state == State::Sealed {
            // Two steps, so that at no moment the head promises sums that are gone.
            self.head.state = State::Closing;
            self.write_head()?;
            self.medium.sync()?;
        }
        if self.head.state == State::Closing {
            self.medium.set_len(self.length)?;
            self.medium.sync()?;
            self.head.state = State::Open;
        }
        Ok(())
    }

    /// After the last change: sums of all pages, and the head that says so.
    fn seal(&mut self) -> io::Result<()> {
        let mut seal = Vec::with_capacity(4 * self.sums.len());
        for page in 1..self.sums.len() {
            let sum = match self.sums[page] {
                Some(sum) => sum,
                None => crc32fast::hash(&self.page(page)?),
            };
            seal.extend(sum.to_le_bytes());
        }
        self.head.length = self.length;
        self.head.state = State::Closing;
        self.write_head()?;
        self.medium.sync()?;
        self.medium.write(self.length, &seal)?;
        self.medium.sync()?;
        self.head.seal = crc32fast::hash(&seal);
        self.head.state = State::Sealed;
        self.write_head()?;
        self.medium.sync()
    }

    /// A whole page that is as it was written.
    fn page(&mut self, page: usize) -> io::Result<[u8; PAGE]> {
        let mut bytes = [0; PAGE];
        if page == 0 {
            bytes[..REDB_HEAD].copy_from_slice(&self.head.redb);
        } else {
            self.medium.read((page * PAGE) as u64, &mut bytes)?;
            let sum = crc32fast::hash(&bytes);
            if *self.sums[page].get_or_insert(sum) != sum {
                return Err(damaged("the checksum of a page is wrong"));
            }
        }
        Ok(bytes)
    }

    fn put(&mut self, page: usize, bytes: &[u8; PAGE]) -> io::Result<()> {
        if page == 0 {
            let (head, rest) = bytes.split_at(REDB_HEAD);
            if rest.iter().any(|&byte| byte != 0) {
                return Err(io::Error::other("redb's head has grown"));
            }
            self.head.redb.copy_from_slice(head);
            return self.write_head();
        }
        self.sums[page] = None;
        self.medium.write((page * PAGE) as u64, bytes)?;
        self.sums[page] = Some(crc32fast::hash(bytes));
        Ok(())
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
        self.with(|inner| {
            let mut out = out;
            for (page, part) in inner.parts(offset, out.len())? {
                let (now, later) = out.split_at_mut(part.len());
                now.copy_from_slice(&inner.page(page)?[part]);
                out = later;
            }
            Ok(())
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.with(|inner| {
            if !len.is_multiple_of(PAGE as u64) {
                return Err(io::Error::other("redb asks for a part of a page"));
            }
            inner.unseal()?;
            inner.medium.set_len(len.max(HEAD as u64))?;
            inner.sums.resize((len / PAGE as u64) as usize, Some(crc32fast::hash(&[0; PAGE])));
            inner.length = len;
            Ok(())
        })
    }

    fn sync_data(&self) -> io::Result<()> {
        self.with(|inner| inner.medium.sync())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.with(|inner| {
            inner.unseal()?;
            let mut data = data;
            for (page, part) in inner.parts(offset, data.len())? {
                let (now, later) = data.split_at(part.len());
                let mut bytes = if part.len() == PAGE { [0; PAGE] } else { inner.page(page)? };
                bytes[part].copy_from_slice(now);
                inner.put(page, &bytes)?;
                data = later;
            }
            Ok(())
        })
    }

    fn close(&self) -> io::Result<()> {
        let mut inner = self.inner();
        // Without a last word from redb, or after a failure, the table is checked when it is opened again.
        let clean = inner.head.redb[REDB_FLAGS] & REDB_UNCLEAN == 0 && inner.length > 0;
        if clean && !inner.failed && inner.head.state == State::Open { inner.seal() } else { Ok(()) }
    }
}
