//! The database behind the server, opened again when an import has committed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rukh_core::Variant;
use rukh_store::db::{AnyDatabase, DbError};

/// How often the manifest is looked at.
const EVERY: Duration = Duration::from_secs(1);

/// A database folder. Segments never change, so a new manifest is all there is to see.
pub struct Shelf {
    dir: PathBuf,
    open: Mutex<Open>,
}

struct Open {
    database: Arc<AnyDatabase>,
    stamp: Stamp,
    looked: Instant,
}

type Stamp = Option<(SystemTime, u64)>;

impl Shelf {
    /// Opens folders. Two databases of one variant would be a riddle to whoever asks.
    pub fn open_all(dirs: &[PathBuf]) -> Result<Vec<Shelf>, DbError> {
        let mut shelves: Vec<Shelf> = Vec::new();
        for dir in dirs {
            let shelf = Shelf::open(dir)?;
            let variant = shelf.variant();
            if shelves.iter().any(|known| known.variant() == variant) {
                let problem = format!("a second database of {variant}; import its games into the first");
                return Err(DbError::Damaged { path: dir.clone(), problem });
            }
            shelves.push(shelf);
        }
        Ok(shelves)
    }

    /// What its games are.
    pub fn variant(&self) -> Variant {
        self.database().variant()
    }

    fn open(dir: &Path) -> Result<Shelf, DbError> {
        let stamp = stamp(dir);
        let database = Arc::new(AnyDatabase::open(dir)?);
        Ok(Shelf { dir: dir.to_owned(), open: Mutex::new(Open { database, stamp, looked: Instant::now() }) })
    }

    /// The database as of now, or of at most a second ago. Should the new one not open, the old one still answers.
    pub fn database(&self) -> Arc<AnyDatabase> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.looked.elapsed() >= EVERY {
            open.looked = Instant::now();
            let stamp = stamp(&self.dir);
            if stamp != open.stamp
                && let Ok(database) = AnyDatabase::open(&self.dir)
            {
                (open.database, open.stamp) = (Arc::new(database), stamp);
            }
        }
        open.database.clone()
    }
}

fn stamp(dir: &Path) -> Stamp {
    let meta = std::fs::metadata(dir.join("MANIFEST")).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}
