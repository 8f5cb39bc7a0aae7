//! Reading what somebody else has made: never more than a file of its kind can hold.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::Path;

/// Reads a whole file of at most `limit` bytes. A longer one is refused by its length, before a byte of it is read; a pipe
/// or a device when it has given more.
///
/// ```
/// let error = rukh_files::read_at_most("/dev/zero".as_ref(), 1000);
/// # #[cfg(unix)]
/// assert_eq!(error.unwrap_err().to_string(), "longer than 1000 bytes, the most for a file of this kind");
/// ```
pub fn read_at_most(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if meta.is_file() && meta.len() > limit {
        return Err(too_long(limit));
    }
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_long(limit));
    }
    Ok(bytes)
}

/// As [`read_at_most`], for text in UTF-8.
pub fn read_text_at_most(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read_at_most(path, limit)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text (UTF-8)"))
}

fn too_long(limit: u64) -> io::Error {
    let what = format!("longer than {limit} bytes, the most for a file of this kind");
    io::Error::new(io::ErrorKind::FileTooLarge, what)
}

/// Whether two paths lead to the same file, be it by another spelling, a symbolic or a hard link. A path to nothing is the
/// same as no other.
pub fn same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        same(fs::metadata(a), fs::metadata(b))
    }
    #[cfg(not(unix))]
    {
        let full = |path: &Path| fs::canonicalize(path).ok();
        full(a).is_some() && full(a) == full(b)
    }
}

#[cfg(unix)]
fn same(a: io::Result<fs::Metadata>, b: io::Result<fs::Metadata>) -> bool {
    use std::os::unix::fs::MetadataExt;
    matches!((a, b), (Ok(a), Ok(b)) if (a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// Opens a file for this program alone; the second part says whether the system gave the lock. The file is the one that
/// stands at `path` then: between opening and locking, the program that had it may have renamed it, removed it or put
/// another in its place, and a lock on that one protects nothing.
pub fn open_locked(path: &Path, how: &OpenOptions) -> io::Result<(File, Result<(), TryLockError>)> {
    for _ in 0..100 {
        let file = how.open(path)?;
        let lock = file.try_lock();
        if lock.is_err() || stands_at(&file, path) {
            return Ok((file, lock));
        }
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "other programs keep replacing it"))
}

#[cfg(unix)]
fn stands_at(file: &File, path: &Path) -> bool {
    same(file.metadata(), fs::metadata(path))
}

// There, a file that is open cannot be replaced.
#[cfg(not(unix))]
fn stands_at(_: &File, path: &Path) -> bool {
    path.exists()
}
