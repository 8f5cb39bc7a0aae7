//! The tables of Format 1 codes: openings, games and what was learned, behind the trait of `rukh-code`.

use std::path::Path;

use super::argument::read_number;
use rukh_code::{AnyCode, CodeError, Codec, ExtendedCode, MemoryTables, Selector, Table, Tables, without_clocks};
use rukh_core::{AnyPosition, Position};

use super::{RecordError, Records};
use crate::db::{Database, Stored};
use crate::learn::LearnStore;
use crate::openings::{self, openings};

/// A database that is only extended keeps its codes and so its edition.
const GAME_EDITION: u8 = 1;

/// Numbers of the learned table are never used again, so it has one edition.
const LEARNED_EDITION: u8 = 1;

/// The built-in opening table, a game database, the learned table, and memory for what none of them takes.
///
/// ```
/// use rukh_code::{Table, Tables};
/// use rukh_core::{Chess, Position};
/// use rukh_store::codes::StoreTables;
/// let tables = StoreTables::<Chess>::new(None, 0);
/// let start = Position::<Chess>::startpos();
/// let pos = start.after(start.parse_san("e4").unwrap());
/// let index = tables.find(Table::Opening, &pos).unwrap();
/// assert_eq!(Tables::<Chess>::get(&tables, Table::Opening, index).unwrap().key(), pos.key());
/// ```
pub struct StoreTables<'a, R: Stored> {
    games: Option<&'a Database<R>>,
    learned: Option<&'a LearnStore<R>>,
    memory: Option<MemoryTables<R>>,
    records: Option<&'a Records<'a, R>>,
}

impl<'a, R: Stored> StoreTables<'a, R> {
    /// Tables with an optional game database, and room in memory for `room` new positions.
    pub fn new(games: Option<&'a Database<R>>, room: usize) -> Self {
        StoreTables { games, learned: None, memory: Some(MemoryTables::new(room)), records: None }
    }

    /// Tables whose codes outlive the program: an optional game database, and records on the disk. Without the latter nothing
    /// is added.
    pub fn lasting(games: Option<&'a Database<R>>, records: Option<&'a Records<'a, R>>) -> Self {
        StoreTables { games, learned: None, memory: None, records }
    }

    /// New positions get their numbers from a learned table, on the disk before they are answered.
    pub fn with_learned(self, learned: &'a LearnStore<R>) -> Self {
        StoreTables { learned: Some(learned), ..self }
    }
}

impl<R: Stored> Tables<R> for StoreTables<'_, R> {
    fn edition(&self, table: Table) -> Option<u8> {
        match table {
            Table::Opening => R::CASTLING.then_some(openings::EDITION),
            Table::Game => self.games.map(|_| GAME_EDITION),
            Table::Reachability if self.learned.is_some() => Some(LEARNED_EDITION),
            Table::Record if self.records.is_some() => self.records.map(Records::edition),
            Table::Reachability | Table::Record => self.memory.as_ref()?.edition(table),
        }
    }

    fn find(&self, table: Table, pos: &Position<R>) -> Option<u64> {
        match table {
            Table::Opening => R::opening_index(pos).map(u64::from),
            // A damaged segment knows nothing; the other tables still can. A code means exactly one position, so what Mets were
            // counts here.
            Table::Game => {
                let code = self.games?.code(pos).ok()??;
                if pos.promoted().is_empty() {
                    return Some(code);
                }
                self.get(table, code).filter(|known| known.promoted() == pos.promoted()).map(|_| code)
            }
            Table::Record if self.records.is_some() => self.records?.find(pos).ok()?,
            Table::Reachability | Table::Record => match self.learned.filter(|_| table == Table::Reachability) {
                Some(learned) => learned.number(pos).ok()?,
                None => self.memory.as_ref()?.find(table, pos),
            },
        }
    }

    fn get(&self, table: Table, index: u64) -> Option<Position<R>> {
        match table {
            Table::Opening => {
                let pos = openings().position(u32::try_from(index).ok()?)?;
                without_clocks(AnyPosition::from(pos).of()?).ok()
            }
            Table::Game => without_clocks(&self.games?.position(index).ok()??).ok(),
            Table::Record if self.records.is_some() => self.records?.get(index).ok()?,
            Table::Reachability | Table::Record => match self.learned.filter(|_| table == Table::Reachability) {
                Some(learned) => learned.position(index).ok()?,
                None => self.memory.as_ref()?.get(table, index),
            },
        }
    }

    fn add(&mut self, table: Table, pos: &Position<R>) -> Option<u64> {
        if let Some(records) = self.records.filter(|_| table == Table::Record) {
            return records.add(pos).ok();
        }
        match self.learned.filter(|_| table == Table::Reachability) {
            Some(learned) => learned.give_number(pos).ok()?,
            None => self.memory.as_mut()?.add(table, pos),
        }
    }
}

