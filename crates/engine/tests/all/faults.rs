//! What breaks inside a search stays in that search: tables, listeners or memories that panic cost one answer its depth, and
//! the engine, its threads and other engines go on.

use rukh_core::{Chess, Move, Position};
use rukh_engine::{Engine, EngineError, GoResult, Limits, Memo, Memory, Options, RankedMove, TableResult, Tablebases};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc;
use std::time::Duration;

const ENDING: &str = "8/8/8/3k4/8/3K4/4P3/4R3 w - - 0 1";
const PATIENCE: Duration = Duration::from_secs(120);

/// Tables with a fault that shows itself at the `at`-th probe.
struct Faulty {
    at: u32,
    seen: AtomicU32,
    at_root: bool,
}

impl Faulty {
    fn new(at: u32) -> Arc<Faulty> {
        Arc::new(Faulty { at, seen: AtomicU32::new(0), at_root: false })
    }
}

impl Tablebases<Chess> for Faulty {
    fn max_pieces(&self) -> u32 {
        6
    }
    fn probe(&self, _: &Position<Chess>) -> Option<TableResult> {
        assert!(self.seen.fetch_add(1, SeqCst) < self.at, "a fault in the tables");
        None
    }
    fn rank_root(&self, _: &Position<Chess>, _: &[Move], _: &mut Vec<RankedMove>) -> bool {
        assert!(!self.at_root, "a fault at the root");
        false
    }
}

fn engine(threads: &str) -> Engine {
    let engine = Engine::new(Options::default()).unwrap();
    engine.set_option("Threads", threads).unwrap();
    engine.set_position(ENDING).unwrap();
    engine
}

/// The answer to `go` and the last line reported.
fn go(engine: &Engine, limits: Limits) -> (GoResult, Option<String>) {
    let mut last = None;
    let answer = engine.go(limits, |info| last = info.pv.uci().next().map(|mv| mv.to_string()));
    (answer, last)
}

fn legal(mv: Option<&str>) -> bool {
    mv.is_some_and(|mv| Position::<Chess>::from_fen(ENDING).unwrap().parse_uci(mv).is_ok())
}

#[test]
fn a_search_that_panics_still_answers_and_the_next_one_is_sound() {
    for threads in ["1", "4"] {
        let (broken, other) = (engine(threads), engine("1"));
        let expected = other.go(Limits::nodes(20_000), |_| {});
        for at in [0, 1, 50, 3_000] {
            broken.set_chess_tables(Some(Faulty::new(at))).unwrap();
            let (answer, told) = go(&broken, Limits::nodes(2_000_000));
            assert!(answer.error.as_ref().is_some_and(|e| e.contains("a fault in the tables")), "{answer:?}");
            assert!(legal(answer.best_move.as_deref()), "{answer:?}");
            assert_eq!(answer.best_move, told, "{answer:?}");
            assert!(matches!(answer.sound(), Err(EngineError::Broken(_))));
            // The same engine, with tables that hold again.
            broken.set_chess_tables(None).unwrap();
            let (answer, told) = go(&broken, Limits::depth(6));
            assert!(answer.error.is_none() && answer.best_move == told, "{answer:?}");
            // Several threads vote, and a shallower one may win.
            assert!(threads != "1" || answer.depth == 6, "{answer:?}");
            broken.set_option("Hash", "8").unwrap();
            broken.new_game();
            broken.set_position(ENDING).unwrap();
        }
        other.new_game();
        other.set_position(ENDING).unwrap();
        assert_eq!(other.go(Limits::nodes(20_000), |_| {}), expected, "another engine noticed");
    }
}

#[test]
fn a_fault_before_the_first_report_still_leads_to_a_move_and_a_report() {
    let engine = engine("2");
    let tables = Faulty { at: 0, seen: AtomicU32::new(0), at_root: true };
    engine.set_chess_tables(Some(Arc::new(tables))).unwrap();
    let only = Limits { searchmoves: vec![engine.position().parse_uci("e1a1").unwrap()], ..Limits::depth(5) };
    let (answer, told) = go(&engine, only);
    assert!(answer.error.as_ref().is_some_and(|e| e.contains("at the root")), "{answer:?}");
    assert_eq!((answer.best_move.as_deref(), told.as_deref()), (Some("e1a1"), Some("e1a1")));
}

#[test]
fn a_broken_infinite_search_keeps_its_silence_until_stop() {
    for ponder in [false, true] {
        let engine = engine("2");
        engine.set_chess_tables(Some(Faulty::new(20))).unwrap();
        let (send, receive) = mpsc::channel();
        let limits = Limits { infinite: !ponder, ponder, ..Limits::default() };
        let thread = engine.go_async(limits, |_| {}, move |answer| send.send(answer).unwrap()).unwrap();
        assert!(receive.recv_timeout(Duration::from_millis(200)).is_err(), "answered before it was told to");
        engine.stop();
        let answer = receive.recv_timeout(PATIENCE).unwrap();
        assert!(answer.error.is_some() && legal(answer.best_move.as_deref()), "{answer:?}");
        thread.join().unwrap();
    }
}

#[test]
fn a_listener_that_panics_does_no_harm() {
    let engine = engine("2");
    let answer = engine.go(Limits::depth(8), |info| assert!(info.depth < 4, "a fault in the listener"));
    assert!(answer.error.is_some() && legal(answer.best_move.as_deref()), "{answer:?}");
    let answer = engine.go(Limits::depth(8), |_| panic!("not even one line"));
    assert!(answer.error.is_some() && legal(answer.best_move.as_deref()), "{answer:?}");
    // Of two threads a shallower one may win the vote: what counts is an answer without a fault.
    let answer = engine.go(Limits::depth(8), |_| {}).sound().unwrap();
    assert!(answer.depth >= 1 && legal(answer.best_move.as_deref()), "{answer:?}");
}

/// A memory with a fault when it is asked, or when it is told.
struct Forgetful(bool);

impl Memory<Chess> for Forgetful {
    fn recall(&self, _: &Position<Chess>, _: usize, _: Duration) -> Vec<(Position<Chess>, Memo)> {
        assert!(!self.0, "a fault in recalling");
        Vec::new()
    }
    fn record(&self, _: Vec<(Position<Chess>, Memo)>) {
        panic!("a fault in recording");
    }
}

#[test]
fn a_memory_that_panics_does_no_harm() {
    for first in [true, false] {
        let engine = engine("1");
        engine.set_chess_memory(Some(Arc::new(Forgetful(first))));
        engine.set_option("Learn", "true").unwrap();
        let (answer, told) = go(&engine, Limits::depth(6));
        assert!(answer.error.is_some() && answer.best_move == told, "{answer:?}");
        assert!(legal(answer.best_move.as_deref()), "{answer:?}");
        engine.set_chess_memory(None);
        assert!(engine.go(Limits::depth(6), |_| {}).error.is_none());
    }
}
