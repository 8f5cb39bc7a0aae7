//! The database as rows, and rows as a database: what lets a cluster do the sorting.
//!
//! A row is a position and one move played from it, with figures. The rows of parts of a pile of games, grouped by position and
//! move, are the rows of the whole; [`build_from_rows`] makes a database of them. Games are known by a hash ([`Database::game_id`]),
//! because their numbers differ from part to part.

use std::collections::HashMap;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use rukh_code::without_clocks;
use rukh_core::{Chess, Notation, Position};

use super::error::DbError;
use super::games::Games;
use super::import::{ImportObserver, ImportOptions, ImportReport, import};
use super::manifest::{Manifest, SegmentEntry};
use super::parse::{Filter, hash_bytes};
use super::positions::PositionWriter;
use super::stats::{Collector, Figures, MoveStats, NO_MOVE, date_key};
use super::{Database, GameRef, Lock, Segment};
use crate::openings::move_bits;
use crate::pgn::{PgnGame, PgnWriter, Tags};

/// A position, a move from it, and the games that played it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The Polyglot key of the position.
    pub key: u64,
    /// The position as FEN with its clocks at the start.
    pub position: String,
    /// The move in UCI notation; empty where games ended.
    pub uci: String,
    /// Figures of the move.
    pub figures: Figures,
    /// The first game of the part that reached the position; the same in all its rows of that part.
    pub first_game: u64,
    /// Half-moves of that game before the position.
    pub first_ply: u32,
    /// Best mean rating, 0 if none is known, and a game with it.
    pub best_rating: u16,
    /// See `best_rating`.
    pub best_game: u64,
    /// Latest date (year × 512 + month × 32 + day), and a game of it.
    pub latest_date: u32,
    /// See `latest_date`.
    pub latest_game: u64,
}

/// The tags of a game, with the date that its facts have: it may have stood in a tag that is not kept.
fn dated_tags(games: &Games, game: u32) -> Result<Tags, DbError> {
    let (mut tags, facts) = (games.tags(game)?, games.facts(game)?);
    if facts.year > 0 && tags.date().is_none() {
        let part = |n: u8| if n == 0 { "??".to_owned() } else { format!("{n:02}") };
        tags.set("Date", &format!("{:04}.{}.{}", facts.year, part(facts.month), part(facts.day)));
    }
    Ok(tags)
}

/// What makes two games the same, from what is stored of one.
fn game_id(games: &Games, game: u32) -> Result<u64, DbError> {
    let tags = dated_tags(games, game)?;
    let mut hash = hash_bytes(games.plies(game)? as u64, games.packed_moves(game)?);
    for name in ["White", "Black", "Date", "FEN"] {
        hash = hash_bytes(hash, tags.get_raw(name).unwrap_or(b"?"));
    }
    if let Some(site) = tags.get_raw("Site").filter(|s| s.starts_with(b"http")) {
        hash = hash_bytes(hash, site);
    }
    Ok(hash_bytes(hash, games.facts(game)?.result.as_str().as_bytes()))
}

/// The rows of one segment by key.
struct Rows<'a> {
    segment: &'a Segment,
    ids: Vec<u64>,
    next: u64,
}

impl<'a> Rows<'a> {
    fn new(segment: &'a Segment) -> Result<Rows<'a>, DbError> {
        let ids = (0..segment.games.len()).map(|game| game_id(&segment.games, game)).collect::<Result<_, _>>()?;
        Ok(Rows { segment, ids, next: 0 })
    }

    fn rows_of(&self, entry: u64) -> Result<Vec<Row>, DbError> {
        let Segment { games, positions, .. } = self.segment;
        let bad = || DbError::damaged(positions.file().path(), "the index points outside the games");
        let (game, ply) = games.locate(positions.ordinal(entry)?)?.ok_or_else(bad)?;
        let pos = games.position(game, ply)?.ok_or_else(bad)?;
        let text = without_clocks(&pos).map_err(|_| bad())?.fen();
        let id = |game: u32| self.ids.get(game as usize).copied().ok_or_else(bad);
        let legal = pos.legal_moves();
        let mut rows = Vec::new();
        for stats in self.segment.moves_of(entry, &pos)? {
            let mv = legal.iter().find(|&&mv| move_bits(mv) == stats.mv);
            let uci = match mv {
                Some(&mv) => pos.uci(mv, Notation::Standard),
                None if stats.mv == NO_MOVE => String::new(),
                None => return Err(bad()),
            };
            let (best, latest) = (games.facts(stats.best)?, games.facts(stats.latest)?);
            rows.push(Row {
                key: pos.key(),
                position: text.clone(),
                uci,
                figures: stats.figures,
                first_game: id(game)?,
                first_ply: ply as u32,
                best_rating: best.rating,
                best_game: id(stats.best)?,
                latest_date: date_key(&latest),
                latest_game: id(stats.latest)?,
            });
        }
        rows.sort_by(|a, b| a.uci.cmp(&b.uci));
        Ok(rows)
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Vec<Row>, DbError>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.next;
        self.next += 1;
        (entry < self.segment.positions.len()).then(|| self.rows_of(entry))
    }
}

impl Database {
    /// What makes a game the same game in every database.
    pub fn game_id(&self, game: GameRef) -> Result<u64, DbError> {
        game_id(&self.segment(game.segment)?.games, game.game)
    }

