//! The reachability table: positions that the engine has seen, and what it thinks of them.
//!
//! A table that is written during play must survive a crash and stay bounded. It lies in one file of the embedded store
//! `redb` (pure Rust, one file, transactions, a stable format; of the three candidates LMDB reads faster but takes twice
//! the space and C, fjall writes faster but needs a folder and a background thread: see `docs/formats/learned.md`). One call of
//! [`LearnStore::record`] is one transaction: all of it or nothing.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};
use rukh_code::{Coded, without_clocks};
use rukh_core::Position;

/// Position key to record: number u64, stamp u64, score i32, visits u32, best move u16, depth i16, bound u8, FEN.
const POSITIONS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("positions");
/// Number to position key. Numbers are codes (Format 1) and are never used again.
const NUMBERS: TableDefinition<'_, u64, u64> = TableDefinition::new("numbers");
const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
const NEXT: &str = "next number";
const CLOCK: &str = "clock";
const VARIANT: &str = "variant";
/// Bytes of a record before the FEN.
const HEAD: usize = 29;

/// What a score means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bound {
    /// Nothing is known but that the position was seen.
    #[default]
    None,
    /// At most the score.
    Upper,
    /// At least the score.
    Lower,
    /// The score itself.
    Exact,
}

impl Bound {
    const ALL: [Bound; 4] = [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact];

    /// `none`, `upper`, `lower` or `exact`.
    pub fn name(self) -> &'static str {
        ["none", "upper", "lower", "exact"][self as usize]
    }

    /// The bound of a name.
    pub fn named(name: &str) -> Option<Bound> {
        Bound::ALL.into_iter().find(|b| b.name() == name)
    }
}

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Learned {
    /// Depth of the deepest search.
    pub depth: i16,
    /// Its score in the engine's units, for the side to move.
    pub score: i32,
    /// What the score means.
    pub bound: Bound,
    /// Its best move as `Move::to_u16`; 0 for none.
    pub best: u16,
    /// How often the position was recorded.
    pub visits: u32,
}

/// Why the table could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// The store under it failed: no such file, no room on the disk, damage, or another process has it open.
    #[error("{}: {problem}", path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// The store's words.
        problem: String,
    },
    /// The file belongs to another variant.
    #[error("{}: made for another variant", .0.display())]
    Variant(PathBuf),
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

/// The reachability table of one variant.
pub struct LearnStore<R> {
    path: PathBuf,
    db: Database,
    capacity: u64,
    rules: PhantomData<fn() -> R>,
}

struct Record {
    number: u64,
    stamp: u64,
    learned: Learned,
    fen: String,
}

impl Record {
    fn read(bytes: &[u8]) -> Option<Record> {
        let (h, fen) = bytes.split_at_checked(HEAD)?;
        let u64_at =
            |i: usize| u64::from_le_bytes([h[i], h[i + 1], h[i + 2], h[i + 3], h[i + 4], h[i + 5], h[i + 6], h[i + 7]]);
        let u32_at = |i: usize| u32::from_le_bytes([h[i], h[i + 1], h[i + 2], h[i + 3]]);
        let u16_at = |i: usize| u16::from_le_bytes([h[i], h[i + 1]]);
        Some(Record {
            number: u64_at(0),
            stamp: u64_at(8),
            learned: Learned {
                score: u32_at(16) as i32,
                visits: u32_at(20),
                best: u16_at(24),
                depth: u16_at(26) as i16,
                bound: *Bound::ALL.get(usize::from(h[28]))?,
            },
            fen: String::from_utf8(fen.to_vec()).ok()?,
        })
    }

    fn write(&self) -> Vec<u8> {
        let l = &self.learned;
        let mut out = Vec::with_capacity(HEAD + self.fen.len());
        out.extend(self.number.to_le_bytes());
        out.extend(self.stamp.to_le_bytes());
        out.extend(l.score.to_le_bytes());
        out.extend(l.visits.to_le_bytes());
        out.extend(l.best.to_le_bytes());
        out.extend(l.depth.to_le_bytes());
        out.push(l.bound as u8);
        out.extend(self.fen.as_bytes());
        out
    }

    /// What is worth keeping: deep results, positions that come again, and what was seen lately.
    fn worth(&self, clock: u64) -> u64 {
        let depth = if self.learned.bound == Bound::None { 0 } else { self.learned.depth.max(0) as u64 };
        let visits = u64::from(u32::BITS - self.learned.visits.leading_zeros());
        let age = clock.saturating_sub(self.stamp);
        let fresh = u64::from(u64::BITS - age.leading_zeros()).min(32);
        4 * depth + 6 * visits + 2 * (32 - fresh)
    }
}

