//! The reachability table: positions that the engine has seen, and what it thinks of them.
//!
//! A position is its code, and all that is known of it takes some twenty bytes beside it. The table is written during play, so it must
//! survive a crash and stay bounded: one call of [`LearnStore::record`] is written wholly or not at all ([`mod@table`]), every byte has
//! a checksum, and a full table drops what is worth least. `docs/formats/learned.md` has the bytes.

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod faults;
mod head;
mod known;
mod medium;
mod old;
mod open;
mod packed;
mod row;
mod table;
#[cfg(test)]
mod tests;
mod value;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use rukh_code::{AnyCode, CodeError, Coded};
use rukh_core::{Position, Variant};

pub use known::{KNOWN_COLUMNS, KnownRow, best_move, known_text, read_known_text};
pub use open::SetAside;
use packed::{damaged, place};
use row::{Name, Row};
use table::{Batch, Table};
pub use value::{KnownBound, Learned};

/// Bytes that a table may take unless somebody says otherwise.
pub const DEFAULT_LIMIT: u64 = 1 << 30;

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
    /// Its codes are of another version or model.
    #[error("{}: {reason}; the program that made the table can export it as text", path.display())]
    Codes {
        /// The file.
        path: PathBuf,
        /// What differs.
        reason: CodeError,
    },
    /// A later format.
    #[error("{}: table version {version}; this program reads versions 1 to 3", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u16,
    },
}

impl LearnError {
    /// What the system says: bytes that are missing or wrong are damage, the rest is trouble with the file.
    fn io(path: &Path, error: &io::Error) -> LearnError {
        let (path, problem) = (path.to_owned(), error.to_string());
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => LearnError::Damaged { path, problem },
            _ => LearnError::Store { path, problem },
        }
    }
}

/// Totals of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LearnStats {
    /// Positions.
    pub positions: u64,
    /// Numbers ever given to positions without a direct code.
    pub numbers: u64,
    /// Positions with a score.
    pub scored: u64,
    /// Greatest depth.
    pub deepest: i16,
    /// Sum of depths of scored positions.
    pub depth_sum: u64,
    /// Sum of visits.
    pub visits: u64,
    /// Bytes on the disk.
    pub bytes: u64,
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
    table: RwLock<Table>,
    /// One writes at a time; while it prepares, others read.
    writer: Mutex<()>,
    limit: u64,
    /// Damage was found: nothing more is read or written.
    broken: AtomicBool,
    rules: PhantomData<fn() -> R>,
}

/// What a table loses when it is packed.
enum Prune {
    Nothing,
    /// All but this many rows.
    Rows(u64),
    /// What is beyond this many bytes of rows.
    Bytes(u64),
}

impl<R: Coded> LearnStore<R> {
    fn read(&self) -> RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn writing(&self) -> MutexGuard<'_, ()> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Uses the table; what goes wrong is explained, and damage is the end of it.
    fn with<T>(&self, f: impl FnOnce() -> io::Result<T>) -> Result<T, LearnError> {
        let result = if self.broken.load(Relaxed) { Err(damaged("found before")) } else { f() };
        result.map_err(|error| {
            let error = LearnError::io(&self.path, &error);
            if matches!(error, LearnError::Damaged { .. }) {
                self.broken.store(true, Relaxed);
            }
            error
        })
    }

    /// What is known of a position.
    pub fn get(&self, pos: &Position<R>) -> Result<Option<Learned>, LearnError> {
        self.with(|| Ok(find(&self.read(), pos)?.map(|row| row.learned)))
    }

    /// The number of a position, which is its index as a Format 1 code; none unless it was given one.
    pub fn number(&self, pos: &Position<R>) -> Result<Option<u64>, LearnError> {
        let Some(name) = Name::of(pos).filter(|name| !name.is_direct()) else { return Ok(None) };
        self.with(|| self.read().number(&name))
    }

