//! The file system as the database uses it, and no more of it than that: tests put one in its place that fails at any
//! call, and one that forgets, as a power cut does, whatever was not forced to the disk.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::DbError;

/// What a database asks of a file system.
pub trait Disk: Send + Sync {
    /// Opens a file for reading.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Makes a file; an error if the name is taken, as nobody else's file may be overwritten.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Makes a file without a name in a folder: it is gone when it is closed, however the process ends.
    fn scratch(&self, dir: &Path) -> io::Result<Box<dyn DiskFile>>;
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// The names in a folder.
    fn names(&self, dir: &Path) -> io::Result<Vec<String>>;
    /// Makes a folder and those above it, on the disk.
    fn make_dir(&self, dir: &Path) -> io::Result<()>;
    /// Forces the names in a folder to the disk.
    fn sync_names(&self, dir: &Path) -> io::Result<()>;
    /// Takes a lock that ends with the process; nothing if another process has it.
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn Send>>>;
}

/// An open file. There is no position: every call says where.
pub trait DiskFile: Send + Sync {
    fn len(&self) -> io::Result<u64>;
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;
    fn sync(&self) -> io::Result<()>;
}

/// A folder of a disk.
#[derive(Clone)]
pub struct Folder {
    disk: Arc<dyn Disk>,
    path: PathBuf,
}

impl Folder {
    /// A folder of this computer.
    pub fn new(path: &Path) -> Folder {
        Folder::on(Arc::new(System), path)
    }

