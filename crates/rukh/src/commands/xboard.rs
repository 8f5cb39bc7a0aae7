//! `rukh xboard`: the engine for XBoard and WinBoard.

use crate::cli::define::{self};
use crate::cli::{Args, Result};
use clap::Command;

pub fn command() -> Command {
    define::command("xboard", "run as an XBoard engine (CECP)").after_help(
        "Speaks the Chess Engine Communication Protocol, version 2, on standard input and output, for XBoard, WinBoard\n\
         and other GUIs without UCI: xboard -fcp \"rukh xboard\". Variants: normal, fischerandom, makruk.",
    )
}

pub fn run(_: Args) -> Result {
    Ok(rukh_protocol::xboard::run()?)
}
