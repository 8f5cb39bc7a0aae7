//! The bytes of a table. Positioned reads, not a mapping: a file that is cut short while it is in use gives an error
//! then, not a signal that ends the process.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::Damage;
use crate::positioned::Positioned;

/// Files kept open by a set of tables. A complete set has more than some systems allow: the rest are opened to be read.
const MAX_FILES: usize = 256;

/// What all tables of a set share: what has been read stays in memory up to a bound (beyond it every look is a read), and
/// files stay open up to a bound.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: AtomicUsize,
    files: AtomicUsize,
}

impl Budget {
    pub(super) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { bytes: AtomicUsize::new(bytes), files: AtomicUsize::new(MAX_FILES) })
    }
}

fn take(from: &AtomicUsize, amount: usize) -> bool {
    from.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(amount)).is_ok()
}

/// A table's file, or a copy of it in memory.
#[derive(Debug)]
pub(super) struct Source {
    bytes: Bytes,
    len: u64,
    budget: Arc<Budget>,
}

#[derive(Debug)]
enum Bytes {
    Memory(Box<[u8]>),
    File(Positioned),
    /// A file that is opened for each read.
    Path(PathBuf),
}

impl Source {
    pub(super) fn memory(bytes: Vec<u8>) -> Self {
        let len = bytes.len() as u64;
        Self { bytes: Bytes::Memory(bytes.into()), len, budget: Budget::new(0) }
    }

    pub(super) fn file(path: &Path, budget: &Arc<Budget>) -> Result<Self, Damage> {
        let file = File::open(path).map_err(|_| UNREADABLE)?;
        let len = file.metadata().map_err(|_| UNREADABLE)?.len();
        let bytes =
            if take(&budget.files, 1) { Bytes::File(Positioned::new(file)) } else { Bytes::Path(path.to_owned()) };
        Ok(Self { bytes, len, budget: budget.clone() })
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The first bytes, at most so many.
    pub(super) fn head(&self, most: u64) -> Result<Vec<u8>, Damage> {
        self.read(0, self.len.min(most) as usize)
    }

    fn read(&self, at: u64, len: usize) -> Result<Vec<u8>, Damage> {
        match &self.bytes {
            Bytes::Memory(bytes) => slice(bytes, at, len).map(<[u8]>::to_vec),
            Bytes::File(file) => file.read(at, len).map_err(|_| UNREADABLE),
            Bytes::Path(path) => {
                let file = File::open(path).map_err(|_| UNREADABLE)?;
                Positioned::new(file).read(at, len).map_err(|_| UNREADABLE)
            }
        }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Bytes::File(_) = self.bytes {
            self.budget.files.fetch_add(1, Ordering::Relaxed);
        }
    }
}

const UNREADABLE: Damage = Damage("it cannot be read");

fn slice(bytes: &[u8], at: u64, len: usize) -> Result<&[u8], Damage> {
    let cut = || Damage("it ends too soon");
    let at = usize::try_from(at).map_err(|_| cut())?;
    bytes.get(at..).and_then(|rest| rest.get(..len)).ok_or_else(cut)
}

/// Bytes read at once, about.
const PAGE: usize = 1 << 15;

/// A part of a table that is an array of items of one size. No page cuts an item in two.
#[derive(Debug)]
pub(super) struct Section {
    start: u64,
    items: u64,
    size: usize,
    /// Logarithm of the items of a page.
    page_bits: u32,
    pages: Box<[OnceLock<Box<[u8]>>]>,
}

impl Section {
    /// The section must lie inside the source.
    pub(super) fn new(source: &Source, start: u64, items: u64, size: usize) -> Result<Self, Damage> {
        let end = items.checked_mul(size as u64).and_then(|len| start.checked_add(len));
        if end.is_none_or(|end| end > source.len) {
            return Err(Damage("a part of it would lie behind its end"));
        }
        let page_bits = (PAGE / size).max(1).ilog2();
        let pages = match source.bytes {
            Bytes::Memory(_) => 0,
            Bytes::File(_) | Bytes::Path(_) => items.div_ceil(1 << page_bits) as usize,
        };
        Ok(Self { start, items, size, page_bits, pages: (0..pages).map(|_| OnceLock::new()).collect() })
    }

    pub(super) fn end(&self) -> u64 {
        self.start + self.items * self.size as u64
    }

    /// Looks at one item.
    #[inline]
    pub(super) fn with<T>(&self, source: &Source, item: u64, look: impl FnOnce(&[u8]) -> T) -> Result<T, Damage> {
        if item >= self.items {
            return Err(Damage("it points behind its own end"));
        }
        if let Bytes::Memory(bytes) = &source.bytes {
            return slice(bytes, self.start + item * self.size as u64, self.size).map(look);
        }
        let (page, within) = ((item >> self.page_bits) as usize, item & ((1 << self.page_bits) - 1));
        let within = within as usize * self.size;
        match self.pages.get(page).and_then(OnceLock::get) {
            Some(bytes) => slice(bytes, within as u64, self.size).map(look),
            None => self.fetch(source, item, page, within).and_then(|bytes| slice(&bytes, 0, self.size).map(look)),
        }
    }

    /// Reads the page of an item, or, when memory is used up, the item alone.
    #[cold]
    fn fetch(&self, source: &Source, item: u64, page: usize, within: usize) -> Result<Vec<u8>, Damage> {
        let first = (page as u64) << self.page_bits;
        let len = (self.items - first).min(1 << self.page_bits) as usize * self.size;
        if !take(&source.budget.bytes, len) {
            return source.read(self.start + item * self.size as u64, self.size);
        }
        let bytes = source.read(self.start + first * self.size as u64, len)?;
        let wanted = slice(&bytes, within as u64, self.size)?.to_vec();
        if let Some(slot) = self.pages.get(page) {
            // Another thread may have been first, with the same bytes.
            if slot.set(bytes.into()).is_err() {
                source.budget.bytes.fetch_add(len, Ordering::Relaxed);
            }
        }
        Ok(wanted)
    }
}
