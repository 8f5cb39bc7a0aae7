//! The bench: fixed positions to a fixed depth. Its node count is the checksum of the search: same commands, same number,
//! on every machine.

use rukh_core::{Chess, Makruk, Position, Rules};
use rukh_eval::Evaluator;
use rukh_eval::nnue::{Evaluation, embedded_for_pages};
use rukh_search::{Clock, Control, Limits, RootPosition, Searcher, Shared};
use std::sync::Arc;

/// Openings, middle games and end games from the engine's own games; the last five are Chess960.
const CHESS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rn1qkbnr/pp3ppp/8/3pp3/3p4/P1P3PN/1P2PP1P/RNBQKB1R w KQkq - 0 6",
    "5rk1/2p3p1/1b1pp2p/1b4N1/3P1pqP/2P2BP1/3QPP2/4R1K1 b - - 29 41",
    "8/ppp5/3p2kb/PP1Pr2p/2n5/2N2K2/8/4R3 w - - 1 37",
    "4R2r/1p1k2p1/1rB1b3/p7/1q1P2Q1/8/PP3P1P/1K2R3 b - - 2 31",
    "2r3k1/pp4p1/n2qbp2/3p3p/4p2P/P1Q1B3/1P2P1P1/1KR2BN1 w - - 7 23",
    "2krr3/1pp2ppp/p1n5/4P3/8/P1B1N1P1/4p2P/R1R3K1 w - - 2 20",
    "1k5q/1p6/p1nb1n2/P1p1pQ2/2PpP1P1/3P4/1P3P1P/R3R1K1 w - - 1 24",
    "r2qkbnr/ppp2ppp/2n5/8/2pP3P/7N/PPN2PP1/R1BQKB1R b KQkq - 0 8",
    "2kr1b1Q/pp1bp3/2np1nP1/6q1/4N3/1N5P/PPP2P2/R1B1K2R b KQ - 2 15",
    "6k1/5p2/2Kp3b/4p2p/8/1P1Nn2P/6P1/5N2 w - - 0 35",
    "2Q2r2/r4pk1/4p3/3p3Q/PP1P3P/8/6P1/2R4K b - - 0 42",
    "4k1nr/r1pnp3/5pp1/3P4/PQ1PB3/8/1P2KP1p/R7 b k - 0 25",
    "3r1b1r/p2kpb1p/1pp2pp1/3pP3/P2N4/BP1B1N1P/5PP1/5K1R b - - 1 21",
    "r5k1/p1R5/3pR1p1/1P1P2P1/PP5p/8/6P1/7K w - - 1 37",
    "6k1/p5pp/5b2/8/2n1K3/P1P5/1PR5/8 b - - 3 38",
    "r1b1kb1r/pppq2p1/2nppn2/5pBp/4P2P/2NP1NP1/PPP2P2/R2QKB1R b KQkq - 4 8",
    "8/4kp2/3qp3/p7/6Qp/4KP2/P2PP2P/2r5 b - - 3 41",
    "r1b1k1n1/pp1qb3/2p1p2r/2P2p1p/3PN1p1/1P1BQ3/P4PPP/R1B1K1R1 w Q - 0 16",
    "3n4/2p5/1p2k1Np/5p2/1P2b1pP/2P1N1P1/5P2/6K1 w - - 2 29",
    "4kbnr/3b1qp1/n3p3/rPp1B2p/1p1P4/1B3N2/2PNQPPP/R4RK1 b k - 0 17",
    "r1bqkb1r/ppp2pp1/n4n1p/3pp3/P3P3/2NP4/1PP2PPP/R1BQKBNR b kq - 1 6",
    "r1b1k2r/2q5/p2p1ppn/PpnPp2p/2p1P1PP/2N1QP1N/1PPKB3/R5R1 w kq - 1 17",
    "4r3/5pk1/p7/8/2P2NP1/1P5R/2n2KPP/8 b - - 5 37",
    "Q7/4k3/1P1qp3/6p1/7p/4P2P/6P1/7K w - - 5 43",
    "r7/1pp2kbp/5ppn/p1Pq4/3P1P2/PP1Q1N2/6PP/R1B3K1 w - - 0 18",
    "1r1r2k1/pbp1b1pp/3n1p2/2p1B3/2N5/P5P1/1P3P1P/R3KBR1 w - - 0 23",
    "r2qkb1r/pp3pp1/2n2n2/2Pp3p/Q5b1/N3PN2/P4PPP/R1B1KB1R w KQkq - 2 11",
    "3r1rk1/1p1b1pp1/pq1bpn2/3p2Q1/1N1P4/2B2PP1/P3PNB1/2R2RK1 b - - 0 19",
    "r1bnkbr1/p1pqp3/1p3p1n/3P4/2P2P1N/P2B4/1P4PP/RNBQK2R b KQq - 0 14",
    "r1bq1k2/p4p2/1pn1p2b/2p1P2p/6n1/1BNP1N1P/PPP2PP1/R2Q1RK1 w - - 0 13",
    "7k/3p1p2/2p2p2/p6p/7P/P6r/1b2NK2/1N1R4 b - - 1 35",
    "8/p7/kp4R1/5pP1/8/3r4/PR4K1/7r b - - 3 42",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
    "bqnbrknr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKNR w HEhe - 0 1",
    "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1",
    "rkqnbbrn/pppppppp/8/8/8/8/PPPPPPPP/RKQNBBRN w GAga - 0 1",
    "k2qr3/3bnp2/1p6/4Q3/6p1/3N2B1/P1PP2PP/1RK1R3 w Q - 2 25",
    "2k3r1/p2r1n2/7p/Nb2Ppb1/2pq3P/2Kp3N/1P6/1R2Q1R1 w k - 3 26",
];

