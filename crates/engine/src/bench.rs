//! The bench: fixed positions to a fixed depth. Its node count is the checksum of the search: same commands, same number,
//! on every machine.

use rukh_core::{Chess, Makruk, Position, Rules};
use rukh_eval::{Classical, Evaluator};
use rukh_search::{Clock, Limits, RootPosition, Searcher, Shared};
use std::sync::Arc;

/// Openings, middle games, end games, mates near and far; the last lines are Chess960.
const CHESS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

/// Opening, middle game, and endings with each kind of count.
const MAKRUK: &[&str] = &[
    "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
    "2r4r/1smns1k1/pp3np1/5pN1/P2NpP2/1PS1P1S1/2KM4/R6R w - - 2 19",
];

/// Depth of a bench search.
pub const BENCH_DEPTH: u32 = 12;
const HASH_MIB: usize = 16;

/// What a bench counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchResult {
    /// Positions searched.
    pub positions: usize,
    /// Nodes: the checksum.
    pub nodes: u64,
    /// Nodes of the chess part alone.
    pub chess_nodes: u64,
    /// Milliseconds.
    pub time_ms: u64,
}

impl BenchResult {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        self.nodes * 1000 / self.time_ms.max(1)
    }
}

/// Searches all positions to the usual depth.
pub fn bench() -> BenchResult {
    bench_with(BENCH_DEPTH, &mut |_, _| {})
}

/// Searches all positions to `depth`; `on_position` is called with each FEN and its nodes.
pub fn bench_with(depth: u32, on_position: &mut dyn FnMut(&str, u64)) -> BenchResult {
    let clock = Clock::start();
    let chess_nodes = run(CHESS, Classical::<Chess>::default(), depth, on_position);
    let makruk_nodes = run(MAKRUK, Classical::<Makruk>::default(), depth, on_position);
    BenchResult {
        positions: CHESS.len() + MAKRUK.len(),
        nodes: chess_nodes + makruk_nodes,
        chess_nodes,
        time_ms: clock.elapsed_ms(),
    }
}

fn run<R: Rules, E: Evaluator<R>>(fens: &[&str], eval: E, depth: u32, on_position: &mut dyn FnMut(&str, u64)) -> u64 {
    let Ok(shared) = Shared::new(HASH_MIB, 1) else { return 0 };
    let mut searcher = Searcher::new(0, Arc::new(shared), eval);
    let mut total = 0;
    for fen in fens {
        let Ok(position) = Position::<R>::from_fen(fen) else { continue };
        let root = RootPosition { position: &position, keys: &[] };
        let nodes = searcher.search(root, &Limits::depth(depth), &mut |_| {}).nodes;
        on_position(fen, nodes);
        total += nodes;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bench_position_is_legal() {
        assert!(CHESS.iter().all(|fen| Position::<Chess>::from_fen(fen).is_ok()));
        assert!(MAKRUK.iter().all(|fen| Position::<Makruk>::from_fen(fen).is_ok()));
    }

    #[test]
    fn the_same_bench_gives_the_same_nodes() {
        let nodes = || bench_with(6, &mut |_, _| {}).nodes;
        assert_eq!(nodes(), nodes());
    }
}
