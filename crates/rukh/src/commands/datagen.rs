//! `rukh datagen`: not there yet (the empty help text hides it; see the parent module for the pattern).

use crate::cli::{Args, CliError};

pub const SUMMARY: &str = "";
pub const HELP: &str = "";

pub fn run(_args: Args) -> Result<(), CliError> {
    Err(CliError::new("not there yet"))
}
