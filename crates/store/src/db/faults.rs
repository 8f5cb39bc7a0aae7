//! Every change of a database against every fault of its disk: an error at each call, short reads and writes, and a power
//! cut at each call after which nothing is there that was not forced to the disk. What was committed stays, nothing is
//! silently wrong, the same command completes the job, and nothing is left lying about.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rukh_core::{Chess, Position};

use super::compact::compact_on;
use super::disk::{Disk, DiskFile, Folder};
use super::import::import_on;
use super::manifest::games_file;
use super::parse::hash_bytes;
use super::repair::repair_on;
use super::rows::Row;
use super::scale::build_on;
use super::writing::{New, Writing};
use super::{Database, DbError, ImportOptions};
use rukh_testing::Folder as Files;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Nothing,
    /// Each read and write does at most this many bytes.
    Short(usize),
    /// This call fails, a write after half of its bytes, and the others do not.
    Error(u64),
    /// From this call on all fail.
    Power(u64),
}

/// What a power cut leaves of what was not forced to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Nothing,
    /// New names, removed names and renames, but no content: files of length zero.
    Names,
    Everything,
}

#[derive(Default, Clone)]
struct Inode {
    now: Vec<u8>,
    /// What is on the disk.
    kept: Vec<u8>,
}

#[derive(Clone)]
struct State {
    inodes: Vec<Inode>,
    names: BTreeMap<PathBuf, usize>,
    kept_names: BTreeMap<PathBuf, usize>,
    dirs: Vec<PathBuf>,
    kept_dirs: Vec<PathBuf>,
    locked: bool,
    calls: u64,
    fault: Fault,
}

/// A file system in memory.
#[derive(Clone)]
struct Sim(Arc<Mutex<State>>);

impl Sim {
    fn new() -> Sim {
        Sim::of(State {
            inodes: Vec::new(),
            names: BTreeMap::new(),
            kept_names: BTreeMap::new(),
            dirs: vec!["/".into()],
            kept_dirs: vec!["/".into()],
            locked: false,
            calls: 0,
            fault: Fault::Nothing,
        })
    }

