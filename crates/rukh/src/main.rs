//! The Rukh command: `rukh` alone speaks UCI (graphical interfaces start engines so), `rukh <command>` does the rest.
//!
//! `main` only picks the command and prints its error; every command is a module in [`commands`].
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod game;

use std::process::ExitCode;

use cli::{Args, CliError};

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let result = match words.next() {
        None => rukh_protocol::uci::run().map_err(CliError::from),
        Some(word) => match Args::new(words) {
            Ok(args) => commands::dispatch(&word.to_string_lossy(), args),
            Err(error) => Err(error),
        },
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}
