//! Opening a table: locks, checks, older formats, and what happens to a damaged one.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Read;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata};
use rukh_code::Coded;
use rukh_core::Position;

use super::medium::{InMemory, Medium, Plain};
use super::pages::{Fault, Pages, older_slot};
use super::record::Record;
use super::{
    Base, CLOCK, LearnError, LearnStore, META, NEXT, NUMBERS, POSITIONS, VARIANT, canonical, corrupted, explained,
    number, record, shielded, writing,
};

/// A damaged table that gave way to a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Its name now.
    pub path: PathBuf,
    /// What was wrong with it.
    pub problem: String,
}

impl<R: Coded> LearnStore<R> {
    /// Opens or makes the table, which will hold at most `capacity` positions. A damaged one is an error.
    pub fn open(path: &Path, capacity: u64) -> Result<Self, LearnError> {
        Self::open_file(locked(path)?, path, capacity)
    }

    /// The same, but a damaged table is renamed (never deleted, and never over another file) and a new one is begun.
    pub fn open_or_set_aside(path: &Path, capacity: u64) -> Result<(Self, Option<SetAside>), LearnError> {
        let failed = |e: std::io::Error| LearnError::Store { path: path.to_owned(), problem: e.to_string() };
        let file = locked(path)?;
        // A second handle keeps the lock: nobody else may begin a new table meanwhile, which would then be renamed.
        let lock = file.try_clone().map_err(failed)?;
        match Self::open_file(file, path, capacity) {
            Err(LearnError::Damaged { problem, .. }) => {
                let aside = set_aside(path).map_err(failed)?;
                drop(lock);
                Ok((Self::open(path, capacity)?, Some(SetAside { path: aside, problem })))
            }
            other => Ok((other?, None)),
        }
    }

    /// A table in memory: these bytes of a file, or a new one if there are none.
    pub fn from_bytes(bytes: Vec<u8>, capacity: u64) -> Result<Self, LearnError> {
        let medium = InMemory::new(bytes);
        Self::open_memory(&medium, capacity)
    }

    pub(super) fn open_memory(medium: &InMemory, capacity: u64) -> Result<Self, LearnError> {
        let path = Path::new("<memory>");
        match Pages::open(Box::new(medium.clone())) {
            Err(Fault::Old) => {
                let new = InMemory::default();
                migrate::<R>(path, Box::new(medium.clone()), Box::new(new.clone()))?;
                Self::open_memory(&new, capacity)
            }
            other => {
                let (pages, clean) = other.map_err(|fault| fault.of(path))?;
                Self::assemble(pages, clean, path, capacity)
            }
        }
    }

    fn open_file(file: File, path: &Path, capacity: u64) -> Result<Self, LearnError> {
        let failed = |e: std::io::Error| LearnError::Store { path: path.to_owned(), problem: e.to_string() };
        let lock = file.try_clone().map_err(failed)?;
        match Pages::open(Box::new(file)) {
            Err(Fault::Old) => {
                let half = with_suffix(path, ".converting");
                let new = converting(&half)?;
                let migrated = migrate::<R>(path, Box::new(lock.try_clone().map_err(failed)?), Box::new(new));
                if let Err(error) = migrated {
                    let _ = std::fs::remove_file(&half);
                    return Err(error);
                }
                std::fs::rename(&half, path).map_err(failed)?;
                drop(lock);
                let (pages, clean) = Pages::open(Box::new(locked(path)?)).map_err(|fault| fault.of(path))?;
                Self::assemble(pages, clean, path, capacity)
            }
            other => {
                let (pages, clean) = other.map_err(|fault| fault.of(path))?;
                Self::assemble(pages, clean, path, capacity)
            }
        }
    }

    /// A store on these pages. Unless they were closed properly, every page and every row is checked first.
    pub(super) fn assemble(pages: Pages, clean: bool, path: &Path, capacity: u64) -> Result<Self, LearnError> {
        let fail = |error| explained(path, error);
        let mut base = Base::open(pages, clean).map_err(fail)?;
        // The initial position tells the variant.
        let tag = Position::<R>::startpos().key();
        let known = base.with(|db| variant(db)).map_err(fail)?;
        match known {
            Some(known) if known != tag => return Err(LearnError::Variant(path.to_owned())),
            Some(_) => {
                if !clean {
                    base.with(|db| verify(db)).map_err(fail)?;
                }
            }
            None => base.with(|db| prepare(db, tag)).map_err(fail)?,
        }
        let (path, capacity) = (path.to_owned(), capacity.max(1));
        Ok(LearnStore { path, base, capacity, broken: AtomicBool::new(false), rules: PhantomData })
    }
}

