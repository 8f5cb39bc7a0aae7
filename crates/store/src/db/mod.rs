//! The game database: every position of a pile of games, with figures, moves and example games.
//!
//! A database is a folder of immutable segments and a manifest that names them. A segment is two files: the games
//! ([`games`]: moves as ranks among the legal ones, headers in compressed blocks) and the position index
//! ([`positions`]: keys as a compressed sorted set, each with the place of its first occurrence, and figures for
//! positions of more than one game; those of a single game come from the game). `docs/formats/database.md` has the bytes.
//!
//! Exactness: the index finds a position by 24 check bits of its key and then plays the stored game to it, so an answer
//! is about this position and not about another with the same key.

mod bits;
mod compact;
mod container;
mod csv;
mod disk;
mod error;
mod explore;
mod games;
mod heads;
mod import;
mod manifest;
mod missing;
mod movecode;
mod parse;
mod positions;
mod query;
mod repair;
mod rows;
mod scale;
mod sort;
mod spill;
mod stats;
mod variety;
mod verify;
mod writing;

#[cfg(test)]
mod faults;

use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use rukh_core::{Chess, Notation, Position, Variant};

pub use compact::compact;
use container::Room;
use disk::Folder;
pub use error::DbError;
pub use explore::{Exploration, ExploredMove, GameRef, Headline, same_position};
pub use games::{Facts, Games};
pub use import::{ImportObserver, ImportOptions, ImportReport, SEGMENT_BYTES, import};
use manifest::{Manifest, SegmentEntry};
pub use missing::Missing;
pub use parse::Filter;
pub use positions::Positions;
pub use query::{QueryError, position};
pub use repair::{Repaired, repair};
pub use rows::Row;
pub use scale::build_from_rows;
pub use stats::Figures;
pub use variety::{AnyDatabase, Stored, open_any};
pub use verify::Verification;
pub use writing::remove_scratch;

/// Held by the system for whoever changes the database, until that process ends, however it ends.
const LOCK: &str = "LOCK";

/// Memory for the blocks of a database that is open for reading.
const ROOM: usize = 256 << 20;

/// One segment, open.
pub struct Segment {
    /// Its number.
    pub id: u32,
    /// Codes of earlier segments: ordinals here begin after them.
    pub base: u64,
    /// Games of earlier segments.
    first_game: u64,
    /// The games.
    pub games: Games,
    /// The index.
    pub positions: Positions,
}

impl Segment {
    /// Opens the files that a manifest means, and no others.
    fn open(
        folder: &Folder,
        entry: &SegmentEntry,
        room: &Arc<Room>,
        base: u64,
        first_game: u64,
    ) -> Result<Segment, DbError> {
        let games = Games::open(folder, &entry.games_file(), room)?;
        let positions = Positions::open(folder, &entry.positions_file(), room)?;
        positions.must_be_of(&games)?;
        let other = |file: &container::Container| {
            Err(DbError::damaged(file.path(), "not the file that the manifest means: another took its place"))
        };
        let files = entry.files.as_ref();
        if (u64::from(games.len()), games.ordinals()) != (entry.games, entry.ordinals)
            || files.is_some_and(|f| f.games != games.file().seal())
        {
            return other(games.file());
        }
        if positions.len() != entry.positions || files.is_some_and(|f| f.positions != positions.file().seal()) {
            return other(positions.file());
        }
        Ok(Segment { id: entry.id, base, first_game, games, positions })
    }

    /// The code of an entry's position.
    fn code(&self, entry: u64) -> Result<u64, DbError> {
        let base = if self.positions.scope().global { 0 } else { self.base };
        Ok(base.saturating_add(self.positions.ordinal(entry)?))
    }
}

/// A database open for reading. It may be shared between threads, and several processes may read one folder.
///
/// The type is that of the rules; a database of Chess960 is one of chess, and [`Database::variant`] tells them apart.
pub struct Database<R = Chess> {
    folder: Folder,
    variant: Variant,
    segments: Vec<Segment>,
    /// Segments that could not be opened; the others still answer.
    damaged: Vec<DbError>,
    missing: Missing,
    rules: PhantomData<fn() -> R>,
}

/// Totals of a database.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Totals {
    /// What the games are.
    pub variant: &'static str,
    /// Segments.
    pub segments: u64,
    /// Games.
    pub games: u64,
    /// Unique positions, summed over segments.
    pub positions: u64,
    /// Positions with more than one game.
    pub repeated: u64,
    /// Bytes that turn a position into a code and back: index and packed moves.
    pub code_bytes: u64,
    /// Bytes of figures.
    pub stats_bytes: u64,
    /// All bytes on disk.
    pub bytes: u64,
    /// What could not be opened and is not counted above.
    pub missing: Missing,
}

impl<R: Stored> Database<R> {
    /// Opens the database in a folder. Segments that cannot be opened are left out, and every answer says so.
    pub fn open(dir: &Path) -> Result<Database<R>, DbError> {
        Database::open_on(&Folder::new(dir))
    }

