//! `rukh xboard`: the engine for XBoard and WinBoard.

use crate::cli::{Args, CliError};

pub const SUMMARY: &str = "speak the XBoard protocol (CECP)";
pub const HELP: &str = "\
usage: rukh xboard

Speaks the Chess Engine Communication Protocol, version 2, on standard input and output, for XBoard, WinBoard
and other interfaces that do not know UCI: xboard -fcp \"rukh xboard\".
Variants: normal, fischerandom, makruk.";

pub fn run(args: Args) -> Result<(), CliError> {
    args.finish()?;
    Ok(rukh_protocol::xboard::run()?)
}