impl Base {
    fn open(backend: impl redb::StorageBackend, clean: bool) -> Result<Base, redb::Error> {
        let mut base = Base(Some(shielded(|| Ok(Database::builder().create_with_backend(backend)?))?));
        if !clean && !base.with(|db| Ok(db.check_integrity()?))? {
            return Err(corrupted("its pages do not belong together"));
        }
        Ok(base)
    }
}

impl Fault {
    fn of(self, path: &Path) -> LearnError {
        let path = path.to_owned();
        match self {
            Fault::Foreign | Fault::Old => LearnError::Foreign(path),
            Fault::Newer(version) => LearnError::Newer { path, version },
            Fault::Damaged(problem) => LearnError::Damaged { path, problem: problem.to_owned() },
            Fault::Io(error) => explained(&path, redb::Error::Io(error)),
        }
    }
}

/// The key of the variant's initial position; none in a table that is new.
fn variant(db: &Database) -> Result<Option<u64>, redb::Error> {
    let txn = db.begin_read()?;
    if txn.list_tables()?.next().is_none() {
        return Ok(None);
    }
    let known = txn.open_table(META)?.get(VARIANT)?.map(|tag| tag.value());
    Ok(Some(known.ok_or_else(|| corrupted("it does not know its variant"))?))
}

/// The tables of a new store.
fn prepare(db: &Database, tag: u64) -> Result<(), redb::Error> {
    let txn = writing(db)?;
    txn.open_table(POSITIONS)?;
    txn.open_table(NUMBERS)?;
    txn.open_table(META)?.insert(VARIANT, tag)?;
    Ok(txn.commit()?)
}

/// Looks at every row: records as they were written, each with its number, and no number without a record.
fn verify(db: &Database) -> Result<(), redb::Error> {
    let txn = db.begin_read()?;
    let (positions, numbers) = (txn.open_table(POSITIONS)?, txn.open_table(NUMBERS)?);
    let next = number(&txn.open_table(META)?, NEXT)?;
    let mut count = 0;
    for row in positions.iter()? {
        let (key, value) = row?;
        let record = record(key.value(), value.value())?;
        let back = numbers.get(record.number)?.map(|key| key.value());
        if record.number >= next || back != Some(key.value()) {
            return Err(corrupted("a record and its number do not belong together"));
        }
        count += 1;
    }
    if count != positions.len()? || count != numbers.len()? {
        return Err(corrupted("records are missing"));
    }
    Ok(())
}

