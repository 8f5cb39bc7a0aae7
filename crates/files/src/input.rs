//! Reading what somebody else has made: never more than a file of its kind can hold.

use std::fs::{self, File};
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
        use std::os::unix::fs::MetadataExt;
        let key = |path: &Path| fs::metadata(path).map(|meta| (meta.dev(), meta.ino())).ok();
        key(a).is_some() && key(a) == key(b)
    }
    #[cfg(not(unix))]
    {
        let full = |path: &Path| fs::canonicalize(path).ok();
        full(a).is_some() && full(a) == full(b)
    }
}
