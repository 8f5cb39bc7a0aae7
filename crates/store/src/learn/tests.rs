//! The table by itself: values, numbers, pruning, neighbours.

use super::*;
use rukh_core::{Chess, Makruk};
use rukh_testing::NewFile;

/// Room for everything.
pub(super) const ROOMY: u64 = 1 << 30;

pub(super) fn exact(depth: i16, score: i32) -> Learned {
    Learned { depth, score, bound: KnownBound::Exact, best: 7, visits: 1 }
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
    let file = NewFile::new("merge");
    let store = LearnStore::<Chess>::open(&file, ROOMY).unwrap();
    let pos = Position::startpos();
    assert_eq!(store.get(&pos).unwrap(), None);
    store.record(&[(pos, exact(10, 30))]).unwrap();
    store.record(&[(pos, exact(8, 99))]).unwrap();
    assert_eq!(store.get(&pos).unwrap(), Some(Learned { visits: 2, ..exact(10, 30) }));
    store.record(&[(pos, exact(12, -5)), (pos, Learned::default())]).unwrap();
    assert_eq!(store.get(&pos).unwrap(), Some(Learned { visits: 4, ..exact(12, -5) }));
    let bound = Learned { bound: KnownBound::Lower, ..exact(12, 50) };
    store.record(&[(pos, bound)]).unwrap();
    assert_eq!(store.get(&pos).unwrap().unwrap().score, -5);
}

#[test]
fn numbers_are_given_once_and_outlive_their_rows() {
    let file = NewFile::new("numbers");
    let positions = walk(300);
    let (direct, others): (Vec<_>, Vec<_>) = positions.iter().partition(|pos| Name::of(pos).unwrap().is_direct());
    assert!(direct.len() > 20 && others.len() > 20, "{} and {}", direct.len(), others.len());
    let mut given = Vec::new();
    {
        let store = LearnStore::<Chess>::open(&file, ROOMY).unwrap();
        store.record(&positions.iter().map(|pos| (*pos, exact(3, 0))).collect::<Vec<_>>()).unwrap();
        assert_eq!(store.number(others[0]).unwrap(), None, "nobody has asked for one");
        for pos in &others {
            given.push(store.give_number(pos).unwrap().unwrap());
            assert_eq!(
                (store.number(pos).unwrap(), store.give_number(pos).unwrap()),
                (given.last().copied(), given.last().copied())
            );
        }
        assert_eq!(store.give_number(direct[0]).unwrap(), None, "its code is direct");
        store.prune(5).unwrap();
        assert_eq!(store.stats().unwrap().positions, 5);
    }
    let store = LearnStore::<Chess>::open(&file, ROOMY).unwrap();
    for (pos, &number) in others.iter().zip(&given) {
        assert_eq!(store.position(number).unwrap().unwrap().key(), pos.key());
    }
    let fresh = Position::from_fen("qqqqk3/qqqqq3/n6n/8/8/N6N/3QQQQQ/3KQQQQ w - - 0 1").unwrap();
    assert!(store.give_number(&fresh).unwrap().unwrap() > *given.iter().max().unwrap());
    assert_eq!(store.position(1_000_000).unwrap(), None);
    assert_eq!(store.stats().unwrap().positions, 5, "a number is no row");
}

#[test]
fn a_full_table_keeps_what_is_worth_most() {
    let file = NewFile::new("full");
    const LIMIT: u64 = 8_000;
    let store = LearnStore::<Chess>::open(&file, LIMIT).unwrap();
    let positions = distinct(2000);
    store.record(&[(positions[0], exact(40, 20))]).unwrap();
    for chunk in positions[1..].chunks(50) {
        let news: Vec<_> = chunk.iter().map(|p| (*p, exact(1, 0))).collect();
        store.record(&news).unwrap();
        assert!(std::fs::metadata(&file).unwrap().len() <= LIMIT);
    }
    assert_eq!(store.get(&positions[0]).unwrap().unwrap().depth, 40);
    let left = store.stats().unwrap().positions;
    assert!((200..500).contains(&left), "{left}");
    // Even a table without room does not fail.
    let store = empty::<Chess>(0);
    store.record(&[(positions[0], exact(1, 0)), (positions[1], exact(9, 0))]).unwrap();
    assert_eq!(store.stats().unwrap().positions, 0);
}

