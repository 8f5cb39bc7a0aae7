//! Small words to describe commands with: one line an argument. Values stay text here; [`super::Args`] reads them, so that
//! every error marks its place.

use std::ffi::OsStr;

use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, ArgAction, Command, ValueHint, error::Error};

/// A command or one of its actions.
pub fn command(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).args_override_self(true)
}

/// A command that does nothing without one of its actions.
pub fn actions(name: &'static str, about: &'static str) -> Command {
    command(name, about).subcommand_required(true).subcommand_value_name("action").subcommand_help_heading("Actions")
}

/// `--name`.
pub fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// `--name VALUE`, spelled `"name VALUE"`.
pub fn opt(spec: &'static str, help: &'static str) -> Arg {
    let (name, value) = spec.split_once(' ').unwrap_or((spec, "VALUE"));
    Arg::new(name)
        .long(name)
        .value_name(value)
        .help(help)
        .value_parser(OsStringValueParser::new())
        .allow_negative_numbers(true)
}

/// `--name VALUE` as often as one likes.
pub fn many(spec: &'static str, help: &'static str) -> Arg {
    opt(spec, help).action(ArgAction::Append)
}

/// `--name FILE`.
pub fn file(spec: &'static str, help: &'static str) -> Arg {
    opt(spec, help).value_hint(ValueHint::AnyPath)
}

/// `--name VALUE` of a few; shells offer them, and the reader may know more spellings.
pub fn choice(spec: &'static str, words: &'static [&'static str], help: &'static str) -> Arg {
    opt(spec, help).value_parser(Offered(words)).hide_possible_values(true)
}

/// A word that must be there.
pub fn word(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .value_name(name)
        .required(true)
        .help(help)
        .value_parser(OsStringValueParser::new())
        .allow_negative_numbers(true)
}

/// One word or more.
pub fn words(name: &'static str, help: &'static str) -> Arg {
    word(name, help).num_args(1..)
}

/// One file or more.
pub fn files(name: &'static str, help: &'static str) -> Arg {
    words(name, help).value_hint(ValueHint::AnyPath)
}

/// A position, in one word or several.
pub fn position() -> Arg {
    words("position", "a FEN (quoted or not), startpos or a code").required(false)
}

/// The same where moves from the initial position are understood, too.
pub fn place() -> Arg {
    position().help("a FEN, startpos, a code, or moves such as \"e4 e5 Nf3\" or \"e2e4 e7e5\"")
}

/// The former spelling of a position.
pub fn fen() -> Arg {
    opt("fen FEN", "the position").hide(true)
}

pub fn variant() -> Arg {
    choice("variant V", &["chess", "chess960", "makruk"], "chess (default), chess960 or makruk")
}

pub fn threads() -> Arg {
    opt("threads N", "number of threads (default: all cores)")
}

pub fn json() -> Arg {
    flag("json", "one JSON object")
}

pub fn notation() -> Arg {
    choice(
        "notation N",
        &["san", "lan", "thai", "thai-lan"],
        "write moves as san (default) or lan, for Makruk also thai or thai-lan",
    )
}

/// The options of an engine that several commands share.
pub fn engine(command: Command) -> Command {
    command.next_help_heading("Engine").args([
        variant(),
        opt("threads N", "search threads (default: all cores; 1 with --nodes or --depth, for repeatable results)"),
        opt("hash MB", "hash table size"),
        file("syzygy PATH", "folders with Syzygy tablebases"),
        file("eval-file FILE", "network to use instead of the built-in one; <classical>: none"),
    ])
}

/// Takes any text, and tells shells what is usual.
#[derive(Clone)]
struct Offered(&'static [&'static str]);

impl TypedValueParser for Offered {
    type Value = std::ffi::OsString;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<Self::Value, Error> {
        Ok(value.to_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|word| PossibleValue::new(*word))))
    }
}
