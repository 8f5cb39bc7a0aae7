//! Files for one program alone.

use std::borrow::Borrow;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use crate::folders::sync_name;

/// An open file whose lock ends with it. Closing is not enough: a program that another thread is just starting has a copy of
/// every open file until it runs, and the lock would stay as long.
#[derive(Debug)]
pub struct LockedFile(File);

impl Drop for LockedFile {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Borrow<File> for LockedFile {
    fn borrow(&self) -> &File {
        &self.0
    }
}

impl DerefMut for LockedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

/// Opens a file for this program alone; the second part says whether the system gave the lock. The file is the one that
/// stands at `path` then: between opening and locking, the program that had it may have renamed it, removed it or put
/// another in its place, and a lock on that one protects nothing. Its name is on the disk then.
pub fn open_locked(path: &Path, how: &OpenOptions) -> io::Result<(LockedFile, Result<(), TryLockError>)> {
    for _ in 0..100 {
        let file = LockedFile(how.open(path)?);
        let lock = file.try_lock();
        if lock.is_err() {
            return Ok((file, lock));
        }
        if stands_at(&file, path) {
            sync_name(path)?;
            return Ok((file, lock));
        }
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "other programs keep replacing it"))
}

/// Whether an open file is still the one at `path`: somebody may have removed it or put another in its place.
#[cfg(unix)]
pub fn stands_at(file: &File, path: &Path) -> bool {
    crate::input::same(file.metadata(), fs::metadata(path))
}

/// Whether an open file is still the one at `path`: there, one that is open cannot be replaced.
#[cfg(not(unix))]
pub fn stands_at(_: &File, path: &Path) -> bool {
    fs::exists(path).unwrap_or(false)
}
