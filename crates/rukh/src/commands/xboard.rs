//! `rukh xboard`: the engine for XBoard and WinBoard.

use crate::cli::define::{self};
use crate::cli::{Args, CliError};
use clap::Command;

pub fn command() -> Command {
    define::command("xboard", "speak the XBoard protocol (CECP)").after_help(
        "Chess Engine Communication Protocol, version 2, on standard input and output, for XBoard, WinBoard and other\n\
         interfaces that do not know UCI: xboard -fcp \"rukh xboard\". Variants: normal, fischerandom, makruk.",
    )
}

pub fn run(_: Args) -> Result<(), CliError> {
    Ok(rukh_protocol::xboard::run()?)
}
