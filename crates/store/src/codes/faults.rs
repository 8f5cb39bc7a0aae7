//! Records against every fault of their disk: a number that was told gives its position for ever, and no other gets it.

use std::collections::HashMap;
use std::path::Path;

use rukh_code::{CodeError, Codec, without_clocks};
use rukh_core::{Chess, Position};

use super::records::{RecordError, Records};
use crate::disk::Disk;
use crate::disk::sim::{Fault, LEFT, Left, Sim};

const PATH: &str = "/data/positions.chess";

/// Different positions that have no direct code.
fn wild(count: usize) -> Vec<Position<Chess>> {
    let mut rng = rukh_core::rng::Rng::plain(9);
    let (mut found, mut pos) = (Vec::<Position<Chess>>::new(), Position::<Chess>::startpos());
    while found.len() < count {
        let moves = pos.legal_moves();
        pos = if moves.is_empty() || pos.fullmove() > 60 {
            Position::startpos()
        } else {
            pos.after(moves[rng.below(moves.len())])
        };
        let bare = without_clocks(&pos).unwrap();
        if Codec::chess().encode(&pos) == Err(CodeError::DoesNotFit) && !found.contains(&bare) {
            found.push(bare);
        }
    }
    found
}

fn open(sim: &Sim) -> Result<Records<'static, Chess>, RecordError> {
    Records::open_on(sim, Path::new(PATH), Codec::chess())
}

/// The numbers that were told, with the positions they were told for.
type Told = HashMap<u64, Position<Chess>>;

fn tell(told: &mut Told, number: u64, pos: &Position<Chess>, why: &str) {
    let other = told.insert(number, *pos);
    assert!(other.is_none_or(|other| other == *pos), "{why}: {number} is two positions");
}

/// What was told is so, and all positions get numbers.
fn check(sim: &Sim, mut told: Told, positions: &[Position<Chess>], why: &str) {
    let records = open(sim).unwrap_or_else(|e| panic!("{why}: {e}"));
    for (&number, pos) in &told {
        assert_eq!(records.get(number).unwrap().as_ref(), Some(pos), "{why}: {number}");
        assert_eq!(records.find(pos).unwrap(), Some(number), "{why}");
    }
    for (pos, number) in positions.iter().zip(records.add_all(positions).unwrap()) {
        tell(&mut told, number, pos, why);
        assert_eq!(records.get(number).unwrap().as_ref(), Some(pos), "{why}");
    }
    assert_eq!(told.len(), positions.len(), "{why}");
}

/// A session of a program, as far as it gets.
fn session(sim: &Sim, positions: &[Position<Chess>], told: &mut Told) -> Result<(), RecordError> {
    let records = open(sim)?;
    let half = positions.len() / 2;
    for pos in &positions[..half] {
        tell(told, records.add(pos)?, pos, "a session");
    }
    for (pos, number) in positions[half..].iter().zip(records.add_all(&positions[half..])?) {
        tell(told, number, pos, "a session");
    }
    Ok(())
}

/// `start` may hold records already.
fn every_fault(start: &Sim, before: &Told, positions: &[Position<Chess>]) {
    for most in [1, 7] {
        let short = start.copy(Fault::Short(most));
        let mut told = before.clone();
        session(&short, positions, &mut told).unwrap();
        check(&short, told, positions, "short reads and writes");
    }
    for at in 1.. {
        let mut reached = false;
        for fault in [Fault::Error(at), Fault::Power(at)] {
            let (sim, mut told) = (start.copy(fault), before.clone());
            let done = session(&sim, positions, &mut told);
            assert!(done.is_ok() || sim.calls() >= at, "{done:?}");
            reached |= sim.calls() >= at;
            for left in LEFT {
                check(&sim.after_cut(left), told.clone(), positions, &format!("{fault:?}, {left:?}, {done:?}"));
            }
            // Another program: what it finds and is told counts too, when the power goes later.
            let (sim, mut after) = (sim.copy(Fault::Nothing), told.clone());
            let other = open(&sim).unwrap();
            for pos in positions {
                if let Some(number) = other.find(pos).unwrap() {
                    tell(&mut after, number, pos, "another program");
                }
            }
            drop(other);
            for left in LEFT {
                check(&sim.after_cut(left), after.clone(), positions, &format!("{fault:?}, then {left:?}"));
            }
            // The same, and it goes on.
            session(&sim, positions, &mut after).unwrap();
            check(&sim.after_cut(Left::Nothing), after, positions, &format!("{fault:?}, gone on"));
        }
        if !reached {
            break;
        }
    }
}

#[test]
fn numbers_survive_every_fault() {
    let positions = wild(8);
    let sim = Sim::new();
    every_fault(&sim, &Told::new(), &positions);
    let mut told = Told::new();
    session(&sim, &positions[..4], &mut told).unwrap();
    every_fault(&sim.after_cut(Left::Nothing), &told, &positions);
}

/// The program goes on after an error, with the file as it has it in memory.
#[test]
fn a_program_goes_on_after_a_fault() {
    let positions = wild(5);
    let start = Sim::new();
    session(&start, &positions[..2], &mut Told::new()).unwrap();
    for at in 1..12 {
        let sim = start.copy(Fault::Nothing);
        let records = open(&sim).unwrap();
        sim.set_fault(Fault::Error(at));
        let mut told = Told::new();
        for pos in positions.iter().chain(&positions) {
            if let Ok(number) = records.add(pos) {
                tell(&mut told, number, pos, "the same program");
            }
        }
        assert_eq!(told.len(), positions.len());
        check(&sim.after_cut(Left::Nothing), told, &positions, &format!("call {at}"));
    }
}

/// What another program is just writing is looked at again; the number of a damaged record is not given again.
#[test]
fn the_last_record_may_be_unfinished_or_damaged() {
    let positions = wild(3);
    let sim = Sim::new();
    let reader = open(&sim).unwrap();
    assert_eq!(reader.find(&positions[0]).unwrap(), None);
    let whole = sim.copy(Fault::Nothing);
    open(&whole).unwrap().add(&positions[0]).unwrap();
    let bytes = whole.bytes(Path::new(PATH)).unwrap();
    let file = sim.edit(Path::new(PATH)).unwrap();
    file.set_len(bytes.len() as u64).unwrap();
    assert_eq!(reader.find(&positions[0]).unwrap(), None);
    file.write_all_at(&bytes, 0).unwrap();
    assert_eq!(reader.find(&positions[0]).unwrap(), Some(0));
    file.write_all_at(&[!bytes[40]], 40).unwrap();
    let other = open(&sim).unwrap();
    assert_eq!(other.add(&positions[1]).unwrap(), 1);
    assert_eq!(open(&sim).unwrap().find(&positions[1]).unwrap(), Some(1), "behind a damaged one");
}