impl<R: Coded> LearnStore<R> {
    /// Opens or makes the table, which will hold at most `capacity` positions.
    pub fn open(path: &Path, capacity: u64) -> Result<Self, LearnError> {
        let fail = |e: &dyn std::fmt::Display| LearnError::Store { path: path.to_owned(), problem: e.to_string() };
        let db = Database::create(path).map_err(|e| fail(&e))?;
        let store = LearnStore { path: path.to_owned(), db, capacity: capacity.max(1), rules: PhantomData };
        // The initial position tells the variant.
        let tag = Position::<R>::startpos().key();
        let txn = store.db.begin_write().map_err(|e| fail(&e))?;
        let known = {
            let mut meta = txn.open_table(META).map_err(|e| fail(&e))?;
            txn.open_table(POSITIONS).map_err(|e| fail(&e))?;
            txn.open_table(NUMBERS).map_err(|e| fail(&e))?;
            let known = meta.get(VARIANT).map_err(|e| fail(&e))?.map(|v| v.value());
            if known.is_none() {
                meta.insert(VARIANT, tag).map_err(|e| fail(&e))?;
            }
            known
        };
        txn.commit().map_err(|e| fail(&e))?;
        if known.is_some_and(|known| known != tag) {
            return Err(LearnError::Variant(path.to_owned()));
        }
        Ok(store)
    }

    fn fail(&self, e: impl std::fmt::Display) -> LearnError {
        LearnError::Store { path: self.path.clone(), problem: e.to_string() }
    }

    fn find(&self, pos: &Position<R>) -> Result<Option<Record>, LearnError> {
        let Some(fen) = canonical(pos) else { return Ok(None) };
        let txn = self.db.begin_read().map_err(|e| self.fail(e))?;
        let positions = txn.open_table(POSITIONS).map_err(|e| self.fail(e))?;
        let value = positions.get(pos.key()).map_err(|e| self.fail(e))?;
        // Another position with this key is not this one.
        Ok(value.and_then(|v| Record::read(v.value())).filter(|r| r.fen == fen))
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
        let txn = self.db.begin_read().map_err(|e| self.fail(e))?;
        let numbers = txn.open_table(NUMBERS).map_err(|e| self.fail(e))?;
        let Some(key) = numbers.get(number).map_err(|e| self.fail(e))?.map(|k| k.value()) else { return Ok(None) };
        let positions = txn.open_table(POSITIONS).map_err(|e| self.fail(e))?;
        let value = positions.get(key).map_err(|e| self.fail(e))?;
        Ok(value.and_then(|v| Record::read(v.value())).and_then(|r| Position::from_fen(&r.fen).ok()))
    }

