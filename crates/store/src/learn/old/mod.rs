//! Tables of versions 1 and 2, which were redb's: read once, with every check they allow, and written anew.
//!
//! Version 1 is a file of redb's alone, version 2 one whose pages have checksums ([`mod@pages`]). What redb makes of damage, a
//! panic included, ends at [`shielded`].

mod pages;
mod record;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};
use rukh_code::{Coded, without_clocks};
use rukh_core::Position;

use super::LearnError;
use super::medium::Medium;
use pages::{Fault, Pages};
pub(super) use record::Record;

/// Position key to [`Record`].
const POSITIONS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("positions");
/// Number to position key.
const NUMBERS: TableDefinition<'_, u64, u64> = TableDefinition::new("numbers");
const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
const NEXT: &str = "next number";
const CLOCK: &str = "clock";
const VARIANT: &str = "variant";

/// All that an old table holds.
pub(super) struct Contents<R: Coded> {
    pub(super) rows: Vec<(Position<R>, Record)>,
    /// The first number that was not given.
    pub(super) next: u64,
    pub(super) clock: u64,
}

impl<R: Coded> Default for Contents<R> {
    fn default() -> Self {
        Contents { rows: Vec::new(), next: 0, clock: 0 }
    }
}

/// redb's database; closing it must not bring the program down either.
struct Base(Option<Database>);

impl Base {
    fn open(backend: impl redb::StorageBackend, clean: bool) -> Result<Base, redb::Error> {
        let mut base = Base(Some(shielded(|| Ok(Database::builder().create_with_backend(backend)?))?));
        if !clean && !base.with(|db| Ok(db.check_integrity()?))? {
            return Err(corrupted("its pages do not belong together"));
        }
        Ok(base)
    }

    fn with<T>(&mut self, f: impl FnOnce(&mut Database) -> Result<T, redb::Error>) -> Result<T, redb::Error> {
        let db = self.0.as_mut();
        shielded(|| f(db.ok_or_else(|| corrupted("it is closed"))?))
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        let db = self.0.take();
        let _ = catch_unwind(AssertUnwindSafe(|| drop(db)));
    }
}

fn corrupted(what: &str) -> redb::Error {
    redb::Error::Corrupted(what.to_owned())
}

/// Calls into redb, which may panic on pages that are not what it wrote.
fn shielded<T>(f: impl FnOnce() -> Result<T, redb::Error>) -> Result<T, redb::Error> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|_| Err(corrupted("the store under it gave up")))
}

/// redb's errors: what speaks of the contents is damage, the rest is trouble with the file.
fn explained(path: &Path, error: redb::Error) -> LearnError {
    let (owned, problem) = (path.to_owned(), error.to_string());
    match error {
        redb::Error::Corrupted(problem) => LearnError::Damaged { path: owned, problem },
        redb::Error::Io(error) => LearnError::io(path, &error),
        redb::Error::TableTypeMismatch { .. }
        | redb::Error::TableIsMultimap(_)
        | redb::Error::TypeDefinitionChanged { .. }
        | redb::Error::TableDoesNotExist(_)
        | redb::Error::UpgradeRequired(_)
        | redb::Error::LockPoisoned(_) => LearnError::Damaged { path: owned, problem },
        _ => LearnError::Store { path: owned, problem },
    }
}

fn refused(path: &Path, fault: Fault) -> LearnError {
    match fault {
        Fault::Damaged(problem) => LearnError::Damaged { path: path.to_owned(), problem: problem.to_owned() },
        Fault::Io(error) => LearnError::io(path, &error),
    }
}

/// A table of version 1.
pub(super) fn read_first<R: Coded>(path: &Path, medium: Box<dyn Medium>) -> Result<Contents<R>, LearnError> {
    let fail = |error| explained(path, error);
    let pages = Pages::first(medium).map_err(|fault| refused(path, fault))?;
    let mut base = Base::open(pages, false).map_err(fail)?;
    // Any program may have a file of redb's.
    let tables = base.with(|db| Ok(db.begin_read()?.list_tables()?.count())).map_err(fail)?;
    match base.with(|db| variant(db)) {
        Ok(Some(tag)) if tag == Position::<R>::startpos().key() => {}
        Ok(Some(_)) => return Err(LearnError::Variant(path.to_owned())),
        Ok(None) if tables == 0 => return Ok(Contents::default()),
        _ => return Err(LearnError::Foreign(path.to_owned())),
    }
    base.with(|db| contents(db, |_, bytes| Record::read_first(bytes))).map_err(fail)
}

/// A table of version 2.
pub(super) fn read_second<R: Coded>(path: &Path, medium: Box<dyn Medium>) -> Result<Contents<R>, LearnError> {
    let fail = |error| explained(path, error);
    let opened = Pages::second(medium).map_err(|fault| refused(path, fault))?;
    let Some((pages, clean)) = opened else { return Ok(Contents::default()) };
    let mut base = Base::open(pages, clean).map_err(fail)?;
    match base.with(|db| variant(db)).map_err(fail)? {
        None => Ok(Contents::default()),
        Some(tag) if tag == Position::<R>::startpos().key() => base.with(|db| contents(db, Record::read)).map_err(fail),
        Some(_) => Err(LearnError::Variant(path.to_owned())),
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

/// Looks at every row: records as they were written, each with its number, and no number without a record.
fn contents<R: Coded>(db: &Database, read: impl Fn(u64, &[u8]) -> Option<Record>) -> Result<Contents<R>, redb::Error> {
    let txn = db.begin_read()?;
    let (positions, numbers) = (txn.open_table(POSITIONS)?, txn.open_table(NUMBERS)?);
    let meta = txn.open_table(META)?;
    let number = |name: &str| -> Result<u64, redb::Error> { Ok(meta.get(name)?.map_or(0, |value| value.value())) };
    let (next, clock) = (number(NEXT)?, number(CLOCK)?);
    let mut rows = Vec::new();
    for row in positions.iter()? {
        let (key, value) = row?;
        let record = read(key.value(), value.value());
        let record = record.and_then(|record| Some((position(key.value(), &record)?, record)));
        let (pos, record) = record.ok_or_else(|| corrupted("a record holds no position"))?;
        let back = numbers.get(record.number)?.map(|key| key.value());
        if record.number >= next || back != Some(key.value()) {
            return Err(corrupted("a record and its number do not belong together"));
        }
        rows.push((pos, record));
    }
    let count = rows.len() as u64;
    if count != positions.len()? || count != numbers.len()? {
        return Err(corrupted("records are missing"));
    }
    Ok(Contents { rows, next, clock })
}

/// The position of a record, if it is one of this key.
fn position<R: Coded>(key: u64, record: &Record) -> Option<Position<R>> {
    let pos = Position::<R>::from_fen(&record.fen).ok()?;
    let canonical = without_clocks(&pos).ok()?.fen();
    (pos.key() == key && canonical == record.fen).then_some(pos)
}
