//! Rows as a database: what lets a cluster do the sorting.
//!
//! The rows of parts of a pile of games, grouped by position and move, are the rows of the whole; [`build_from_rows`] makes a
//! database of them. Games are known by a hash ([`Database::game_id`](super::Database::game_id)), because their numbers differ from part to part.
//!
//! What does not fit one segment is split: the games as an import splits them, the index by the top bits of the key. Then the
//! index counts games and positions over the whole database, and its segments have no games of their own.

use std::path::{Path, PathBuf};

use rukh_core::{Chess, Makruk, Position, Variant};

use super::error::DbError;
use super::games::{GameWriter, Games};
use super::import::{ImportObserver, ImportOptions, ImportReport, import, remove_strays};
use super::manifest::{Manifest, SegmentEntry};
use super::movecode::move_bits;
use super::parse::Filter;
use super::positions::{Limits, PositionWriter, Scope};
use super::rows::{Row, game_ids};
use super::stats::{Collector, MoveStats, NO_MOVE};
use super::{Lock, Stored};

/// More than a row takes in the index: 9 bytes for the position, and at most some twenty for the move.
const ROW_BYTES: u64 = 32;

/// Makes a new database of games (PGN files) and of the rows of all their positions, in the order of keys. `expected` is
/// the number of rows. Returns the number of positions.
pub fn build_from_rows(
    dir: &Path,
    games: &[PathBuf],
    rows: impl Iterator<Item = Result<Row, DbError>>,
    expected: u64,
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<(ImportReport, u64), DbError> {
    std::fs::create_dir_all(dir).map_err(DbError::io(dir))?;
    let _lock = Lock::take(dir)?;
    if Manifest::load(dir)?.is_some_and(|manifest| !manifest.segments.is_empty()) {
        return Err(DbError::damaged(dir, "there is a database already: build into a new folder"));
    }
    remove_strays(dir, &Manifest::default())?;
    // The games, with as good as no index; the manifest of the real database comes last, so that a kill leaves nothing.
    let work = dir.join("tmp-build");
    let filter = Filter { max_ply: Some(0), ..Filter::default() };
    let all = ImportOptions { filter, commit_every: u64::MAX, ..options.clone() };
    let report = import(&work, games, &all, observer)?;
    let parts = Manifest::load(&work)?.unwrap_or_default();
    let mut bits = 0;
    while (expected * ROW_BYTES) >> bits > options.segment_bytes && bits < 16 {
        bits += 1;
    }
    let scope = Scope { global: parts.segments.len() > 1 || bits > 0, bits, prefix: 0 };
    let mut manifest = Manifest { variant: parts.variant, next_id: 1, ..Manifest::default() };
    let mut stored = Vec::new();
    let (mut base, mut first_game) = (0, 0);
    for part in &parts.segments {
        let entry = SegmentEntry { id: manifest.next_id, positions: 0, ..part.clone() };
        let path = dir.join(entry.games_file());
        std::fs::rename(work.join(part.games_file()), &path).map_err(DbError::io(&path))?;
        let games = Games::open(&path)?;
        if scope.global {
            let empty = PositionWriter::create(dir, 1, 1, Scope { bits: 0, ..scope })?;
            empty.finish(&dir.join(entry.positions_file()), &Limits::of(&Filter::default()))?;
        }
        let (ordinals, count) = (games.ordinals(), games.len());
        stored.push(Stock { games, base, first_game });
        base += ordinals;
        first_game = u32::try_from(u64::from(first_game) + u64::from(count))
            .map_err(|_| DbError::damaged(dir, "more than four thousand million games: build several databases"))?;
        manifest.next_id += 1;
        manifest.segments.push(entry);
    }
    let mut numbers = Vec::with_capacity(first_game as usize);
    for stock in &stored {
        let ids = game_ids(&stock.games)?;
        numbers.extend((stock.first_game..).zip(ids).map(|(number, id)| (id, number)));
    }
    numbers.sort_unstable();
    let per_file = (expected >> bits).max(1);
    let mut index = Index {
        dir,
        stored,
        numbers,
        scope,
        per_file,
        ordinals: base,
        manifest,
        out: None,
        moves: Vec::new(),
        key: None,
        first: 0,
    };
    let positions = match index.manifest.variant {
        Some(Variant::Makruk) => index.fill::<Makruk>(rows)?,
        _ => index.fill::<Chess>(rows)?,
    };
    index.manifest.commit(dir)?;
    let _ = std::fs::remove_dir_all(&work);
    Ok((report, positions))
}

/// The games of a segment and what comes before them.
struct Stock {
    games: Games,
    base: u64,
    first_game: u32,
}

/// Turns rows into indexes of positions.
struct Index<'a> {
    dir: &'a Path,
    stored: Vec<Stock>,
    /// Ids and numbers of all games, by id.
    numbers: Vec<(u64, u32)>,
    scope: Scope,
    /// About how many entries a file gets.
    per_file: u64,
    ordinals: u64,
    manifest: Manifest,
    out: Option<PositionWriter>,
    moves: Vec<MoveStats>,
    key: Option<u64>,
    first: u64,
}