    /// Records positions in one transaction: a deeper result replaces a shallower one, visits add up. When the table is
    /// full, the least worth tenth goes.
    pub fn record(&self, news: &[(Position<R>, Learned)]) -> Result<(), LearnError> {
        let txn = self.db.begin_write().map_err(|e| self.fail(e))?;
        let len = {
            let mut positions = txn.open_table(POSITIONS).map_err(|e| self.fail(e))?;
            let mut numbers = txn.open_table(NUMBERS).map_err(|e| self.fail(e))?;
            let mut meta = txn.open_table(META).map_err(|e| self.fail(e))?;
            let value = |meta: &redb::Table<'_, &str, u64>, name: &str| {
                Ok::<_, redb::StorageError>(meta.get(name)?.map_or(0, |v| v.value()))
            };
            let mut next = value(&meta, NEXT).map_err(|e| self.fail(e))?;
            let clock = value(&meta, CLOCK).map_err(|e| self.fail(e))? + 1;
            for (pos, news) in news {
                let Some(fen) = canonical(pos) else { continue };
                let known = positions.get(pos.key()).map_err(|e| self.fail(e))?;
                let known = known.and_then(|v| Record::read(v.value()));
                let record = match known {
                    Some(mut record) if record.fen == fen => {
                        record.learned = merged(&record.learned, news);
                        record.stamp = clock;
                        record
                    }
                    // Two positions with one key: the first one stays, its number must not dangle.
                    Some(_) => continue,
                    None => {
                        numbers.insert(next, pos.key()).map_err(|e| self.fail(e))?;
                        next += 1;
                        let learned = Learned { visits: news.visits.max(1), ..*news };
                        Record { number: next - 1, stamp: clock, learned, fen }
                    }
                };
                positions.insert(pos.key(), record.write().as_slice()).map_err(|e| self.fail(e))?;
            }
            meta.insert(NEXT, next).map_err(|e| self.fail(e))?;
            meta.insert(CLOCK, clock).map_err(|e| self.fail(e))?;
            positions.len().map_err(|e| self.fail(e))?
        };
        txn.commit().map_err(|e| self.fail(e))?;
        if len > self.capacity {
            self.prune(self.capacity - self.capacity / 10)?;
        }
        Ok(())
    }

    /// Keeps the `keep` positions of most worth; returns how many went.
    pub fn prune(&self, keep: u64) -> Result<u64, LearnError> {
        let txn = self.db.begin_write().map_err(|e| self.fail(e))?;
        let gone = {
            let mut positions = txn.open_table(POSITIONS).map_err(|e| self.fail(e))?;
            let mut numbers = txn.open_table(NUMBERS).map_err(|e| self.fail(e))?;
            let meta = txn.open_table(META).map_err(|e| self.fail(e))?;
            let clock = meta.get(CLOCK).map_err(|e| self.fail(e))?.map_or(0, |v| v.value());
            let len = positions.len().map_err(|e| self.fail(e))?;
            let mut worths = Vec::new();
            for row in positions.iter().map_err(|e| self.fail(e))? {
                let (key, value) = row.map_err(|e| self.fail(e))?;
                // An unreadable record is worth nothing.
                let (worth, number) = Record::read(value.value()).map_or((0, u64::MAX), |r| (r.worth(clock), r.number));
                worths.push((worth, key.value(), number));
            }
            worths.sort_unstable();
            let gone = len.saturating_sub(keep);
            for &(_, key, number) in worths.iter().take(usize::try_from(gone).unwrap_or(usize::MAX)) {
                positions.remove(key).map_err(|e| self.fail(e))?;
                numbers.remove(number).map_err(|e| self.fail(e))?;
            }
            gone
        };
        txn.commit().map_err(|e| self.fail(e))?;
        Ok(gone)
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
        let (start, mut detours) = (Instant::now(), 0);
        let txn = self.db.begin_read().map_err(|e| self.fail(e))?;
        let positions = txn.open_table(POSITIONS).map_err(|e| self.fail(e))?;
        let mut found: Vec<(Position<R>, Learned)> = Vec::new();
        let mut seen = HashSet::from([root.key()]);
        let look = |pos: &Position<R>| -> Result<Option<Learned>, LearnError> {
            let Some(value) = positions.get(pos.key()).map_err(|e| self.fail(e))? else { return Ok(None) };
            // Another position with this key is not this one.
            let record = Record::read(value.value()).filter(|r| canonical(pos).is_some_and(|fen| r.fen == fen));
            Ok(record.map(|r| r.learned))
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
        let txn = self.db.begin_read().map_err(|e| self.fail(e))?;
        let meta = txn.open_table(META).map_err(|e| self.fail(e))?;
        stats.numbers = meta.get(NEXT).map_err(|e| self.fail(e))?.map_or(0, |v| v.value());
        Ok(stats)
    }

    /// Calls `f` with every position (as FEN) and what is known of it, by key.
    pub fn each(&self, mut f: impl FnMut(&str, &Learned)) -> Result<(), LearnError> {
        let txn = self.db.begin_read().map_err(|e| self.fail(e))?;
        let positions = txn.open_table(POSITIONS).map_err(|e| self.fail(e))?;
        for row in positions.iter().map_err(|e| self.fail(e))? {
            let (_, value) = row.map_err(|e| self.fail(e))?;
            if let Some(record) = Record::read(value.value()) {
                f(&record.fen, &record.learned);
            }
        }
        Ok(())
    }

    /// Gives the room of removed positions back to the disk.
    pub fn compact(&mut self) -> Result<(), LearnError> {
        match self.db.compact() {
            Ok(_) => Ok(()),
            Err(e) => Err(self.fail(e)),
        }
    }
}

/// The position without its clocks, as text.
fn canonical<R: Coded>(pos: &Position<R>) -> Option<String> {
    without_clocks(pos).ok().map(|p| p.fen())
}

