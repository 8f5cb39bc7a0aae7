//! Files that are read by position, not mapped: one that is cut short while it is in use gives an error then, not a signal that ends
//! the process.

use std::fs::File;
use std::io;

/// A file read at any place by many threads.
#[cfg(any(unix, windows))]
#[derive(Debug)]
pub(crate) struct Positioned(File);

#[cfg(any(unix, windows))]
impl Positioned {
    pub fn new(file: File) -> Self {
        Self(file)
    }

    pub fn read(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut buffer = vec![0; len];
        self.fill(at, &mut buffer)?;
        Ok(buffer)
    }

    #[cfg(unix)]
    fn fill(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, buffer, at)
    }

    #[cfg(windows)]
    fn fill(&self, mut at: u64, mut buffer: &mut [u8]) -> io::Result<()> {
        while !buffer.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(&self.0, buffer, at) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    at += read as u64;
                    buffer = buffer.get_mut(read..).unwrap_or_default();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Where the system offers no positioned reads, one thread reads at a time.
#[cfg(not(any(unix, windows)))]
#[derive(Debug)]
pub(crate) struct Positioned(std::sync::Mutex<File>);

#[cfg(not(any(unix, windows)))]
impl Positioned {
    pub fn new(file: File) -> Self {
        Self(std::sync::Mutex::new(file))
    }

    pub fn read(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        use std::io::{Read, Seek, SeekFrom};
        let mut buffer = vec![0; len];
        let mut file = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut buffer)?;
        Ok(buffer)
    }
}
