//! The subcommands, one module each.
//!
//! To add a command `foo`:
//! 1. write `commands/foo.rs` with
//!    ```text
//!    pub fn command() -> Command {                                      // clap makes help, completions and man page of it
//!        define::command("foo", "what it does, in one line")
//!            .arg(opt("n N", "how often (default 1)"))
//!            .arg(word("what", "what to print"))
//!    }
//!    pub fn run(args: Args) -> Result {
//!        let n: usize = args.or("--n", 1)?;
//!        let what: String = args.required("what")?;
//!        outln!("{what} {n}");                                          // not println!: it panics on a closed pipe
//!        Ok(())
//!    }
//!    ```
//! 2. add its `mod` line and its row in [`COMMANDS`].
//!
//! Positions are positional ([`define::position`]), files are paths ([`Args::path`]: names need not be Unicode), `--variant`,
//! `--threads` and `--json` mean the same everywhere. Results go to stdout, progress ([`crate::cli::Progress`]) and remarks
//! to stderr. Errors are returned as [`CliError`]; use [`CliError::at`] to mark the wrong part of an input. Nothing a user
//! types may panic.

mod analyse;
pub mod bench;
mod book;
mod coach;
mod code;
mod completions;
mod datagen;
mod db;
mod eval;
mod known;
mod learn;
mod man;
mod matches;
mod perft;
mod pgn;
mod play;
mod puzzles;
mod serve;
mod source;
mod suite;
mod tables;
mod train;
mod tune;
mod uci;
mod xboard;

use std::ffi::OsString;
use std::io::IsTerminal;

use clap::error::ErrorKind;

use crate::cli::{Args, CliError, Result, define};

/// One subcommand.
struct Command {
    name: &'static str,
    describe: fn() -> clap::Command,
    run: fn(Args) -> Result,
}

macro_rules! commands {
    ($($name:literal: $module:ident),* $(,)?) => {
        &[$(Command { name: $name, describe: $module::command, run: $module::run }),*]
    };
}

/// Every subcommand, in the order of the help text.
const COMMANDS: &[Command] = commands![
    "play": play,
    "serve": serve,
    "analyse": analyse,
    "eval": eval,
    "perft": perft,
    "bench": bench,
    "suite": suite,
    "coach": coach,
    "puzzles": puzzles,
    "match": matches,
    "tune": tune,
    "datagen": datagen,
    "train": train,
    "pgn": pgn,
    "book": book,
    "db": db,
    "source": source,
    "learn": learn,
    "code": code,
    "tables": tables,
    "uci": uci,
    "xboard": xboard,
    "completions": completions,
    "man": man,
];

/// The whole command line.
fn described() -> clap::Command {
    described_for(|_| true)
}

/// The command line with some of its commands.
fn described_for(wanted: impl Fn(&Command) -> bool) -> clap::Command {
    define::command("rukh", "Rukh, a chess, Chess960 and Makruk engine")
        .version(env!("CARGO_PKG_VERSION"))
        .override_usage(
            "rukh                      run as a UCI engine (for chess GUIs)\n       rukh <command> [options]",
        )
        .subcommand_help_heading("Commands")
        .after_help("Run 'rukh help <command>' for details.")
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .subcommands(COMMANDS.iter().filter(|command| wanted(command)).map(|command| (command.describe)()))
        .subcommand(
            define::command("help", "show this text, or help on a command")
                .arg(define::words("command", "").required(false)),
        )
        .subcommand(define::command("version", "show the version"))
}

/// Runs what the words say; without any, the engine speaks UCI.
pub fn dispatch(words: Vec<OsString>) -> Result {
    if words.is_empty() {
        return greet_and_speak();
    }
    let words = matches::translated(asked_for_help(words))?;
    // A command that is named needs no description of the others; for all else they are needed, if only to be suggested.
    let named = |command: &Command| words[0] == command.name;
    let described = if COMMANDS.iter().any(named) { described_for(named) } else { described() };
    let matches = match described.try_get_matches_from(std::iter::once("rukh".into()).chain(words.clone())) {
        Ok(matches) => matches,
        Err(shown) if matches!(shown.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            return Ok(shown.print()?);
        }
        Err(error) => return Err(CliError::from_clap(&error)),
    };
    match Args::new(matches).action() {
        Some(("version", _)) => outln!("rukh {}", env!("CARGO_PKG_VERSION")),
        Some((name, args)) => {
            let command = COMMANDS.iter().find(|command| command.name == name);
            return command.map_or(Ok(()), |command| (command.run)(args));
        }
        None => {}
    }
    Ok(())
}

/// `rukh help db import` is `rukh db import --help`.
fn asked_for_help(mut words: Vec<OsString>) -> Vec<OsString> {
    if words[0] == "help" {
        words.remove(0);
        words.push("--help".into());
    }
    words
}

/// Interfaces talk through pipes. A person at a terminal is told where they are.
fn greet_and_speak() -> Result {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        outln!(
            "Rukh {}, a chess, Chess960 and Makruk engine

  rukh play             play in this terminal
  rukh serve --open     play, analyse and explore in your browser
  rukh analyse <fen>    analyse a position (or annotate a PGN file)
  rukh help             everything else

You are now in UCI mode, as used by chess GUIs: try 'uci', 'go movetime 1000', 'eval' or 'quit'.
",
            env!("CARGO_PKG_VERSION")
        );
    }
    Ok(rukh_protocol::uci::run()?)
}
