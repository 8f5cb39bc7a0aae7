//! The Rukh command: `rukh` alone speaks UCI (graphical interfaces start engines so), `rukh <command>` does the rest.
//!
//! `main` only picks the command and prints its error; every command is a module in [`commands`].
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
mod cli;
mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(cache) = rukh_files::cache_folder() {
        rukh_tables::Tables::keep_four_men_in(cache.join("makruk-tables"));
    }
    let result = commands::dispatch(std::env::args_os().skip(1).collect());
    rukh_tables::Tables::finish_keeping();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}
