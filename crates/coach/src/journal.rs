//! What the engine has said of positions, in a file that only grows: one line for each search, on the disk before the next one
//! begins. A kill at any moment costs the search that was running. docs/formats/coach.md has the layout.

use std::collections::{HashMap, HashSet};
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rukh_core::{AnyPosition, Move};
use rukh_engine::{Score, lock};
use rukh_files::LockedFile;

use crate::error::CoachError;
use crate::spot::Spot;

const HEAD: &str = "rukh-coach-journal 1\n";
/// A journal that is larger is no journal of ours.
const MOST_BYTES: u64 = 8 << 30;

/// What a search said of a position, or of one of its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// For the side to move.
    pub score: Score,
    /// Depth of the last iteration.
    pub depth: u32,
    /// Nodes that it was allowed.
    pub nodes: u64,
    /// The best line.
    pub line: Vec<Move>,
}

/// A search as it is kept: moves as text, because most are never looked at again.
#[derive(Clone, Debug)]
struct Row {
    score: i32,
    depth: u32,
    nodes: u64,
    line: String,
}

/// All searches of a position (of one move in it), those with few nodes first.
type Rows = HashMap<String, Vec<Row>>;

/// The journal of one player's computer. Workers share it.
pub struct Journal {
    state: Mutex<State>,
    done: Condvar,
}

struct State {
    /// None: kept in memory only.
    file: Option<LockedFile>,
    rows: Rows,
    /// Searches that somebody is doing now.
    busy: HashSet<String>,
    damaged: usize,
}

impl Journal {
    /// A journal that ends with the program.
    pub fn in_memory() -> Journal {
        Journal::with(None, HashMap::new(), 0)
    }

    /// Opens a journal or begins one. A line that a kill has cut short is cut off; lines that are damaged otherwise are passed over.
    pub fn open(path: &Path) -> Result<Journal, CoachError> {
        let failed = CoachError::file(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(&failed)?;
        }
        let how = OpenOptions::new().create(true).append(true).read(true).to_owned();
        let (mut file, lock) = rukh_files::open_locked(path, &how).map_err(&failed)?;
        match lock {
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(CoachError::Refused(format!("{} is in use by another coach", path.display())));
            }
            Err(std::fs::TryLockError::Error(error)) if error.kind() != std::io::ErrorKind::Unsupported => {
                return Err(failed(error));
            }
            _ => {}
        }
        if file.metadata().map_err(&failed)?.len() > MOST_BYTES {
            return Err(CoachError::Refused(format!("{} is too large for a journal", path.display())));
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes)).map_err(&failed)?;
        if HEAD.as_bytes().starts_with(&bytes) {
            // New, or killed while it was begun.
            file.set_len(0)
                .and_then(|()| file.write_all(HEAD.as_bytes()))
                .and_then(|()| file.sync_all())
                .map_err(&failed)?;
            return Ok(Journal::with(Some(file), HashMap::new(), 0));
        }
        let Some(body) = bytes.strip_prefix(HEAD.as_bytes()) else {
            return Err(CoachError::Refused(format!("{} is no journal of version 1", path.display())));
        };
        let whole = body.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        if whole < body.len() {
            file.set_len((HEAD.len() + whole) as u64).and_then(|()| file.sync_all()).map_err(&failed)?;
        }
        let (mut rows, mut damaged) = (HashMap::new(), 0);
        for line in body[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            match std::str::from_utf8(line).ok().and_then(read) {
                Some((key, row)) => add(&mut rows, key, row),
                None => damaged += 1,
            }
        }
        Ok(Journal::with(Some(file), rows, damaged))
    }

    fn with(file: Option<LockedFile>, rows: Rows, damaged: usize) -> Journal {
        Journal { state: Mutex::new(State { file, rows, busy: HashSet::new(), damaged }), done: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// How many searches it holds, and how many lines could not be read.
    pub fn len(&self) -> (usize, usize) {
        let state = self.state();
        (state.rows.values().map(Vec::len).sum(), state.damaged)
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len().0 == 0
    }

    /// Takes over what somebody else has kept: a search by its key, as the file would have it.
    pub fn remember(&self, key: &str, seen: (Score, u32, u64), line: &str) {
        let (score, depth, nodes) = seen;
        let row = Row { score: score.value(), depth, nodes, line: line.to_owned() };
        add(&mut self.state().rows, key.to_owned(), row);
    }

    /// What is known of the spot (of one move in it) by a search of at least `nodes`.
    pub fn known(&self, spot: &Spot, only: Option<Move>, nodes: u64) -> Option<Seen> {
        answer(&self.state().rows, &key(spot, only), nodes, &spot.position)
    }

    /// What is known of the spot (of one move in it, if `only` is given) by a search of at least `nodes`; else `search` finds it
    /// out, once for all who ask at the same time, and it is on the disk when this returns.
    pub fn look(
        &self,
        spot: &Spot,
        only: Option<Move>,
        nodes: u64,
        search: impl FnOnce() -> Result<Seen, CoachError>,
    ) -> Result<Seen, CoachError> {
        let key = key(spot, only);
        let mut state = self.state();
        loop {
            if let Some(seen) = answer(&state.rows, &key, nodes, &spot.position) {
                return Ok(seen);
            }
            if !state.busy.contains(&key) {
                break;
            }
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.busy.insert(key.clone());
        drop(state);
        let free = Free { journal: self, key: key.clone() };
        let seen = search()?;
        let row = Row::of(&seen, &spot.position);
        let line = written(&key, &row);
        let mut state = self.state();
        if let Some(file) = &mut state.file {
            let kept = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
            kept.map_err(|error| CoachError::File("the journal".into(), error))?;
        }
        add(&mut state.rows, key, row);
        drop(state);
        drop(free);
        Ok(seen)
    }
}

/// What a search is kept under.
pub fn key(spot: &Spot, only: Option<Move>) -> String {
    match only {
        None => spot.name(),
        Some(mv) => format!("{}/{}", spot.name(), spot.position.uci(mv)),
    }
}

/// Lets others go on, whatever became of the search.
struct Free<'a> {
    journal: &'a Journal,
    key: String,
}

impl Drop for Free<'_> {
    fn drop(&mut self) {
        self.journal.state().busy.remove(&self.key);
        self.journal.done.notify_all();
    }
}

