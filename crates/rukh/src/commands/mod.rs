//! The subcommands, one module each.
//!
//! To add a command `foo`:
//! 1. write `commands/foo.rs` with
//!    ```text
//!    pub const SUMMARY: &str = "what it does, in one line";
//!    pub const HELP: &str = "usage: rukh foo [options] <what>\n\n…";   // printed by `rukh foo --help` and `rukh help foo`
//!    pub fn run(mut args: Args) -> Result<(), CliError> {
//!        let n: usize = args.parsed("--n")?.unwrap_or(1);               // options and flags first,
//!        let what: String = args.required("what")?;                     // then positional words,
//!        args.finish()?;                                                // then refuse what is left
//!        outln!("{what} {n}");                                          // not println!: it panics on a closed pipe
//!        Ok(())
//!    }
//!    ```
//! 2. add its `mod` line and its row in [`COMMANDS`].
//!
//! Results go to stdout, progress ([`crate::cli::Progress`]) and remarks to stderr. Errors are returned as
//! [`CliError`]; use [`CliError::at`] to mark the wrong part of an input. Nothing a user types may panic.

mod analyse;
pub mod bench;
mod book;
mod code;
mod datagen;
mod db;
mod eval;
mod known;
mod learn;
mod matches;
mod perft;
mod pgn;
mod play;
mod serve;
mod source;
mod suite;
mod tables;
mod train;
mod tune;
mod xboard;

use crate::cli::{Args, CliError};
use crate::outln;

/// One subcommand.
struct Command {
    name: &'static str,
    summary: &'static str,
    help: &'static str,
    run: fn(Args) -> Result<(), CliError>,
}

macro_rules! command {
    ($name:literal, $module:ident) => {
        Command { name: $name, summary: $module::SUMMARY, help: $module::HELP, run: $module::run }
    };
}

/// Every subcommand, in the order of the help text.
const COMMANDS: &[Command] = &[
    command!("play", play),
    command!("serve", serve),
    command!("analyse", analyse),
    command!("eval", eval),
    command!("perft", perft),
    command!("bench", bench),
    command!("suite", suite),
    command!("match", matches),
    command!("tune", tune),
    command!("datagen", datagen),
    command!("train", train),
    command!("pgn", pgn),
    command!("book", book),
    command!("db", db),
    command!("source", source),
    command!("learn", learn),
    command!("code", code),
    command!("tables", tables),
    command!("xboard", xboard),
];

const INTRO: &str = "\
Rukh: one engine for chess, Chess960 and Makruk

usage: rukh                      speak UCI (for graphical interfaces)
       rukh <command> [options]

commands:
";

/// Runs the command called `name`.
pub fn dispatch(name: &str, mut args: Args) -> Result<(), CliError> {
    match name {
        "help" | "--help" | "-h" => match args.positional()? {
            Some(topic) => help(find(&topic)?),
            None => overview(),
        },
        "version" | "--version" | "-V" => {
            args.finish()?;
            outln!("rukh {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
        _ => {
            let command = find(name)?;
            if args.wants_help() { help(command) } else { (command.run)(args) }
        }
    }
}

/// The command of that name; American spelling welcome.
fn find(name: &str) -> Result<&'static Command, CliError> {
    let name = if name == "analyze" { "analyse" } else { name };
    COMMANDS
        .iter()
        .find(|command| command.name == name)
        .ok_or_else(|| CliError::usage(format!("there is no command '{name}'; 'rukh help' lists them")))
}

fn help(command: &Command) -> Result<(), CliError> {
    outln!("{}", command.help.trim_end());
    Ok(())
}

fn overview() -> Result<(), CliError> {
    let mut text = INTRO.to_owned();
    for (name, summary) in COMMANDS
        .iter()
        .map(|command| (command.name, command.summary))
        .chain([("help", "this text, or help on a command"), ("version", "the version")])
    {
        text += &format!("  {name:<10} {summary}\n");
    }
    outln!("{text}\n'rukh help <command>' tells more.");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_commands_are_refused() {
        let error = dispatch("frobnicate", Args::default()).unwrap_err();
        assert_eq!(error.line(), "there is no command 'frobnicate'; 'rukh help' lists them");
    }

    #[test]
    fn help_texts_are_complete() {
        for command in COMMANDS {
            let usage = format!("usage: rukh {}", command.name);
            assert!(command.help.contains(&usage), "the help of '{}' does not show its usage", command.name);
            assert!(!command.summary.is_empty() && command.summary.len() < 90, "{}", command.name);
            assert!(command.help.lines().all(|line| line.chars().count() <= 120), "{}: long line", command.name);
        }
    }
}