impl Index<'_> {
    fn fill<R: Stored>(&mut self, rows: impl Iterator<Item = Result<Row, DbError>>) -> Result<u64, DbError> {
        for row in rows {
            self.add::<R>(&row?)?;
        }
        self.flush()?;
        // A database without positions has an index all the same.
        if self.out.is_none() && !self.scope.global && !self.stored.is_empty() {
            self.open(0)?;
        }
        self.close()?;
        Ok(self.manifest.segments.iter().map(|s| s.positions).sum())
    }

    fn add<R: Stored>(&mut self, row: &Row) -> Result<(), DbError> {
        let bad = |what: &str| DbError::damaged(self.dir, format!("the row of {}: {what}", row.position));
        if self.key.is_some_and(|key| row.key < key) {
            return Err(bad("rows are not in the order of keys"));
        }
        let number = |id: u64| match self.numbers.binary_search_by_key(&id, |known| known.0) {
            Ok(at) => Ok(self.numbers[at].1),
            Err(_) => Err(bad("its games are not among the games")),
        };
        let (first, best, latest) = (number(row.first_game)?, number(row.best_game)?, number(row.latest_game)?);
        let pos = Position::<R>::from_fen(&row.position).map_err(|e| bad(&e.to_string()))?;
        if pos.key() != row.key {
            return Err(bad("its key is another position's"));
        }
        let mv = match row.uci.as_str() {
            "" => NO_MOVE,
            uci => move_bits(pos.parse_uci(uci).map_err(|e| bad(&e.to_string()))?),
        };
        let at = self.stored.partition_point(|stock| stock.first_game <= first).checked_sub(1);
        let stock = at.and_then(|at| self.stored.get(at)).ok_or_else(|| bad("there are no games"))?;
        let game = first - stock.first_game;
        if row.first_ply as usize > stock.games.plies(game)? {
            return Err(bad("its game is too short"));
        }
        let ordinal = stock.base + stock.games.first_ordinal(game)? + u64::from(row.first_ply);
        if self.key != Some(row.key) {
            self.flush()?;
            (self.key, self.first) = (Some(row.key), ordinal);
        }
        self.first = self.first.min(ordinal);
        self.moves.push(MoveStats { mv, figures: row.figures, best, latest });
        Ok(())
    }

    /// Writes the position at hand.
    fn flush(&mut self) -> Result<(), DbError> {
        let Some(key) = self.key else { return Ok(()) };
        let (mut record, mut scratch) = (Vec::new(), Vec::new());
        if self.moves.iter().map(|m| m.figures.games).sum::<u64>() > 1 {
            Collector::of(std::mem::take(&mut self.moves)).write(&mut record, &mut scratch);
        }
        self.moves.clear();
        let prefix = if self.scope.bits == 0 { 0 } else { key >> (64 - self.scope.bits) };
        if prefix != self.scope.prefix {
            self.close()?;
        }
        if self.out.is_none() {
            self.open(prefix)?;
        }
        match &mut self.out {
            Some(out) => out.add(key, self.first, &record),
            None => Ok(()),
        }
    }

    fn open(&mut self, prefix: u64) -> Result<(), DbError> {
        self.scope.prefix = prefix;
        self.out = Some(PositionWriter::create(self.dir, self.per_file, self.ordinals, self.scope)?);
        Ok(())
    }

    /// Ends the file at hand: the index of the only segment, or a segment without games.
    fn close(&mut self) -> Result<(), DbError> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let positions = out.entries();
        if self.scope.global {
            let entry = SegmentEntry { id: self.manifest.next_id, games: 0, positions: 0, ordinals: 0 };
            GameWriter::create(self.dir)?.finish(&self.dir.join(entry.games_file()))?;
            self.manifest.next_id += 1;
            self.manifest.segments.push(entry);
        }
        let Some(entry) = self.manifest.segments.last_mut() else {
            return Err(DbError::damaged(self.dir, "positions without games"));
        };
        entry.positions = positions;
        out.finish(&self.dir.join(entry.positions_file()), &Limits::of(&Filter::default()))?;
        Ok(())
    }
}
