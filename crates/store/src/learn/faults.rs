//! A learned table against every fault of its disk: an error at each call, and a power cut after which nothing is there that was not
//! forced to the disk. The rows are those before an operation or those after it, and what was answered stays.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rukh_core::Chess;

use super::damage_tests::{Rows, rows};
use super::head::{HEAD, Head, Kind};
use super::medium::InMemory;
use super::tests::{ROOMY, exact, walk};
use super::*;
use crate::disk::Disk;
use crate::disk::sim::{Fault, LEFT, Left, Sim};

const PATH: &str = "/table";
const OLD: &[u8] = include_bytes!("../../tests/data/learned-v1.redb");

fn open(sim: &Sim) -> Result<LearnStore<Chess>, LearnError> {
    let disk: Arc<dyn Disk> = Arc::new(sim.clone());
    LearnStore::open_on(&disk, Path::new(PATH), ROOMY)
}

type Operation = fn(&LearnStore<Chess>) -> Result<(), LearnError>;

/// What changes a table. Done twice, each leaves the same rows as done once.
const OPERATIONS: [(&str, Operation); 5] = [
    ("open", |_| Ok(())),
    ("record", |store| {
        let known = |pos| store.get(pos).map(|row| row.is_some());
        let mut news = Vec::new();
        for pos in &walk(75)[60..] {
            if !known(pos)? {
                news.push((*pos, exact(9, -4)));
            }
        }
        store.record(&news)
    }),
    ("number", |store| walk(20).iter().try_for_each(|pos| store.give_number(pos).map(drop))),
    ("prune", |store| store.prune(25).map(drop)),
    ("compact", LearnStore::compact),
];

/// All rows after a fault; a table that can be opened and goes on.
fn after(sim: &Sim, why: &str) -> Rows {
    let content = || sim.bytes(Path::new(PATH));
    if content().is_some_and(|bytes| bytes.len() == HEAD / 2 && bytes[0] != 0) {
        // A new one whose head was being written when the power went: an engine sets it aside and begins another.
        assert!(why.contains("Power") && matches!(open(sim), Err(LearnError::Damaged { .. })), "{why}");
        sim.remove(Path::new(PATH)).unwrap();
    }
    // Most faults end in the same few states.
    static SEEN: Mutex<BTreeMap<Option<Vec<u8>>, Rows>> = Mutex::new(BTreeMap::new());
    let bytes = content();
    if let Some(rows) = SEEN.lock().unwrap().get(&bytes) {
        return rows.clone();
    }
    let store = open(sim);
    let store = store.unwrap_or_else(|e| panic!("{why}: {e}"));
    let rows = rows(&store).unwrap_or_else(|e| panic!("{why}: {e}"));
    SEEN.lock().unwrap().insert(bytes, rows.clone());
    rows
}

fn every_fault(start: &Sim, name: &str, operation: Operation) {
    let before = after(&start.copy(Fault::Nothing), name);
    let whole = start.copy(Fault::Nothing);
    operation(&open(&whole).unwrap()).unwrap();
    let done = after(&whole, name);
    for at in 1.. {
        let mut reached = false;
        for fault in [Fault::Error(at), Fault::Power(at)] {
            let sim = start.copy(fault);
            let result = open(&sim).and_then(|store| operation(&store));
            reached |= sim.calls() >= at;
            let kept = LEFT.map(|left| (sim.after_cut(left), format!("{name}: {fault:?}, {left:?}, {result:?}")));
            let killed = (sim.copy(Fault::Nothing), format!("{name}: {fault:?}, killed, {result:?}"));
            for (sim, why) in kept.into_iter().chain([killed]) {
                let there = after(&sim, &why);
                assert!(there == done || result.is_err() && between(&there, &before, &done), "{why}");
                // The next try, and what it answers stays.
                operation(&open(&sim).unwrap()).unwrap_or_else(|e| panic!("{why}: the next try: {e}"));
                assert!(after(&sim.after_cut(Left::Nothing), &why) == done, "{why}: the next try");
                // What was left beside the table is used or gone, and the table has a head as one that was never packed.
                open(&sim).unwrap().compact().unwrap();
                let head = Head::read(&mut InMemory::new(sim.bytes(Path::new(PATH)).unwrap())).unwrap();
                assert!(
                    sim.list() == ["table"] && matches!(head, Kind::Table(Head { beside: false, .. })),
                    "{why}: {sim:?}"
                );
            }
        }
        if !reached {
            return;
        }
    }
}

/// An operation of many steps may have done some of them: rows that were to change are as before or as after.
fn between(there: &Rows, before: &Rows, done: &Rows) -> bool {
    there == before || there.len() == before.len() && there.iter().all(|row| before.contains(row) || done.contains(row))
}

#[test]
fn tables_survive_every_fault() {
    let new = Sim::new();
    let filled = Sim::new();
    let store = open(&filled).unwrap();
    for chunk in walk(60).chunks(30) {
        store.record(&chunk.iter().map(|pos| (*pos, exact(4, 7))).collect::<Vec<_>>()).unwrap();
    }
    for pos in walk(10) {
        store.give_number(&pos).unwrap();
    }
    drop(store);
    let old = Sim::new();
    old.put(Path::new(PATH), OLD);
    for (start, operations) in [(new, 5), (filled.after_cut(Left::Nothing), 5), (old, 1)] {
        for (name, operation) in &OPERATIONS[..operations] {
            every_fault(&start, name, *operation);
        }
    }
}