    fn of(state: State) -> Sim {
        Sim(Arc::new(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same disk for another try.
    fn copy(&self, fault: Fault) -> Sim {
        let state = self.state().clone();
        Sim::of(State { calls: 0, fault, locked: false, ..state })
    }

    /// The disk after the power was cut.
    fn after_cut(&self, left: Left) -> Sim {
        let mut state = self.state().clone();
        (state.calls, state.fault, state.locked) = (0, Fault::Nothing, false);
        if left == Left::Nothing {
            state.names = state.kept_names.clone();
            state.dirs = state.kept_dirs.clone();
        }
        if left != Left::Everything {
            state.inodes.iter_mut().for_each(|inode| inode.now = inode.kept.clone());
        }
        state.inodes.iter_mut().for_each(|inode| inode.kept = inode.now.clone());
        (state.kept_names, state.kept_dirs) = (state.names.clone(), state.dirs.clone());
        Sim::of(state)
    }

    /// Counts a call; an error if it is to fail.
    fn call(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        state.calls += 1;
        match state.fault {
            Fault::Error(at) if state.calls == at => Err(io::Error::other("injected")),
            Fault::Power(at) if state.calls >= at => Err(io::Error::other("no power")),
            _ => Ok(state),
        }
    }

    fn folder(&self) -> Folder {
        Folder::on(Arc::new(self.clone()), Path::new("/db"))
    }

    fn list(&self) -> Vec<String> {
        self.state().names.keys().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }
}

struct SimFile {
    sim: Sim,
    inode: usize,
}

impl SimFile {
    fn open(sim: &Sim, inode: usize) -> Box<dyn DiskFile> {
        Box::new(SimFile { sim: sim.clone(), inode })
    }
}

impl Disk for Sim {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let inode = self.call()?.names.get(path).copied().ok_or(io::ErrorKind::NotFound)?;
        Ok(SimFile::open(self, inode))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.call()?;
        if state.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if !state.dirs.iter().any(|dir| Some(dir.as_path()) == path.parent()) {
            return Err(io::ErrorKind::NotFound.into());
        }
        state.inodes.push(Inode::default());
        let inode = state.inodes.len() - 1;
        state.names.insert(path.to_owned(), inode);
        Ok(SimFile::open(self, inode))
    }

    fn scratch(&self, _: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.call()?;
        state.inodes.push(Inode::default());
        Ok(SimFile::open(self, state.inodes.len() - 1))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        let inode = state.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        state.names.insert(to.to_owned(), inode);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.call()?.names.remove(path).map(drop).ok_or(io::ErrorKind::NotFound.into())
    }

    fn names(&self, dir: &Path) -> io::Result<Vec<String>> {
        let state = self.call()?;
        if !state.dirs.iter().any(|known| known == dir) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let here = state.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(here.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect())
    }

    fn make_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        if !state.dirs.iter().any(|known| known == dir) {
            state.dirs.push(dir.to_owned());
            state.kept_dirs.push(dir.to_owned());
        }
        Ok(())
    }

    fn sync_names(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        let outside = |path: &PathBuf| path.parent() != Some(dir);
        let mut kept: BTreeMap<PathBuf, usize> = state.kept_names.clone();
        kept.retain(|path, _| outside(path));
        kept.extend(state.names.iter().filter(|(path, _)| !outside(path)).map(|(p, i)| (p.clone(), *i)));
        state.kept_names = kept;
        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn Send>>> {
        struct Held(Sim);
        impl Drop for Held {
            fn drop(&mut self) {
                self.0.state().locked = false;
            }
        }
        let mut state = self.call()?;
        if !state.names.contains_key(path) {
            state.inodes.push(Inode::default());
            let inode = state.inodes.len() - 1;
            state.names.insert(path.to_owned(), inode);
        }
        if state.locked {
            return Ok(None);
        }
        state.locked = true;
        Ok(Some(Box::new(Held(self.clone()))))
    }
}

impl DiskFile for SimFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.sim.call()?.inodes[self.inode].now.len() as u64)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let state = self.sim.call()?;
        let most = if let Fault::Short(n) = state.fault { n } else { usize::MAX };
        let data = &state.inodes[self.inode].now;
        let rest = data.get(offset as usize..).unwrap_or(&[]);
        let n = rest.len().min(buf.len()).min(most);
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let (failed, most) = match self.sim.call() {
            Ok(state) => (None, if let Fault::Short(n) = state.fault { n } else { usize::MAX }),
            Err(e) => (Some(e), bytes.len() / 2),
        };
        let n = bytes.len().min(most);
        let data = &mut self.sim.state().inodes[self.inode].now;
        let (from, to) = (offset as usize, offset as usize + n);
        if data.len() < to {
            data.resize(to, 0);
        }
        data[from..to].copy_from_slice(&bytes[..n]);
        failed.map_or(Ok(n), Err)
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.sim.call()?;
        let inode = &mut state.inodes[self.inode];
        inode.kept = inode.now.clone();
        Ok(())
    }
}

fn options() -> ImportOptions {
    ImportOptions { memory: 64 << 10, threads: 1, ..ImportOptions::default() }
}

/// Game files on the real disk.
fn games_in(files: &Files, name: &str, games: usize) -> PathBuf {
    let lines = ["1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0", "1. d4 d5 2. c4 e6 1/2-1/2", "1. e4 c5 2. Nf3 0-1"];
    let game = |i: usize| format!("[White \"{name} {i}\"]\n[Date \"2020.01.01\"]\n\n{}\n\n", lines[i % 3]);
    files.put(name, (0..games).map(game).collect::<String>())
}

fn import(files: Vec<PathBuf>) -> impl Fn(&Folder) -> Result<(), DbError> {
    // A commit after each batch.
    let options = ImportOptions { commit_every: 1, ..options() };
    move |folder| import_on(folder, &files, &options, &mut ()).map(drop)
}

