//! A folder of a disk and open files in it, with their names for errors.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::DbError;
use crate::disk::{Disk, DiskFile, NamedFile, System};

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
    pub fn lock(&self) -> Result<Box<dyn NamedFile>, DbError> {
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

    pub fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> Result<(), DbError> {
        match self.file.read_exact_at(buf, offset) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                Err(DbError::damaged(&self.path, "the file has become shorter"))
            }
            done => done.map_err(DbError::io(&self.path)),
        }
    }

    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> Result<(), DbError> {
        self.file.write_all_at(bytes, offset).map_err(DbError::io(&self.path))
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
