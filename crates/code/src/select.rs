//! The selector: a direct code if the position fits, else a table's, else a record's.

use rukh_core::Position;

use crate::plain::Coded;
use crate::{CodeError, Codec, Format, PositionCode, Table};

/// The tables of Format 1 and the auxiliary records, as `rukh-store` keeps them.
///
/// Indices are below [`PositionCode::MAX_ENTRIES`] and mean the same position for ever, within an edition. Clocks are
/// not part of a position here.
pub trait Tables<R: Coded> {
    /// The edition of a table; `None` if it is not here.
    fn edition(&self, table: Table) -> Option<u8>;

    /// Where a table has the position.
    fn find(&self, table: Table, pos: &Position<R>) -> Option<u64>;

    /// The entry with this index.
    fn get(&self, table: Table, index: u64) -> Option<Position<R>>;

    /// Adds a position to the reachability table or the records; `None` if there is no room or no such table.
    fn add(&mut self, table: Table, pos: &Position<R>) -> Option<u64>;
}

/// No tables at all: only direct codes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTables;

impl<R: Coded> Tables<R> for NoTables {
    fn edition(&self, _: Table) -> Option<u8> {
        None
    }

    fn find(&self, _: Table, _: &Position<R>) -> Option<u64> {
        None
    }

    fn get(&self, _: Table, _: u64) -> Option<Position<R>> {
        None
    }

    fn add(&mut self, _: Table, _: &Position<R>) -> Option<u64> {
        None
    }
}

/// Codes for every position, with the help of tables.
pub struct Selector<'a, R: Coded, T> {
    codec: &'a Codec<R>,
    /// The tables.
    pub tables: T,
}

impl<'a, R: Coded, T: Tables<R>> Selector<'a, R, T> {
    /// A selector.
    pub fn new(codec: &'a Codec<R>, tables: T) -> Self {
        Self { codec, tables }
    }

    /// The code of a position if it has one already: direct, or an entry of a table. Changes nothing.
    pub fn find(&self, pos: &Position<R>) -> Result<Option<PositionCode>, CodeError> {
        match self.codec.encode(pos) {
            Ok(code) => Ok(Some(code)),
            Err(CodeError::DoesNotFit) => Ok(self.find_indexed(pos)),
            Err(error) => Err(error),
        }
    }

    /// The code of a position. One that does not fit and no table knows is learned: by the reachability table while it
    /// has room, else as an auxiliary record.
    pub fn encode(&mut self, pos: &Position<R>) -> Result<PositionCode, CodeError> {
        if let Some(code) = self.find(pos)? {
            return Ok(code);
        }
        for table in [Table::Reachability, Table::Record] {
            let Some(edition) = self.tables.edition(table) else { continue };
            if let Some(code) =
                self.tables.add(table, pos).and_then(|index| PositionCode::indexed(table, edition, index))
            {
                return Ok(code);
            }
        }
        Err(CodeError::NoRoom)
    }

    /// The position of any code.
    pub fn decode(&self, code: PositionCode) -> Result<Position<R>, CodeError> {
        let Format::Indexed { table, edition, index } = code.format() else { return self.codec.decode(code) };
        match self.tables.edition(table) {
            None => Err(CodeError::NoTable(table)),
            Some(ours) if ours != edition => Err(CodeError::TableVersion { table, code: edition, ours }),
            Some(_) => self.tables.get(table, index).ok_or(CodeError::NoEntry { table, index }),
        }
    }

    fn find_indexed(&self, pos: &Position<R>) -> Option<PositionCode> {
        Table::ALL.into_iter().find_map(|table| {
            let edition = self.tables.edition(table)?;
            PositionCode::indexed(table, edition, self.tables.find(table, pos)?)
        })
    }
}
/// How many positions had which format of code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatCounts {
    /// All of them.
    pub positions: u64,
    /// Indexed: in a table.
    pub format1: u64,
    /// Direct.
    pub format2: u64,
    /// Kept as a record.
    pub aux: u64,
}

impl FormatCounts {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.positions += other.positions;
        self.format1 += other.format1;
        self.format2 += other.format2;
        self.aux += other.aux;
    }
}