/// Copies a table of version 1, checking all that can be checked; numbers stay what they are.
fn migrate<R: Coded>(path: &Path, mut old: Box<dyn Medium>, new: Box<dyn Medium>) -> Result<(), LearnError> {
    const AT_ONCE: usize = 20_000;
    let fail = |error| explained(path, error);
    if older_slot(old.as_mut()).map_err(|e| fail(redb::Error::Io(e)))? {
        return Err(fail(corrupted("its head leads to an older state")));
    }
    let mut old = Base::open(Plain::new(old), false).map_err(fail)?;
    // Any program may have a file of redb's.
    let tables = old.with(|db| Ok(db.begin_read()?.list_tables()?.count())).map_err(fail)?;
    match old.with(|db| variant(db)) {
        Ok(Some(tag)) if tag == Position::<R>::startpos().key() => {}
        Ok(Some(_)) => return Err(LearnError::Variant(path.to_owned())),
        Ok(None) if tables == 0 => {}
        _ => return Err(LearnError::Foreign(path.to_owned())),
    }
    if tables == 0 {
        return Ok(());
    }
    let pages = Pages::open(new).map_err(|fault| fault.of(path))?.0;
    let mut new = Base::open(pages, true).map_err(fail)?;
    let copy = |old: &Database, new: &Database| -> Result<(), redb::Error> {
        prepare(new, Position::<R>::startpos().key())?;
        let from = old.begin_read()?;
        let (positions, numbers) = (from.open_table(POSITIONS)?, from.open_table(NUMBERS)?);
        let meta = from.open_table(META)?;
        let next = number(&meta, NEXT)?;
        let mut rows = positions.iter()?;
        let mut count = 0;
        loop {
            let txn = writing(new)?;
            let before = count;
            {
                let (mut to, mut to_numbers) = (txn.open_table(POSITIONS)?, txn.open_table(NUMBERS)?);
                for row in rows.by_ref().take(AT_ONCE) {
                    let (key, value) = row?;
                    let (key, record) = (key.value(), Record::read_old(value.value()));
                    let record = record.filter(|record| is_record::<R>(key, record) && record.number < next);
                    let record = record.ok_or_else(|| corrupted("a record holds no position"))?;
                    if numbers.get(record.number)?.map(|key| key.value()) != Some(key) {
                        return Err(corrupted("a record and its number do not belong together"));
                    }
                    to.insert(key, record.write(key).as_slice())?;
                    to_numbers.insert(record.number, key)?;
                    count += 1;
                }
                let mut to = txn.open_table(META)?;
                to.insert(NEXT, next)?;
                to.insert(CLOCK, number(&meta, CLOCK)?)?;
            }
            txn.commit()?;
            if count == before {
                break;
            }
        }
        if count != positions.len()? || count != numbers.len()? {
            return Err(corrupted("records are missing"));
        }
        Ok(())
    };
    old.with(|old| new.with(|new| copy(old, new))).map_err(fail)
}

/// Whether a record of version 1, which has no checksum, is one of this key.
fn is_record<R: Coded>(key: u64, record: &Record) -> bool {
    let pos = Position::<R>::from_fen(&record.fen).ok();
    pos.is_some_and(|pos| pos.key() == key && canonical(&pos).as_ref() == Some(&record.fen))
}

/// Opens (or makes) a file that nobody else has open.
fn locked(path: &Path) -> Result<File, LearnError> {
    let failed = |e: std::io::Error| LearnError::Store { path: path.to_owned(), problem: e.to_string() };
    for _ in 0..10 {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) if same_file(path, &file) => return Ok(file),
            // Renamed while we waited for it.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LearnError::Busy(path.to_owned())),
            Err(TryLockError::Error(e)) => {
                let problem = format!("the file cannot be locked here ({e}); choose a file system with locks");
                return Err(LearnError::Store { path: path.to_owned(), problem });
            }
        }
    }
    Err(LearnError::Busy(path.to_owned()))
}

#[cfg(unix)]
fn same_file(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |m: std::io::Result<std::fs::Metadata>| m.map(|m| (m.dev(), m.ino())).ok();
    id(path.metadata()).is_some_and(|named| id(file.metadata()) == Some(named))
}

#[cfg(not(unix))]
fn same_file(path: &Path, _: &File) -> bool {
    path.exists()
}

/// The file that a conversion writes to; what a killed one left is begun anew, another's file is not touched.
fn converting(path: &Path) -> Result<File, LearnError> {
    let failed = |e: std::io::Error| LearnError::Store { path: path.to_owned(), problem: e.to_string() };
    let mut file = locked(path)?;
    let mut start = [0; 8];
    let ours =
        file.metadata().map_err(failed)?.len() == 0 || (file.read_exact(&mut start).is_ok() && Pages::is_table(&start));
    if !ours {
        return Err(LearnError::Foreign(path.to_owned()));
    }
    file.set_len(0).map_err(failed)?;
    Ok(file)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Renames a damaged table to the first free of `<name>.damaged-1`, `-2` and so on.
fn set_aside(path: &Path) -> std::io::Result<PathBuf> {
    for n in 1u32.. {
        let aside = with_suffix(path, &format!(".damaged-{n}"));
        // Making the file first reserves the name: no other process can choose it too.
        match OpenOptions::new().write(true).create_new(true).open(&aside) {
            Ok(_) => return std::fs::rename(path, &aside).map(|()| aside),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
}
