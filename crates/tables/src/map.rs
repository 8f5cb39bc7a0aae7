//! Read-only memory maps: the one place of this crate with `unsafe`.
#![allow(unsafe_code)]

use std::fs::File;
use std::ops::Deref;
use std::path::Path;

/// The bytes of a whole file.
pub(crate) struct Map(Option<memmap2::Mmap>);

impl Map {
    pub fn open(path: &Path) -> std::io::Result<Map> {
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Map(None));
        }
        // SAFETY: tables are written once, under another name, and renamed when complete; nothing in this project changes
        // them afterwards. Someone who truncates a mapped file from outside ends the process with a bus error, as with
        // every memory-mapped table.
        let map = unsafe { memmap2::Mmap::map(&file) }?;
        Ok(Map(Some(map)))
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or(&[])
    }
}
