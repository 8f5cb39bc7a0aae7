//! The table by itself: values, numbers, pruning, neighbours.

use super::*;
use rukh_core::{Chess, Makruk};

pub(super) struct TempFile(pub(super) PathBuf);

impl TempFile {
    pub(super) fn new(name: &str) -> TempFile {
        let path = std::env::temp_dir().join(format!("rukh-learn-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        TempFile(path)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

pub(super) fn exact(depth: i16, score: i32) -> Learned {
    Learned { depth, score, bound: Bound::Exact, best: 7, visits: 1 }
}

pub(super) fn walk(n: usize) -> Vec<Position<Chess>> {
    let mut pos = Position::<Chess>::startpos();
    let mut rng = rukh_core::rng::Rng::plain(5);
    let mut out = vec![pos];
    while out.len() < n {
        let moves = pos.legal_moves();
        pos = if moves.is_empty() || pos.ply() > 120 {
            Position::startpos()
        } else {
            pos.after(moves[rng.below(moves.len())])
        };
        out.push(pos);
    }
    out
}

#[test]
fn deeper_results_replace_shallower_ones() {
    let file = TempFile::new("merge");
    let store = LearnStore::<Chess>::open(&file.0, 100).unwrap();
    let pos = Position::startpos();
    assert_eq!(store.get(&pos).unwrap(), None);
    store.record(&[(pos, exact(10, 30))]).unwrap();
    store.record(&[(pos, exact(8, 99))]).unwrap();
    assert_eq!(store.get(&pos).unwrap(), Some(Learned { visits: 2, ..exact(10, 30) }));
    store.record(&[(pos, exact(12, -5)), (pos, Learned::default())]).unwrap();
    assert_eq!(store.get(&pos).unwrap(), Some(Learned { visits: 4, ..exact(12, -5) }));
    let bound = Learned { bound: Bound::Lower, ..exact(12, 50) };
    store.record(&[(pos, bound)]).unwrap();
    assert_eq!(store.get(&pos).unwrap().unwrap().score, -5);
}

#[test]
fn numbers_lead_back_and_are_never_used_again() {
    let file = TempFile::new("numbers");
    let positions = walk(300);
    let mut given = Vec::new();
    {
        let store = LearnStore::<Chess>::open(&file.0, 1000).unwrap();
        for pos in &positions {
            store.record(&[(*pos, exact(3, 0))]).unwrap();
            given.push(store.number(pos).unwrap().unwrap());
        }
        store.prune(50).unwrap();
        assert_eq!(store.stats().unwrap().positions, 50);
    }
    let store = LearnStore::<Chess>::open(&file.0, 1000).unwrap();
    let mut left = 0;
    for (pos, &number) in positions.iter().zip(&given) {
        if let Some(back) = store.position(number).unwrap() {
            assert_eq!(back.key(), pos.key());
            left += 1;
        }
    }
    assert!(left >= 50);
    let most = given.iter().max().unwrap();
    let fresh = Position::from_fen("8/8/8/4k3/8/8/8/KQ6 w - - 0 1").unwrap();
    store.record(&[(fresh, exact(1, 900))]).unwrap();
    assert!(store.number(&fresh).unwrap().unwrap() > *most);
}

#[test]
fn a_full_table_keeps_what_is_worth_most() {
    let file = TempFile::new("full");
    let store = LearnStore::<Chess>::open(&file.0, 200).unwrap();
    let positions = walk(1000);
    store.record(&[(positions[0], exact(40, 20))]).unwrap();
    for chunk in positions[1..].chunks(50) {
        let news: Vec<_> = chunk.iter().map(|p| (*p, exact(1, 0))).collect();
        store.record(&news).unwrap();
        assert!(store.stats().unwrap().positions <= 200);
    }
    assert_eq!(store.get(&positions[0]).unwrap().unwrap().depth, 40);
}

#[test]
fn the_neighbourhood_of_a_root() {
    let file = TempFile::new("near");
    let store = LearnStore::<Chess>::open(&file.0, 1000).unwrap();
    let line = &walk(12)[..];
    // Every second position, as when only one side's moves are recorded.
    let news: Vec<_> = line.iter().step_by(2).map(|p| (*p, exact(9, 1))).collect();
    store.record(&news).unwrap();
    let near = store.near(&line[0], 4, Duration::MAX).unwrap();
    assert!(near.len() >= 2, "{}", near.len());
    assert_eq!(near[0].0.key(), line[0].key());
}

#[test]
fn another_variant_and_rubbish_are_refused() {
    let file = TempFile::new("variant");
    drop(LearnStore::<Chess>::open(&file.0, 10).unwrap());
    assert!(matches!(LearnStore::<Makruk>::open(&file.0, 10), Err(LearnError::Variant(_))));
    std::fs::write(&file.0, b"this is not a table at all, but it is long enough to look").unwrap();
    assert!(matches!(LearnStore::<Chess>::open(&file.0, 10), Err(LearnError::Foreign(_))));
    let file = TempFile::new("makruk");
    let store = LearnStore::<Makruk>::open(&file.0, 10).unwrap();
    let pos = Position::<Makruk>::startpos();
    store.record(&[(pos, exact(5, 5))]).unwrap();
    assert_eq!(store.position(store.number(&pos).unwrap().unwrap()).unwrap().unwrap().key(), pos.key());
}

/// A new table in memory.
fn empty<R: Coded>(capacity: u64) -> LearnStore<R> {
    LearnStore::from_bytes(Vec::new(), capacity).unwrap()
}

/// Different positions.
fn distinct(n: usize) -> Vec<Position<Chess>> {
    let mut seen = HashSet::new();
    let list: Vec<_> = walk(4 * n + 40).into_iter().filter(|pos| seen.insert(pos.key())).take(n).collect();
    assert_eq!(list.len(), n);
    list
}

fn after(moves: &str) -> Position<Chess> {
    moves.split_whitespace().fold(Position::startpos(), |pos, san| pos.after(pos.parse_san(san).unwrap()))
}

fn known(store: &LearnStore<Chess>, positions: &[Position<Chess>]) -> Vec<usize> {
    (0..positions.len()).filter(|&i| store.get(&positions[i]).unwrap().is_some()).collect()
}

#[test]
fn totals_by_the_number() {
    let store = empty(100);
    assert_eq!(store.stats().unwrap(), LearnStats::default());
    let positions = distinct(4);
    let seen = Learned { depth: 50, visits: 5, ..Learned::default() };
    let upper = Learned { bound: Bound::Upper, visits: 0, ..exact(-3, 9) };
    store.record(&[(positions[0], seen), (positions[1], upper)]).unwrap();
    store.record(&[(positions[2], exact(7, 1)), (positions[3], exact(11, 2)), (positions[3], exact(4, 4))]).unwrap();
    let expected =
        LearnStats { positions: 4, numbers: 4, scored: 3, deepest: 11, depth_sum: 18, visits: 5 + 1 + 1 + 2 };
    assert_eq!(store.stats().unwrap(), expected);
    for (number, pos) in positions.iter().enumerate() {
        assert_eq!(store.number(pos).unwrap(), Some(number as u64), "numbers follow each other");
    }
    assert_eq!(store.position(4).unwrap(), None);
}

#[test]
fn pruning_takes_the_least_worth_and_as_many_as_asked() {
    let store = empty(100);
    let positions = distinct(10);
    // The deepest in the middle: order of arrival must not matter.
    let depths = [3, 9, 1, 8, 0, 7, 2, 6, 4, 5];
    let news: Vec<_> = positions.iter().zip(depths).map(|(pos, depth)| (*pos, exact(depth, 0))).collect();
    store.record(&news).unwrap();
    assert_eq!((store.prune(10).unwrap(), store.prune(99).unwrap()), (0, 0));
    assert_eq!(store.prune(4).unwrap(), 6);
    assert_eq!(known(&store, &positions), [1, 3, 5, 7], "the four deepest");
    assert_eq!(
        (store.position(0).unwrap(), store.position(1).unwrap().map(|p| p.key())),
        (None, Some(positions[1].key()))
    );
    assert_eq!(store.stats().unwrap().numbers, 10);
    assert_eq!((store.prune(0).unwrap(), store.stats().unwrap().positions), (4, 0));
}

#[test]
fn of_equals_the_latest_stays() {
    let store = empty(100);
    let positions = distinct(9);
    positions.iter().for_each(|pos| store.record(&[(*pos, exact(5, 0))]).unwrap());
    // Seen again: as new as can be, and visited twice.
    store.record(&[(positions[2], Learned::default())]).unwrap();
    store.prune(2).unwrap();
    assert_eq!(known(&store, &positions), [2, 8]);
}

#[test]
fn a_table_holds_its_capacity_and_then_drops_a_tenth() {
    let positions = distinct(21);
    let store = empty(20);
    for (n, pos) in positions[..20].iter().enumerate() {
        store.record(&[(*pos, exact(1, 0))]).unwrap();
        assert_eq!(store.stats().unwrap().positions, n as u64 + 1);
    }
    store.record(&[(positions[20], exact(1, 0))]).unwrap();
    assert_eq!(store.stats().unwrap().positions, 18);
    // Even a table for nothing holds one.
    let store = empty(0);
    store.record(&[(positions[0], exact(1, 0)), (positions[1], exact(9, 0))]).unwrap();
    assert_eq!(known(&store, &positions[..2]), [1]);
}

#[test]
fn neighbours_come_deepest_first_and_through_single_unknown_positions() {
    let store = empty(100);
    let lines = ["", "d4", "e4", "e4 e5", "Nf3 Nf6", "a3 a6 h3 h6"];
    let depths = [5, 12, 9, 20, 30, 40];
    let found = |limit, time| -> Vec<i16> {
        let near = store.near(&after(""), limit, time).unwrap();
        near.iter().for_each(|(pos, learned)| {
            let line = depths.iter().position(|&depth| depth == learned.depth).unwrap();
            assert_eq!(pos.key(), after(lines[line]).key());
        });
        near.iter().map(|(_, learned)| learned.depth).collect()
    };
    assert!(found(10, Duration::MAX).is_empty());
    // The root unknown: known replies, but not what lies behind two unknown positions.
    let news: Vec<_> = lines.iter().zip(depths).map(|(line, depth)| (after(line), exact(depth, 0))).collect();
    store.record(&news[1..]).unwrap();
    assert_eq!(found(10, Duration::MAX), [12, 9, 20]);
    store.record(&news[..1]).unwrap();
    assert_eq!(found(10, Duration::MAX), [5, 12, 9, 20, 30]);
    assert_eq!(found(2, Duration::MAX), [5, 12]);
    assert_eq!(found(10, Duration::ZERO), [5], "no time: the root alone");
}

#[test]
fn two_positions_with_one_key_are_not_confused() {
    // What a Met was before is not in the key.
    let [first, second] = ["8/3k4/6M~1/2K1S3/8/8/8/8 b - - 0 1", "8/3k4/6M1/2K1S3/8/8/8/8 b - - 0 1"]
        .map(|fen| Position::<Makruk>::from_fen(fen).unwrap());
    assert_eq!(first.key(), second.key());
    let store = empty::<Makruk>(10);
    store.record(&[(first, exact(3, 3)), (second, exact(9, 9))]).unwrap();
    assert_eq!(store.get(&first).unwrap(), Some(exact(3, 3)));
    assert_eq!((store.get(&second).unwrap(), store.number(&second).unwrap()), (None, None));
    assert!(store.near(&second, 5, Duration::MAX).unwrap().is_empty());
    assert_eq!(
        store.stats().unwrap(),
        LearnStats { positions: 1, numbers: 1, scored: 1, deepest: 3, depth_sum: 3, visits: 1 }
    );
}

#[test]
fn room_is_given_back() {
    let file = TempFile::new("compact");
    let mut store = LearnStore::<Chess>::open(&file.0, 10_000).unwrap();
    let news: Vec<_> = distinct(5_000).into_iter().map(|pos| (pos, exact(1, 1))).collect();
    store.record(&news).unwrap();
    store.prune(10).unwrap();
    let before = std::fs::metadata(&file.0).unwrap().len();
    store.compact().unwrap();
    assert!(std::fs::metadata(&file.0).unwrap().len() < before / 2);
    assert_eq!(store.stats().unwrap().positions, 10);
    drop(store);
    assert_eq!(LearnStore::<Chess>::open(&file.0, 10).unwrap().stats().unwrap().positions, 10);
}
