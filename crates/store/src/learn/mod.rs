//! The reachability table: positions that the engine has seen, and what it thinks of them.
//!
//! A table that is written during play must survive a crash and stay bounded. It lies in one file of the embedded store
//! `redb` (pure Rust, one file, transactions, a stable format; of the three candidates LMDB reads faster but takes twice
//! the space and C, fjall writes faster but needs a folder and a background thread: see `docs/formats/learned.md`). One call of
//! [`LearnStore::record`] is one transaction: all of it or nothing.
//!
//! Nothing that comes out of it is taken on trust: pages have checksums ([`mod@pages`]), records have their own ([`mod@record`]), after an
//! unclean end everything is checked ([`mod@open`]), and what redb makes of damage, a panic included, ends at [`shielded`].

#[cfg(test)]
mod damage_tests;
mod medium;
mod open;
mod pages;
mod record;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction};
use rukh_code::{Coded, without_clocks};
use rukh_core::Position;

pub use open::SetAside;
use record::Record;
pub use record::{Bound, Learned};

/// Position key to [`Record`].
const POSITIONS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("positions");
/// Number to position key. Numbers are codes (Format 1) and are never used again.
const NUMBERS: TableDefinition<'_, u64, u64> = TableDefinition::new("numbers");
const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
const NEXT: &str = "next number";
const CLOCK: &str = "clock";
const VARIANT: &str = "variant";

/// Why the table could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// The store under it failed: no such file, no room on the disk.
    #[error("{}: {problem}", path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// The store's words.
        problem: String,
    },
    /// Its contents are not what was written.
    #[error("{}: the table is damaged ({problem})", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The file belongs to another variant.
    #[error("{}: made for another variant", .0.display())]
    Variant(PathBuf),
    /// Another program has it open.
    #[error("{}: another program has it open", .0.display())]
    Busy(PathBuf),
    /// Something else.
    #[error("{}: not a table of learned positions", .0.display())]
    Foreign(PathBuf),
    /// A later format.
    #[error("{}: table version {version}; this program reads versions 1 and 2", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u16,
    },
}

/// Totals of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LearnStats {
    /// Positions.
    pub positions: u64,
    /// Numbers ever given.
    pub numbers: u64,
    /// Positions with a score.
    pub scored: u64,
    /// Greatest depth.
    pub deepest: i16,
    /// Sum of depths of scored positions.
    pub depth_sum: u64,
    /// Sum of visits.
    pub visits: u64,
}

impl LearnStats {
    /// Mean depth of the scored positions.
    pub fn mean_depth(&self) -> f64 {
        self.depth_sum as f64 / self.scored.max(1) as f64
    }
}

/// The reachability table of one variant.
pub struct LearnStore<R> {
    path: PathBuf,
    base: Base,
    capacity: u64,
    /// Damage was found: nothing more is read or written.
    broken: AtomicBool,
    rules: PhantomData<fn() -> R>,
}

/// redb's database; closing it must not bring the program down either.
struct Base(Option<Database>);

impl Base {
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
    use std::io::ErrorKind::{InvalidData, UnexpectedEof};
    let (path, problem) = (path.to_owned(), error.to_string());
    match error {
        redb::Error::Corrupted(problem) => LearnError::Damaged { path, problem },
        redb::Error::Io(e) if matches!(e.kind(), InvalidData | UnexpectedEof) => LearnError::Damaged { path, problem },
        redb::Error::TableTypeMismatch { .. }
        | redb::Error::TableIsMultimap(_)
        | redb::Error::TypeDefinitionChanged { .. }
        | redb::Error::TableDoesNotExist(_)
        | redb::Error::UpgradeRequired(_)
        | redb::Error::LockPoisoned(_) => LearnError::Damaged { path, problem },
        _ => LearnError::Store { path, problem },
    }
}

/// A transaction that is on the disk when it ends. In two phases: one with one phase would be rolled back silently if its
/// pages were damaged later and the program then killed.
fn writing(db: &Database) -> Result<WriteTransaction, redb::Error> {
    let mut txn = db.begin_write()?;
    txn.set_two_phase_commit(true);
    Ok(txn)
}

fn record(key: u64, bytes: &[u8]) -> Result<Record, redb::Error> {
    Record::read(key, bytes).ok_or_else(|| corrupted("the checksum of a record is wrong"))
}

