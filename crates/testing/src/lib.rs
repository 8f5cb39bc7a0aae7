#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// An empty folder of a test's own, gone with everything in it when the test ends, however it ends.
#[derive(Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// Makes it; two of the same name are two.
    pub fn new(name: &str) -> Folder {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Relaxed);
        let path = std::env::temp_dir().join(format!("rukh-{name}-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    /// Writes a file into it.
    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("a temporary file");
        path
    }

    /// The path of a file in it, as command lines want it.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a name in Unicode").to_owned()
    }

    /// The names of all that is in it, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

/// The path of a file that is not there yet, in a folder of its own.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    _folder: Folder,
}

impl NewFile {
    /// A path that ends in this name.
    pub fn new(name: &str) -> NewFile {
        let folder = Folder::new(name);
        NewFile { path: folder.join(name), _folder: folder }
    }
}

impl Deref for NewFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl AsRef<Path> for NewFile {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

/// Programs are given it as an argument.
impl AsRef<OsStr> for NewFile {
    fn as_ref(&self) -> &OsStr {
        self.path.as_os_str()
    }
}
