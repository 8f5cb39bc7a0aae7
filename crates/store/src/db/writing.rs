//! Changing a database: the lock, the journal and the commit.
//!
//! A database shares its folder with nobody, and still nothing is ever removed or overwritten there that the manifest or
//! the journal of this very database does not name. The journal gets a file's name, on the disk, before the file is made
//! and before a committed file is given up; what it names and the manifest does not is what an interrupted change left.

use super::LOCK;
use super::disk::{Folder, Handle};
use super::error::DbError;
use super::games::Origin;
use super::manifest::{FRESH, Manifest, NAME, games_file, positions_file};
use crate::disk::{NamedFile, random_id};

pub const JOURNAL: &str = "JOURNAL";
const TITLE: &str = "rukh journal 1 ";
/// More than any journal.
const MOST_BYTES: u64 = 64 << 20;

/// A database open for writing.
pub struct Writing {
    folder: Folder,
    pub manifest: Manifest,
    /// The manifest on the disk, as far as this process knows.
    text: Vec<u8>,
    journal: Option<Handle>,
    journal_len: u64,
    /// What the journal names.
    owned: Vec<String>,
    _lock: Box<dyn NamedFile>,
}

/// What a folder that is not there or empty becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum New {
    /// Nothing: there must be a database.
    Nothing,
    /// A database.
    Database,
    /// One that may be removed: see [`remove_scratch`].
    Scratch,
}

impl Writing {
    /// Opens the database of a folder for writing.
    pub fn begin(folder: &Folder, new: New) -> Result<Writing, DbError> {
        // Before the lock: nothing, not even that, is put into somebody else's folder.
        may_write(folder, new)?;
        folder.make()?;
        let lock = folder.lock()?;
        may_write(folder, new)?;
        tidy(folder)?;
        room_for_manifest(folder)?;
        let (manifest, text) = Manifest::load_text(folder)?.unwrap_or_else(|| {
            let scratch = new == New::Scratch;
            (Manifest { id: random_id(), next_id: 1, scratch, ..Manifest::default() }, Vec::new())
        });
        let (journal, journal_len, owned) = (None, 0, Vec::new());
        let mut writing = Writing { folder: folder.clone(), manifest, text, journal, journal_len, owned, _lock: lock };
        if writing.text.is_empty() {
            // From here on it is a database, and says so.
            writing.commit()?;
        }
        Ok(writing)
    }

    /// Gives a folder without a manifest one.
    pub fn restore(folder: &Folder, manifest: Manifest) -> Result<(), DbError> {
        let lock = folder.lock()?;
        // Without a manifest this removes no segment.
        tidy(folder)?;
        room_for_manifest(folder)?;
        let (journal, journal_len, owned, text) = (None, 0, Vec::new(), Vec::new());
        let mut writing = Writing { folder: folder.clone(), manifest, text, journal, journal_len, owned, _lock: lock };
        writing.commit()
    }

    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// What the games of the next segment say about where they belong.
    pub fn origin(&self) -> Origin {
        Origin { database: self.manifest.id, base: self.manifest.segments.iter().map(|s| s.ordinals).sum() }
    }

    /// Notes files as this database's own, before they are made or given up.
    pub fn own(&mut self, names: &[String]) -> Result<(), DbError> {
        let mut text = String::new();
        for name in names.iter().filter(|name| !self.owned.contains(name)) {
            text += &format!("own {name} {:08x}\n", crc32fast::hash(name.as_bytes()));
        }
        if text.is_empty() {
            return Ok(());
        }
        let journal = match &self.journal {
            Some(journal) => journal,
            None => {
                text.insert_str(0, &title(self.manifest.id));
                self.journal_len = 0;
                self.journal.insert(self.folder.create(JOURNAL)?)
            }
        };
        journal.write_all_at(text.as_bytes(), self.journal_len)?;
        journal.sync()?;
        if self.journal_len == 0 {
            self.folder.sync_names()?;
        }
        self.journal_len += text.len() as u64;
        self.owned.extend_from_slice(names);
        Ok(())
    }

    /// Makes the two files of the next segment.
    pub fn segment(&mut self) -> Result<(u32, Handle, Handle), DbError> {
        let taken = self.folder.names()?.unwrap_or_default();
        let mut id = self.manifest.next_id.max(1);
        // A file of that name may have been left by an old version; it is not ours to remove.
        while taken.contains(&games_file(id)) || taken.contains(&positions_file(id)) {
            id = next(id, &self.folder)?;
        }
        let (games, positions) = (games_file(id), positions_file(id));
        self.own(&[games.clone(), positions.clone()])?;
        let files = (self.folder.create(&games)?, self.folder.create(&positions)?);
        self.manifest.next_id = next(id, &self.folder)?;
        Ok((id, files.0, files.1))
    }

    /// Makes a file anew that the journal names and no manifest has named.
    pub fn again(&self, name: &str) -> Result<Handle, DbError> {
        if !self.owned.iter().any(|own| own == name) {
            return Err(DbError::NotOurs(self.folder.file(name)));
        }
        self.folder.remove(name)?;
        self.folder.create(name)
    }

    /// Puts the manifest in place of the old one, on the disk.
    pub fn commit(&mut self) -> Result<(), DbError> {
        let text = self.manifest.text();
        if text.as_bytes() == self.text {
            return Ok(());
        }
        // Locks do not help against somebody who removes LOCK.
        let there = self.folder.read(NAME, u64::MAX)?.unwrap_or_default();
        if there != self.text {
            return Err(DbError::Changed(self.folder.path().to_owned()));
        }
        self.own(&[FRESH.to_owned()])?;
        self.folder.remove(FRESH)?;
        let fresh = self.folder.create(FRESH)?;
        fresh.write_all_at(text.as_bytes(), 0)?;
        fresh.sync()?;
        // The names of the segments must be on the disk before the manifest that relies on them.
        self.folder.sync_names()?;
        self.folder.rename(FRESH, NAME)?;
        self.text = text.into_bytes();
        self.folder.sync_names()
    }

