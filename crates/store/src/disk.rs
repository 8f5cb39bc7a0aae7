//! The file system as our stores use it, and no more of it than that: tests put one in its place that fails at any call, and
//! one that forgets, as a power cut does, whatever was not forced to the disk.

#[cfg(test)]
pub mod sim;

use std::borrow::Borrow;
use std::fmt::Debug;
use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a store asks of a file system.
pub trait Disk: Debug + Send + Sync {
    /// Opens a file for reading.
    fn open(&self, path: &Path) -> io::Result<Box<dyn NamedFile>>;
    /// Makes a file; an error if the name is taken, as nobody else's file may be overwritten.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens a file for reading and writing, or makes it.
    fn edit(&self, path: &Path) -> io::Result<Box<dyn NamedFile>>;
    /// The same for this program alone: the lock ends with the file, and its name is on the disk. The second part says whether the
    /// system gave the lock.
    fn edit_alone(&self, path: &Path) -> io::Result<(Box<dyn NamedFile>, Result<(), TryLockError>)>;
    /// Makes a file without a name in a folder: it is gone when it is closed, however the process ends.
    fn scratch(&self, dir: &Path) -> io::Result<Box<dyn DiskFile>>;
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Whether there is anything of this name.
    fn is_taken(&self, path: &Path) -> bool;
    /// The names in a folder.
    fn names(&self, dir: &Path) -> io::Result<Vec<String>>;
    /// Makes a folder and those above it, on the disk.
    fn make_dir(&self, dir: &Path) -> io::Result<()>;
    /// Forces the names in a folder to the disk.
    fn sync_names(&self, dir: &Path) -> io::Result<()>;

    /// Forces a file's name to the disk.
    fn sync_name(&self, file: &Path) -> io::Result<()> {
        self.sync_names(file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new(".")))
    }

    /// Takes a lock that ends with the process; nothing if another process has it.
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn NamedFile>>> {
        let (file, lock) = self.edit_alone(path)?;
        match lock {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => match e.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound | io::ErrorKind::StorageFull => Err(e),
                // ENOLCK, ENOTSUP, ENOSYS and EINVAL all say the same: there are no locks here.
                _ => Err(io::ErrorKind::Unsupported.into()),
            },
        }
    }
}

/// An open file. There is no position: every call says where.
#[allow(clippy::len_without_is_empty)]
pub trait DiskFile: Debug + Send + Sync {
    fn len(&self) -> io::Result<u64>;
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;
    fn sync(&self) -> io::Result<()>;

    /// Reads until the buffer is full or the file ends; how much that was.
    fn read_full(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut got = 0;
        while got < buf.len() {
            match self.read_at(&mut buf[got..], offset + got as u64) {
                Ok(0) => break,
                Ok(n) => got += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(got)
    }

    /// Fills the buffer, or fails.
    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        if self.read_full(buf, offset)? < buf.len() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Writes all of it, or fails.
    fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.write_at(bytes, offset) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => {
                    bytes = &bytes[n..];
                    offset += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

/// An open file of ours under a name that others may have, use and change.
pub trait NamedFile: DiskFile {
    fn set_len(&self, len: u64) -> io::Result<()>;
    /// Whether it is still the one at `path`.
    fn stands_at(&self, path: &Path) -> bool;
    /// Waits for the system's lock on it.
    fn lock(&self) -> io::Result<()>;
    fn unlock(&self) -> io::Result<()>;

    /// Adds at the end, on the disk, or nothing at all. What the system could not force to the disk it may believe to be there ever
    /// after: that is taken back, so that it is written again.
    fn extend(&self, bytes: &[u8], end: u64) -> io::Result<()> {
        let done = self.write_all_at(bytes, end).and_then(|()| self.sync());
        if done.is_err() {
            let _ = self.set_len(end);
        }
        done
    }
}

/// A file for readers that go from front to back.
#[derive(Debug)]
pub struct Reading<'a> {
    file: &'a dyn NamedFile,
    at: u64,
}

impl<'a> Reading<'a> {
    pub fn new(file: &'a dyn NamedFile) -> Self {
        Self { file, at: 0 }
    }
}

impl Read for Reading<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let got = self.file.read_at(buf, self.at)?;
        self.at += got as u64;
        Ok(got)
    }
}

impl Seek for Reading<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.file.len()?.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// A number that nobody else has: a new database is known by it.
pub fn random_id() -> u64 {
    // The standard library seeds it from the system's random numbers.
    RandomState::new().build_hasher().finish()
}

/// The file system of this computer.
#[derive(Debug)]
pub struct System;

fn editing() -> OpenOptions {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).to_owned()
}