    /// Gives a position a number for ever, whatever becomes of its row; none if it has a direct code or no code at all.
    pub fn give_number(&self, pos: &Position<R>) -> Result<Option<u64>, LearnError> {
        let Some(name) = Name::of(pos).filter(|name| !name.is_direct()) else { return Ok(None) };
        let _one = self.writing();
        self.with(|| {
            let (known, next, clock) = {
                let table = self.read();
                (table.number(&name)?, table.head().next, table.head().clock)
            };
            if known.is_some() {
                return Ok(known);
            }
            let batch = Batch { rows: Vec::new(), given: vec![(next, name)] };
            self.table.write().unwrap_or_else(PoisonError::into_inner).commit(clock, &batch)?;
            Ok(Some(next))
        })
    }

    /// The position of a number.
    pub fn position(&self, number: u64) -> Result<Option<Position<R>>, LearnError> {
        let name = self.with(|| self.read().named(number))?;
        self.with(|| name.map(|name| name.position().map_err(|_| damaged("a number leads to no position"))).transpose())
    }

    /// Records positions, all of them or none: a deeper result replaces a shallower one, visits add up. When the table is
    /// full, the least worth tenth goes.
    pub fn record(&self, news: &[(Position<R>, Learned)]) -> Result<(), LearnError> {
        let _one = self.writing();
        self.with(|| {
            let mut batch = Batch::default();
            let clock = self.read().head().clock.saturating_add(1);
            {
                let table = self.read();
                let mut fresh = std::collections::BTreeMap::<(u32, Name), Row>::new();
                for (pos, news) in news {
                    let Some(name) = Name::of(pos) else { continue };
                    let place = place(pos.key());
                    let known = match fresh.get(&(place, name)) {
                        Some(row) => Some(*row),
                        None => table.at(place)?.into_iter().find(|row| row.name == name),
                    };
                    let learned = match known {
                        Some(row) => row.learned.merged(news),
                        None => Learned { visits: news.visits.max(1), ..*news },
                    };
                    fresh.insert((place, name), Row { name, learned, stamp: clock });
                }
                batch.rows.extend(fresh.into_iter().map(|((place, _), row)| (place, row)));
            }
            self.table.write().unwrap_or_else(PoisonError::into_inner).commit(clock, &batch)
        })?;
        let prune = {
            let table = self.read();
            match table.bytes() > self.limit {
                // A tenth of the room is left for what comes.
                true => Prune::Bytes((self.limit / 10 * 9).saturating_sub(table.overhead())),
                false if table.is_ripe(false) => Prune::Nothing,
                false => return Ok(()),
            }
        };
        self.pack(&prune).map(|_| ())
    }

    /// Keeps the `keep` positions of most worth; returns how many went. Numbers stay what they are.
    pub fn prune(&self, keep: u64) -> Result<u64, LearnError> {
        let _one = self.writing();
        self.pack(&Prune::Rows(keep))
    }

    /// Writes everything anew in order, which takes less room than the journal does.
    pub fn compact(&self) -> Result<(), LearnError> {
        let _one = self.writing();
        self.pack(&Prune::Nothing).map(|_| ())
    }

