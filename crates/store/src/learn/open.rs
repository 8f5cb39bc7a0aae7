//! Opening a table: locks, checks, older formats, and what happens to a damaged one.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{OpenOptions, TryLockError};
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, RwLock};

use rukh_code::{CodeError, Codec, Coded, Stamp};
use rukh_core::Variant;

use super::head::{self, Head, Kind};
use super::medium::{InMemory, Medium, OnDisk};
use super::packed::{self, place};
use super::row::{Name, Row};
use super::table::Table;
use super::{LearnError, LearnStore, old};
use crate::disk::{Disk, NamedFile, System};

/// A damaged table that gave way to a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Its name now.
    pub path: PathBuf,
    /// What was wrong with it.
    pub problem: String,
}

impl<R: Coded> LearnStore<R> {
    /// Opens or makes the table, which will take about `limit` bytes at most. A damaged one is an error.
    pub fn open(path: &Path, limit: u64) -> Result<Self, LearnError> {
        Self::open_on(&here(), path, limit)
    }

    pub(super) fn open_on(disk: &Arc<dyn Disk>, path: &Path, limit: u64) -> Result<Self, LearnError> {
        Self::assemble(Box::new(OnDisk::new(disk, &locked(disk, path)?, path)), path, limit)
    }

    /// The same, but a damaged table is renamed (never deleted, and never over another file) and a new one is begun.
    pub fn open_or_set_aside(path: &Path, limit: u64) -> Result<(Self, Option<SetAside>), LearnError> {
        let failed = |e: io::Error| LearnError::Store { path: path.to_owned(), problem: e.to_string() };
        let disk = here();
        let file = locked(&disk, path)?;
        // The file stays locked: nobody else may begin a new table meanwhile, which would then be renamed.
        match Self::assemble(Box::new(OnDisk::new(&disk, &file, path)), path, limit) {
            Err(LearnError::Damaged { problem, .. }) => {
                let aside = set_aside(path).map_err(failed)?;
                drop(file);
                Ok((Self::open(path, limit)?, Some(SetAside { path: aside, problem })))
            }
            other => Ok((other?, None)),
        }
    }

    /// A table in memory: these bytes of a file, or a new one if there are none.
    pub fn from_bytes(bytes: Vec<u8>, limit: u64) -> Result<Self, LearnError> {
        Self::assemble(Box::new(InMemory::new(bytes)), Path::new("<memory>"), limit)
    }

    /// The table of a medium, whatever it is.
    pub(super) fn assemble(mut medium: Box<dyn Medium>, path: &Path, limit: u64) -> Result<Self, LearnError> {
        let failed = |error: io::Error| LearnError::io(path, &error);
        let named = || path.to_owned();
        let (mut medium, mut head) = match Head::read(medium.as_mut()).map_err(failed)? {
            Kind::Table(head) if head.stamps == head::stamps::<R>() => {
                // Who wrote it last may have been killed before that was on the disk, and what is read here is answered.
                medium.sync().map_err(failed)?;
                (medium, head)
            }
            Kind::Table(head) => {
                let codecs = Codecs::<R>::of(path, &head)?;
                let old = Table::open(medium, head).map_err(failed)?;
                old.renamed(head::stamps::<R>(), |name| codecs.renamed(name)).map_err(failed)?
            }
            Kind::Empty => {
                let head = Head::new::<R>();
                let begun = medium.write(0, &head.encode()).and_then(|()| medium.sync());
                // Half a head would be a damaged table.
                begun.inspect_err(|_| drop(medium.set_len(0))).map_err(failed)?;
                (medium, head)
            }
            Kind::Old(version) => {
                let new = medium.beside().map_err(failed)?;
                let contents = match version {
                    1 => old::read_first(path, medium)?,
                    _ => old::read_second(path, medium)?,
                };
                rewritten::<R>(contents, new).map_err(failed)?
            }
            Kind::Newer(version) => return Err(LearnError::Newer { path: named(), version }),
            Kind::Foreign => return Err(LearnError::Foreign(named())),
            Kind::Damaged(problem) => {
                return Err(LearnError::Damaged { path: named(), problem: problem.to_owned() });
            }
        };
        if head.beside {
            head.settle(medium.as_mut()).map_err(failed)?;
        }
        Ok(LearnStore {
            path: named(),
            table: RwLock::new(Table::open(medium, head).map_err(failed)?),
            writer: Mutex::default(),
            limit,
            broken: AtomicBool::new(false),
            rules: PhantomData,
        })
    }
}

