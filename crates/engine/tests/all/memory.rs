//! An engine with a memory: what it records, and what knowing a position is worth.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rukh_core::{Chess, Makruk, Position};
use rukh_engine::{Bound, Engine, Limits, Memo, Memory, Options};

/// A memory that lives as long as the test.
#[derive(Default)]
struct Map(Mutex<HashMap<u64, (Position<Chess>, Memo)>>);

impl Memory<Chess> for Map {
    fn recall(&self, _: &Position<Chess>, most: usize, _: Duration) -> Vec<(Position<Chess>, Memo)> {
        let mut all: Vec<_> = self.0.lock().unwrap().values().copied().collect();
        all.sort_by_key(|(pos, memo)| (std::cmp::Reverse(memo.depth), pos.key()));
        all.truncate(most);
        all
    }

    fn record(&self, news: Vec<(Position<Chess>, Memo)>) {
        self.0.lock().unwrap().extend(news.into_iter().map(|(pos, memo)| (pos.key(), (pos, memo))));
    }
}

/// Nodes until the depth was reported, best move and score.
fn search(depth: u32, fen: &str, memory: &Arc<Map>, learn: &str) -> (u64, Option<String>, i32) {
    let engine = Engine::new(Options::default()).unwrap();
    engine.set_chess_memory(Some(memory.clone()));
    engine.set_option("Learn", learn).unwrap();
    engine.set_position(fen).unwrap();
    let mut reached = u64::MAX;
    let answer = engine.go(Limits::depth(depth), |info| {
        if info.depth >= depth {
            reached = reached.min(info.nodes);
        }
    });
    (reached, answer.best_move, answer.score.0)
}

#[test]
fn a_known_position_is_taken_up_where_it_was_left() {
    for (fen, depth) in [
        ("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", 15),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 16),
    ] {
        let memory = Arc::new(Map::default());
        let fresh = search(depth, fen, &memory, "true");
        assert_eq!(search(depth, fen, &memory, "false"), fresh, "an empty memory changes nothing");
        assert!(memory.0.lock().unwrap().len() > 30, "one for every thousand nodes");
        let again = search(depth, fen, &memory, "true");
        assert!(again.0 * 10 <= fresh.0, "{} nodes after {}", again.0, fresh.0);
        assert_eq!((&again.1, again.2), (&fresh.1, fresh.2), "the result is the old one");
        // And on from there: a deeper search is not worse off.
        let deeper = search(depth + 1, fen, &memory, "true");
        assert!(deeper.0 > 0);
    }
}

#[test]
fn rows_of_another_engine_are_taken_up() {
    let first = Engine::new(Options::default()).unwrap();
    first.go(Limits::depth(10), |_| {});
    let rows = first.hash_rows(1000).unwrap();
    let second = Engine::new(Options::default()).unwrap();
    assert!(second.load_memory(&rows).unwrap() > 10);
    let mut depths = Vec::new();
    second.go(Limits::depth(10), |info| depths.push(info.depth));
    assert!(depths[0] > 3, "the root is taken up where it was left: {depths:?}");
}

#[test]
fn weak_levels_neither_use_nor_fill_the_memory() {
    let memory = Arc::new(Map::default());
    let engine = Engine::new(Options::default()).unwrap();
    engine.set_chess_memory(Some(memory.clone()));
    for (name, value) in [("Learn", "true"), ("Skill Level", "3")] {
        engine.set_option(name, value).unwrap();
    }
    engine.go(Limits::nodes(20_000), |_| {});
    assert!(memory.0.lock().unwrap().is_empty());
    engine.set_option("Skill Level", "20").unwrap();
    engine.go(Limits::nodes(20_000), |_| {});
    assert!(!memory.0.lock().unwrap().is_empty());
}

