//! The tables at hand.

#[cfg(not(target_family = "wasm"))]
use std::path::Path;
use std::sync::Arc;

use rukh_core::Kind;

use crate::material::{Groups, Material, khun_number};
use crate::table::Table;
#[cfg(not(target_family = "wasm"))]
use crate::table::TableError;
use crate::workshop::Workshop;

/// A set of tables, by material.
#[derive(Clone, Debug)]
pub struct Tables {
    tables: Vec<Option<Arc<Table>>>,
    max_men: u32,
}

impl Default for Tables {
    fn default() -> Self {
        Tables { tables: vec![None; 256], max_men: 0 }
    }
}

impl Tables {
    /// Generates every ending of up to so many men (the Khun included) in memory.
    pub fn with_men(men: u32, threads: usize) -> Tables {
        let mut workshop = Workshop::new(men);
        workshop.work(threads, &|| true);
        workshop.tables
    }

    /// The tables in a folder. Endings of up to four men that are not there are taken from memory; damaged ones too, and
    /// reported.
    #[cfg(not(target_family = "wasm"))]
    pub fn open(folder: &Path) -> (Tables, Vec<TableError>) {
        let mut tables = Tables::default();
        let mut errors = Vec::new();
        for material in (3..=5).flat_map(Material::all) {
            if Table::path(folder, material).exists() {
                match Table::open(folder, material) {
                    Ok(table) => {
                        tables.insert(table);
                        continue;
                    }
                    Err(error) => errors.push(error),
                }
            }
            if material.men() <= 4
                && let Some(table) = Tables::four_men().shared(material)
            {
                tables.max_men = tables.max_men.max(material.men());
                tables.tables[material.code()] = Some(table.clone());
            }
        }
        (tables, errors)
    }

    /// Adds a table, or replaces one.
    pub fn insert(&mut self, table: Table) {
        let material = table.material();
        self.max_men = self.max_men.max(material.men());
        self.tables[material.code()] = Some(Arc::new(table));
    }

    /// Most men for which there is a table.
    pub fn max_men(&self) -> u32 {
        self.max_men
    }

    /// The tables that are there.
    pub fn iter(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().flatten().map(|table| &**table)
    }

    /// The table of an ending.
    #[inline]
    pub fn table(&self, material: Material) -> Option<&Table> {
        self.shared(material).map(|table| &**table)
    }

    #[inline]
    fn shared(&self, material: Material) -> Option<&Arc<Table>> {
        self.tables.get(material.code())?.as_ref()
    }

    /// The distance with the attacker (white, Khun on files a to d) to move; `pieces` in slot order, equal ones
    /// ascending. 0 is a draw, `None` an unknown.
    #[inline]
    pub(crate) fn distance_at(&self, material: Material, khun: usize, pieces: &[u8], bare: usize) -> Option<u8> {
        Some(self.table(material)?.row(row_number(material, khun, pieces)?)?.distance(bare))
    }

    /// The distance after the bare Khun takes the piece in slot `i`.
    #[inline]
    pub(crate) fn after_capture(
        &self,
        material: Material,
        khun: usize,
        kinds: &[Kind],
        p: &[u8],
        i: usize,
    ) -> Option<u8> {
        let Some(rest) = material.without(kinds[i]) else { return Some(0) };
        let mut left = [0u8; 3];
        let others = p.iter().enumerate().filter(|&(j, _)| j != i);
        let mut n = 0;
        for (slot, (_, &square)) in left.iter_mut().zip(others) {
            *slot = square;
            n += 1;
        }
        self.distance_at(rest, khun, &left[..n], p[i] as usize)
    }
}

/// The row of an arrangement in its table.
#[inline]
pub(crate) fn row_number(material: Material, khun: usize, pieces: &[u8]) -> Option<usize> {
    fn number<const N: usize>(material: Material, khun: usize, pieces: &[u8]) -> Option<usize> {
        let groups = Groups::<N>::new(material);
        Some(khun_number(khun) * groups.len + groups.number(pieces.try_into().ok()?))
    }
    match pieces.len() {
        1 => number::<1>(material, khun, pieces),
        2 => number::<2>(material, khun, pieces),
        3 => number::<3>(material, khun, pieces),
        _ => None,
    }
}