    pub fn on(disk: Arc<dyn Disk>, path: &Path) -> Folder {
        Folder { disk, path: path.to_owned() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub fn open(&self, name: &str) -> Result<Handle, DbError> {
        let path = self.file(name);
        let file = self.disk.open(&path).map_err(DbError::io(&path))?;
        Ok(Handle { file, path })
    }

    /// The content of a small file, `None` if it is not there. More than `limit` bytes are an error.
    pub fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, DbError> {
        let path = self.file(name);
        let file = match self.disk.open(&path) {
            Ok(file) => Handle { file, path },
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(DbError::io(&path)(e)),
        };
        let len = file.len()?;
        if len > limit {
            return Err(DbError::damaged(&file.path, format!("far too long ({len} bytes)")));
        }
        let mut bytes = vec![0; len as usize];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(Some(bytes))
    }

    pub fn create(&self, name: &str) -> Result<Handle, DbError> {
        let path = self.file(name);
        match self.disk.create(&path) {
            Ok(file) => Ok(Handle { file, path }),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(DbError::NotOurs(path)),
            Err(e) => Err(DbError::io(&path)(e)),
        }
    }

    pub fn scratch(&self) -> Result<Handle, DbError> {
        let file = self.disk.scratch(&self.path).map_err(DbError::io(&self.path))?;
        Ok(Handle { file, path: self.path.join("(scratch)") })
    }

    pub fn rename(&self, from: &str, to: &str) -> Result<(), DbError> {
        let to = self.file(to);
        self.disk.rename(&self.file(from), &to).map_err(DbError::io(&to))
    }

    /// Removes a file; it may be gone already.
    pub fn remove(&self, name: &str) -> Result<(), DbError> {
        let path = self.file(name);
        match self.disk.remove(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(DbError::io(&path)(e)),
            _ => Ok(()),
        }
    }

    /// The names in the folder, `None` if there is no folder.
    pub fn names(&self) -> Result<Option<Vec<String>>, DbError> {
        match self.disk.names(&self.path) {
            Ok(names) => Ok(Some(names)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(DbError::io(&self.path)(e)),
        }
    }

    pub fn make(&self) -> Result<(), DbError> {
        self.disk.make_dir(&self.path).map_err(DbError::io(&self.path))
    }

    pub fn sync_names(&self) -> Result<(), DbError> {
        self.disk.sync_names(&self.path).map_err(DbError::io(&self.path))
    }

    /// Takes the folder's lock for writing.
    pub fn lock(&self) -> Result<Box<dyn Send>, DbError> {
        let path = self.file(super::LOCK);
        match self.disk.lock(&path) {
            Ok(Some(lock)) => Ok(lock),
            Ok(None) => Err(DbError::Locked(self.path.clone())),
            Err(e) if e.kind() == io::ErrorKind::Unsupported => Err(DbError::NoLocks(self.path.clone())),
            Err(e) => Err(DbError::io(&path)(e)),
        }
    }
}

/// An open file with its name for errors.
pub struct Handle {
    file: Box<dyn DiskFile>,
    path: PathBuf,
}

impl Handle {
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn len(&self) -> Result<u64, DbError> {
        self.file.len().map_err(DbError::io(&self.path))
    }

    pub fn read_exact_at(&self, mut buf: &mut [u8], mut offset: u64) -> Result<(), DbError> {
        while !buf.is_empty() {
            match self.file.read_at(buf, offset) {
                Ok(0) => return Err(DbError::damaged(&self.path, "the file has become shorter")),
                Ok(n) => {
                    buf = &mut buf[n..];
                    offset += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(DbError::io(&self.path)(e)),
            }
        }
        Ok(())
    }

    pub fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> Result<(), DbError> {
        while !bytes.is_empty() {
            match self.file.write_at(bytes, offset) {
                Ok(0) => return Err(DbError::io(&self.path)(io::ErrorKind::WriteZero.into())),
                Ok(n) => {
                    bytes = &bytes[n..];
                    offset += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(DbError::io(&self.path)(e)),
            }
        }
        Ok(())
    }

    pub fn sync(&self) -> Result<(), DbError> {
        self.file.sync().map_err(DbError::io(&self.path))
    }
}

/// Writes at the end of a file, in large pieces.
pub struct Appender {
    handle: Handle,
    buffer: Vec<u8>,
    capacity: usize,
    written: u64,
}

impl Appender {
    pub fn new(handle: Handle, capacity: usize) -> Appender {
        Appender { handle, buffer: Vec::new(), capacity, written: 0 }
    }

    #[inline]
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), DbError> {
        if self.buffer.len() + bytes.len() > self.capacity {
            self.flush()?;
        }
        if bytes.len() >= self.capacity {
            self.handle.write_all_at(bytes, self.written)?;
            self.written += bytes.len() as u64;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        Ok(())
    }

    pub fn len(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    fn flush(&mut self) -> Result<(), DbError> {
        self.handle.write_all_at(&self.buffer, self.written)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    pub fn finish(mut self) -> Result<Handle, DbError> {
        self.flush()?;
        Ok(self.handle)
    }
}

/// The file system of this computer.
pub struct System;

impl Disk for System {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(File::open(path)?))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(OpenOptions::new().read(true).write(true).create_new(true).open(path)?))
    }

    fn scratch(&self, dir: &Path) -> io::Result<Box<dyn DiskFile>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = dir.join(format!("tmp-{:x}-{:x}-{number}", std::process::id(), super::random_id()));
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Box::new(Scratch::new(file, path)?)),
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

    fn names(&self, dir: &Path) -> io::Result<Vec<String>> {
        std::fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn make_dir(&self, dir: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = dir.ancestors().take_while(|d| !d.as_os_str().is_empty() && !d.exists()).collect();
        std::fs::create_dir_all(dir)?;
        for made in missing {
            let above = made.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            self.sync_names(above)?;
        }
        Ok(())
    }

    #[cfg(unix)]
    fn sync_names(&self, dir: &Path) -> io::Result<()> {
        match File::open(dir)?.sync_all() {
            // A file system that cannot force names by themselves.
            Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
            done => done,
        }
    }

    // Folders cannot be opened there; the system sees to it.
    #[cfg(not(unix))]
    fn sync_names(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn Send>>> {
        let how = OpenOptions::new().read(true).write(true).create(true).truncate(false).to_owned();
        let (file, lock) = rukh_files::open_locked(path, &how)?;
        match lock {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => match e.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound | io::ErrorKind::StorageFull => Err(e),
                // ENOLCK, ENOTSUP, ENOSYS and EINVAL all say the same: there are no locks here.
                _ => Err(io::ErrorKind::Unsupported.into()),
            },
        }
    }
}

impl DiskFile for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buf, offset)
    }

    #[cfg(unix)]
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::write_at(self, bytes, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buf, offset)
    }

    #[cfg(windows)]
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_write(self, bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }
}

/// A file whose name is gone, or, where an open file must keep its name, goes when it is closed.
struct Scratch {
    file: Option<File>,
    named: Option<PathBuf>,
}

impl Scratch {
    fn new(file: File, path: PathBuf) -> io::Result<Scratch> {
        if cfg!(unix) {
            std::fs::remove_file(&path)?;
            return Ok(Scratch { file: Some(file), named: None });
        }
        Ok(Scratch { file: Some(file), named: Some(path) })
    }

    fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(self.file.take());
        if let Some(path) = &self.named {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl DiskFile for Scratch {
    fn len(&self) -> io::Result<u64> {
        DiskFile::len(self.file()?)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        DiskFile::read_at(self.file()?, buf, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        DiskFile::write_at(self.file()?, bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.file()?.sync_all()
    }
}