    /// A game as PGN text.
    pub fn game_text(&self, game: GameRef) -> Result<String, DbError> {
        let mut writer = PgnWriter::new(Vec::new());
        let games = &self.segment(game.segment)?.games;
        let whole = PgnGame { tags: dated_tags(games, game.game)?, ..self.game(game)? };
        let text = writer.write_game(&whole).and_then(|()| writer.finish()).map_err(DbError::io(self.dir()))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Calls `f` with the rows of each position of each segment, in the order of keys.
    pub fn each_row<E: From<DbError>>(&self, mut f: impl FnMut(&Row) -> Result<(), E>) -> Result<(), E> {
        let mut runs: Vec<Peekable<Rows<'_>>> = Vec::new();
        for segment in self.segments() {
            runs.push(Rows::new(segment)?.peekable());
        }
        loop {
            let mut least: Option<(u64, usize)> = None;
            for (i, run) in runs.iter_mut().enumerate() {
                match run.peek() {
                    Some(Ok(rows)) => {
                        let key = rows.first().map_or(0, |row| row.key);
                        if least.is_none_or(|(known, _)| key < known) {
                            least = Some((key, i));
                        }
                    }
                    // Its turn comes at once, so that the error is told.
                    Some(Err(_)) => least = Some((0, i)),
                    None => {}
                }
            }
            let Some((_, i)) = least else { return Ok(()) };
            if let Some(rows) = runs[i].next() {
                rows?.iter().try_for_each(&mut f)?;
            }
        }
    }
}

/// Makes a new database of games (PGN files) and of the rows of all their positions, in the order of keys. `expected` is
/// about the number of positions. Returns the number of positions.
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
    // The games, with as good as no index; the manifest of the real database comes last, so that a kill leaves nothing.
    let work = dir.join("tmp-build");
    let _ = std::fs::remove_dir_all(&work);
    let filter = Filter { max_ply: Some(0), ..Filter::default() };
    let all = ImportOptions { filter, commit_every: u64::MAX, ..options.clone() };
    let report = import(&work, games, &all, observer)?;
    let parts = Manifest::load(&work)?.map_or(0, |manifest| manifest.segments.len());
    if parts != 1 {
        return Err(DbError::damaged(dir, format!("the games fill {parts} segments, not one: give more --memory")));
    }
    let entry = SegmentEntry { id: 1, games: report.games, positions: 0, ordinals: 0 };
    let path = dir.join(entry.games_file());
    std::fs::rename(work.join(entry.games_file()), &path).map_err(DbError::io(&path))?;
    let stored = Games::open(&path)?;
    let mut numbers = HashMap::with_capacity(stored.len() as usize);
    for game in 0..stored.len() {
        numbers.insert(game_id(&stored, game)?, game);
    }
    let mut index = Index { dir, stored: &stored, numbers, out: None, moves: Vec::new(), key: None, first: 0 };
    index.out = Some(PositionWriter::create(dir, expected.max(1), stored.ordinals())?);
    for row in rows {
        index.add(&row?)?;
    }
    index.flush()?;
    let Some(out) = index.out.take() else { return Ok((report, 0)) };
    let positions = out.entries();
    out.finish(&dir.join(entry.positions_file()), None, 0)?;
    let ordinals = stored.ordinals();
    let segments = vec![SegmentEntry { positions, ordinals, ..entry }];
    Manifest { next_id: 2, segments, ..Manifest::default() }.commit(dir)?;
    let _ = std::fs::remove_dir_all(&work);
    Ok((report, positions))
}

/// Turns rows into the index of positions.
struct Index<'a> {
    dir: &'a Path,
    stored: &'a Games,
    numbers: HashMap<u64, u32>,
    out: Option<PositionWriter>,
    moves: Vec<MoveStats>,
    key: Option<u64>,
    first: u64,
}

impl Index<'_> {
    fn add(&mut self, row: &Row) -> Result<(), DbError> {
        let bad = |what: &str| DbError::damaged(self.dir, format!("the row of {}: {what}", row.position));
        if self.key.is_some_and(|key| row.key < key) {
            return Err(bad("rows are not in the order of keys"));
        }
        let number = |id: u64| self.numbers.get(&id).copied().ok_or_else(|| bad("its games are not among the games"));
        let (first, best, latest) = (number(row.first_game)?, number(row.best_game)?, number(row.latest_game)?);
        let pos = Position::<Chess>::from_fen(&row.position).map_err(|e| bad(&e.to_string()))?;
        if pos.key() != row.key {
            return Err(bad("its key is another position's"));
        }
        let mv = match row.uci.as_str() {
            "" => NO_MOVE,
            uci => move_bits(pos.parse_uci(uci).map_err(|e| bad(&e.to_string()))?),
        };
        if row.first_ply as usize > self.stored.plies(first)? {
            return Err(bad("its game is too short"));
        }
        let stats = MoveStats { mv, figures: row.figures, best, latest };
        let ordinal = self.stored.first_ordinal(first)? + u64::from(row.first_ply);
        if self.key != Some(row.key) {
            self.flush()?;
            (self.key, self.first) = (Some(row.key), ordinal);
        }
        self.first = self.first.min(ordinal);
        self.moves.push(stats);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), DbError> {
        let (Some(key), Some(out)) = (self.key, &mut self.out) else { return Ok(()) };
        let (mut record, mut scratch) = (Vec::new(), Vec::new());
        if self.moves.iter().map(|m| m.figures.games).sum::<u64>() > 1 {
            Collector::of(std::mem::take(&mut self.moves)).write(&mut record, &mut scratch);
        }
        self.moves.clear();
        out.add(key, self.first, &record)
    }
}
