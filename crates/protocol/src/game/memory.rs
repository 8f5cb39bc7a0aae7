//! The engine's memory: the table of `rukh learn` behind the options `Learn` and `LearnFile`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rukh_code::Coded;
use rukh_core::{Position, Variant, dispatch};
use rukh_engine::{AnyMemory, Bound, Memo, Memory, MemoryFiles};
use rukh_store::learn::{KnownBound, LearnStore, Learned, SetAside};

/// Searches that may wait to be written; more are not remembered.
const QUEUE: usize = 16;

type News<R> = Vec<(Position<R>, Learned)>;

/// A table that is read at once and written by a thread of its own: a search never waits for the disk.
pub struct TableMemory<R: Coded> {
    store: Arc<LearnStore<R>>,
    notice: Option<String>,
    queue: Option<SyncSender<News<R>>>,
    writer: Option<JoinHandle<()>>,
}

impl<R: Coded + 'static> TableMemory<R> {
    /// Opens (or makes) a table of at most `limit` bytes. A damaged one makes room for a new one, and standard error says so.
    pub fn open(path: &Path, limit: u64) -> Result<Arc<Self>, String> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let (store, aside) = LearnStore::<R>::open_or_set_aside(path, limit).map_err(|error| error.to_string())?;
        let notice = aside.map(|SetAside { path: aside, problem }| {
            format!("{} was damaged ({problem}) and is now {}", path.display(), aside.display())
        });
        if let Some(notice) = &notice {
            let _ = writeln!(std::io::stderr(), "{notice}; starting a new table");
        }
        let store = Arc::new(store);
        let (queue, receiver) = sync_channel::<News<R>>(QUEUE);
        let target = store.clone();
        let write = move || {
            let mut said = String::new();
            for news in receiver {
                // A full disk or a damaged page must not stop a game; the transaction left the table as it was. Once is enough.
                if let Err(error) = target.record(&news)
                    && said != error.to_string()
                {
                    said = error.to_string();
                    let _ = writeln!(std::io::stderr(), "learning failed: {said}");
                }
            }
        };
        let writer =
            std::thread::Builder::new().name("learn".into()).spawn(write).map_err(|error| error.to_string())?;
        Ok(Arc::new(Self { store, notice, queue: Some(queue), writer: Some(writer) }))
    }

    /// What opening it has to say: that a damaged table was set aside.
    fn notice(&self) -> String {
        self.notice.as_ref().map(|notice| format!("{notice}; ")).unwrap_or_default()
    }
}

/// What was queued is written before the table closes.
impl<R: Coded> Drop for TableMemory<R> {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl<R: Coded + 'static> Memory<R> for TableMemory<R> {
    fn recall(&self, root: &Position<R>, most: usize, time: Duration) -> Vec<(Position<R>, Memo)> {
        let known = self.store.near(root, most, time).unwrap_or_default();
        known.into_iter().map(|(pos, learned)| (pos, memo(&learned))).collect()
    }

    fn record(&self, news: Vec<(Position<R>, Memo)>) {
        let news = news.into_iter().map(|(pos, memo)| (pos, learned(&memo))).collect();
        if let Some(queue) = &self.queue {
            let _ = queue.try_send(news);
        }
    }
}

/// What a table knows, as the engine takes it.
pub fn memo(learned: &Learned) -> Memo {
    let bound = match learned.bound {
        KnownBound::None => Bound::None,
        KnownBound::Upper => Bound::Upper,
        KnownBound::Lower => Bound::Lower,
        KnownBound::Exact => Bound::Exact,
    };
    Memo { depth: learned.depth.into(), score: learned.score, bound, best: learned.best }
}

/// What an engine has found, as a table takes it.
pub fn learned(memo: &Memo) -> Learned {
    let bound = match memo.bound {
        Bound::None => KnownBound::None,
        Bound::Upper => KnownBound::Upper,
        Bound::Lower => KnownBound::Lower,
        Bound::Exact => KnownBound::Exact,
    };
    let depth = memo.depth.clamp(0, i16::MAX.into()) as i16;
    Learned { depth, score: memo.score, bound, best: memo.best, visits: 1 }
}

/// Where the user's own table lies when no file is named.
pub fn default_file() -> Option<PathBuf> {
    Some(rukh_files::data_folder()?.join("learned.redb"))
}

/// The file of a variant: Makruk has a table of its own beside that of chess.
pub fn file_for(path: &Path, variant: Variant) -> PathBuf {
    match variant {
        Variant::Chess | Variant::Chess960 => path.to_owned(),
        Variant::Makruk => {
            let mut name = path.as_os_str().to_owned();
            name.push(".makruk");
            name.into()
        }
    }
}

/// Tables of the user behind `Learn`, `LearnFile` and `LearnMB`.
pub struct OwnMemory;

impl MemoryFiles for OwnMemory {
    fn open(&mut self, variant: Variant, file: &str, limit: u64) -> Result<(AnyMemory, String), String> {
        let base = if file.is_empty() {
            default_file().ok_or("LearnFile: no folder for user data was found; set a file")?
        } else {
            PathBuf::from(file)
        };
        let path = file_for(&base, variant);
        let notice;
        let memory: AnyMemory = dispatch!(any R of variant => {
            let memory = TableMemory::<R>::open(&path, limit)?;
            notice = memory.notice();
            memory
        });
        Ok((memory, format!("{notice}learning in {}", path.display())))
    }
}