impl Row {
    fn of(seen: &Seen, pos: &AnyPosition) -> Row {
        let line = pos.uci_line(&seen.line).join(" ");
        Row { score: seen.score.value(), depth: seen.depth, nodes: seen.nodes, line }
    }

    /// With moves that are legal; none if the line is of another position.
    fn seen(&self, pos: &AnyPosition) -> Option<Seen> {
        let mut at = pos.clone();
        let mut line = Vec::new();
        for word in self.line.split(' ').filter(|word| !word.is_empty()) {
            let mv = at.parse_uci(word).ok()?;
            at.play(mv);
            line.push(mv);
        }
        Some(Seen { score: Score(self.score), depth: self.depth, nodes: self.nodes, line })
    }
}

/// The smallest search that is large enough. A larger one that happens to be there already must not speak for it: what a review
/// says would depend on which of two games came first.
fn answer(rows: &Rows, key: &str, nodes: u64, pos: &AnyPosition) -> Option<Seen> {
    rows.get(key)?.iter().filter(|row| row.nodes >= nodes).find_map(|row| row.seen(pos))
}

fn add(rows: &mut Rows, key: String, row: Row) {
    let rows = rows.entry(key).or_default();
    let at = rows.partition_point(|known| known.nodes < row.nodes);
    match rows.get_mut(at).filter(|known| known.nodes == row.nodes) {
        Some(known) => *known = row,
        None => rows.insert(at, row),
    }
}

fn written(key: &str, row: &Row) -> String {
    let Row { score, depth, nodes, line } = row;
    let text = format!("{key}\t{nodes}\t{depth}\t{score}\t{line}");
    format!("{text}\t{:08x}\n", crc32fast::hash(text.as_bytes()))
}

fn read(line: &str) -> Option<(String, Row)> {
    let (text, sum) = line.rsplit_once('\t')?;
    if u32::from_str_radix(sum, 16).ok()? != crc32fast::hash(text.as_bytes()) {
        return None;
    }
    let mut fields = text.split('\t');
    let key = fields.next()?.to_owned();
    let nodes = fields.next()?.parse().ok()?;
    let depth = fields.next()?.parse().ok()?;
    let score = fields.next()?.parse().ok()?;
    Some((key, Row { score, depth, nodes, line: fields.next()?.to_owned() }))
}