#[test]
fn the_neighbourhood_of_a_root() {
    let file = NewFile::new("near");
    let store = LearnStore::<Chess>::open(&file, ROOMY).unwrap();
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
    let file = NewFile::new("variant");
    drop(LearnStore::<Chess>::open(&file, 10).unwrap());
    assert!(matches!(LearnStore::<Makruk>::open(&file, 10), Err(LearnError::Variant(_))));
    std::fs::write(&file, b"this is not a table at all, but it is long enough to look").unwrap();
    assert!(matches!(LearnStore::<Chess>::open(&file, 10), Err(LearnError::Foreign(_))));
    let file = NewFile::new("makruk");
    let store = LearnStore::<Makruk>::open(&file, ROOMY).unwrap();
    let pos = Position::<Makruk>::startpos();
    store.record(&[(pos, exact(5, 5))]).unwrap();
    assert_eq!(store.get(&pos).unwrap(), Some(exact(5, 5)));
}

/// A new table in memory.
fn empty<R: Coded>(limit: u64) -> LearnStore<R> {
    LearnStore::from_bytes(Vec::new(), limit).unwrap()
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
    let store = empty(ROOMY);
    assert_eq!(store.stats().unwrap(), LearnStats { bytes: 512, ..LearnStats::default() });
    let positions = distinct(4);
    let seen = Learned { depth: 50, visits: 5, ..Learned::default() };
    let upper = Learned { bound: KnownBound::Upper, visits: 0, ..exact(-3, 9) };
    store.record(&[(positions[0], seen), (positions[1], upper)]).unwrap();
    store.record(&[(positions[2], exact(7, 1)), (positions[3], exact(11, 2)), (positions[3], exact(4, 4))]).unwrap();
    let found = store.stats().unwrap();
    let expected = LearnStats { positions: 4, scored: 3, deepest: 11, depth_sum: 18, visits: 5 + 1 + 1 + 2, ..found };
    assert_eq!((found, found.numbers), (expected, 0));
    assert!((560..640).contains(&found.bytes), "{}", found.bytes);
}

#[test]
fn pruning_takes_the_least_worth_and_as_many_as_asked() {
    let store = empty(ROOMY);
    let positions = distinct(10);
    // The deepest in the middle: order of arrival must not matter.
    let depths = [3, 9, 1, 8, 0, 7, 2, 6, 4, 5];
    let news: Vec<_> = positions.iter().zip(depths).map(|(pos, depth)| (*pos, exact(depth, 0))).collect();
    store.record(&news).unwrap();
    assert_eq!((store.prune(10).unwrap(), store.prune(99).unwrap()), (0, 0));
    assert_eq!(store.prune(4).unwrap(), 6);
    assert_eq!(known(&store, &positions), [1, 3, 5, 7], "the four deepest");
    assert_eq!((store.prune(0).unwrap(), store.stats().unwrap().positions), (4, 0));
}

#[test]
fn of_equals_the_latest_stays() {
    let store = empty(ROOMY);
    let positions = distinct(9);
    positions.iter().for_each(|pos| store.record(&[(*pos, exact(5, 0))]).unwrap());
    // Seen again: as new as can be, and visited twice.
    store.record(&[(positions[2], Learned::default())]).unwrap();
    store.prune(2).unwrap();
    assert_eq!(known(&store, &positions), [2, 8]);
}

#[test]
fn neighbours_come_deepest_first_and_through_single_unknown_positions() {
    let store = empty(ROOMY);
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
    let store = empty::<Makruk>(ROOMY);
    store.record(&[(first, exact(3, 3))]).unwrap();
    assert_eq!(store.get(&second).unwrap(), None);
    assert!(store.near(&second, 5, Duration::MAX).unwrap().is_empty());
    for _ in 0..2 {
        store.record(&[(second, exact(9, 9))]).unwrap();
        assert_eq!(store.get(&first).unwrap(), Some(exact(3, 3)));
        assert_eq!(store.get(&second).unwrap().unwrap().depth, 9);
        store.compact().unwrap();
    }
    assert_eq!(store.stats().unwrap().positions, 2);
}

#[test]
fn room_is_given_back() {
    let file = NewFile::new("compact");
    let store = LearnStore::<Chess>::open(&file, ROOMY).unwrap();
    let news: Vec<_> = distinct(5_000).into_iter().map(|pos| (pos, exact(1, 1))).collect();
    store.record(&news).unwrap();
    store.prune(10).unwrap();
    assert!(std::fs::metadata(&file).unwrap().len() < 1024);
    assert_eq!(store.stats().unwrap().positions, 10);
    drop(store);
    assert_eq!(LearnStore::<Chess>::open(&file, ROOMY).unwrap().stats().unwrap().positions, 10);
}

