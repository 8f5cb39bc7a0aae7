//! `leaves <bulk|full|list> <depth>`: walks Kiwipete once and prints the leaves. Made to be run under callgrind by
//! `cargo xtask test`, which gates the instructions per leaf.

use std::hint::black_box;
use std::process::ExitCode;

use rukh_bench::KIWIPETE;
use rukh_core::{Chess, Position, perft, perft_full, perft_list};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [mode, depth] = words.as_slice() else {
        eprintln!("usage: leaves <bulk|full|list> <depth>");
        return ExitCode::FAILURE;
    };
    let (Ok(depth), Ok(position)) = (depth.parse(), Position::<Chess>::from_fen(KIWIPETE)) else {
        eprintln!("the depth is a number");
        return ExitCode::FAILURE;
    };
    let position = black_box(position);
    let leaves = match mode.as_str() {
        "bulk" => perft(&position, depth),
        "full" => perft_full(&position, depth),
        "list" => perft_list(&position, depth),
        _ => {
            eprintln!("there is no mode '{mode}'");
            return ExitCode::FAILURE;
        }
    };
    println!("{leaves}");
    ExitCode::SUCCESS
}
