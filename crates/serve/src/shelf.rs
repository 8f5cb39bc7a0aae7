//! The databases behind the server, opened again when an import has committed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Instant, SystemTime};

use rukh_core::Variant;
use rukh_store::db::{AnyDatabase, DbError, open_any};

/// How often the manifests are looked at, in milliseconds.
const EVERY: u64 = 1000;

/// All databases, at most one of a variant.
pub struct Library {
    shelves: Vec<Shelf>,
    /// Grows whenever a database was opened again: answers of an earlier edition are old.
    edition: AtomicU64,
    /// When the manifests were looked at, in milliseconds since `began`.
    looked: AtomicU64,
    began: Instant,
}

/// A database folder. Segments never change, so a new manifest is all there is to see.
struct Shelf {
    dir: PathBuf,
    variant: Variant,
    open: RwLock<(Arc<AnyDatabase>, Stamp)>,
}

type Stamp = Option<(SystemTime, u64)>;

impl Library {
    /// Opens folders. Two databases of one variant would be a riddle to whoever asks.
    pub fn open(dirs: &[PathBuf]) -> Result<Library, DbError> {
        let mut shelves: Vec<Shelf> = Vec::new();
        for dir in dirs {
            let shelf = Shelf::open(dir)?;
            let variant = shelf.variant;
            if shelves.iter().any(|known| known.variant == variant) {
                let problem = format!("a second database of {variant}; import its games into the first");
                return Err(DbError::Damaged { path: dir.clone(), problem });
            }
            shelves.push(shelf);
        }
        Ok(Library { shelves, edition: AtomicU64::new(1), looked: AtomicU64::new(0), began: Instant::now() })
    }

    /// What there are games of.
    pub fn variants(&self) -> impl ExactSizeIterator<Item = Variant> {
        self.shelves.iter().map(|shelf| shelf.variant)
    }

    /// The database of a variant.
    pub fn database(&self, variant: Variant) -> Option<Arc<AnyDatabase>> {
        self.shelves.iter().find(|shelf| shelf.variant == variant).map(Shelf::database)
    }

    /// The edition as of now, or of at most a second ago. One request looks after the manifests, beside the network's threads;
    /// the others go on with what they have.
    pub async fn edition(self: &Arc<Library>) -> u64 {
        let (now, looked) = (self.began.elapsed().as_millis() as u64, self.looked.load(Ordering::Relaxed));
        if now >= looked + EVERY
            && self.looked.compare_exchange(looked, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            let library = self.clone();
            let _ = tokio::task::spawn_blocking(move || library.look()).await;
        }
        self.edition.load(Ordering::Acquire)
    }

    fn look(&self) {
        for shelf in &self.shelves {
            if shelf.look() {
                // After the database: an answer of the old one is never kept as one of the new.
                self.edition.fetch_add(1, Ordering::Release);
                tracing::info!(dir = %shelf.dir.display(), "database opened again");
            }
        }
    }
}

impl Shelf {
    fn open(dir: &Path) -> Result<Shelf, DbError> {
        let stamp = stamp(dir);
        let database = Arc::new(open_any(dir)?);
        Ok(Shelf { dir: dir.to_owned(), variant: database.variant(), open: RwLock::new((database, stamp)) })
    }

    fn database(&self) -> Arc<AnyDatabase> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// Opens the database again if it has changed. Should the new one not open, the old one still answers.
    fn look(&self) -> bool {
        let stamp = stamp(&self.dir);
        if stamp == self.open.read().unwrap_or_else(PoisonError::into_inner).1 {
            return false;
        }
        match open_any(&self.dir) {
            Ok(database) if database.variant() == self.variant => {
                *self.open.write().unwrap_or_else(PoisonError::into_inner) = (Arc::new(database), stamp);
                true
            }
            Ok(_) => {
                tracing::warn!(dir = %self.dir.display(), "another variant's database now: the one before still answers");
                false
            }
            Err(error) => {
                tracing::warn!(dir = %self.dir.display(), %error, "cannot be opened again: the one before still answers");
                false
            }
        }
    }
}

fn stamp(dir: &Path) -> Stamp {
    let meta = std::fs::metadata(dir.join("MANIFEST")).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}
