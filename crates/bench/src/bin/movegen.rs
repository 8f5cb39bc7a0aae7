//! `movegen [rounds] [--quick]`: perft against cozy-chess, in interleaved rounds of one process. Prints one
//! tab-separated line per mode and position: mode, position, our leaves/s, theirs, ratio.

use std::hint::black_box;

use cozy_chess::Board;
use rukh_bench::{Contest, POSITIONS, arguments, compete};
use rukh_core::{Chess, Position, perft, perft_full, perft_list};

fn main() -> Result<(), String> {
    let (rounds, less) = arguments(7)?;
    let mut contests = Vec::new();
    for bench in &POSITIONS {
        let ours = Position::<Chess>::from_fen(bench.fen).map_err(|error| error.to_string())?;
        let theirs: Board = bench.fen.parse().map_err(|error| format!("cozy-chess: {error}"))?;
        let depth = bench.depth - less;
        if less == 0 && perft(&ours, depth) != bench.leaves {
            return Err(format!("{} depth {depth}: wrong count", bench.name));
        }
        let mut add = |mode: &str, walk: fn(&Position<Chess>, u32) -> u64, cozy: fn(&Board, u32) -> u64| {
            let (ours, theirs) = (ours, theirs.clone());
            contests.push(Contest {
                group: mode.into(),
                name: format!("{} d{depth}", bench.name),
                ours: Box::new(move || walk(black_box(&ours), depth)),
                theirs: Box::new(move || cozy(black_box(&theirs), depth)),
            });
        };
        add("bulk", perft, cozy_bulk);
        add("full", perft_full, cozy_full);
        // cozy-chess has no move list of its own; its fastest way to make every move is the yardstick here too.
        add("list", perft_list, cozy_full);
    }
    for verdict in compete(&contests, rounds)? {
        println!("{}", verdict.line());
    }
    Ok(())
}

/// cozy-chess with leaves counted, as its own perft example does it.
fn cozy_bulk(board: &Board, depth: u32) -> u64 {
    let mut leaves = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            leaves += moves.len() as u64;
            false
        });
    } else {
        board.generate_moves(|moves| {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                leaves += cozy_bulk(&child, depth - 1);
            }
            false
        });
    }
    leaves
}

/// cozy-chess with every leaf made.
fn cozy_full(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    board.generate_moves(|moves| {
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            leaves += cozy_full(&child, depth - 1);
        }
        false
    });
    leaves
}