impl Disk for System {
    fn open(&self, path: &Path) -> io::Result<Box<dyn NamedFile>> {
        Ok(Box::new(Open(File::open(path)?)))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(Open(OpenOptions::new().read(true).write(true).create_new(true).open(path)?)))
    }

    fn edit(&self, path: &Path) -> io::Result<Box<dyn NamedFile>> {
        Ok(Box::new(Open(editing().open(path)?)))
    }

    fn edit_alone(&self, path: &Path) -> io::Result<(Box<dyn NamedFile>, Result<(), TryLockError>)> {
        let (file, lock) = rukh_files::open_locked(path, &editing())?;
        Ok((Box::new(Open(file)), lock))
    }

    fn scratch(&self, dir: &Path) -> io::Result<Box<dyn DiskFile>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = dir.join(format!("tmp-{:x}-{:x}-{number}", std::process::id(), random_id()));
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Box::new(Open(Scratch::new(file, path)?))),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn is_taken(&self, path: &Path) -> bool {
        std::fs::symlink_metadata(path).is_ok()
    }

    fn names(&self, dir: &Path) -> io::Result<Vec<String>> {
        std::fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn make_dir(&self, dir: &Path) -> io::Result<()> {
        rukh_files::make_folder(dir)
    }

    fn sync_names(&self, dir: &Path) -> io::Result<()> {
        rukh_files::sync_names(dir)
    }
}

/// What of a file is open.
#[derive(Debug)]
struct Open<F>(F);

impl<F: Borrow<File> + Debug + Send + Sync> DiskFile for Open<F> {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.borrow().metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self.0.borrow(), buf, offset)
    }

    #[cfg(unix)]
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::write_at(self.0.borrow(), bytes, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self.0.borrow(), buf, offset)
    }

    #[cfg(windows)]
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_write(self.0.borrow(), bytes, offset)
    }

    #[cfg(not(any(unix, windows)))]
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut file = self.0.borrow();
        file.seek(SeekFrom::Start(offset)).and_then(|_| file.read(buf))
    }

    #[cfg(not(any(unix, windows)))]
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let mut file = self.0.borrow();
        file.seek(SeekFrom::Start(offset)).and_then(|_| io::Write::write(&mut file, bytes))
    }

    fn sync(&self) -> io::Result<()> {
        self.0.borrow().sync_all()
    }
}

impl<F: Borrow<File> + Debug + Send + Sync> NamedFile for Open<F> {
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.borrow().set_len(len)
    }

    fn stands_at(&self, path: &Path) -> bool {
        rukh_files::stands_at(self.0.borrow(), path)
    }

    fn lock(&self) -> io::Result<()> {
        self.0.borrow().lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.0.borrow().unlock()
    }
}

/// A file whose name is gone, or, where an open file must keep its name, goes when it is closed.
#[derive(Debug)]
struct Scratch {
    // Closed before the name goes.
    file: File,
    _named: Option<Gone>,
}

#[derive(Debug)]
struct Gone(PathBuf);

impl Drop for Gone {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Scratch {
    fn new(file: File, path: PathBuf) -> io::Result<Scratch> {
        if cfg!(unix) {
            std::fs::remove_file(&path)?;
            return Ok(Scratch { file, _named: None });
        }
        Ok(Scratch { file, _named: Some(Gone(path)) })
    }
}

impl Borrow<File> for Scratch {
    fn borrow(&self) -> &File {
        &self.file
    }
}
