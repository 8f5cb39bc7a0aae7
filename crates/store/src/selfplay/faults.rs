//! A file of games against every fault of its disk: what was synced stays, what follows is whole blocks in their order, and the
//! file can be continued.

use std::io::Cursor;
use std::path::Path;

use rukh_core::{Chess, Position, Variant};

use super::{BlockEncoder, BlockHead, GamesError, GamesReader, GamesWriter, Recipe, SelfPlay, SelfPlayResult, score};
use crate::disk::sim::{Fault, LEFT, Left, Sim};

const RECIPE: Recipe = Recipe { soft_nodes: 1, hard_nodes: 2, network: 3 };
const PATH: &str = "/games";

type Block = (BlockHead, Vec<u8>);

fn blocks(count: u32) -> Vec<Block> {
    let mut rng = rukh_core::rng::Rng::plain(3);
    let game = |plies: usize, rng: &mut rukh_core::rng::Rng| {
        let (mut pos, mut moves) = (Position::<Chess>::startpos(), Vec::new());
        for _ in 0..plies {
            let legal = pos.legal_moves();
            let mv = legal[rng.below(legal.len())];
            moves.push(mv);
            pos = pos.after(mv);
        }
        let scores = vec![score::quantise(20); plies - 8];
        SelfPlay { array: None, opening: 8, moves, scores, verdict: SelfPlayResult::Draw }
    };
    let block = |number| {
        let mut encoder = BlockEncoder::<Chess>::new(Variant::Chess);
        for _ in 0..2 {
            encoder.push(&game(12, &mut rng)).unwrap();
        }
        let (games, plies) = (encoder.games(), encoder.plies());
        let payload = encoder.finish();
        let bytes = payload.len() as u32;
        (BlockHead { variant: Variant::Chess, seed: 5, number, games, plies, bytes }, payload)
    };
    (0..count).map(block).collect()
}

fn open(sim: &Sim) -> Result<(GamesWriter, u32), GamesError> {
    let (writer, there) = GamesWriter::open_on(sim, Path::new(PATH), Variant::Chess, &RECIPE)?;
    Ok((writer, there.get(&5).map_or(0, |heads| heads.len() as u32)))
}

/// Appends what is not there yet and syncs after every other block; `synced` is what must be there from then on.
fn session(sim: &Sim, all: &[Block], synced: &mut usize) -> Result<(), GamesError> {
    let (mut writer, there) = open(sim)?;
    for (at, (head, payload)) in all.iter().enumerate().skip(there as usize) {
        writer.append(head, payload)?;
        if at % 2 == 1 {
            writer.sync()?;
            *synced = at + 1;
        }
    }
    writer.sync()?;
    *synced = all.len();
    Ok(())
}

/// The blocks of a file: the first ones, in their order. Nothing if there is no file, or none with a whole head.
fn found(sim: &Sim, all: &[Block], why: &str) -> usize {
    let Some(bytes) = sim.bytes(Path::new(PATH)) else { return 0 };
    let Ok(mut reader) = GamesReader::new(Cursor::new(bytes)) else { return 0 };
    let mut count = 0;
    while let Some((head, payload)) = reader.read_on().unwrap() {
        assert!((&head, &payload) == (&all[count].0, &all[count].1), "{why}: block {count}");
        count += 1;
    }
    // Half of a head is all that may be missing.
    assert!(reader.losses().places == 0 || count == 0, "{why}: {:?}", reader.complaint());
    count
}

#[test]
fn games_survive_every_fault() {
    let all = blocks(5);
    let some = Sim::new();
    session(&some, &all[..3], &mut 0).unwrap();
    for (start, before) in [(Sim::new(), 0), (some.after_cut(Left::Nothing), 3)] {
        for most in [1, 7] {
            let short = start.copy(Fault::Short(most));
            session(&short, &all, &mut 0).unwrap();
            assert_eq!(found(&short, &all, "short reads and writes"), 5);
        }
        for at in 1.. {
            let mut reached = false;
            for fault in [Fault::Error(at), Fault::Power(at)] {
                let (sim, mut synced) = (start.copy(fault), before);
                let done = session(&sim, &all, &mut synced);
                reached |= sim.calls() >= at;
                assert!(done.is_ok() == (synced == 5), "{fault:?}, {done:?}");
                let kept = LEFT.map(|left| (sim.after_cut(left), format!("{fault:?}, {left:?}, {done:?}")));
                let killed = (sim.copy(Fault::Nothing), format!("{fault:?}, killed, {done:?}"));
                for (sim, why) in kept.into_iter().chain([killed]) {
                    assert!(found(&sim, &all, &why) >= synced, "{why}");
                    // The next run fails, too, and the power goes.
                    for at in 1..20 {
                        let again = sim.copy(Fault::Error(at));
                        let _ = session(&again, &all, &mut 0);
                        let left = again.after_cut(Left::Nothing);
                        assert!(found(&left, &all, &why) >= synced, "{why}, then call {at}");
                    }
                    // The next run completes it.
                    session(&sim, &all, &mut 0).unwrap_or_else(|e| panic!("{why}: {e}"));
                    assert_eq!(found(&sim.after_cut(Left::Nothing), &all, &why), 5, "{why}");
                }
            }
            if !reached {
                break;
            }
        }
    }
}

/// Blocks of a program that was killed before it synced them count, too, when its successor goes on after a failed sync.
#[test]
fn a_program_goes_on_after_a_fault() {
    let all = blocks(2);
    let sim = Sim::new();
    let (mut first, _) = open(&sim).unwrap();
    first.append(&all[0].0, &all[0].1).unwrap();
    let killed = sim.copy(Fault::Nothing);
    let (mut next, there) = open(&killed).unwrap();
    assert_eq!(there, 1);
    next.append(&all[1].0, &all[1].1).unwrap();
    killed.set_fault(Fault::Error(1));
    assert!(next.sync().is_err());
    next.append(&all[1].0, &all[1].1).unwrap();
    next.sync().unwrap();
    assert_eq!(found(&killed.after_cut(Left::Nothing), &all, "after a failed sync"), 2);
}
