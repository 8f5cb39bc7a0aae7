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
    let mut seed = 5u64;
    let mut out = vec![pos];
    while out.len() < n {
        let moves = pos.legal_moves();
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        pos = if moves.is_empty() || pos.ply() > 120 {
            Position::startpos()
        } else {
            pos.after(moves[(seed >> 33) as usize % moves.len()])
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