    /// Removes what the journal names and the manifest does not.
    pub fn tidy(&mut self) -> Result<(), DbError> {
        if self.journal.is_some() {
            tidy(&self.folder)?;
            self.journal = None;
            self.owned.clear();
        }
        Ok(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next change: the journal stays.
        let _ = self.tidy();
    }
}

fn next(id: u32, folder: &Folder) -> Result<u32, DbError> {
    id.checked_add(1).ok_or_else(|| DbError::damaged(folder.path(), "there are no numbers left for segments"))
}

fn title(id: u64) -> String {
    format!("{TITLE}{id:016x}\n")
}

/// Whether a name is one that segments have.
pub fn is_segment(name: &str) -> bool {
    let number = name.strip_suffix(".games").or_else(|| name.strip_suffix(".positions"));
    number.is_some_and(|n| n.len() >= 6 && n.bytes().all(|b| b.is_ascii_digit()))
}

/// The names in a journal; `None` if it is not that of the database `id` (of any, without one). What was torn by the end
/// of a process or of the power names nothing, as the files of a line are made after it.
fn names_of(journal: &[u8], id: Option<u64>) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(journal);
    let Some((head, lines)) = text.split_once('\n') else {
        let torn = TITLE.starts_with(&*text) || text.starts_with(TITLE) || journal.iter().all(|&b| b == 0);
        return torn.then(Vec::new);
    };
    let found = u64::from_str_radix(head.strip_prefix(TITLE)?, 16).ok()?;
    if id.is_some_and(|id| id != found) {
        return None;
    }
    let name = |line: &str| {
        let (name, crc) = line.strip_prefix("own ")?.rsplit_once(' ')?;
        let right = u32::from_str_radix(crc, 16).ok()? == crc32fast::hash(name.as_bytes());
        (right && (is_segment(name) || name == FRESH)).then(|| name.to_owned())
    };
    Some(lines.lines().filter_map(name).collect())
}

/// Why a folder without a manifest is not a database.
pub fn not_a_database(folder: &Folder) -> DbError {
    match folder.names() {
        Ok(Some(names)) if names.iter().any(|name| is_segment(name)) => DbError::Lost(folder.path().to_owned()),
        _ => DbError::NotADatabase(folder.path().to_owned()),
    }
}

/// An error unless the folder is a database, or may become one.
fn may_write(folder: &Folder, new: New) -> Result<(), DbError> {
    let names = folder.names()?.unwrap_or_default();
    if names.iter().any(|name| name == NAME) {
        return Ok(());
    }
    if new == New::Nothing || names.iter().any(|name| is_segment(name)) {
        return Err(not_a_database(folder));
    }
    // What a first import that was killed leaves: an empty lock, and a journal that names the manifest.
    let journal = match folder.read(JOURNAL, MOST_BYTES) {
        Ok(Some(journal)) => names_of(&journal, None),
        _ => None,
    };
    for name in names {
        let ours = match name.as_str() {
            LOCK => folder.open(LOCK)?.len()? == 0,
            JOURNAL => journal.is_some(),
            FRESH => journal.as_ref().is_some_and(|names| names.iter().any(|n| n == FRESH)),
            _ => false,
        };
        if !ours {
            return Err(DbError::NotEmpty { path: folder.path().to_owned(), name });
        }
    }
    Ok(())
}

/// Removes what an interrupted change left: files that the journal names and the manifest does not.
fn tidy(folder: &Folder) -> Result<(), DbError> {
    let Some(journal) = folder.read(JOURNAL, MOST_BYTES)? else { return Ok(()) };
    let manifest = Manifest::load(folder)?;
    let names = names_of(&journal, manifest.as_ref().map(|m| m.id));
    let names = names.ok_or_else(|| DbError::NotOurs(folder.file(JOURNAL)))?;
    // The manifest that needs these files no more must be on the disk before they go.
    folder.sync_names()?;
    for name in names {
        let needed = match &manifest {
            Some(manifest) => manifest.names(&name),
            // Without a manifest nobody knows what is needed.
            None => name != FRESH,
        };
        if !needed {
            folder.remove(&name)?;
        }
    }
    // Should a power cut bring back a new manifest, the journal must still be there to name it.
    folder.sync_names()?;
    folder.remove(JOURNAL)
}

/// A new manifest that no journal has named is somebody else's file.
fn room_for_manifest(folder: &Folder) -> Result<(), DbError> {
    match folder.names()?.unwrap_or_default().iter().any(|name| name == FRESH) {
        true => Err(DbError::NotOurs(folder.file(FRESH))),
        false => Ok(()),
    }
}

/// Removes a database that was made with [`ImportOptions::scratch`](super::ImportOptions::scratch): the files that it
/// names, and its folder if nothing else is in it. Every other folder is refused; one that is not there is fine.
pub fn remove_scratch(dir: &std::path::Path) -> Result<(), DbError> {
    let folder = Folder::new(dir);
    if folder.names()?.is_none() {
        return Ok(());
    }
    let writing = Writing::begin(&folder, New::Nothing)?;
    if !writing.manifest.scratch {
        return Err(DbError::NotOurs(dir.to_owned()));
    }
    for segment in &writing.manifest.segments {
        folder.remove(&segment.games_file())?;
        folder.remove(&segment.positions_file())?;
    }
    folder.remove(NAME)?;
    folder.remove(LOCK)?;
    drop(writing);
    std::fs::remove_dir(dir).map_err(DbError::io(dir))
}
