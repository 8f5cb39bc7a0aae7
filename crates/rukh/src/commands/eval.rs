//! `rukh eval`: what the network and the classical terms think of a position.

use clap::Command;
use rukh_api::reports;
use rukh_core::{Position, Variant, dispatch};
use rukh_protocol::game::evaluation;

use crate::cli::define::{self, fen, file, json, position, variant};
use crate::cli::{Args, CliError, Result, read_position};

pub fn command() -> Command {
    define::command("eval", "evaluate a position: NNUE by piece, classical evaluation by term")
        .arg(position())
        .args([fen(), variant(), json()])
        .arg(file("eval-file FILE", "network to use instead of the built-in one; <classical>: none"))
        .after_help(
            "Shows the classical terms for each side, in pawns, for the middlegame and the endgame and tapered between the two;\n\
             and the network's evaluation, with the contribution of each piece. The default is the starting position.",
        )
}

pub fn run(args: Args) -> Result {
    let variant: Variant = args.or("--variant", Variant::Chess)?;
    let (fen, network) = (args.position()?, args.option("--eval-file")?.unwrap_or_default());
    dispatch!(type R of variant => {
        let pos: Position<R> = read_position(variant, Default::default(), fen.as_deref().unwrap_or("startpos"))?;
        if args.flag("--json") {
            outln!("{}", reports::evaluation(&pos, &network).map_err(CliError::new)?);
            return Ok(());
        }
        outln!("{}", evaluation(&pos, &network).map_err(CliError::new)?.trim_end());
        if pos.in_check() {
            outln!("The side to move is in check: the search would not rely on this evaluation.");
        }
        Ok(())
    })
}
