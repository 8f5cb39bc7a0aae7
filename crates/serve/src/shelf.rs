//! The database behind the server, opened again when an import has committed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rukh_store::db::{Database, DbError};

/// How often the manifest is looked at.
const EVERY: Duration = Duration::from_secs(1);

/// A database folder. Segments never change, so a new manifest is all there is to see.
pub struct Shelf {
    dir: PathBuf,
    open: Mutex<Open>,
}

struct Open {
    database: Arc<Database>,
    stamp: Stamp,
    looked: Instant,
}

type Stamp = Option<(SystemTime, u64)>;

impl Shelf {
    pub fn open(dir: &Path) -> Result<Shelf, DbError> {
        let stamp = stamp(dir);
        let database = Arc::new(Database::open(dir)?);
        Ok(Shelf { dir: dir.to_owned(), open: Mutex::new(Open { database, stamp, looked: Instant::now() }) })
    }

    /// The database as of now, or of at most a second ago. Should the new one not open, the old one still answers.
    pub fn database(&self) -> Arc<Database> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.looked.elapsed() >= EVERY {
            open.looked = Instant::now();
            let stamp = stamp(&self.dir);
            if stamp != open.stamp
                && let Ok(database) = Database::open(&self.dir)
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
