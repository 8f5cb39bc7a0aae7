//! The tables at hand, by material.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::material::Material;
use super::source::{Budget, Source};
use super::table::{Kinds, Table};
use super::{Damage, Miss, OpenError};

/// Bytes of tables kept in memory.
const KEPT: usize = 256 << 20;

/// Tables of up to so many men are checked when they are opened; larger ones, of which there are many, when first needed.
const CHECKED_AT_ONCE: usize = 5;

/// How many tables there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Tables of results (`.rtbw`).
    pub results: usize,
    /// Tables of distances (`.rtbz`).
    pub distances: usize,
    /// Men of the largest with results.
    pub men: u32,
}

/// A set of tables. Probes take `&self`, from as many threads as you like.
#[derive(Debug)]
pub struct Tables {
    results: Index,
    distances: Index,
    men: u32,
    complaints: Arc<Complaints>,
}

/// What was found wrong while probing and not yet told.
type Complaints = Mutex<Vec<String>>;

impl Tables {
    /// Opens the tables in some folders. Where two have the same table, the first counts.
    pub fn open<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Result<Self, OpenError> {
        let mut files = Vec::new();
        for folder in folders {
            let folder = folder.as_ref();
            let unreadable = |error: std::io::Error| OpenError::Folder(folder.display().to_string(), error.to_string());
            let mut here = Vec::new();
            for entry in fs::read_dir(folder).map_err(unreadable)? {
                here.push(entry.map_err(unreadable)?.path());
            }
            here.sort();
            files.extend(here.into_iter().map(Place::File));
        }
        Self::new(files)
    }

    /// Tables in memory, by their file names (`KQvK.rtbw`).
    pub fn from_bytes(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Self, OpenError> {
        Self::new(files.into_iter().map(|(name, bytes)| Place::Memory(name.into(), Mutex::new(bytes))))
    }

    fn new(files: impl IntoIterator<Item = Place>) -> Result<Self, OpenError> {
        let budget = Budget::new(KEPT);
        let complaints = Arc::new(Complaints::default());
        let mut slots = [Vec::new(), Vec::new()];
        let mut known = BTreeSet::new();
        for place in files {
            let path = place.path();
            let kinds = [Kinds::Results, Kinds::Distances].into_iter();
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            let Some(kinds) = kinds.into_iter().find(|kinds| kinds.extension() == extension) else { continue };
            let Some(material) = path.file_stem().and_then(|stem| stem.to_str()).and_then(Material::from_name) else {
                continue;
            };
            if !known.insert((kinds as u8, material)) {
                continue;
            }
            let name = path.display().to_string();
            let slot = Slot {
                place,
                kinds,
                material,
                budget: budget.clone(),
                table: OnceLock::new(),
                broken: AtomicBool::new(false),
                complaints: complaints.clone(),
            };
            slot.check().map_err(|Damage(what)| OpenError::Damaged(name, what))?;
            slots[kinds as usize].push(slot);
        }
        let [results, distances] = slots;
        let men = results.iter().map(|slot| slot.material.men() as u32).max().ok_or(OpenError::Empty)?;
        Ok(Self { results: Index::new(results), distances: Index::new(distances), men, complaints })
    }

    /// What there is.
    pub fn found(&self) -> Found {
        Found { results: self.results.slots.len(), distances: self.distances.slots.len(), men: self.men }
    }

    /// Men of the largest table of results.
    #[inline]
    pub fn men(&self) -> u32 {
        self.men
    }

    /// What was found wrong with tables since the last call. Such tables are left aside.
    pub fn complaints(&self) -> Vec<String> {
        std::mem::take(&mut *self.complaints.lock().unwrap_or_else(PoisonError::into_inner))
    }

    #[inline]
    pub(super) fn results(&self, material: Material) -> Option<(&Slot, bool)> {
        self.results.find(material)
    }

    pub(super) fn distances(&self, material: Material) -> Option<(&Slot, bool)> {
        self.distances.find(material)
    }
}

/// Where a table's bytes are.
#[derive(Debug)]
enum Place {
    File(PathBuf),
    /// Under a name; taken when the table is read.
    Memory(PathBuf, Mutex<Vec<u8>>),
}

impl Place {
    fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Memory(path, _) => path,
        }
    }

    fn source(&self, budget: &Arc<Budget>) -> Result<Source, Damage> {
        match self {
            Self::File(path) => Source::file(path, budget),
            Self::Memory(_, bytes) => {
                Ok(Source::memory(std::mem::take(&mut *bytes.lock().unwrap_or_else(PoisonError::into_inner))))
            }
        }
    }
}

/// A table that is read when it is first needed.
#[derive(Debug)]
pub(super) struct Slot {
    place: Place,
    kinds: Kinds,
    material: Material,
    budget: Arc<Budget>,
    table: OnceLock<Result<Table, Damage>>,
    /// Something was wrong once: what else it says cannot be trusted.
    broken: AtomicBool,
    complaints: Arc<Complaints>,
}

impl Slot {
    fn check(&self) -> Result<(), Damage> {
        if self.material.men() <= CHECKED_AT_ONCE || matches!(self.place, Place::Memory(..)) {
            return self.table().as_ref().map(|_| ()).map_err(|&damage| damage);
        }
        Table::looks_right(&self.place.source(&self.budget)?, self.kinds)
    }

    #[inline]
    fn table(&self) -> &Result<Table, Damage> {
        let read = || Table::read(self.place.source(&self.budget)?, self.kinds, self.material);
        self.table.get_or_init(read)
    }

    #[inline]
    pub(super) fn ask<T>(&self, ask: impl FnOnce(&Table) -> Result<T, Damage>) -> Result<T, Miss> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(Miss::Damaged);
        }
        self.table().as_ref().map_err(|&damage| damage).and_then(ask).map_err(|damage| self.complain(damage))
    }

    #[cold]
    fn complain(&self, Damage(what): Damage) -> Miss {
        if !self.broken.swap(true, Ordering::Relaxed) {
            let file = self.place.path().display();
            let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
            complaints.push(format!("the Syzygy table '{file}' is damaged and not used: {what}"));
        }
        Miss::Damaged
    }
}

/// Finds a table by material; open addressing, at most half full.
#[derive(Debug)]
struct Index {
    slots: Vec<Slot>,
    /// Material, number of the slot, whether White and Black are exchanged.
    by_material: Box<[Option<(Material, u32, bool)>]>,
}

impl Index {
    fn new(slots: Vec<Slot>) -> Self {
        let mut by_material: Vec<Option<(Material, u32, bool)>> =
            vec![None; (slots.len() * 4).next_power_of_two().max(4)];
        let mask = by_material.len() - 1;
        for (number, slot) in slots.iter().enumerate() {
            for (material, swapped) in [(slot.material, false), (slot.material.swapped(), true)] {
                let mut at = material.hash() & mask;
                while by_material[at].is_some_and(|(other, ..)| other != material) {
                    at = (at + 1) & mask;
                }
                by_material[at].get_or_insert((material, number as u32, swapped));
            }
        }
        Self { slots, by_material: by_material.into() }
    }

    #[inline]
    fn find(&self, material: Material) -> Option<(&Slot, bool)> {
        let mask = self.by_material.len() - 1;
        let mut at = material.hash() & mask;
        // A free place comes before the end of the round: half of them are free.
        loop {
            let (found, number, swapped) = self.by_material.get(at).copied()??;
            if found == material {
                return self.slots.get(number as usize).map(|slot| (slot, swapped));
            }
            at = (at + 1) & mask;
        }
    }
}
