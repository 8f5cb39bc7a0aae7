//! Counting the leaves of the tree of legal moves: the proof of a move generator.

use crate::generate::{Each, Legal, OneByOne, count, generate};
use crate::moves::{Move, MoveList};
use crate::position::{Played, Position};
use crate::rules::{Black, Rules, Side, White};
use crate::types::Color;
use alloc::vec::Vec;
use core::hint::black_box;

/// Leaves at `depth`, the last ply counted as sets.
///
/// ```
/// use rukh_core::{Chess, Position, perft};
/// assert_eq!(perft(&Position::<Chess>::startpos(), 4), 197_281);
/// ```
pub fn perft<R: Rules>(pos: &Position<R>, depth: u32) -> u64 {
    match (depth, pos.side_to_move()) {
        (0, _) => 1,
        (_, Color::White) => bulk::<R, White>(pos, depth),
        (_, Color::Black) => bulk::<R, Black>(pos, depth),
    }
}

fn bulk<R: Rules, S: Side>(pos: &Position<R>, depth: u32) -> u64 {
    if depth == 1 {
        return u64::from(count::<R, S>(pos));
    }
    let mut walk = Bulk { depth: depth - 1, leaves: 0 };
    generate::<R, S, Legal, _>(pos, &mut OneByOne(&mut walk));
    walk.leaves
}

struct Bulk {
    depth: u32,
    leaves: u64,
}

impl<R: Rules> Each<R> for Bulk {
    #[inline(always)]
    fn each<S: Side>(&mut self, pos: &Position<R>, played: &Played) {
        // The key is of no use here and is not kept.
        let next = pos.play::<S, false>(played);
        self.leaves += match self.depth {
            1 => u64::from(count::<R, S::Them>(&next)),
            depth => bulk::<R, S::Them>(&next, depth),
        };
    }
}

/// Leaves at `depth`, every leaf made with its key and clocks: what a search pays.
pub fn perft_full<R: Rules>(pos: &Position<R>, depth: u32) -> u64 {
    match (depth, pos.side_to_move()) {
        (0, _) => 1,
        (_, Color::White) => full::<R, White>(pos, depth),
        (_, Color::Black) => full::<R, Black>(pos, depth),
    }
}

fn full<R: Rules, S: Side>(pos: &Position<R>, depth: u32) -> u64 {
    if depth == 1 {
        let mut leaves = Leaves(0);
        generate::<R, S, Legal, _>(pos, &mut OneByOne(&mut leaves));
        return leaves.0;
    }
    let mut walk = Full { depth: depth - 1, leaves: 0 };
    generate::<R, S, Legal, _>(pos, &mut OneByOne(&mut walk));
    walk.leaves
}

struct Full {
    depth: u32,
    leaves: u64,
}

impl<R: Rules> Each<R> for Full {
    #[inline(always)]
    fn each<S: Side>(&mut self, pos: &Position<R>, played: &Played) {
        let next = pos.play::<S, true>(played);
        self.leaves += full::<R, S::Them>(&next, self.depth);
    }
}

struct Leaves(u64);

impl<R: Rules> Each<R> for Leaves {
    #[inline(always)]
    fn each<S: Side>(&mut self, pos: &Position<R>, played: &Played) {
        let next = pos.play::<S, true>(played);
        black_box(&next);
        self.0 += 1;
    }
}

/// Leaves at `depth`, by way of a list of moves at every node and a made move for every leaf.
pub fn perft_list<R: Rules>(pos: &Position<R>, depth: u32) -> u64 {
    match (depth, pos.side_to_move()) {
        (0, _) => 1,
        (_, Color::White) => listed::<R, White>(pos, depth),
        (_, Color::Black) => listed::<R, Black>(pos, depth),
    }
}

fn listed<R: Rules, S: Side>(pos: &Position<R>, depth: u32) -> u64 {
    let mut list = MoveList::new();
    pos.generate_as::<S, Legal>(&mut list);
    let mut leaves = 0;
    let mut next = *pos;
    for &mv in &list {
        pos.after_into_as::<S>(mv, &mut next);
        if depth == 1 {
            black_box(&next);
            leaves += 1;
        } else {
            leaves += listed::<R, S::Them>(&next, depth - 1);
        }
    }
    leaves
}

/// The leaves below each legal move, in the generator's order.
pub fn divide<R: Rules>(pos: &Position<R>, depth: u32) -> Vec<(Move, u64)> {
    let below = |&mv: &Move| (mv, perft(&pos.after_unchecked(mv), depth.saturating_sub(1)));
    pos.legal_moves().iter().map(below).collect()
}