/// What is open anyway and has codes of its own; the openings are always there.
#[derive(Clone, Copy, Default)]
pub struct OpenTables<'a, R: Stored> {
    /// A database.
    pub games: Option<&'a Database<R>>,
    /// A table of learned positions: new codes are numbers of it.
    pub learned: Option<&'a LearnStore<R>>,
}

impl<'a, R: Stored> From<&'a Database<R>> for OpenTables<'a, R> {
    fn from(games: &'a Database<R>) -> Self {
        OpenTables { games: Some(games), learned: None }
    }
}

impl<'a, R: Stored> From<&'a LearnStore<R>> for OpenTables<'a, R> {
    fn from(learned: &'a LearnStore<R>) -> Self {
        OpenTables { games: None, learned: Some(learned) }
    }
}

/// Files that are open, ready to turn any position into a code and any code into a position.
pub struct Opened<'c, R: Stored> {
    codec: &'c Codec<R>,
    open: OpenTables<'c, R>,
    records: Option<Records<'c, R>>,
}

impl<'c, R: Stored> Opened<'c, R> {
    /// To decode: nothing is written, and a file of records need not be there.
    pub fn reading(codec: &'c Codec<R>, open: OpenTables<'c, R>, records: Option<&Path>) -> Result<Self, RecordError> {
        let records = records.map(|path| Records::open_existing(path, codec)).transpose()?.flatten();
        Ok(Self { codec, open, records })
    }

    fn tables(&self) -> StoreTables<'_, R> {
        let tables = StoreTables::lasting(self.open.games, self.records.as_ref());
        StoreTables { learned: self.open.learned, ..tables }
    }

    /// To encode: what no table has is added to the records, which are made when the first one is.
    pub fn encode(&mut self, pos: &Position<R>, records: Option<&Path>) -> Result<AnyCode, EncodeError> {
        if let Some(code) = Selector::new(self.codec, self.tables()).find(pos)? {
            return Ok(code.into());
        }
        if self.open.learned.is_some()
            && let Ok(code) = Selector::new(self.codec, self.tables()).encode(pos)
        {
            return Ok(code.into());
        }
        let Some(path) = records else { return Err(CodeError::NoRoom.into()) };
        let writing = Records::open(path, self.codec)?;
        let number = writing.add(pos)?;
        let code = rukh_code::PositionCode::indexed(Table::Record, writing.edition(), number);
        self.records = Some(writing);
        code.map(AnyCode::Short).ok_or(EncodeError::Code(CodeError::NoRoom))
    }

    /// The position of any code with its clocks, and how often the game had it before.
    pub fn decode(&self, code: ExtendedCode) -> Result<(Position<R>, u8), CodeError> {
        self.decode_by(self.codec, code)
    }

    /// The same for a code as text, which says its version, or as a number.
    pub fn decode_text(&self, text: &str) -> Result<(Position<R>, u8), CodeError> {
        match read_number(text) {
            Some(code) => self.decode(code?),
            None => self.codec.first_reading(text, |codec, code| self.decode_by(codec, code)),
        }
    }

    fn decode_by(&self, codec: &Codec<R>, code: ExtendedCode) -> Result<(Position<R>, u8), CodeError> {
        let pos = match code.code {
            AnyCode::Short(short) => Selector::new(codec, self.tables()).decode(short)?,
            AnyCode::Long(long) => codec.decode_long(long)?,
        };
        code.clocked(pos)
    }
}

/// Why a position got no code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The variant has none for it.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// It could not be recorded.
    #[error(transparent)]
    Records(#[from] RecordError),
}
