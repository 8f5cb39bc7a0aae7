//! Makruk's bare-Khun tables as the search knows them.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;

use rukh_core::{Makruk, Move, Position};
use rukh_search::{Limits, RankedMove, TableResult, Tablebases};
use rukh_tables::{Distance, Tables, Verdict};

use crate::tables::TablesError;

/// With more men than this at the root the tables are out of reach, and are not looked at: what a search does must not
/// depend on whether an earlier one has made them.
const ROOT_MEN: u32 = 10;
/// Less time than this on the clock, milliseconds: play on rather than make tables now.
const TOO_LATE_MS: u64 = 4000;

/// The tables of the folder in `MakrukTables`, or those of up to four men, made in memory when first needed.
#[derive(Default)]
pub(crate) struct BareKhun {
    folder: Option<Tables>,
    memory: std::sync::OnceLock<Arc<Tables>>,
    active: AtomicBool,
}

impl BareKhun {
    /// The tables of a folder; with an empty path, those in memory.
    pub fn open(path: &str) -> Result<Arc<BareKhun>, TablesError> {
        if path.is_empty() {
            return Ok(Arc::default());
        }
        Ok(Arc::new(BareKhun { folder: Some(open_folder(path)?), ..BareKhun::default() }))
    }

    /// Makes the tables, should this process not have them yet: about a second.
    pub fn make(&self) {
        if self.folder.is_none() {
            self.memory.get_or_init(|| Tables::four_men().clone());
        }
    }

    /// Decides, before a search, whether it looks at the tables.
    pub fn prepare(&self, pos: &Position<Makruk>, limits: &Limits, full_strength: bool) {
        // A weaker level plays its endings as well as its level does.
        let mut active = full_strength && pos.occupied().count() <= ROOT_MEN;
        if active && self.tables().is_none() {
            let time = limits.movetime.or(limits.time[pos.side_to_move().index()]);
            if time.is_none_or(|ms| ms >= TOO_LATE_MS) || pos.occupied().count() <= 4 {
                self.make();
            } else {
                active = false;
            }
        }
        self.active.store(active, Relaxed);
    }

    #[inline]
    fn tables(&self) -> Option<&Tables> {
        match &self.folder {
            Some(tables) => Some(tables),
            None => self.memory.get().map(|tables| &**tables),
        }
    }
}

#[cfg(not(target_family = "wasm"))]
fn open_folder(path: &str) -> Result<Tables, TablesError> {
    let refuse = |error: std::io::Error| TablesError::Folder(path.to_owned(), error.to_string());
    let mut entries = std::fs::read_dir(path).map_err(refuse)?;
    let is_table = |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|ext| ext == "mkt");
    if !entries.any(|entry| entry.is_ok_and(is_table)) {
        return Err(TablesError::NoMakruk(path.to_owned()));
    }
    let (tables, errors) = Tables::open(std::path::Path::new(path));
    match errors.first() {
        Some(error) => Err(TablesError::Makruk(error.to_string())),
        None => Ok(tables),
    }
}

#[cfg(target_family = "wasm")]
fn open_folder(_path: &str) -> Result<Tables, TablesError> {
    Err(TablesError::Unsupported)
}

impl Tablebases<Makruk> for BareKhun {
    #[inline]
    fn max_pieces(&self) -> u32 {
        if self.active.load(Relaxed) { self.tables().map_or(0, Tables::max_men) } else { 0 }
    }

    #[inline]
    fn probe(&self, pos: &Position<Makruk>) -> Option<TableResult> {
        Some(match self.tables()?.verdict(pos)? {
            Verdict::Mate(plies) => TableResult::MateIn(plies),
            Verdict::Mated(plies) => TableResult::MatedIn(plies),
            Verdict::Draw => TableResult::Draw,
        })
    }

    /// By distance to mate. Where the count saves the bare Khun the attacker still tries the shortest way, and the bare
    /// Khun takes the longest: the other side may go wrong.
    fn rank_root(&self, pos: &Position<Makruk>, moves: &[Move], ranked: &mut Vec<RankedMove>) -> bool {
        const WIN: i32 = 10_000;
        const SURE: i32 = 500;
        let Some(tables) = self.tables() else { return false };
        // Unknown positions are left to the search; then it looks at all moves.
        if tables.verdict(pos).is_none() {
            return false;
        }
        let attacks = pos.colors(pos.side_to_move()).more_than_one();
        for &mv in moves {
            let next = pos.after(mv);
            let bare = next.occupied().count() == 2;
            let Some(verdict) = (if bare { Some(Verdict::Draw) } else { tables.verdict(&next) }) else { return false };
            let (result, rank) = match verdict {
                Verdict::Mated(plies) => (TableResult::MateIn(plies + 1), WIN - plies as i32),
                Verdict::Mate(plies) => (TableResult::MatedIn(plies + 1), plies as i32 - WIN),
                Verdict::Draw => {
                    let far = match tables.distance(&next) {
                        Some(Distance::Mate(n)) if !bare => i32::from(n),
                        _ => SURE,
                    };
                    (TableResult::Draw, if attacks { SURE - far } else { far })
                }
            };
            ranked.push(RankedMove { mv, result, rank });
        }
        true
    }
}
