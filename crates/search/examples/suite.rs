//! Runs a best-move (`bm`, `am`) or mate (`dm`) suite in EPD: `suite FILE [MILLISECONDS | nNODES | dDEPTH] [-v]`.

use rukh_core::{Chess, Position};
use rukh_eval::Classical;
use rukh_search::{Limits, RootPosition, Searcher, Shared};
use std::sync::Arc;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let verbose = args.iter().any(|a| a == "-v");
    let text = std::fs::read_to_string(&args[0]).expect("a readable EPD file");
    let limit = args.get(1).map_or("1000", |s| s.as_str());
    let number = |s: &str| s.parse::<u64>().expect("a number");
    let base = match limit.split_at(1) {
        ("n", n) => Limits::nodes(number(n)),
        ("d", d) => Limits::depth(number(d) as u32),
        _ => Limits::movetime(number(limit)),
    };
    let shared = Arc::new(Shared::new(64, 1).expect("64 MiB"));
    let mut searcher = Searcher::new(0, shared.clone(), Classical::<Chess>::default());
    let (mut solved, mut total, mut nodes) = (0, 0, 0);
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let fen = fields[..4].join(" ");
        let rest = fields[4..].join(" ");
        let operand =
            |code: &str| rest.split(';').find_map(|op| op.trim().strip_prefix(code).map(|v| v.trim().to_string()));
        let position = Position::<Chess>::from_fen(&format!("{fen} 0 1")).expect("a legal position");
        shared.tt.clear(1);
        searcher.new_game();
        let mut limits = base.clone();
        let dm: Option<i32> = operand("dm ").and_then(|n| n.parse().ok());
        limits.mate = dm.map(|n| n.unsigned_abs());
        let root = RootPosition { position: &position, keys: &[position.repetition_key()] };
        let result = searcher.search(root, &limits, &mut |_| {});
        let best = result.best.map_or("none".into(), |mv| position.san(mv));
        let listed = |code| {
            operand(code)
                .is_some_and(|moves| moves.split_whitespace().any(|m| position.parse_san(m).ok() == result.best))
        };
        let ok = match dm {
            Some(n) => result.score.mate() == Some(n),
            None => (operand("bm ").is_none() || listed("bm ")) && !listed("am "),
        };
        total += 1;
        solved += usize::from(ok);
        nodes += result.nodes;
        if verbose || !ok {
            println!("{} {best:8} {} d{} {line}", if ok { "ok  " } else { "FAIL" }, result.score, result.depth);
        }
    }
    println!("{solved} of {total}, {nodes} nodes");
}