fn merged(old: &Learned, new: &Learned) -> Learned {
    let visits = old.visits.saturating_add(new.visits.max(1));
    let better = match (old.bound, new.bound) {
        (_, Bound::None) => false,
        (Bound::None, _) => true,
        // At equal depth an exact score beats a bound, and newer beats older.
        _ => {
            new.depth > old.depth
                || (new.depth == old.depth && (new.bound == Bound::Exact || old.bound != Bound::Exact))
        }
    };
    Learned { visits, ..if better { *new } else { *old } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::{Chess, Makruk};

    struct TempFile(PathBuf);

    impl TempFile {
        fn new(name: &str) -> TempFile {
            let path = std::env::temp_dir().join(format!("rukh-learn-{name}-{}", std::process::id()));
            let _ = std::fs::remove_file(&path);
            TempFile(path)
        }
    }

    impl Drop for TempFile {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn exact(depth: i16, score: i32) -> Learned {
        Learned { depth, score, bound: Bound::Exact, best: 7, visits: 1 }
    }

    fn walk(n: usize) -> Vec<Position<Chess>> {
        let mut pos = Position::<Chess>::startpos();
        let mut seed = 5u64;
        let mut out = vec![pos];
        while out.len() < n {
            let moves = pos.legal_moves();
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            pos = if moves.is_empty() || pos.ply() > 120 {
                Position::startpos()
            } else {
                pos.after(moves[(seed >> 33) as usize % moves.len()])
            };
            out.push(pos);
        }
        out
    }

    #[test]
    fn deeper_results_replace_shallower_ones() {
        let file = TempFile::new("merge");
        let store = LearnStore::<Chess>::open(&file.0, 100).unwrap();
        let pos = Position::startpos();
        assert_eq!(store.get(&pos).unwrap(), None);
        store.record(&[(pos, exact(10, 30))]).unwrap();
        store.record(&[(pos, exact(8, 99))]).unwrap();
        assert_eq!(store.get(&pos).unwrap(), Some(Learned { visits: 2, ..exact(10, 30) }));
        store.record(&[(pos, exact(12, -5)), (pos, Learned::default())]).unwrap();
        assert_eq!(store.get(&pos).unwrap(), Some(Learned { visits: 4, ..exact(12, -5) }));
        let bound = Learned { bound: Bound::Lower, ..exact(12, 50) };
        store.record(&[(pos, bound)]).unwrap();
        assert_eq!(store.get(&pos).unwrap().unwrap().score, -5);
    }

    #[test]
    fn numbers_lead_back_and_are_never_used_again() {
        let file = TempFile::new("numbers");
        let positions = walk(300);
        let mut given = Vec::new();
        {
            let store = LearnStore::<Chess>::open(&file.0, 1000).unwrap();
            for pos in &positions {
                store.record(&[(*pos, exact(3, 0))]).unwrap();
                given.push(store.number(pos).unwrap().unwrap());
            }
            store.prune(50).unwrap();
            assert_eq!(store.stats().unwrap().positions, 50);
        }
        let store = LearnStore::<Chess>::open(&file.0, 1000).unwrap();
        let mut left = 0;
        for (pos, &number) in positions.iter().zip(&given) {
            if let Some(back) = store.position(number).unwrap() {
                assert_eq!(back.key(), pos.key());
                left += 1;
            }
        }
        assert!(left >= 50);
        let most = given.iter().max().unwrap();
        let fresh = Position::from_fen("8/8/8/4k3/8/8/8/KQ6 w - - 0 1").unwrap();
        store.record(&[(fresh, exact(1, 900))]).unwrap();
        assert!(store.number(&fresh).unwrap().unwrap() > *most);
    }

    #[test]
    fn a_full_table_keeps_what_is_worth_most() {
        let file = TempFile::new("full");
        let store = LearnStore::<Chess>::open(&file.0, 200).unwrap();
        let positions = walk(1000);
        store.record(&[(positions[0], exact(40, 20))]).unwrap();
        for chunk in positions[1..].chunks(50) {
            let news: Vec<_> = chunk.iter().map(|p| (*p, exact(1, 0))).collect();
            store.record(&news).unwrap();
            assert!(store.stats().unwrap().positions <= 200);
        }
        assert_eq!(store.get(&positions[0]).unwrap().unwrap().depth, 40);
    }

    #[test]
    fn the_neighbourhood_of_a_root() {
        let file = TempFile::new("near");
        let store = LearnStore::<Chess>::open(&file.0, 1000).unwrap();
        let line = &walk(12)[..];
        // Every second position, as when only one side's moves are recorded.
        let news: Vec<_> = line.iter().step_by(2).map(|p| (*p, exact(9, 1))).collect();
        store.record(&news).unwrap();
        let near = store.near(&line[0], 4, Duration::MAX).unwrap();
        assert!(near.len() >= 2, "{}", near.len());
        assert_eq!(near[0].0.key(), line[0].key());
    }

    #[test]
    fn another_variant_and_rubbish_are_refused() {
        let file = TempFile::new("variant");
        drop(LearnStore::<Chess>::open(&file.0, 10).unwrap());
        assert!(matches!(LearnStore::<Makruk>::open(&file.0, 10), Err(LearnError::Variant(_))));
        std::fs::write(&file.0, b"this is not a table at all, but it is long enough to look").unwrap();
        assert!(matches!(LearnStore::<Chess>::open(&file.0, 10), Err(LearnError::Store { .. })));
        let file = TempFile::new("makruk");
        let store = LearnStore::<Makruk>::open(&file.0, 10).unwrap();
        let pos = Position::<Makruk>::startpos();
        store.record(&[(pos, exact(5, 5))]).unwrap();
        assert_eq!(store.position(store.number(&pos).unwrap().unwrap()).unwrap().unwrap().key(), pos.key());
    }
}
