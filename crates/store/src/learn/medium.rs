//! Where a table lies: a file, or memory (for tests, and for bytes from elsewhere).

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use redb::StorageBackend;

/// Bytes that can be read and written at any place.
pub(super) trait Medium: Debug + Send + Sync + 'static {
    fn len(&mut self) -> io::Result<u64>;
    /// Fills `out`, or fails.
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()>;
    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()>;
    /// New bytes are zero.
    fn set_len(&mut self, len: u64) -> io::Result<()>;
    fn sync(&mut self) -> io::Result<()>;
}

impl Medium for File {
    fn len(&mut self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(at))?;
        self.read_exact(out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(at))?;
        self.write_all(data)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// A file in memory; its clones are the same file.
#[derive(Clone, Debug, Default)]
pub(super) struct InMemory(Arc<Mutex<Vec<u8>>>);

impl InMemory {
    pub(super) fn new(bytes: Vec<u8>) -> InMemory {
        InMemory(Arc::new(Mutex::new(bytes)))
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn at<T>(&self, at: u64, len: usize, f: impl FnOnce(&mut [u8]) -> T) -> io::Result<T> {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let range = usize::try_from(at).ok().and_then(|at| Some(at..at.checked_add(len)?));
        let place = range.and_then(|range| bytes.get_mut(range)).ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(f(place))
    }
}

impl Medium for InMemory {
    fn len(&mut self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).len() as u64)
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.at(at, out.len(), |place| out.copy_from_slice(place))
    }

    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()> {
        let end = at + data.len() as u64;
        if end > self.len()? {
            self.set_len(end)?;
        }
        self.at(at, data.len(), |place| place.copy_from_slice(data))
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).resize(len, 0);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A medium as redb sees it: a table of version 1, nothing but redb's own bytes.
#[derive(Debug)]
pub(super) struct Plain(Mutex<Box<dyn Medium>>);

impl Plain {
    pub(super) fn new(medium: Box<dyn Medium>) -> Plain {
        Plain(Mutex::new(medium))
    }

    fn with<T>(&self, f: impl FnOnce(&mut dyn Medium) -> io::Result<T>) -> io::Result<T> {
        f(self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut())
    }
}

impl StorageBackend for Plain {
    fn len(&self) -> io::Result<u64> {
        self.with(|m| m.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.with(|m| m.read(offset, out))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.with(|m| m.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.with(|m| m.sync())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.with(|m| m.write(offset, data))
    }
}
