//! Tables in memory: the reachability table and the records of a program that keeps no files.

use std::collections::HashMap;

use rukh_core::{FenReason, Position};

use crate::plain::sealed::Parts;
use crate::plain::{Coded, Plain};
use crate::{Table, Tables};

/// A reachability table with room for a number of positions, and records for the rest. Edition 0.
#[derive(Debug)]
pub struct MemoryTables<R: Coded> {
    reachable: List<R>,
    records: List<R>,
    room: usize,
}

#[derive(Debug)]
struct List<R: Coded> {
    entries: Vec<Position<R>>,
    /// By key; positions with one key are told apart by a chain.
    places: HashMap<u64, Vec<u32>>,
}

impl<R: Coded> MemoryTables<R> {
    /// Tables whose reachability table takes up to `room` positions.
    pub fn new(room: usize) -> Self {
        let empty = || List { entries: Vec::new(), places: HashMap::new() };
        Self { reachable: empty(), records: empty(), room }
    }

    /// How many positions a table holds.
    pub fn len(&self, table: Table) -> usize {
        self.list(table).map_or(0, |list| list.entries.len())
    }

    fn list(&self, table: Table) -> Option<&List<R>> {
        match table {
            Table::Reachability => Some(&self.reachable),
            Table::Record => Some(&self.records),
            Table::Opening | Table::Game => None,
        }
    }
}

/// The position without its clocks.
fn plain<R: Coded>(pos: &Position<R>) -> Plain {
    R::take_apart(pos).0
}

impl<R: Coded> Tables<R> for MemoryTables<R> {
    fn edition(&self, table: Table) -> Option<u8> {
        self.list(table).map(|_| 0)
    }

    fn find(&self, table: Table, pos: &Position<R>) -> Option<u64> {
        let list = self.list(table)?;
        let same = |&&at: &&u32| plain(&list.entries[at as usize]) == plain(pos);
        list.places.get(&pos.key())?.iter().find(same).map(|&at| u64::from(at))
    }

    fn get(&self, table: Table, index: u64) -> Option<Position<R>> {
        self.list(table)?.entries.get(usize::try_from(index).ok()?).copied()
    }

    fn add(&mut self, table: Table, pos: &Position<R>) -> Option<u64> {
        let (list, room) = match table {
            Table::Reachability => (&mut self.reachable, self.room),
            Table::Record => (&mut self.records, usize::MAX),
            Table::Opening | Table::Game => return None,
        };
        let at = u32::try_from(list.entries.len()).ok().filter(|&at| (at as usize) < room)?;
        list.entries.push(without_clocks(pos).ok()?);
        list.places.entry(pos.key()).or_default().push(at);
        Some(u64::from(at))
    }
}

/// The same position with its clocks at the start: what a decoded code gives.
pub fn without_clocks<R: Coded>(pos: &Position<R>) -> Result<Position<R>, FenReason> {
    R::build(&Parts(plain(pos)))
}
