//! Reading what somebody else has made: never more than a file of its kind can hold.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::output::{folder_of, follow};

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

/// Two of the named files that are one and the same, if there are such.
pub fn same_twice<'a>(files: &'a [(&'a str, PathBuf)]) -> Option<(&'a str, &'a str, &'a Path)> {
    files.iter().enumerate().find_map(|(at, (name, path))| {
        let other = files[at + 1..].iter().find(|(_, other)| same_place(path, other))?;
        Some((*name, other.0, path.as_path()))
    })
}

/// Whether two paths are one file, or would be if it were there: whatever the folders on the way are called, and through links
/// that lead to nothing yet.
pub fn same_place(a: &Path, b: &Path) -> bool {
    same_file(a, b) || place_of(a).is_some_and(|a| place_of(b) == Some(a))
}

/// Whether an output would replace an input. Standard input (`-`) may be a file that a shell gives; what is no file (a device, a
/// pipe) is written to, and nothing in it is lost.
pub fn same_input(out: &Path, input: &Path) -> bool {
    let replaced = !fs::metadata(out).is_ok_and(|meta| !meta.is_file());
    replaced && same_place(out, if input.as_os_str() == "-" { Path::new("/dev/stdin") } else { input })
}

/// Whether a file is, or would be, somewhere in a folder.
pub fn lies_in(file: &Path, folder: &Path) -> bool {
    folder.canonicalize().is_ok_and(|folder| place_of(file).is_some_and(|file| file.starts_with(folder)))
}

/// Where a file is, or would be if it were there.
fn place_of(path: &Path) -> Option<PathBuf> {
    if let Ok(full) = path.canonicalize() {
        return Some(full);
    }
    let path = follow(path).ok()?;
    match (folder_of(&path).canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => Some(folder.join(name)),
        // Without its folder it cannot be made.
        _ => std::path::absolute(path).ok(),
    }
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
pub(crate) fn same(a: io::Result<fs::Metadata>, b: io::Result<fs::Metadata>) -> bool {
    use std::os::unix::fs::MetadataExt;
    matches!((a, b), (Ok(a), Ok(b)) if (a.dev(), a.ino()) == (b.dev(), b.ino()))
}
