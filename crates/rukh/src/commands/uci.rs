//! `rukh uci`: the engine for graphical interfaces, as `rukh` alone is.

use clap::Command;

use crate::cli::{Args, Result, define};

pub fn command() -> Command {
    define::command("uci", "run as a UCI engine, like 'rukh' without a command")
        .after_help("Speaks the Universal Chess Interface on standard input and output; type 'uci' for the options.")
}

pub fn run(_: Args) -> Result {
    Ok(rukh_protocol::uci::run()?)
}
