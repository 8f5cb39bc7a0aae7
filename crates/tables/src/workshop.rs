//! Tables made in memory, in one go or bit by bit.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, TryLockError};

use crate::generate::{Making, Progress, begin};
use crate::ground::KeepOn;
#[cfg(not(target_family = "wasm"))]
use crate::kept;
use crate::material::Material;
use crate::set::Tables;
use crate::table::Table;

/// A set of tables, and what is still to be made of it.
pub(crate) struct Workshop {
    pub tables: Tables,
    /// In the order of making, the next one last.
    todo: Vec<Material>,
    bench: Option<Box<dyn Making>>,
    /// Asked for a table before it is made.
    at_hand: fn(Material) -> Option<Table>,
    /// Those that nobody had at hand.
    pub made: Vec<Material>,
}

impl Workshop {
    /// Every ending of up to so many men, the Khun included.
    pub fn new(men: u32) -> Workshop {
        let mut todo: Vec<Material> = (3..=men.min(5)).flat_map(Material::all).collect();
        todo.reverse();
        Workshop { tables: Tables::default(), todo, bench: None, at_hand: |_| None, made: Vec::new() }
    }

    /// The same, with a place to look before making one.
    #[cfg(not(target_family = "wasm"))]
    pub fn with_kept(men: u32) -> Workshop {
        Workshop { at_hand: kept::load, ..Workshop::new(men) }
    }

    /// Works until all is made (true) or the work is not to go on.
    pub fn work(&mut self, threads: usize, keep_on: KeepOn<'_>) -> bool {
        loop {
            if let Some(mut making) = self.bench.take() {
                if !making.advance(&self.tables, threads, keep_on, &mut |_: Progress| {}) {
                    self.bench = Some(making);
                    return false;
                }
                let table = making.finish();
                self.made.push(table.material());
                self.tables.insert(table);
            }
            let Some(material) = self.todo.pop() else { return true };
            if let Some(table) = (self.at_hand)(material) {
                self.tables.insert(table);
                if !self.todo.is_empty() && !keep_on() {
                    return false;
                }
                continue;
            }
            // The smaller ones are there and whole: they were made a moment ago.
            self.bench = begin(material, &self.tables).ok();
        }
    }
}

/// All endings of three and four men, once they are made.
static FOUR_MEN: OnceLock<Arc<Tables>> = OnceLock::new();
/// Those that are not.
static WORKSHOP: Mutex<Option<Workshop>> = Mutex::new(None);

impl Tables {
    /// All endings of three and four men, generated once per process.
    pub fn four_men() -> &'static Arc<Tables> {
        loop {
            if let Some(tables) = FOUR_MEN.get() {
                return tables;
            }
            let workshop = WORKSHOP.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(tables) = go_on(workshop, &|| true) {
                return tables;
            }
        }
    }

    /// The same for someone who cannot wait: `keep_on` is asked about once a millisecond. What was made until it said no is
    /// kept, and the next call goes on from there.
    pub fn four_men_while(keep_on: &(dyn Fn() -> bool + Sync)) -> Option<&'static Arc<Tables>> {
        while FOUR_MEN.get().is_none() {
            match WORKSHOP.try_lock() {
                Ok(workshop) => return go_on(workshop, keep_on),
                Err(TryLockError::Poisoned(poisoned)) => return go_on(poisoned.into_inner(), keep_on),
                // Another thread makes them.
                Err(TryLockError::WouldBlock) if !keep_on() || cfg!(target_family = "wasm") => break,
                Err(TryLockError::WouldBlock) => std::thread::sleep(core::time::Duration::from_millis(1)),
            }
        }
        FOUR_MEN.get()
    }
}

fn go_on(
    mut workshop: std::sync::MutexGuard<'_, Option<Workshop>>,
    keep_on: KeepOn<'_>,
) -> Option<&'static Arc<Tables>> {
    if FOUR_MEN.get().is_none() {
        // One thread: the work is short, and threads that come and go have to wait on a busy machine (or do not exist).
        if !workshop.get_or_insert_with(four_men_workshop).work(1, keep_on) {
            return None;
        }
        if let Some(done) = workshop.take() {
            let tables = FOUR_MEN.get_or_init(|| Arc::new(done.tables));
            #[cfg(not(target_family = "wasm"))]
            kept::keep_soon(tables, done.made);
            #[cfg(target_family = "wasm")]
            let _ = tables;
        }
    }
    FOUR_MEN.get()
}

fn four_men_workshop() -> Workshop {
    #[cfg(not(target_family = "wasm"))]
    return Workshop::with_kept(4);
    #[cfg(target_family = "wasm")]
    Workshop::new(4)
}