fn row(positions: &impl ReadableTable<u64, &'static [u8]>, key: u64) -> Result<Option<Record>, redb::Error> {
    positions.get(key)?.map(|value| record(key, value.value())).transpose()
}

fn number(meta: &impl ReadableTable<&'static str, u64>, name: &str) -> Result<u64, redb::Error> {
    Ok(meta.get(name)?.map_or(0, |value| value.value()))
}

impl<R: Coded> LearnStore<R> {
    /// Uses the database; what goes wrong is explained, and damage is the end of it.
    fn with<T>(&self, f: impl FnOnce(&Database) -> Result<T, redb::Error>) -> Result<T, LearnError> {
        let result = match &self.base.0 {
            Some(db) if !self.broken.load(Relaxed) => shielded(|| f(db)),
            _ => Err(corrupted("found before")),
        };
        result.map_err(|error| {
            let error = explained(&self.path, error);
            if matches!(error, LearnError::Damaged { .. }) {
                self.broken.store(true, Relaxed);
            }
            error
        })
    }

    fn find(&self, pos: &Position<R>) -> Result<Option<Record>, LearnError> {
        let Some(fen) = canonical(pos) else { return Ok(None) };
        self.with(|db| {
            let found = row(&db.begin_read()?.open_table(POSITIONS)?, pos.key())?;
            // Another position with this key is not this one.
            Ok(found.filter(|record| record.fen == fen))
        })
    }

    /// What is known of a position.
    pub fn get(&self, pos: &Position<R>) -> Result<Option<Learned>, LearnError> {
        Ok(self.find(pos)?.map(|r| r.learned))
    }

    /// The number of a known position: its index as a Format 1 code.
    pub fn number(&self, pos: &Position<R>) -> Result<Option<u64>, LearnError> {
        Ok(self.find(pos)?.map(|r| r.number))
    }

    /// The position of a number, unless it was pruned.
    pub fn position(&self, number: u64) -> Result<Option<Position<R>>, LearnError> {
        self.with(|db| {
            let txn = db.begin_read()?;
            let Some(key) = txn.open_table(NUMBERS)?.get(number)?.map(|key| key.value()) else { return Ok(None) };
            let record = row(&txn.open_table(POSITIONS)?, key)?.filter(|record| record.number == number);
            let record = record.ok_or_else(|| corrupted("a number leads to another position"))?;
            Ok(Some(Position::from_fen(&record.fen).map_err(|_| corrupted("a record holds no position"))?))
        })
    }

    /// Records positions in one transaction: a deeper result replaces a shallower one, visits add up. When the table is
    /// full, the least worth tenth goes.
    pub fn record(&self, news: &[(Position<R>, Learned)]) -> Result<(), LearnError> {
        let len = self.with(|db| {
            let txn = writing(db)?;
            let len = {
                let mut positions = txn.open_table(POSITIONS)?;
                let mut numbers = txn.open_table(NUMBERS)?;
                let mut meta = txn.open_table(META)?;
                let mut next = number(&meta, NEXT)?;
                let clock = number(&meta, CLOCK)?.saturating_add(1);
                for (pos, news) in news {
                    let Some(fen) = canonical(pos) else { continue };
                    let record = match row(&positions, pos.key())? {
                        Some(mut record) if record.fen == fen => {
                            record.learned = record.learned.merged(news);
                            record.stamp = clock;
                            record
                        }
                        // Two positions with one key: the first one stays, its number must not dangle.
                        Some(_) => continue,
                        None => {
                            let number = next;
                            next = next.checked_add(1).ok_or_else(|| corrupted("its last number is given"))?;
                            numbers.insert(number, pos.key())?;
                            let learned = Learned { visits: news.visits.max(1), ..*news };
                            Record { number, stamp: clock, learned, fen }
                        }
                    };
                    positions.insert(pos.key(), record.write(pos.key()).as_slice())?;
                }
                meta.insert(NEXT, next)?;
                meta.insert(CLOCK, clock)?;
                positions.len()?
            };
            txn.commit()?;
            Ok(len)
        })?;
        if len > self.capacity {
            self.prune(self.capacity - self.capacity / 10)?;
        }
        Ok(())
    }

