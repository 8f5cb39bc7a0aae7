//! Appending to a file of games: one writer at a time, whole blocks, and only to files without damage.

use super::head::{BlockHead, Recipe, Version, file_head};
use super::{GamesError, GamesReader};
use rukh_core::Variant;
use rukh_files::LockedFile;
use std::collections::BTreeMap;
use std::fs::{OpenOptions, TryLockError};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Appends whole blocks. The file is locked for other writers as long as this lives.
pub struct GamesWriter {
    file: LockedFile,
    version: Version,
    bytes: u64,
    games: u64,
}

impl GamesWriter {
    /// Opens a file to append to, or makes it. Returns the blocks that are already there, by seed; what a killed process
    /// left half written is cut off. A file with any other damage is refused and left as it is.
    #[allow(clippy::type_complexity)]
    pub fn open(
        path: &Path,
        variant: Variant,
        recipe: &Recipe,
    ) -> Result<(GamesWriter, BTreeMap<u64, Vec<BlockHead>>), GamesError> {
        let mut blocks: BTreeMap<u64, Vec<BlockHead>> = BTreeMap::new();
        let how = OpenOptions::new().read(true).write(true).create(true).truncate(false).to_owned();
        let mut file = match rukh_files::open_locked(path, &how)? {
            (file, Ok(())) => file,
            (_, Err(TryLockError::WouldBlock)) => return Err(GamesError::Busy),
            (_, Err(TryLockError::Error(error))) => return Err(GamesError::NoLock(error)),
        };
        // Killed while the head was written: a beginning of the head, and nothing else.
        let fresh = file_head(Version::Two, variant, recipe);
        let mut start = Vec::new();
        (&*file).take(fresh.len() as u64).read_to_end(&mut start)?;
        if start.len() < fresh.len() && fresh.starts_with(&start) {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&fresh)?;
            return Ok((GamesWriter { file, version: Version::Two, bytes: fresh.len() as u64, games: 0 }, blocks));
        }
        let mut reader = GamesReader::new(BufReader::new(&*file))?.only(variant)?;
        if reader.recipe() != recipe {
            return Err(GamesError::Recipe { found: reader.recipe().clone() });
        }
        while let Some((head, _)) = reader.read_on()? {
            blocks.entry(head.seed).or_default().push(head);
        }
        if reader.losses().places > 0 {
            return Err(GamesError::Unsound(*reader.losses()));
        }
        let ((bytes, games), version) = (reader.end(), reader.version());
        drop(reader);
        file.set_len(bytes)?;
        file.seek(SeekFrom::Start(bytes))?;
        Ok((GamesWriter { file, version, bytes, games }, blocks))
    }

    /// Makes a file that must not exist yet.
    pub fn create(path: &Path, variant: Variant, recipe: &Recipe) -> Result<GamesWriter, GamesError> {
        OpenOptions::new().write(true).create_new(true).open(path)?;
        Ok(GamesWriter::open(path, variant, recipe)?.0)
    }

    /// Size of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends a block in one write. When that fails (a full disk), the file stays as it was.
    pub fn append(&mut self, head: &BlockHead, payload: &[u8]) -> Result<(), GamesError> {
        let all = head.encode(self.version, self.games, payload);
        if let Err(error) = self.file.write_all(&all) {
            // Nothing may follow half a block.
            self.file.set_len(self.bytes)?;
            self.file.seek(SeekFrom::Start(self.bytes))?;
            return Err(error.into());
        }
        self.bytes += all.len() as u64;
        self.games += u64::from(head.games);
        Ok(())
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), GamesError> {
        Ok(self.file.sync_all()?)
    }
}
