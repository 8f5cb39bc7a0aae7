//! Where a table lies: a file, or memory (for tests, and for bytes from elsewhere).

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::head::Head;
use crate::disk::{Disk, NamedFile};

/// Bytes that can be read and written at any place.
pub(super) trait Medium: Debug + Send + Sync + 'static {
    fn len(&mut self) -> io::Result<u64>;
    /// Fills `out`, or fails.
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()>;
    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()>;
    /// New bytes are zero.
    fn set_len(&mut self, len: u64) -> io::Result<()>;
    /// Forces what it holds to the disk, and under its name.
    fn sync(&mut self) -> io::Result<()>;
    /// An empty medium that may take the place of this one.
    fn beside(&self) -> io::Result<Box<dyn Medium>>;
    /// Takes the place of the one it was made beside, all of it or nothing; the next [`sync`](Medium::sync) makes that last.
    fn take_place(&mut self) -> io::Result<()>;
    /// Fails if it no longer has its name: what is written then nobody finds.
    fn stands(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that nobody else uses: its lock is held.
#[derive(Debug)]
pub(super) struct OnDisk {
    disk: Arc<dyn Disk>,
    file: Arc<dyn NamedFile>,
    path: PathBuf,
    /// The one whose name it will have.
    target: Option<(PathBuf, Arc<dyn NamedFile>)>,
    /// Whether its name is on the disk: until then a power failure brings back what had the name before.
    named: bool,
}

impl OnDisk {
    pub(super) fn new(disk: &Arc<dyn Disk>, file: &Arc<dyn NamedFile>, path: &Path) -> OnDisk {
        OnDisk { disk: Arc::clone(disk), file: Arc::clone(file), path: path.to_owned(), target: None, named: true }
    }
}

/// Names that are tried for a new table.
const MOST_BESIDE: u32 = 9;

/// A new table that never took its place is no use to anybody.
impl Drop for OnDisk {
    fn drop(&mut self) {
        if self.target.is_some() {
            let _ = self.disk.remove(&self.path);
        }
    }
}

impl Medium for OnDisk {
    fn len(&mut self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(out, at)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()> {
        self.file.write_all_at(data, at)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()?;
        if !self.named {
            self.disk.sync_name(&self.path)?;
            self.named = true;
        }
        Ok(())
    }

    fn beside(&self) -> io::Result<Box<dyn Medium>> {
        for number in 1..=MOST_BESIDE {
            let mut name = self.path.clone().into_os_string();
            name.push(if number == 1 { ".new".to_owned() } else { format!(".new-{number}") });
            let path = PathBuf::from(name);
            let (file, lock) = self.disk.edit_alone(&path)?;
            let mut new = OnDisk::new(&self.disk, &file.into(), &path);
            if lock.is_ok() && Head::may_go(&mut new)? {
                (new.target, new.named) = (Some((self.path.clone(), Arc::clone(&self.file))), false);
                return Ok(Box::new(new));
            }
        }
        Err(io::Error::other(format!("{}.new and the names that follow it are in the way", self.path.display())))
    }

    fn take_place(&mut self) -> io::Result<()> {
        let Some((target, old)) = self.target.clone() else { return Ok(()) };
        self.file.sync()?;
        // A name that is free is taken; what somebody else has put there is theirs.
        if !old.stands_at(&target) && self.disk.is_taken(&target) {
            return Err(gone());
        }
        self.disk.rename(&self.path, &target)?;
        (self.path, self.target, self.named) = (target, None, false);
        Ok(())
    }

    fn stands(&self) -> io::Result<()> {
        self.file.stands_at(&self.path).then_some(()).ok_or_else(gone)
    }
}

fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "removed or replaced while it was in use")
}

/// A file in memory; its clones are the same file.
#[derive(Clone, Debug, Default)]
pub(super) struct InMemory(Arc<Mutex<Vec<u8>>>, Option<Arc<Mutex<Vec<u8>>>>);

impl InMemory {
    pub(super) fn new(bytes: Vec<u8>) -> InMemory {
        InMemory(Arc::new(Mutex::new(bytes)), None)
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

    fn beside(&self) -> io::Result<Box<dyn Medium>> {
        Ok(Box::new(InMemory(Arc::default(), Some(self.0.clone()))))
    }

    fn take_place(&mut self) -> io::Result<()> {
        let Some(old) = self.1.take() else { return Ok(()) };
        let new = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        *old.lock().unwrap_or_else(PoisonError::into_inner) = new;
        self.0 = old;
        Ok(())
    }
}
