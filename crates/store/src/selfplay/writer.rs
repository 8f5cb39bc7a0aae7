//! Appending to a file of games: one writer at a time, whole blocks, and only to files without damage.

use super::head::{BlockHead, Recipe, Version, file_head};
use super::{GamesError, GamesReader};
use crate::disk::{Disk, NamedFile, Reading, System};
use rukh_core::Variant;
use std::collections::BTreeMap;
use std::fs::{OpenOptions, TryLockError};
use std::io::BufReader;
use std::path::Path;
use std::time::{Duration, Instant};

/// A power failure costs no more than what was appended in so long.
const SYNC_EVERY: Duration = Duration::from_secs(10);

/// Appends whole blocks. The file is locked for other writers as long as this lives.
#[derive(Debug)]
pub struct GamesWriter {
    file: Box<dyn NamedFile>,
    version: Version,
    bytes: u64,
    games: u64,
    /// Bytes and games on the disk, and since when.
    synced: (u64, u64, Instant),
}

impl Drop for GamesWriter {
    fn drop(&mut self) {
        let _ = self.sync();
    }
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
        Self::open_on(&System, path, variant, recipe)
    }

    #[allow(clippy::type_complexity)]
    pub(super) fn open_on(
        disk: &dyn Disk,
        path: &Path,
        variant: Variant,
        recipe: &Recipe,
    ) -> Result<(GamesWriter, BTreeMap<u64, Vec<BlockHead>>), GamesError> {
        let mut blocks: BTreeMap<u64, Vec<BlockHead>> = BTreeMap::new();
        let file = match disk.edit_alone(path)? {
            (file, Ok(())) => file,
            (_, Err(TryLockError::WouldBlock)) => return Err(GamesError::Busy),
            (_, Err(TryLockError::Error(error))) => return Err(GamesError::NoLock(error)),
        };
        // Killed while the head was written, or the power failed: a beginning of the head and nothing else, or zeros instead.
        let fresh = file_head(Version::Two, variant, recipe);
        let mut start = vec![0; fresh.len() + 1];
        let got = file.read_full(&mut start, 0)?;
        let unwritten = got <= fresh.len() && start.iter().all(|&byte| byte == 0);
        if unwritten || got < fresh.len() && fresh.starts_with(&start[..got]) {
            file.set_len(0)?;
            file.extend(&fresh, 0)?;
            return Ok((Self::synced(file, Version::Two, (fresh.len() as u64, 0))?, blocks));
        }
        let mut reader = GamesReader::new(BufReader::new(Reading::new(file.as_ref())))?.only(variant)?;
        if reader.recipe() != recipe {
            return Err(GamesError::Recipe { found: reader.recipe().clone() });
        }
        while let Some((head, _)) = reader.read_on()? {
            blocks.entry(head.seed).or_default().push(head);
        }
        if reader.losses().places > 0 {
            return Err(GamesError::Unsound(*reader.losses()));
        }
        let (end, version) = (reader.end(), reader.version());
        drop(reader);
        file.set_len(end.0)?;
        // Who wrote it last may have been killed before it was on the disk.
        Ok((Self::synced(file, version, end)?, blocks))
    }

    fn synced(file: Box<dyn NamedFile>, version: Version, end: (u64, u64)) -> Result<Self, GamesError> {
        file.sync()?;
        Ok(GamesWriter { file, version, bytes: end.0, games: end.1, synced: (end.0, end.1, Instant::now()) })
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

    /// Appends a block in one write; now and then waits until all of them are on the disk. When writing fails (a full disk), the
    /// file stays as it was.
    pub fn append(&mut self, head: &BlockHead, payload: &[u8]) -> Result<(), GamesError> {
        let all = head.encode(self.version, self.games, payload);
        if let Err(error) = self.file.write_all_at(&all, self.bytes) {
            // Nothing may follow half a block.
            self.file.set_len(self.bytes)?;
            return Err(error.into());
        }
        self.bytes += all.len() as u64;
        self.games += u64::from(head.games);
        if self.synced.2.elapsed() >= SYNC_EVERY { self.sync() } else { Ok(()) }
    }

    /// Waits until everything is on the disk. What could not be brought there is cut off: the system may believe that it is there
    /// ever after.
    pub fn sync(&mut self) -> Result<(), GamesError> {
        let (bytes, games, _) = self.synced;
        if let Err(error) = self.file.sync() {
            if self.file.set_len(bytes).is_ok() {
                (self.bytes, self.games) = (bytes, games);
            }
            return Err(error.into());
        }
        self.synced = (self.bytes, self.games, Instant::now());
        Ok(())
    }
}