    pub(crate) fn open_on(folder: &Folder) -> Result<Database<R>, DbError> {
        loop {
            let Some((manifest, text)) = Manifest::load_text(folder)? else {
                return Err(writing::not_a_database(folder));
            };
            let database = Database::of(folder, &manifest)?;
            // A compaction may have removed segments between the two steps: then there is a new manifest.
            let changed = || Ok::<_, DbError>(Manifest::load_text(folder)?.is_none_or(|(_, now)| now != text));
            if database.damaged.is_empty() || !changed()? {
                return Ok(database);
            }
        }
    }

    fn of(folder: &Folder, manifest: &Manifest) -> Result<Database<R>, DbError> {
        let variant = manifest.variant.unwrap_or(R::VARIANT);
        if variant.rules() != R::VARIANT {
            let path = folder.path().to_owned();
            return Err(DbError::OtherVariant { path, found: variant, wanted: R::VARIANT });
        }
        let room = Room::new(ROOM);
        let (mut segments, mut damaged, mut missing) = (Vec::new(), Vec::new(), Missing::default());
        let (mut base, mut first_game) = (0u64, 0u64);
        for entry in &manifest.segments {
            match Segment::open(folder, entry, &room, base, first_game) {
                Ok(segment) => segments.push(segment),
                Err(e) => {
                    missing.add(entry.games, &e);
                    damaged.push(e);
                }
            }
            base = base.saturating_add(entry.ordinals);
            first_game = first_game.saturating_add(entry.games);
        }
        Ok(Database { folder: folder.clone(), variant, segments, damaged, missing, rules: PhantomData })
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// What the games are.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// How moves are written.
    pub fn notation(&self) -> Notation {
        if self.variant == Variant::Chess960 { Notation::Chess960 } else { Notation::Standard }
    }

    /// The segments that could be opened.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Why segments could not be opened.
    pub fn damaged(&self) -> &[DbError] {
        &self.damaged
    }

    /// What every answer lacks because segments could not be opened. Answers may lack more, found when they were made:
    /// see [`Exploration::missing`].
    pub fn missing(&self) -> &Missing {
        &self.missing
    }

    /// The database if all of it could be opened, for those who cannot say that an answer is incomplete.
    pub fn whole(self) -> Result<Self, DbError> {
        match self.damaged.first() {
            None => Ok(self),
            Some(damage) => Err(DbError::damaged(self.dir(), format!("the database is incomplete: {damage}"))),
        }
    }

    /// Totals over all segments.
    pub fn totals(&self) -> Totals {
        let (variant, segments, missing) = (self.variant.name(), self.segments.len() as u64, self.missing.clone());
        let mut t = Totals { variant, segments, missing, ..Totals::default() };
        for s in &self.segments {
            let (index, stats) = s.positions.split();
            t.games += u64::from(s.games.len());
            t.positions += s.positions.len();
            t.repeated += s.positions.records();
            t.code_bytes += (index + s.games.code_bytes()) as u64;
            t.stats_bytes += stats as u64;
            t.bytes += s.games.file().size() + s.positions.file().size();
        }
        t
    }

    /// The code of a position that the database knows: the ordinal of its first occurrence among the positions of all
    /// games. It never changes while the database only grows.
    pub fn code(&self, pos: &Position<R>) -> Result<Option<u64>, DbError> {
        for segment in &self.segments {
            if let Some(entry) = self.entry(segment, pos)? {
                return Ok(Some(segment.code(entry)?));
            }
        }
        Ok(None)
    }

    /// The position of a code, by playing its game.
    pub fn position(&self, code: u64) -> Result<Option<Position<R>>, DbError> {
        match self.locate(code)? {
            Some((segment, game, ply)) => segment.games.position(game, ply),
            None => Ok(None),
        }
    }

    /// Segment, game and half-move of a code.
    fn locate(&self, code: u64) -> Result<Option<(&Segment, u32, usize)>, DbError> {
        for segment in &self.segments {
            if let Some(ordinal) = code.checked_sub(segment.base)
                && let Some((game, ply)) = segment.games.locate(ordinal)?
            {
                return Ok(Some((segment, game, ply)));
            }
        }
        Ok(None)
    }

    /// The entry of exactly this position in a segment's index: found by check bits, proved by replay.
    pub fn entry(&self, segment: &Segment, pos: &Position<R>) -> Result<Option<u64>, DbError> {
        let mut found = None;
        segment.positions.find(pos.key(), true, |entry| {
            if let Some((home, game, ply)) = self.locate(segment.code(entry)?)?
                && home.games.position(game, ply)?.is_some_and(|known| same_position(&known, pos))
            {
                found = Some(entry);
                return Ok(false);
            }
            Ok(true)
        })?;
        Ok(found)
    }

    /// The game that a segment's index means by a number.
    fn numbered(&self, segment: &Segment, number: u32) -> Result<GameRef, DbError> {
        let home = if segment.positions.scope().global {
            self.segments.iter().rfind(|s| s.first_game <= u64::from(number) && !s.games.is_empty())
        } else {
            None
        };
        let (home, game) = match home {
            Some(home) => (home, (u64::from(number) - home.first_game) as u32),
            None => (segment, number),
        };
        if game >= home.games.len() {
            return Err(segment.bad_record());
        }
        Ok(GameRef { segment: home.id, game })
    }
}
