//! `rukh uci`: the engine for graphical interfaces, as `rukh` alone is.

use clap::Command;

use crate::cli::{Args, CliError, define};

pub fn command() -> Command {
    define::command("uci", "speak UCI, as 'rukh' alone does")
        .after_help("Universal Chess Interface on standard input and output; the command 'uci' lists the options.")
}

pub fn run(_: Args) -> Result<(), CliError> {
    Ok(rukh_protocol::uci::run()?)
}