/// Games in the database, which must be whole and right from end to end; `None` if there is none.
fn games(sim: &Sim) -> Option<u64> {
    let db = match Database::<Chess>::open_on(&sim.folder()) {
        Ok(db) => db,
        Err(DbError::NotADatabase(_)) => return None,
        Err(e) => panic!("{e}"),
    };
    assert!(db.missing().is_empty(), "{:?}", db.missing());
    // Most faults end in the same few states.
    static SEEN: Mutex<Option<HashSet<u64>>> = Mutex::new(None);
    let state = sim.state().clone();
    let content = state.names.iter().filter(|(path, _)| path.extension().is_some() || path.ends_with("MANIFEST"));
    let content = content.fold(0, |hash, (_, inode)| hash_bytes(hash, &state.inodes[*inode].now));
    if !SEEN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(content) {
        return Some(db.totals().games);
    }
    let v = db.verify(true, |_| ());
    assert!(v.problems.is_empty(), "{:?}", v.problems);
    let found = db.explore(&Position::startpos()).unwrap();
    assert_eq!(found.figures.games, db.totals().games);
    Some(v.games)
}

/// Tries a change with every fault. `allowed` are the numbers of games that may be there when it has failed.
fn every_fault(
    start: &Sim,
    change: &dyn Fn(&Folder) -> Result<(), DbError>,
    allowed: &[Option<u64>],
    done: u64,
) -> u64 {
    let whole = start.copy(Fault::Nothing);
    change(&whole.folder()).unwrap();
    assert_eq!(games(&whole), Some(done));
    let tidy = whole.list().len();
    let check_end = |sim: &Sim, why: &str| {
        change(&sim.folder()).unwrap_or_else(|e| panic!("{why}: the next try: {e}"));
        assert_eq!(games(sim), Some(done), "{why}");
        let left = sim.list();
        // Numbers of segments may differ, their count may not.
        assert_eq!(left.len(), tidy, "{why}: {left:?}");
        assert!(!left.iter().any(|name| name == "JOURNAL" || name == "MANIFEST.new"), "{why}: {left:?}");
    };
    for n in [1, 7, 4096] {
        let short = start.copy(Fault::Short(n));
        change(&short.folder()).unwrap();
        assert_eq!(games(&short), Some(done));
    }
    let mut tried = 0;
    for at in 1.. {
        let mut reached = false;
        for power in [false, true] {
            let fault = if power { Fault::Power(at) } else { Fault::Error(at) };
            let sim = start.copy(fault);
            let result = change(&sim.folder());
            reached |= sim.state().calls >= at;
            tried += 1;
            for left in [Left::Nothing, Left::Names, Left::Everything] {
                let why = format!("{fault:?}, {left:?}, {result:?}");
                let after = sim.after_cut(left);
                match (&result, games(&after)) {
                    // What was reported as done is done.
                    (Ok(()), found) => assert_eq!(found, Some(done), "{why}"),
                    (Err(_), found) => assert!(allowed.contains(&found), "{why}: {found:?} games"),
                }
                check_end(&after, &why);
            }
            if !power {
                // Without a cut, too: the process goes on with the disk as it is.
                let sim = sim.copy(Fault::Nothing);
                check_end(&sim, &format!("{fault:?}, then no fault"));
            }
        }
        if !reached {
            return tried;
        }
    }
    unreachable!("a change makes finitely many calls");
}

#[test]
fn imports() {
    let files = Files::new("imports");
    let (a, b) = (games_in(&files, "a.pgn", 12), games_in(&files, "b.pgn", 9));
    let first = import(vec![a.clone()]);
    let tried = every_fault(&Sim::new(), &first, &[None, Some(0), Some(12)], 12);
    assert!(tried > 40, "{tried}");
    let start = Sim::new();
    first(&start.folder()).unwrap();
    let start = start.after_cut(Left::Nothing);
    every_fault(&start, &import(vec![a, b]), &[Some(12), Some(21)], 21);
}

#[test]
fn compactions() {
    let files = Files::new("compactions");
    let sim = Sim::new();
    for name in ["a.pgn", "b.pgn", "c.pgn"] {
        import(vec![games_in(&files, name, 7)])(&sim.folder()).unwrap();
    }
    let start = sim.after_cut(Left::Nothing);
    assert_eq!(Database::<Chess>::open_on(&start.folder()).unwrap().segments().len(), 3);
    every_fault(&start, &|folder| compact_on(folder, &options(), &mut ()).map(drop), &[Some(21)], 21);
}

