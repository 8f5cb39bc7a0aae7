//! The tables of Format 1 codes: openings, games and what was learned, behind the trait of `rukh-code`.

use rukh_code::{MemoryTables, Table, Tables, without_clocks};
use rukh_core::{AnyPosition, Position};

use crate::db::{Database, Stored};
use crate::learn::{LearnStore, Learned};
use crate::openings::openings;

/// The opening table's edition: changes with the built-in table.
const OPENING_EDITION: u8 = 1;
/// A database that is only extended keeps its codes and so its edition.
const GAME_EDITION: u8 = 1;

/// Numbers of the learned table are never used again, so it has one edition.
const LEARNED_EDITION: u8 = 1;

/// The built-in opening table, a game database, the learned table, and memory for what none of them takes.
///
/// ```
/// use rukh_code::{Table, Tables};
/// use rukh_core::{Chess, Position};
/// use rukh_store::tables::StoreTables;
/// let tables = StoreTables::<Chess>::new(None, 0);
/// let start = Position::<Chess>::startpos();
/// let pos = start.after(start.parse_san("e4").unwrap());
/// let index = tables.find(Table::Opening, &pos).unwrap();
/// assert_eq!(Tables::<Chess>::get(&tables, Table::Opening, index).unwrap().key(), pos.key());
/// ```
pub struct StoreTables<'a, R: Stored> {
    games: Option<&'a Database<R>>,
    learned: Option<&'a LearnStore<R>>,
    memory: MemoryTables<R>,
}

impl<'a, R: Stored> StoreTables<'a, R> {
    /// Tables with an optional game database, and room in memory for `room` new positions.
    pub fn new(games: Option<&'a Database<R>>, room: usize) -> Self {
        StoreTables { games, learned: None, memory: MemoryTables::new(room) }
    }

    /// New positions go to a learned table on disk, each in a transaction of its own.
    pub fn with_learned(self, learned: &'a LearnStore<R>) -> Self {
        StoreTables { learned: Some(learned), ..self }
    }
}

impl<R: Stored> Tables<R> for StoreTables<'_, R> {
    fn edition(&self, table: Table) -> Option<u8> {
        match table {
            Table::Opening => R::CASTLING.then_some(OPENING_EDITION),
            Table::Game => self.games.map(|_| GAME_EDITION),
            Table::Reachability if self.learned.is_some() => Some(LEARNED_EDITION),
            Table::Reachability | Table::Record => self.memory.edition(table),
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
            Table::Reachability | Table::Record => match self.learned.filter(|_| table == Table::Reachability) {
                Some(learned) => learned.number(pos).ok()?,
                None => self.memory.find(table, pos),
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
            Table::Reachability | Table::Record => match self.learned.filter(|_| table == Table::Reachability) {
                Some(learned) => without_clocks(&learned.position(index).ok()??).ok(),
                None => self.memory.get(table, index),
            },
        }
    }

    fn add(&mut self, table: Table, pos: &Position<R>) -> Option<u64> {
        match self.learned.filter(|_| table == Table::Reachability) {
            Some(learned) => {
                learned.record(&[(*pos, Learned::default())]).ok()?;
                learned.number(pos).ok()?
            }
            None => self.memory.add(table, pos),
        }
    }
}
