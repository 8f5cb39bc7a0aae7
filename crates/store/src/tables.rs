//! The tables of Format 1 codes: openings, games and what was learned, behind the trait of `rukh-code`.

use rukh_code::{MemoryTables, Table, Tables, without_clocks};
use rukh_core::{Chess, Position};

use crate::db::Database;
use crate::openings::openings;

/// The opening table's edition: changes with the built-in table.
const OPENING_EDITION: u8 = 1;
/// A database that is only extended keeps its codes and so its edition.
const GAME_EDITION: u8 = 1;

/// The built-in opening table, a game database, and a table in memory for what neither knows.
///
/// ```
/// use rukh_code::{Table, Tables};
/// use rukh_core::{Chess, Position};
/// use rukh_store::tables::StoreTables;
/// let tables = StoreTables::new(None, 0);
/// let start = Position::<Chess>::startpos();
/// let pos = start.after(start.parse_san("e4").unwrap());
/// let index = tables.find(Table::Opening, &pos).unwrap();
/// assert_eq!(Tables::<Chess>::get(&tables, Table::Opening, index).unwrap().key(), pos.key());
/// ```
pub struct StoreTables<'a> {
    games: Option<&'a Database>,
    memory: MemoryTables<Chess>,
}

impl<'a> StoreTables<'a> {
    /// Tables with an optional game database, and room for `learned` new positions.
    pub fn new(games: Option<&'a Database>, learned: usize) -> Self {
        StoreTables { games, memory: MemoryTables::new(learned) }
    }
}

impl Tables<Chess> for StoreTables<'_> {
    fn edition(&self, table: Table) -> Option<u8> {
        match table {
            Table::Opening => Some(OPENING_EDITION),
            Table::Game => self.games.map(|_| GAME_EDITION),
            Table::Reachability | Table::Record => self.memory.edition(table),
        }
    }

    fn find(&self, table: Table, pos: &Position<Chess>) -> Option<u64> {
        match table {
            Table::Opening => openings().index(pos).map(u64::from),
            // A damaged segment knows nothing; the other tables still can.
            Table::Game => self.games?.code(pos).ok()?,
            Table::Reachability | Table::Record => self.memory.find(table, pos),
        }
    }

    fn get(&self, table: Table, index: u64) -> Option<Position<Chess>> {
        match table {
            Table::Opening => without_clocks(&openings().position(u32::try_from(index).ok()?)?).ok(),
            Table::Game => without_clocks(&self.games?.position(index).ok()??).ok(),
            Table::Reachability | Table::Record => self.memory.get(table, index),
        }
    }

    fn add(&mut self, table: Table, pos: &Position<Chess>) -> Option<u64> {
        self.memory.add(table, pos)
    }
}
