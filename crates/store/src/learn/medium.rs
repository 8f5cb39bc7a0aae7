//! Where a table lies: a file, or memory (for tests, and for bytes from elsewhere).

use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rukh_files::LockedFile;

use super::head::MAGIC;

/// Bytes that can be read and written at any place.
pub(super) trait Medium: Debug + Send + Sync + 'static {
    fn len(&mut self) -> io::Result<u64>;
    /// Fills `out`, or fails.
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()>;
    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()>;
    /// New bytes are zero.
    fn set_len(&mut self, len: u64) -> io::Result<()>;
    fn sync(&mut self) -> io::Result<()>;
    /// An empty medium that may take the place of this one.
    fn beside(&self) -> io::Result<Box<dyn Medium>>;
    /// Takes the place of the one it was made beside, all of it or nothing.
    fn take_place(&mut self) -> io::Result<()>;
    /// Fails if it no longer has its name: what is written then nobody finds.
    fn stands(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that nobody else uses: its lock is held.
#[derive(Debug)]
pub(super) struct OnDisk {
    pub(super) file: Arc<LockedFile>,
    pub(super) path: PathBuf,
    /// The one whose name it will have.
    target: Option<(PathBuf, Arc<LockedFile>)>,
}

impl OnDisk {
    pub(super) fn new(file: Arc<LockedFile>, path: &Path) -> OnDisk {
        OnDisk { file, path: path.to_owned(), target: None }
    }
}

/// Names that are tried for a new table.
const MOST_BESIDE: u32 = 9;

/// Whether a file is new, or what a killed program left of a table: that has no head yet. A whole table, or anything else, is somebody's.
fn is_unfinished(file: &mut File) -> io::Result<bool> {
    let mut start = [0; MAGIC.len()];
    Ok(file.metadata()?.len() == 0 || file.read_exact(&mut start).is_ok() && start == [0; MAGIC.len()])
}

/// A new table that never took its place is no use to anybody.
impl Drop for OnDisk {
    fn drop(&mut self) {
        if self.target.is_some() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Medium for OnDisk {
    fn len(&mut self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let mut file: &File = &self.file;
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()> {
        let mut file: &File = &self.file;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(data)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn beside(&self) -> io::Result<Box<dyn Medium>> {
        let how = OpenOptions::new().read(true).write(true).create(true).truncate(false).to_owned();
        for number in 1..=MOST_BESIDE {
            let mut name = self.path.clone().into_os_string();
            name.push(if number == 1 { ".new".to_owned() } else { format!(".new-{number}") });
            let path = PathBuf::from(name);
            let (mut file, lock) = rukh_files::open_locked(&path, &how)?;
            if lock.is_ok() && is_unfinished(&mut file)? {
                file.set_len(0)?;
                let target = Some((self.path.clone(), Arc::clone(&self.file)));
                return Ok(Box::new(OnDisk { file: Arc::new(file), path, target }));
            }
        }
        Err(io::Error::other(format!("{}.new and the names that follow it are in the way", self.path.display())))
    }

    fn take_place(&mut self) -> io::Result<()> {
        let Some((target, old)) = self.target.clone() else { return Ok(()) };
        self.file.sync_all()?;
        // A name that is free is taken; what somebody else has put there is theirs.
        if !rukh_files::stands_at(&old, &target) && std::fs::symlink_metadata(&target).is_ok() {
            return Err(gone());
        }
        std::fs::rename(&self.path, &target)?;
        // The folder too: otherwise the old name may come back after a power failure.
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
        (self.path, self.target) = (target, None);
        Ok(())
    }

    fn stands(&self) -> io::Result<()> {
        rukh_files::stands_at(&self.file, &self.path).then_some(()).ok_or_else(gone)
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