    /// Keeps the `keep` most useful positions; returns how many were removed.
    pub fn prune(&self, keep: u64) -> Result<u64, LearnError> {
        self.with(|db| {
            let txn = writing(db)?;
            let gone = {
                let mut positions = txn.open_table(POSITIONS)?;
                let mut numbers = txn.open_table(NUMBERS)?;
                let clock = number(&txn.open_table(META)?, CLOCK)?;
                let mut worths = Vec::new();
                for row in positions.iter()? {
                    let (key, value) = row?;
                    let record = record(key.value(), value.value())?;
                    worths.push((record.worth(clock), key.value(), record.number));
                }
                worths.sort_unstable();
                let gone = (worths.len() as u64).saturating_sub(keep);
                for &(_, key, number) in &worths[..gone as usize] {
                    positions.remove(key)?;
                    numbers.remove(number)?;
                }
                gone
            };
            txn.commit()?;
            Ok(gone)
        })
    }

    /// The known positions around `root`, the deepest results first, at most `limit`, as far as `time` allows: what warms
    /// a transposition table. Follows moves through known positions, and through single unknown ones (the opponent's side
    /// of a line).
    pub fn near(
        &self,
        root: &Position<R>,
        limit: usize,
        time: Duration,
    ) -> Result<Vec<(Position<R>, Learned)>, LearnError> {
        /// Unknown positions that are followed; each costs some thirty look-ups.
        const DETOURS: usize = 32;
        self.with(|db| {
            let (start, mut detours) = (Instant::now(), 0);
            let positions = db.begin_read()?.open_table(POSITIONS)?;
            let mut found: Vec<(Position<R>, Learned)> = Vec::new();
            let mut seen = HashSet::from([root.key()]);
            let look = |pos: &Position<R>| -> Result<Option<Learned>, redb::Error> {
                let record = row(&positions, pos.key())?;
                // Another position with this key is not this one.
                let same = record.filter(|r| canonical(pos).is_some_and(|fen| r.fen == fen));
                Ok(same.map(|r| r.learned))
            };
            // Depth (an unknown position counts less than any), and order of discovery.
            let mut discovered = vec![(*root, look(root)?)];
            let mut open = BinaryHeap::from([(i16::MAX, Reverse(0))]);
            while let Some((_, Reverse(at))) = open.pop() {
                let (pos, learned) = discovered[at];
                found.extend(learned.map(|learned| (pos, learned)));
                detours += usize::from(learned.is_none());
                if found.len() >= limit || detours > DETOURS || start.elapsed() >= time {
                    break;
                }
                for &mv in pos.legal_moves().iter() {
                    let next = pos.after(mv);
                    if !seen.insert(next.key()) {
                        continue;
                    }
                    let known = look(&next)?;
                    // From an unknown position only known ones are followed.
                    if known.is_some() || learned.is_some() {
                        open.push((known.map_or(-1, |l| l.depth), Reverse(discovered.len())));
                        discovered.push((next, known));
                    }
                }
            }
            Ok(found)
        })
    }

    /// Totals.
    pub fn stats(&self) -> Result<LearnStats, LearnError> {
        let mut stats = LearnStats::default();
        self.each(|_, learned| {
            stats.positions += 1;
            stats.visits += u64::from(learned.visits);
            if learned.bound != Bound::None {
                stats.scored += 1;
                stats.deepest = stats.deepest.max(learned.depth);
                stats.depth_sum += learned.depth.max(0) as u64;
            }
        })?;
        stats.numbers = self.with(|db| number(&db.begin_read()?.open_table(META)?, NEXT))?;
        Ok(stats)
    }

    /// Calls `f` with every position (as FEN) and what is known of it, by key.
    pub fn each(&self, mut f: impl FnMut(&str, &Learned)) -> Result<(), LearnError> {
        self.with(|db| {
            for row in db.begin_read()?.open_table(POSITIONS)?.iter()? {
                let (key, value) = row?;
                let record = record(key.value(), value.value())?;
                f(&record.fen, &record.learned);
            }
            Ok(())
        })
    }

    /// Gives the room of removed positions back to the disk.
    pub fn compact(&mut self) -> Result<(), LearnError> {
        self.base.with(|db| Ok(db.compact().map(|_| ())?)).map_err(|error| explained(&self.path, error))
    }
}

/// The position without its clocks, as text.
fn canonical<R: Coded>(pos: &Position<R>) -> Option<String> {
    without_clocks(pos).ok().map(|p| p.fen())
}
