//! Rows as a database: what lets a cluster do the sorting.
//!
//! The rows of parts of a pile of games, grouped by position and move, are the rows of the whole; [`build_from_rows`] makes a
//! database of them. Games are known by a hash ([`Database::game_id`](super::Database::game_id)), because their numbers differ from part to part.
//!
//! What does not fit one segment is split: the games as an import splits them, the index by the top bits of the key. Then the
//! index counts games and positions over the whole database, and its segments have no games of their own.

use std::path::{Path, PathBuf};

use rukh_core::{Position, Variant, dispatch};

use super::container::Room;
use super::disk::Folder;
use super::error::DbError;
use super::games::{GameWriter, Games};
use super::import::{ImportObserver, ImportOptions, ImportReport, fill};
use super::manifest::{Files, SegmentEntry};
use super::movecode::move_bits;
use super::parse::Filter;
use super::positions::{Coverage, PositionWriter, Scope};
use super::rows::{Row, game_ids};
use super::stats::{Collector, MoveStats, NO_MOVE};
use super::writing::{New, Writing};
use super::{ROOM, Stored};

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
    build_on(&Folder::new(dir), games, rows, expected, options, observer)
}

pub(super) fn build_on(
    folder: &Folder,
    games: &[PathBuf],
    rows: impl Iterator<Item = Result<Row, DbError>>,
    expected: u64,
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<(ImportReport, u64), DbError> {
    let mut writing = Writing::begin(folder, New::Database)?;
    if !writing.manifest.segments.is_empty() {
        return Err(DbError::damaged(folder.path(), "there is a database already: build into a new folder"));
    }
    // The games, with as good as no index; the manifest that names them comes last, so that a kill leaves nothing.
    let filter = Filter { max_ply: Some(0), ..Filter::default() };
    let all = ImportOptions { filter, commit_every: u64::MAX, ..options.clone() };
    let report = fill(&mut writing, games, &all, observer, true)?;
    writing.manifest.sources.clear();
    let mut bits = 0;
    while expected.saturating_mul(ROW_BYTES) >> bits > options.segment_bytes && bits < 16 {
        bits += 1;
    }
    let scope = Scope { global: writing.manifest.segments.len() > 1 || bits > 0, bits, prefix: 0 };
    let room = Room::new(ROOM);
    let mut stored = Vec::new();
    let (mut base, mut first_game) = (0, 0);
    for at in 0..writing.manifest.segments.len() {
        let entry = &writing.manifest.segments[at];
        let games = Games::open(folder, &entry.games_file(), &room)?;
        if scope.global {
            let file = writing.again(&entry.positions_file())?;
            let empty = PositionWriter::create(folder, 1, 1, Scope { bits: 0, ..scope })?;
            let limits = Coverage::default();
            let positions = empty.finish(file, &limits, None)?;
            let scope = Scope { bits: 0, ..scope };
            let files = Some(Files { games: games.file().seal(), positions, limits, scope });
            let entry = &mut writing.manifest.segments[at];
            (entry.files, entry.positions) = (files, 0);
        }
        let (ordinals, count) = (games.ordinals(), games.len());
        stored.push(Stock { games, base, first_game });
        base += ordinals;
        first_game = u32::try_from(u64::from(first_game) + u64::from(count)).map_err(|_| {
            DbError::damaged(folder.path(), "more than four thousand million games: build several databases")
        })?;
    }
    let mut numbers = Vec::with_capacity(first_game as usize);
    for stock in &stored {
        let ids = game_ids(&stock.games)?;
        numbers.extend((stock.first_game..).zip(ids).map(|(number, id)| (id, number)));
    }
    numbers.sort_unstable();
    let per_file = (expected >> bits).max(1);
    let mut index = Index {
        writing,
        stored,
        numbers,
        scope,
        per_file,
        ordinals: base,
        out: None,
        moves: Vec::new(),
        key: None,
        first: 0,
    };
    let variant = index.writing.manifest.variant.unwrap_or(Variant::Chess);
    let positions = dispatch!(type R of variant => index.fill::<R>(rows)?);
    index.writing.commit()?;
    Ok((report, positions))
}

/// The games of a segment and what comes before them.
struct Stock {
    games: Games,
    base: u64,
    first_game: u32,
}

/// Turns rows into indexes of positions.
struct Index {
    writing: Writing,
    stored: Vec<Stock>,
    /// Ids and numbers of all games, by id.
    numbers: Vec<(u64, u32)>,
    scope: Scope,
    /// About how many entries a file gets.
    per_file: u64,
    ordinals: u64,
    out: Option<PositionWriter>,
    moves: Vec<MoveStats>,
    key: Option<u64>,
    first: u64,
}

impl Index {
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
        Ok(self.writing.manifest.segments.iter().map(|s| s.positions).sum())
    }

    fn add<R: Stored>(&mut self, row: &Row) -> Result<(), DbError> {
        let bad =
            |what: &str| DbError::damaged(self.writing.folder().path(), format!("the row of {}: {what}", row.position));
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
        self.out = Some(PositionWriter::create(self.writing.folder(), self.per_file, self.ordinals, self.scope)?);
        Ok(())
    }

    /// Ends the file at hand: the index of the only segment, or a segment without games.
    fn close(&mut self) -> Result<(), DbError> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let (positions, limits, scope) = (out.entries(), Coverage::default(), self.scope);
        if scope.global {
            let origin = self.writing.origin();
            let (id, games, file) = self.writing.segment()?;
            let games = GameWriter::create(self.writing.folder())?.finish(games, origin)?;
            let files = Files { games, positions: out.finish(file, &limits, None)?, limits, scope };
            let entry = SegmentEntry { id, games: 0, positions, ordinals: 0, files: Some(files) };
            self.writing.manifest.segments.push(entry);
            return Ok(());
        }
        let (Some(entry), Some(stock)) = (self.writing.manifest.segments.last(), self.stored.last()) else {
            return Err(DbError::damaged(self.writing.folder().path(), "positions without games"));
        };
        let games = stock.games.file().seal();
        let file = self.writing.again(&entry.positions_file())?;
        let files = Files { games, positions: out.finish(file, &limits, Some(games))?, limits, scope };
        if let Some(entry) = self.writing.manifest.segments.last_mut() {
            (entry.positions, entry.files) = (positions, Some(files));
        }
        Ok(())
    }
}