    /// Who packs must be the one that writes. Others read the old table meanwhile.
    fn pack(&self, prune: &Prune) -> Result<u64, LearnError> {
        self.with(|| {
            let (mut new, gone) = {
                let table = self.read();
                let clock = table.head().clock;
                let worths = match prune {
                    Prune::Nothing => None,
                    _ => Some(Worths::of(&table, clock)?),
                };
                // Without a threshold everything is above it.
                let threshold = worths.as_ref().and_then(|worths| worths.threshold(prune));
                let mut spare = threshold.map_or(0, |(_, spare)| spare);
                let new = table.packed(|row| {
                    let Some((least, _)) = threshold else { return true };
                    let worth = Worths::bucket(row, clock);
                    let spared = worth == least && spare > 0;
                    spare -= u64::from(spared);
                    worth > least || spared
                })?;
                let gone = worths.map_or(0, |worths| worths.rows() - new.head().rows);
                (new, gone)
            };
            // Nobody reads the old table while its place is taken.
            let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
            new.take_place()?;
            *table = new;
            table.settle()?;
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
        self.with(|| {
            let (start, mut detours) = (Instant::now(), 0);
            let table = self.read();
            let mut found: Vec<(Position<R>, Learned)> = Vec::new();
            let mut seen = HashSet::from([root.key()]);
            let look = |pos: &Position<R>| Ok::<_, io::Error>(find(&table, pos)?.map(|row| row.learned));
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
        self.rows(|row| {
            let learned = &row.learned;
            stats.positions += 1;
            stats.visits += u64::from(learned.visits);
            if learned.bound != KnownBound::None {
                stats.scored += 1;
                stats.deepest = stats.deepest.max(learned.depth);
                stats.depth_sum += learned.depth.max(0) as u64;
            }
            Ok(())
        })?;
        let table = self.read();
        (stats.numbers, stats.bytes) = (table.head().next, table.bytes());
        Ok(stats)
    }

    /// Calls `f` with every position, as a code of a variant, and what is known of it; by key.
    pub fn each(&self, mut f: impl FnMut(Variant, AnyCode, &Learned)) -> Result<(), LearnError> {
        self.rows(|row| {
            let (variant, code) = row.name.code::<R>().map_err(|_| damaged("a row has no code"))?;
            f(variant, code, &row.learned);
            Ok(())
        })
    }

    fn rows(&self, mut f: impl FnMut(&Row) -> io::Result<()>) -> Result<(), LearnError> {
        self.with(|| self.read().all().try_for_each(|row| f(&row?.1)))
    }
}

/// The row of a position. A code is made only if something stands in its place.
fn find<R: Coded>(table: &Table, pos: &Position<R>) -> io::Result<Option<Row>> {
    let rows = table.at(place(pos.key()))?;
    let name = if rows.is_empty() { None } else { Name::of(pos) };
    Ok(name.and_then(|name| rows.into_iter().find(|row| row.name == name)))
}

/// What was learned since is packed if that pays, so that the next one opens it quickly. Nothing is lost if it fails.
impl<R> Drop for LearnStore<R> {
    fn drop(&mut self) {
        let table = self.table.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !*self.broken.get_mut()
            && table.is_ripe(true)
            && let Ok(mut new) = table.packed(|_| true)
        {
            let _ = new.take_place().and_then(|()| new.settle());
        }
    }
}

/// How many rows, and how many bytes of them, have each worth.
struct Worths(Vec<(u64, u64)>);

impl Worths {
    /// Beyond it all are worth the same: a depth of a thousand.
    const MOST: u64 = 4095;

    fn bucket(row: &Row, clock: u64) -> u64 {
        row.worth(clock).min(Self::MOST)
    }

    fn of(table: &Table, clock: u64) -> io::Result<Worths> {
        let mut worths = vec![(0, 0); Self::MOST as usize + 1];
        let (mut bytes, mut last) = (Vec::new(), 0);
        for row in table.all() {
            let (place, row) = row?;
            bytes.clear();
            row::write_number(u64::from(place - last), &mut bytes);
            row.write(clock, &mut bytes);
            last = place;
            let (rows, total) = &mut worths[Self::bucket(&row, clock) as usize];
            *rows += 1;
            *total += bytes.len() as u64;
        }
        Ok(Worths(worths))
    }

    fn rows(&self) -> u64 {
        self.0.iter().map(|(rows, _)| rows).sum()
    }

    /// Everything above this worth stays, and so many of this worth; none if all stay.
    fn threshold(&self, prune: &Prune) -> Option<(u64, u64)> {
        let (mut left, bytes) = match *prune {
            Prune::Nothing => return None,
            Prune::Rows(rows) => (rows, false),
            Prune::Bytes(bytes) => (bytes, true),
        };
        for (worth, &(rows, total)) in self.0.iter().enumerate().rev() {
            let size = if bytes { total } else { rows };
            if size > left {
                return Some((worth as u64, left * rows / size));
            }
            left -= size;
        }
        None
    }
}