#[test]
fn builds_from_rows() {
    let files = Files::new("builds");
    let file = games_in(&files, "a.pgn", 8);
    let sim = Sim::new();
    import(vec![file.clone()])(&sim.folder()).unwrap();
    let mut rows: Vec<Row> = Vec::new();
    let db = Database::<Chess>::open_on(&sim.folder()).unwrap();
    db.each_row(&files.0, |row| {
        rows.push(row);
        Ok::<(), DbError>(())
    })
    .unwrap();
    for segment_bytes in [super::SEGMENT_BYTES, 200] {
        let options = ImportOptions { segment_bytes, ..options() };
        let build = |folder: &Folder| {
            // The same command after a build that was complete is refused; the next change, whatever it is, tidies up.
            if let Ok(db) = Database::<Chess>::open_on(folder)
                && db.totals().games > 0
            {
                return Writing::begin(folder, New::Nothing).map(drop);
            }
            let rows = rows.iter().cloned().map(Ok);
            build_on(folder, std::slice::from_ref(&file), rows, 20, &options, &mut ()).map(drop)
        };
        every_fault(&Sim::new(), &build, &[None, Some(0), Some(8)], 8);
    }
}

#[test]
fn an_old_database_becomes_new() {
    let files = Files::new("old");
    let sim = Sim::new();
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/database-1");
    sim.make_dir(Path::new("/db")).unwrap();
    for entry in std::fs::read_dir(old).unwrap() {
        let entry = entry.unwrap();
        let file = sim.create(&Path::new("/db").join(entry.file_name())).unwrap();
        file.write_at(&std::fs::read(entry.path()).unwrap(), 0).unwrap();
    }
    let start = sim.after_cut(Left::Everything);
    every_fault(&start, &import(vec![games_in(&files, "a.pgn", 6)]), &[Some(50), Some(56)], 56);
    every_fault(&start, &|folder| compact_on(folder, &options(), &mut ()).map(drop), &[Some(50)], 50);
}

#[test]
fn a_lost_manifest_is_made_again() {
    let files = Files::new("lost");
    let sim = Sim::new();
    for name in ["a.pgn", "b.pgn", "c.pgn"] {
        import(vec![games_in(&files, name, 7)])(&sim.folder()).unwrap();
    }
    // So that the numbers are not the order: 1 and 2 become 4, before 3.
    let some = ImportOptions { segment_bytes: 5_000, ..options() };
    compact_on(&sim.folder(), &some, &mut ()).unwrap();
    let codes = |sim: &Sim| {
        let db = Database::<Chess>::open_on(&sim.folder()).unwrap();
        let numbers: Vec<u32> = db.segments().iter().map(|s| s.id).collect();
        let fens: Vec<String> = (0..).map_while(|code| db.position(code).unwrap()).map(|p| p.fen()).collect();
        (numbers, fens)
    };
    let before = codes(&sim);
    assert!(before.0.len() > 1 && before.0[0] > before.0[1], "{:?}", before.0);
    sim.state().names.remove(Path::new("/db/MANIFEST")).unwrap();
    let lost = sim.after_cut(Left::Everything);
    // An import must not take the folder for its own.
    let names = lost.list();
    let refused = import(vec![games_in(&files, "d.pgn", 1)])(&lost.folder()).unwrap_err();
    assert!(matches!(refused, DbError::Lost(_)) && refused.to_string().contains("db repair"), "{refused}");
    assert_eq!(lost.list(), names);
    let repair = |folder: &Folder| match Database::<Chess>::open_on(folder) {
        Ok(_) => Ok(()),
        Err(_) => repair_on(folder).map(drop),
    };
    for at in 1.. {
        let sim = lost.copy(Fault::Power(at));
        let result = repair(&sim.folder());
        let reached = sim.state().calls >= at;
        for left in [Left::Nothing, Left::Names, Left::Everything] {
            let after = sim.after_cut(left);
            repair(&after.folder()).unwrap();
            assert_eq!(codes(&after), before, "{at} {left:?} {result:?}");
            assert_eq!(games(&after), Some(21));
        }
        if !reached {
            break;
        }
    }
}

