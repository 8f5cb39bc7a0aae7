//! `rukh eval`: what the network and the classical terms think of a position.

use clap::Command;
use rukh_core::{Position, Variant, dispatch};
use rukh_eval::Terms;

use crate::cli::define::{self, fen, file, position, variant};
use crate::cli::{Args, CliError, read_position};
use crate::game::evaluation;
use crate::outln;

pub fn command() -> Command {
    define::command("eval", "print the evaluation of a position: the network piece by piece, the classical terms by group")
        .arg(position())
        .args([fen(), variant()])
        .arg(file("eval-file", "FILE", "a network instead of the built-in one; <classical>: none"))
        .after_help(
            "Classical terms by side, in pawns, for the middle game and the end game; then the blend of both. The network's\n\
             value, and under each piece what it would lose without it. Without a position it takes the initial one.",
        )
}

pub fn run(args: Args) -> Result<(), CliError> {
    let variant: Variant = args.parsed("--variant")?.unwrap_or(Variant::Chess);
    let fen = args.position()?;
    let network = args.option("--eval-file")?.unwrap_or_default();
    dispatch!(type R of variant => print::<R>(variant, fen.as_deref(), &network))
}

fn print<R: Terms>(variant: Variant, fen: Option<&str>, network: &str) -> Result<(), CliError> {
    let pos: Position<R> = read_position(variant, fen.unwrap_or("startpos"))?;
    outln!("{}", evaluation(&pos, network)?.trim_end());
    if pos.in_check() {
        outln!("The side to move is in check: the search would not trust this value.");
    }
    Ok(())
}
