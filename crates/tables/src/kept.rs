//! The endings of up to four men on disk, so that the next process need not make them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use crate::material::Material;
use crate::set::Tables;
use crate::table::Table;

/// Larger than any table of four men: nothing else is read.
const MAX_BYTES: u64 = 16 << 20;

/// The checksums of the heads, which hold the checksums of the rest: KM, KS, KN, KR, and so on in the order of
/// [`Material::all`]. What has another is made again.
const SUMS: [u64; 14] = [
    0x8C83_5BD9_F2FE_5EF7, 0x7A9D_7764_F6C9_D9E4, 0x6F7E_D10E_CB6F_5C31, 0xEF09_57F4_7E7E_32DE, 0xC71C_6521_DDFE_34C6,
    0x9B88_B5D6_DE6D_1FED, 0xB7FE_04C3_FD71_DC64, 0x12C4_CF0B_A738_7880, 0x5678_44B0_5DAB_099D, 0x8C5B_B4AE_5BBC_1957,
    0x2B07_DB10_A4AD_FF80, 0x8FB8_BABE_8360_D34F, 0x6069_75BD_3D2B_6ACD, 0x8035_0D3B_304D_9358,
];

static FOLDER: OnceLock<PathBuf> = OnceLock::new();
/// Writes them.
static WRITER: Mutex<Option<JoinHandle<bool>>> = Mutex::new(None);

impl Tables {
    /// From now on [`Tables::four_men`] looks into this folder first, and leaves there what it had to make. The first
    /// call counts.
    pub fn keep_four_men_in(folder: PathBuf) {
        let _ = FOLDER.set(folder);
    }

    /// Waits until what is to be kept is written: for the end of a program.
    pub fn finish_keeping() {
        let writer = WRITER.lock().unwrap_or_else(PoisonError::into_inner).take();
        let _ = writer.map(JoinHandle::join);
    }
}

fn sum_of(material: Material) -> Option<u64> {
    let at = (3..=4).flat_map(Material::all).position(|other| other == material)?;
    SUMS.get(at).copied()
}

/// The table in the folder, if it is exactly the one that would be made.
pub(crate) fn load(material: Material) -> Option<Table> {
    load_from(FOLDER.get()?, material)
}

fn load_from(folder: &Path, material: Material) -> Option<Table> {
    let bytes = rukh_files::read_at_most(&Table::path(folder, material), MAX_BYTES).ok()?;
    let table = Table::read(bytes).ok()?;
    (table.material() == material && Some(table.sum()) == sum_of(material) && table.check()).then_some(table)
}

/// Writes the tables that were made, beside what else goes on. Without success nothing is lost but a second next time.
pub(crate) fn keep_soon(tables: &Arc<Tables>, made: Vec<Material>) {
    let Some(folder) = FOLDER.get().filter(|_| !made.is_empty()) else { return };
    let tables = Arc::clone(tables);
    let writer = std::thread::Builder::new().name("keep tables".into()).spawn(move || keep(folder, &tables, &made));
    *WRITER.lock().unwrap_or_else(PoisonError::into_inner) = writer.ok();
}

fn keep(folder: &Path, tables: &Tables, made: &[Material]) -> bool {
    std::fs::create_dir_all(folder).is_ok()
        && made.iter().filter_map(|&material| tables.table(material)).all(|table| table.save(folder).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_testing::Folder;

    fn four() -> impl Iterator<Item = Material> {
        (3..=4).flat_map(Material::all)
    }

    #[test]
    fn what_is_made_is_what_is_looked_for() {
        let tables = Tables::with_men(4, 2);
        let sums: Vec<u64> = four().map(|material| tables.table(material).unwrap().sum()).collect();
        assert_eq!(sums, SUMS);
    }

    #[test]
    fn kept_tables_are_the_same_and_others_are_not_taken() {
        let folder = Folder::new("kept");
        let tables = Tables::with_men(3, 1);
        let made = Material::all(3);
        assert!(keep(&folder, &tables, &made));
        for &material in &made {
            let (kept, made) = (load_from(&folder, material).unwrap(), tables.table(material).unwrap());
            assert_eq!((kept.sum(), kept.census()), (made.sum(), made.census()));
        }
        // One bit, a table of another ending under this name, half of it, and none.
        let path = Table::path(&folder, made[0]);
        let good = std::fs::read(&path).unwrap();
        let mut bad = good.clone();
        *bad.last_mut().unwrap() ^= 1;
        let other = std::fs::read(Table::path(&folder, made[1])).unwrap();
        for bytes in [&bad[..], &other, &good[..good.len() / 2], &[]] {
            std::fs::write(&path, bytes).unwrap();
            assert!(load_from(&folder, made[0]).is_none());
        }
        std::fs::remove_file(&path).unwrap();
        assert!(load_from(&folder, made[0]).is_none());
        assert!(keep(&folder, &tables, &made) && load_from(&folder, made[0]).is_some());
    }
}
