//! What every answer keeps to, over thousands of searches: a legal move wherever there is one, the move that the last report
//! of the first line begins with, and at least one report before it.

use rukh_core::rng::Rng;
use rukh_core::{Chess, Makruk, Position, Rules};
use rukh_engine::{Engine, Limits, Options};
use std::time::Duration;

/// Searches and looks at the answer.
fn check<R: Rules>(engine: &Engine, pos: &Position<R>, limits: Limits) {
    let mut told = None;
    let mut deepest = 0;
    let answer = engine.go(limits.clone(), |info| {
        assert!(info.multipv >= 1 && (info.score.0.abs() <= 32_000), "{} {limits:?}: {info:?}", pos.fen());
        deepest = deepest.max(info.multipv);
        if info.multipv == 1 {
            told = info.pv.uci().next().map(|mv| mv.to_string());
        }
    });
    let case = format!("{} {limits:?} {answer:?} told {told:?}", pos.fen());
    assert_eq!(answer.error, None, "{case}");
    let moves = pos.legal_moves();
    if moves.is_empty() {
        assert_eq!((answer.best_move, told), (None, None), "{case}");
        return;
    }
    let best = answer.best_move.as_deref().unwrap_or_else(|| panic!("no move: {case}"));
    let mv = pos.parse_uci(best).unwrap_or_else(|error| panic!("{error}: {case}"));
    assert!(limits.searchmoves.is_empty() || limits.searchmoves.contains(&mv), "{case}");
    assert_eq!(Some(best), told.as_deref(), "{case}");
    assert!(deepest <= moves.len(), "{case}");
    assert_eq!(engine.best_move().as_deref(), Some(best));
}

/// Random games, a search with random limits in every position, to the very end: past draws that nobody claims.
fn games<R: Rules>(engine: &Engine, fens: &[&str], rounds: usize, seed: u64) {
    let mut random = Rng::plain(seed);
    for round in 0..rounds {
        let mut pos = match fens.get(round % (fens.len() + 1)) {
            Some(fen) => Position::<R>::from_fen(fen).unwrap(),
            None => Position::<R>::startpos(),
        };
        engine.set_position(&pos.fen()).unwrap();
        for _ in 0..60 {
            let moves = pos.legal_moves();
            let mut limits = match random.below(5) {
                0 => Limits::depth(1 + random.below(4) as u32),
                1 => Limits::nodes(1 + random.below(8) as u64),
                2 => Limits { time: [Some(1); 2], ..Limits::default() },
                3 => Limits { mate: Some(1), nodes: Some(500), ..Limits::default() },
                _ => Limits::nodes(1 + random.below(1500) as u64),
            };
            limits.multipv = [0, 0, 1, 2, 5, 300][random.below(6)];
            if random.below(8) == 0 && !moves.is_empty() {
                limits.searchmoves = (0..2).map(|_| moves[random.below(moves.len())]).collect();
            }
            check(engine, &pos, limits);
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            engine.make_move(&mv.to_string()).unwrap();
            pos = pos.after(mv);
        }
    }
}

fn engine(options: &[(&str, &str)]) -> Engine {
    let engine = Engine::new(Options::default()).unwrap();
    for (name, value) in options {
        engine.set_option(name, value).unwrap();
    }
    engine
}

const CHESS: [&str; 6] = [
    "8/8/8/8/8/2k5/8/K7 w - - 0 1",
    "8/8/8/8/8/2k5/7R/K7 w - - 149 120",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "6k1/5ppp/8/8/8/8/r7/1r4K1 w - - 0 1",
    "8/8/8/3k4/8/3K4/8/4NB2 w - - 0 1",
    "8/1P6/8/8/8/2k5/8/K7 w - - 0 1",
];
const MAKRUK: [&str; 5] = [
    "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1",
    "7k/8/8/8/8/8/8/K7 w - - 0 1",
    "8/8/8/8/1R6/8/8/K1k5 b - 32 6 1",
    "8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 127 1",
    "4k3/8/8/6P1/8/8/8/R3K3 w - - 0 1",
];

#[test]
fn chess() {
    games::<Chess>(&engine(&[]), &CHESS, 28, 1);
    games::<Chess>(&engine(&[("Threads", "3")]), &CHESS, 7, 2);
}

#[test]
fn makruk_with_its_tables() {
    let engine = engine(&[("UCI_Variant", "makruk")]);
    // Makes the tables.
    engine.set_position(MAKRUK[0]).unwrap();
    engine.go(Limits::depth(1), |_| {});
    games::<Makruk>(&engine, &MAKRUK, 24, 3);
}

#[test]
fn chess_with_syzygy_tables() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/syzygy");
    if !folder.is_dir() {
        eprintln!("skipped: no Syzygy tables beside the workspace");
        return;
    }
    let engine = engine(&[]);
    let said = engine.configure("SyzygyPath", folder.to_str().unwrap()).unwrap().join("\n");
    assert!(said.starts_with("found 35 tables of results, 35 of distances, up to 4 men"), "{said}");
    assert_eq!(engine.configure("Hash", "8").unwrap().len(), 0, "of what did not change nothing is said");
    games::<Chess>(&engine, &[CHESS[1], CHESS[4], CHESS[5]], 8, 4);
    // With five men the tree asks for what four would be.
    engine.set_position("8/8/4k3/4r3/8/8/4R1P1/4K3 w - - 0 1").unwrap();
    let mut hits = 0;
    engine.go(Limits::depth(6), |info| hits = info.tbhits);
    assert!(hits > 0);
}

#[test]
fn weak_levels_report_the_move_they_play() {
    for elo in ["600", "1400", "2000"] {
        games::<Chess>(&engine(&[("UCI_LimitStrength", "true"), ("UCI_Elo", elo)]), &CHESS, 4, 5);
    }
}

/// The ranking of the root leaves fewer moves than lines were asked for.
#[test]
fn more_lines_than_the_tables_leave_moves() {
    let engine = engine(&[("UCI_Variant", "makruk"), ("MultiPV", "3")]);
    engine.set_position(MAKRUK[0]).unwrap();
    check(&engine, &Position::<Makruk>::from_fen(MAKRUK[0]).unwrap(), Limits::nodes(2000));
}

/// A limit that is reached is no `stop`: who said "infinite" or "ponder" hears nothing before.
#[test]
fn silence_until_told_otherwise_whatever_the_limits() {
    for limits in [Limits::nodes(500), Limits::depth(2), Limits::movetime(1)] {
        for ponder in [false, true] {
            let engine = engine(&[]);
            let (send, receive) = std::sync::mpsc::channel();
            let limits = Limits { infinite: !ponder, ponder, ..limits.clone() };
            engine.go_async(limits.clone(), |_| {}, move |answer| send.send(answer).unwrap()).unwrap();
            assert!(receive.recv_timeout(Duration::from_millis(100)).is_err(), "{limits:?}");
            if ponder {
                engine.ponderhit()
            } else {
                engine.stop()
            }
            assert!(receive.recv_timeout(Duration::from_secs(120)).unwrap().best_move.is_some(), "{limits:?}");
        }
    }
}
