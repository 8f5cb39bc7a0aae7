//! Every change of a database against every fault of its disk: an error at each call, short reads and writes, and a power
//! cut at each call after which nothing is there that was not forced to the disk. What was committed stays, nothing is
//! silently wrong, the same command completes the job, and nothing is left lying about.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rukh_core::{Chess, Position};

use super::compact::compact_on;
use super::disk::Folder;
use super::import::import_on;
use super::manifest::games_file;
use super::parse::hash_bytes;
use super::repair::repair_on;
use super::rows::Row;
use super::scale::build_on;
use super::writing::{New, Writing};
use super::{Database, DbError, ImportOptions};
use crate::disk::Disk;
use crate::disk::sim::{Fault, LEFT, Left, Sim};
use rukh_testing::Folder as Files;

impl Sim {
    fn folder(&self) -> Folder {
        Folder::on(Arc::new(self.clone()), Path::new("/db"))
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
    let names = sim.list().into_iter().filter(|name| name.contains('.') || name == "MANIFEST");
    let content = names.fold(0, |hash, name| hash_bytes(hash, &sim.bytes(&Path::new("/db").join(name)).unwrap()));
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
            reached |= sim.calls() >= at;
            tried += 1;
            for left in LEFT {
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
    sim.remove(Path::new("/db/MANIFEST")).unwrap();
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
        let reached = sim.calls() >= at;
        for left in LEFT {
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
    for name in strangers {
        assert_eq!(sim.bytes(&Path::new("/db").join(name)).unwrap(), b"mine", "{name}");
    }
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
    sim.remove(Path::new("/db/LOCK")).unwrap();
    import(vec![games_in(&files, "b.pgn", 4)])(&folder).unwrap();
    first.manifest.sources.clear();
    assert!(matches!(first.commit().unwrap_err(), DbError::Changed(_)));
    drop(first);
    assert_eq!(games(&sim), Some(9));
}