/// Opening, middle games, and endings with either count.
const MAKRUK: &[&str] = &[
    "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
    "r2m3r/2s1nks1/pp1p3p/2p1nP2/2P1PN2/PPNP3P/2SM4/R2K3R b - - 0 13",
    "1r1m3r/2sk2s1/pp3n1p/2p1np1P/1PP3p1/P2P2P1/3NNS1R/1RSKM3 w - - 1 16",
    "r3ks2/1smnn3/ppp3p1/4P1Pr/2P5/PPNP1P1m~/2SKN1S1/R3M2R w - - 1 13",
    "1r3k2/2R2n2/1p4p1/p1p1n2p/P3N2P/1P2M1P1/K2S4/8 b - - 10 40",
    "2nrk1r1/3n4/p2m1ps1/M~2sp2p/1P1P1P2/2P2NNP/2S1SM2/R2K3R w - - 3 19",
    "8/r6k/2M~5/3R4/s2N1m~1P/8/2K5/8 w - - 5 41",
    "4R3/1km5/1s3r2/p1n4p/P1NN1n2/1SP5/2KM4/8 w - - 0 38",
    "8/2mk4/1sn2n2/5pNr/p2s1M1P/P2P1SP1/1S1N1K2/7R b - - 3 28",
    "8/4k3/3pps1p/3n2pP/1msP2S1/6N1/1S1M1K2/8 w - - 10 39",
    "8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 97 1",
    "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1",
];

/// Depth of a bench search.
pub const BENCH_DEPTH: u32 = 14;
const HASH_MIB: usize = 16;

/// What a bench counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchResult {
    /// Positions searched; fewer than there are when it was ended before.
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

/// The lines under a bench; the last one is what other tools read: `<nodes> nodes <nps> nps`.
impl core::fmt::Display for BenchResult {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (nodes, nps) = (self.nodes, self.nps());
        writeln!(f, "Total time (ms) : {}", self.time_ms)?;
        write!(f, "Nodes searched  : {nodes}\nNodes/second    : {nps}\n{nodes} nodes {nps} nps")
    }
}

/// Searches all positions to the usual depth.
pub fn bench() -> BenchResult {
    bench_with(BENCH_DEPTH, &mut |_, _| {})
}