/// Rows come together from blocks and journal, the later ones count, and none is lost or doubled by packing.
#[test]
fn journal_and_blocks_are_one_table() {
    let file = NewFile::new("both");
    let positions = distinct(3_000);
    let news = |part: &[Position<Chess>], depth| part.iter().map(|pos| (*pos, exact(depth, 1))).collect::<Vec<_>>();
    let store = LearnStore::<Chess>::open(&file, ROOMY).unwrap();
    store.record(&news(&positions[..2000], 5)).unwrap();
    store.compact().unwrap();
    store.record(&news(&positions[1500..], 7)).unwrap();
    let check = |store: &LearnStore<Chess>| {
        for (n, pos) in positions.iter().enumerate() {
            let (depth, visits) = [(5, 1), (7, 2), (7, 1)][usize::from(n >= 1500) + usize::from(n >= 2000)];
            assert_eq!(store.get(pos).unwrap(), Some(Learned { visits, ..exact(depth, 1) }), "{n}");
        }
        let (mut codes, mut places) = (HashSet::new(), Vec::new());
        store
            .each(|variant, code, _| {
                codes.insert(code);
                places.push(place(Chess::codec(variant).decode_any(code).unwrap().key()));
            })
            .unwrap();
        assert_eq!((codes.len(), store.stats().unwrap().positions), (3000, 3000));
        assert!(places.is_sorted());
    };
    check(&store);
    // Closing packs the journal.
    let before = std::fs::metadata(&file).unwrap().len();
    drop(store);
    assert!(std::fs::metadata(&file).unwrap().len() < before);
    check(&LearnStore::open(&file, ROOMY).unwrap());
    assert!(!PathBuf::from(format!("{}.new", file.display())).exists());
}

/// Others read while one writes and packs.
#[test]
fn readers_see_whole_states_while_the_table_is_packed() {
    let store = empty::<Chess>(ROOMY);
    let positions = distinct(400);
    store.record(&positions.iter().map(|pos| (*pos, exact(0, 0))).collect::<Vec<_>>()).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut looks = 0;
            while !done.load(Relaxed) || looks == 0 {
                let mut depths = HashSet::new();
                store.each(|_, _, learned| _ = depths.insert(learned.depth)).unwrap();
                assert_eq!(depths.len(), 1, "a batch was seen in part");
                assert!(store.get(&positions[looks % 400]).unwrap().is_some());
                looks += 1;
            }
        });
        for depth in 1..40 {
            store.record(&positions.iter().map(|pos| (*pos, exact(depth, 0))).collect::<Vec<_>>()).unwrap();
            store.compact().unwrap();
        }
        done.store(true, Relaxed);
        reader.join().unwrap();
    });
}

/// Positions of openings as searches leave them: far below 24 bytes each. Random ones have long codes, and take a little more.
#[test]
fn bytes_a_position() {
    let openings = crate::openings::openings();
    let of_openings = (0..).map_while(|n| openings.position(n));
    let value = |n: usize| Learned {
        depth: 4 + (n % 20) as i16,
        score: (n * 37 % 1200) as i32 - 600,
        bound: KnownBound::Exact,
        best: 0x1234,
        visits: 1 + (n % 7) as u32,
    };
    let bytes = |positions: &[Position<Chess>]| {
        let store = empty::<Chess>(ROOMY);
        for (n, chunk) in positions.chunks(500).enumerate() {
            store.record(&chunk.iter().map(|pos| (*pos, value(n * 31))).collect::<Vec<_>>()).unwrap();
        }
        store.compact().unwrap();
        let stats = store.stats().unwrap();
        assert!(stats.positions > 3000);
        stats.bytes as f64 / stats.positions as f64
    };
    let (real, random) = (bytes(&of_openings.collect::<Vec<_>>()), bytes(&distinct(20_000)));
    println!("{real:.2} bytes a position of openings, {random:.2} a random one");
    assert!(real <= 21.5 && random <= 28.0, "{real} {random}");
}

/// A table that somebody has put in this one's place (a backup, say) is theirs, and nothing is answered that no file has.
#[cfg(unix)]
#[test]
fn a_table_in_its_place_is_left_alone() {
    let (file, aside, other) = (NewFile::new("place"), NewFile::new("place-aside"), NewFile::new("place-other"));
    let rows: Vec<_> = distinct(600).into_iter().map(|pos| (pos, exact(3, 0))).collect();
    LearnStore::<Chess>::open(&other, ROOMY).unwrap().record(&rows[..5]).unwrap();
    let store = LearnStore::<Chess>::open(&file, ROOMY).unwrap();
    store.record(&rows[..500]).unwrap();
    std::fs::rename(&file, &aside).unwrap();
    std::fs::rename(&other, &file).unwrap();
    let refused = |error: LearnError| assert!(error.to_string().contains("removed or replaced"), "{error}");
    refused(store.record(&rows[500..]).unwrap_err());
    refused(store.prune(100).unwrap_err());
    assert!(store.get(&rows[0].0).unwrap().is_some(), "what is open can be read");
    drop(store);
    let count = |path: &Path| LearnStore::<Chess>::open(path, ROOMY).unwrap().stats().unwrap().positions;
    assert_eq!((count(&file), count(&aside)), (5, 500));
    assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
}
