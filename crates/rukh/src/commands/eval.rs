//! `rukh eval`: what the classical evaluation thinks of a position, term by term.

use clap::Command;
use rukh_core::{Position, Variant, dispatch};
use rukh_eval::Terms;
use rukh_eval::report::table;

use crate::cli::define::{self, fen, position, variant};
use crate::cli::{Args, CliError, read_position};
use crate::outln;

pub fn command() -> Command {
    define::command("eval", "print the terms of the evaluation of a position")
        .arg(position())
        .args([fen(), variant()])
        .after_help(
            "Every group of terms by side, in pawns, for the middle game and the end game; then the blend of both.\n\
             Without a position it takes the initial one.",
        )
}

pub fn run(args: Args) -> Result<(), CliError> {
    let variant: Variant = args.parsed("--variant")?.unwrap_or(Variant::Chess);
    let fen = args.position()?;
    dispatch!(type R of variant => print::<R>(variant, fen.as_deref()))
}

fn print<R: Terms>(variant: Variant, fen: Option<&str>) -> Result<(), CliError> {
    let pos: Position<R> = read_position(variant, fen.unwrap_or("startpos"))?;
    outln!("{}", table(&pos).trim_end());
    if pos.in_check() {
        outln!("The side to move is in check: the search would not trust this value.");
    }
    Ok(())
}
