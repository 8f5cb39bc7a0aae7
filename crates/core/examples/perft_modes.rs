//! `perft_modes MODE DEPTH [FEN]`: leaves of Kiwipete (or FEN) by one of the three ways of counting. For instruction counts.
use rukh_core::{Chess, Makruk, Position, Rules, perft, perft_full, perft_list};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn run<R: Rules>(mode: &str, depth: u32, fen: &str) -> u64 {
    let pos = Position::<R>::from_fen(fen).expect("a legal FEN");
    match mode {
        "bulk" => perft(&pos, depth),
        "full" => perft_full(&pos, depth),
        "list" => perft_list(&pos, depth),
        _ => panic!("mode must be bulk, full or list"),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (mode, depth) = (args[1].as_str(), args[2].parse().expect("a depth"));
    let fen = args.get(3).map_or(KIWIPETE, String::as_str);
    let start = std::time::Instant::now();
    let leaves =
        if fen.contains(['s', 'm']) { run::<Makruk>(mode, depth, fen) } else { run::<Chess>(mode, depth, fen) };
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{:.1} M leaves/s", leaves as f64 / seconds / 1e6);
    println!("{leaves}");
}