/// Searches all positions to `depth` with the evaluation that the program ships; `on_position` is called with each FEN and
/// its nodes.
pub fn bench_with(depth: u32, on_position: &mut dyn FnMut(&str, u64)) -> BenchResult {
    bench_until(depth, &Arc::default(), on_position)
}

/// The same until somebody [ends](Control::end) it.
pub fn bench_until(depth: u32, control: &Arc<Control>, on_position: &mut dyn FnMut(&str, u64)) -> BenchResult {
    measure(Evaluation::default(), Evaluation::default(), depth, control, on_position)
}

/// The same with the networks that pages play with: what a module for browsers counts.
pub fn bench_page(depth: u32, on_position: &mut dyn FnMut(&str, u64)) -> BenchResult {
    measure(
        Evaluation::new(embedded_for_pages::<Chess>()),
        Evaluation::new(embedded_for_pages::<Makruk>()),
        depth,
        &Arc::default(),
        on_position,
    )
}

/// The same with the classical evaluation.
pub fn bench_classical(depth: u32, on_position: &mut dyn FnMut(&str, u64)) -> BenchResult {
    measure(Evaluation::classical(), Evaluation::classical(), depth, &Arc::default(), on_position)
}

fn measure(
    chess: Evaluation<Chess>,
    makruk: Evaluation<Makruk>,
    depth: u32,
    control: &Arc<Control>,
    on_position: &mut dyn FnMut(&str, u64),
) -> BenchResult {
    let clock = Clock::start();
    let mut positions = 0;
    let mut count = |fen: &str, nodes: u64| {
        positions += 1;
        on_position(fen, nodes);
    };
    let chess_nodes = run(CHESS, chess, depth, control, &mut count);
    let makruk_nodes = run(MAKRUK, makruk, depth, control, &mut count);
    BenchResult { positions, nodes: chess_nodes + makruk_nodes, chess_nodes, time_ms: clock.elapsed_ms() }
}

fn run<R: Rules, E: Evaluator<R>>(
    fens: &[&str],
    eval: E,
    depth: u32,
    control: &Arc<Control>,
    on_position: &mut dyn FnMut(&str, u64),
) -> u64 {
    let Ok(mut shared) = Shared::new(HASH_MIB, 1) else { return 0 };
    shared.control = control.clone();
    let mut searcher = Searcher::new(0, Arc::new(shared), eval);
    let mut total = 0;
    for fen in fens {
        let Ok(position) = Position::<R>::from_fen(fen) else { continue };
        let root = RootPosition { position: &position, keys: &[] };
        let nodes = searcher.search(root, &Limits::depth(depth), &mut |_| {}).nodes;
        if control.is_over() {
            break;
        }
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
    fn the_last_line_is_what_other_tools_read() {
        let result = BenchResult { positions: 2, nodes: 5000, chess_nodes: 3000, time_ms: 250 };
        assert_eq!(result.to_string().lines().last(), Some("5000 nodes 20000 nps"));
        assert_eq!(BenchResult { time_ms: 0, ..result }.nps(), 5_000_000);
    }

    #[test]
    fn the_same_bench_gives_the_same_nodes() {
        type Bench = fn(u32, &mut dyn FnMut(&str, u64)) -> BenchResult;
        let run = |with: Bench| {
            let (mut chess, mut all) = (0, 0);
            let result = with(6, &mut |fen, nodes| {
                all += nodes;
                chess += if CHESS.contains(&fen) { nodes } else { 0 };
            });
            assert_eq!(result.positions, CHESS.len() + MAKRUK.len());
            assert_eq!((result.nodes, result.chess_nodes), (all, chess));
            assert!(0 < chess && chess < all);
            all
        };
        assert_eq!(run(bench_with), run(bench_with));
        assert!(run(bench_classical) != run(bench_page));
    }

    #[test]
    fn a_bench_that_is_ended_counts_what_was_searched() {
        let (control, mut searched) = (Arc::new(Control::default()), 0);
        let result = bench_until(3, &control.clone(), &mut |_, _| {
            searched += 1;
            if searched == 3 {
                control.end();
            }
        });
        assert_eq!((searched, result.positions), (3, 3));
    }
}