#[test]
fn a_known_line_ends_before_a_move_that_leaves_the_king_in_check() {
    let memory = Arc::new(Map::default());
    let root = Position::<Chess>::from_fen("r5k1/8/8/8/8/8/4N3/4K3 b - - 0 1").unwrap();
    let pin = root.parse_uci("a8e8").unwrap();
    let pinned = root.after(pin);
    // A knight's move, but the knight is pinned now: sixteen bits of another position's key, or somebody's file.
    let free = Position::<Chess>::from_fen("6k1/8/8/8/8/8/4N3/4K3 w - - 0 1").unwrap();
    let leap = free.parse_uci("e2c3").unwrap();
    let memo = |best: rukh_core::Move| Memo { depth: 30, score: 300, bound: Bound::Exact, best: best.to_u16() };
    memory.record(vec![(root, memo(pin)), (pinned, memo(leap))]);
    let engine = Engine::new(Options::default()).unwrap();
    engine.set_chess_memory(Some(memory));
    engine.set_option("Learn", "true").unwrap();
    engine.set_position(&root.fen()).unwrap();
    let mut lines = Vec::new();
    engine.go(Limits::depth(2), |info| lines.push(info.pv.moves().to_vec()));
    assert!(lines.iter().any(|line| line.first() == Some(&pin)), "the known move is told: {lines:?}");
    for line in lines {
        line.into_iter().try_fold(root, |pos, mv| pos.is_legal(mv).then(|| pos.after(mv))).expect("a legal line");
    }
}

#[test]
fn a_known_move_that_would_repeat_is_thought_over() {
    let memory = Arc::new(Map::default());
    let start = Position::<Chess>::startpos();
    let back = start.parse_uci("g1f3").unwrap().to_u16();
    memory.record(vec![(start, Memo { depth: 60, score: 30, bound: rukh_engine::Bound::Exact, best: back })]);
    let engine = Engine::new(Options { learn: true, ..Options::default() }).unwrap();
    engine.set_chess_memory(Some(memory));
    assert_eq!(engine.go(Limits::depth(4), |_| {}).depth, 60);
    engine.set_position_moves("startpos", "g1f3 g8f6 f3g1 f6g8".split(' ')).unwrap();
    assert_eq!(engine.go(Limits::depth(4), |_| {}).depth, 4);
}

#[test]
fn nonsense_in_a_memory_does_no_harm() {
    let memory = Arc::new(Map::default());
    let start = Position::<Chess>::startpos();
    let mut news = Vec::new();
    for (i, mv) in start.legal_moves().iter().enumerate() {
        let (score, depth) = ([i32::MIN + 1, 99_999, 0, -32_100][i % 4], [-5, 0, 400, i32::MAX][i % 4]);
        news.push((start.after(*mv), Memo { depth, score, bound: rukh_engine::Bound::Exact, best: 0xffff }));
    }
    news.push((start, Memo { depth: 12, score: 5, bound: rukh_engine::Bound::Exact, best: 0x1234 }));
    memory.record(news);
    let engine = Engine::new(Options { learn: true, ..Options::default() }).unwrap();
    engine.set_chess_memory(Some(memory));
    let answer = engine.go(Limits::depth(6), |_| {});
    assert!(answer.best_move.is_some() && answer.depth == 6);
}

/// Counts the rows it is given.
#[derive(Default)]
struct Counter(Mutex<usize>);

impl Memory<Makruk> for Counter {
    fn recall(&self, _: &Position<Makruk>, _: usize, _: Duration) -> Vec<(Position<Makruk>, Memo)> {
        Vec::new()
    }

    fn record(&self, news: Vec<(Position<Makruk>, Memo)>) {
        *self.0.lock().unwrap() += news.len();
    }
}

#[test]
fn makruk_has_a_memory_of_its_own() {
    let (chess, makruk) = (Arc::new(Map::default()), Arc::new(Counter::default()));
    let engine = Engine::new(Options::default()).unwrap();
    engine.set_chess_memory(Some(chess.clone()));
    engine.set_makruk_memory(Some(makruk.clone()));
    engine.set_option("Learn", "true").unwrap();
    engine.set_option("UCI_Variant", "makruk").unwrap();
    engine.go(Limits::nodes(20_000), |_| {});
    assert!(*makruk.0.lock().unwrap() > 0 && chess.0.lock().unwrap().is_empty());
}

#[test]
fn so_many_rows_of_the_table_and_no_more() {
    let engine = Engine::new(Options::default()).unwrap();
    engine.go(Limits::nodes(20_000), |_| {});
    for most in [1, 5, 20] {
        let rows = engine.hash_rows(most).unwrap();
        assert_eq!(rows.len(), most);
        assert_eq!(rows[0].0.fen(), engine.fen());
        let different: std::collections::HashSet<_> = rows.iter().map(|(pos, _)| pos.key()).collect();
        assert_eq!(different.len(), most, "none twice");
    }
}