/// The codecs of a table that an older version has written.
struct Codecs<R: Coded> {
    own: &'static Codec<R>,
    other: Option<&'static Codec<R>>,
}

impl<R: Coded> Codecs<R> {
    fn of(path: &Path, head: &Head) -> Result<Self, LearnError> {
        let unknown = |reason| LearnError::Codes { path: path.to_owned(), reason };
        let stamps = head.stamps.map(Stamp::from_bytes);
        let kind = || unknown(CodeError::Model("the table's codes are of another kind"));
        let own = stamps[0].ok_or_else(kind)?;
        if own.variant != R::VARIANT {
            return Err(LearnError::Variant(path.to_owned()));
        }
        let own = own.codec().map_err(unknown)?;
        if head.stamps[1] == [0; Stamp::SIZE] {
            return Ok(Self { own, other: None });
        }
        let other = stamps[1].filter(|stamp| stamp.variant == Variant::Chess960).ok_or_else(kind)?;
        Ok(Self { own, other: Some(other.codec().map_err(unknown)?) })
    }

    /// The name that a position has in today's codes.
    fn renamed(&self, name: &Name) -> io::Result<Name> {
        let codec = |variant| if variant == R::VARIANT { Some(self.own) } else { self.other };
        let pos = name.code::<R>().ok().and_then(|(variant, code)| codec(variant)?.decode_any(code).ok());
        pos.as_ref().and_then(Name::of).ok_or_else(|| packed::damaged("a row has no code"))
    }
}

/// Writes what an older table held as one of today, in its place. Numbers that codes may have stay what they are.
fn rewritten<R: Coded>(contents: old::Contents<R>, mut medium: Box<dyn Medium>) -> io::Result<(Box<dyn Medium>, Head)> {
    let (mut rows, mut numbers) = (BTreeMap::new(), BTreeMap::new());
    for (pos, old::Record { number, stamp, learned, .. }) in contents.rows {
        let Some(name) = Name::of(&pos) else { continue };
        let stamp = stamp.min(contents.clock);
        rows.insert((place(pos.key()), name), Row { name, learned, stamp });
        if !name.is_direct() {
            numbers.insert(number, name);
        }
    }
    let head = Head { clock: contents.clock, next: contents.next, ..Head::new::<R>() };
    let rows = rows.into_iter().map(|((place, _), row)| Ok((place, row)));
    let head = packed::write(medium.as_mut(), head, rows, numbers.into_iter())?;
    medium.take_place()?;
    Ok((medium, head))
}

/// Opens (or makes) a file that nobody else has open.
fn locked(disk: &Arc<dyn Disk>, path: &Path) -> Result<Arc<dyn NamedFile>, LearnError> {
    let failed = |e: std::io::Error| LearnError::Store { path: path.to_owned(), problem: e.to_string() };
    match disk.edit_alone(path).map_err(failed)? {
        (file, Ok(())) => Ok(file.into()),
        (_, Err(TryLockError::WouldBlock)) => Err(LearnError::Busy(path.to_owned())),
        (_, Err(TryLockError::Error(e))) => {
            let problem = format!("the file cannot be locked ({e}); use a file system that supports locks");
            Err(LearnError::Store { path: path.to_owned(), problem })
        }
    }
}

fn here() -> Arc<dyn Disk> {
    Arc::new(System)
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