#[test]
fn nothing_foreign_is_touched() {
    let files = Files::new("foreign");
    let a = games_in(&files, "a.pgn", 5);
    for name in ["own.games", "w.positions", "tmp-n", "000001.gamesx", "MANIFEST.new", "JOURNAL", "LOCK"] {
        let sim = Sim::new();
        sim.make_dir(Path::new("/db")).unwrap();
        sim.create(&Path::new("/db").join(name)).unwrap().write_at(b"mine", 0).unwrap();
        let refused = import(vec![a.clone()])(&sim.folder()).unwrap_err();
        assert!(matches!(refused, DbError::NotEmpty { .. }), "{name}: {refused}");
        assert!(refused.to_string().contains(name));
        assert_eq!(sim.list(), [name]);
    }
    // In a database strangers are left alone as well.
    let sim = Sim::new();
    import(vec![a.clone()])(&sim.folder()).unwrap();
    let strangers = ["tmp-run-0", "000002.games", "000002.positions", "w.positions", "notes"];
    for name in strangers {
        sim.create(&Path::new("/db").join(name)).unwrap().write_at(b"mine", 0).unwrap();
    }
    import(vec![a, games_in(&files, "b.pgn", 4)])(&sim.folder()).unwrap();
    compact_on(&sim.folder(), &options(), &mut ()).unwrap();
    assert_eq!(games(&sim), Some(9));
    let state = sim.state();
    let content: HashMap<&str, &[u8]> = strangers
        .iter()
        .map(|name| (*name, &state.inodes[state.names[&Path::new("/db").join(name)]].now[..]))
        .collect();
    assert!(content.values().all(|bytes| *bytes == b"mine"), "{content:?}");
    drop(state);
    // What is made anew is made by this change.
    let mut writing = Writing::begin(&sim.folder(), New::Nothing).unwrap();
    let (id, ..) = writing.segment().unwrap();
    assert!(matches!(writing.again("notes"), Err(DbError::NotOurs(_))));
    assert!(writing.again(&games_file(id)).is_ok());
}

/// It was removed: the journal named it when it was there already.
#[test]
fn a_foreign_file_where_the_next_manifest_would_be_is_left_alone() {
    let files = Files::new("fresh");
    let sim = Sim::new();
    import(vec![games_in(&files, "a.pgn", 5)])(&sim.folder()).unwrap();
    let fresh = Path::new("/db").join("MANIFEST.new");
    sim.create(&fresh).unwrap().write_at(b"mine", 0).unwrap();
    let refused = import(vec![games_in(&files, "b.pgn", 4)])(&sim.folder()).unwrap_err();
    assert!(matches!(&refused, DbError::NotOurs(path) if *path == fresh), "{refused}");
    assert!(matches!(compact_on(&sim.folder(), &options(), &mut ()), Err(DbError::NotOurs(_))));
    let mut mine = [0; 4];
    sim.open(&fresh).unwrap().read_at(&mut mine, 0).unwrap();
    assert_eq!((&mine, games(&sim)), (b"mine", Some(5)));
    sim.remove(&fresh).unwrap();
    import(vec![games_in(&files, "b.pgn", 4)])(&sim.folder()).unwrap();
    assert_eq!(games(&sim), Some(9));
}

#[test]
fn a_lock_that_was_removed_does_not_lose_anything() {
    let files = Files::new("unlocked");
    let sim = Sim::new();
    import(vec![games_in(&files, "a.pgn", 5)])(&sim.folder()).unwrap();
    let folder = sim.folder();
    let mut first = Writing::begin(&folder, New::Nothing).unwrap();
    assert!(matches!(import(vec![games_in(&files, "b.pgn", 4)])(&folder).unwrap_err(), DbError::Locked(_)));
    // Somebody removes LOCK, and another process gets one of its own.
    sim.state().locked = false;
    import(vec![games_in(&files, "b.pgn", 4)])(&folder).unwrap();
    first.manifest.sources.clear();
    assert!(matches!(first.commit().unwrap_err(), DbError::Changed(_)));
    drop(first);
    assert_eq!(games(&sim), Some(9));
}
