//! What clap has read, in the form that commands want it: paths as the system spells them, other values as text whose
//! errors mark what was wrong.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::CliError;

/// The arguments of one command. Options are asked for by the name that users type (`--threads`), positional words by
/// the name in the help text. What a command does not have was not given.
#[derive(Debug, Clone, Default)]
pub struct Args(ArgMatches);

impl Args {
    pub fn new(matches: ArgMatches) -> Args {
        Args(matches)
    }

    /// The action of a command that has some (`rukh db import`): its name and its own arguments.
    pub fn action(&self) -> Option<(&str, Args)> {
        self.0.subcommand().map(|(name, matches)| (name, Args(matches.clone())))
    }

    /// Whether a flag such as `--divide` was given.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.0.try_get_one::<bool>(id(name)), Ok(Some(true)))
    }

    fn raw(&self, name: &str) -> Vec<OsString> {
        match self.0.try_get_many::<OsString>(id(name)) {
            Ok(Some(values)) => values.cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// The value of an option.
    pub fn option(&self, name: &str) -> Result<Option<String>, CliError> {
        Ok(self.options(name)?.pop())
    }

    /// Every value of an option that may be repeated, or all words of a list.
    pub fn options(&self, name: &str) -> Result<Vec<String>, CliError> {
        let unreadable =
            |value: OsString| CliError::usage(format!("{name}: '{}' is not valid Unicode", value.to_string_lossy()));
        self.raw(name).into_iter().map(|value| value.into_string().map_err(unreadable)).collect()
    }

    /// The value of an option that names a file or a folder.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.raw(name).pop().map(PathBuf::from)
    }

    /// All of them, or all files of a list.
    pub fn paths(&self, name: &str) -> Vec<PathBuf> {
        self.raw(name).into_iter().map(PathBuf::from).collect()
    }

    /// The value of an option, parsed.
    pub fn parsed<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>, CliError> {
        self.option(name)?.map(|value| parse(name, &value)).transpose()
    }

    /// A positional word that clap has made sure of.
    pub fn required<T: FromStr<Err: Display>>(&self, name: &str) -> Result<T, CliError> {
        self.parsed(name)?.ok_or_else(|| CliError::usage(format!("<{name}> is missing")))
    }

    /// `--threads`: all cores unless it is given.
    pub fn threads(&self) -> Result<usize, CliError> {
        match self.parsed::<usize>("--threads")? {
            None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
            Some(n) if (1..=MAX_THREADS).contains(&n) => Ok(n),
            Some(n) => Err(CliError::input(format!("--threads is between 1 and {MAX_THREADS}"), &n.to_string())),
        }
    }

    /// The position of a command line: a FEN need not be quoted, so several words may be one. `--fen` is the same.
    pub fn position(&self) -> Result<Option<String>, CliError> {
        let words = self.options("position")?;
        Ok(if words.is_empty() { self.option("--fen")? } else { Some(words.join(" ")) })
    }
}

/// Enough for every machine; a slip of the keyboard is refused.
const MAX_THREADS: usize = 1024;

fn id(name: &str) -> &str {
    name.trim_start_matches('-')
}

fn parse<T: FromStr<Err: Display>>(name: &str, value: &str) -> Result<T, CliError> {
    value
        .parse()
        .map_err(|error: T::Err| CliError::input(format!("{name}: {}", plain(&error.to_string(), value)), value))
}

/// The library's words for what is no number, in ours.
fn plain<'a>(problem: &'a str, value: &str) -> &'a str {
    match problem {
        "invalid digit found in string" if value.parse::<i64>().is_ok() => "must not be negative",
        "invalid digit found in string" | "cannot parse integer from empty string" => "expected a whole number",
        "invalid float literal" | "cannot parse float from empty string" => "expected a number",
        "number too large to fit in target type" => "the number is too large",
        "number too small to fit in target type" => "the number is too small",
        other => other,
    }
}

/// What clap says, in one line of our words.
impl From<clap::Error> for CliError {
    fn from(error: clap::Error) -> CliError {
        let text = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => text.clone(),
            Some(ContextValue::Strings(list)) => list.join("' or '"),
            _ => String::new(),
        };
        let maybe = |kind| match text(kind) {
            guess if guess.is_empty() => String::new(),
            guess => format!("; did you mean '{guess}'?"),
        };
        let missing = || match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::Strings(list)) => list.join(" and "),
            _ => text(ContextKind::InvalidArg),
        };
        CliError::usage(match error.kind() {
            ErrorKind::InvalidSubcommand => {
                let guess = maybe(ContextKind::SuggestedSubcommand);
                let word = text(ContextKind::InvalidSubcommand);
                format!(
                    "there is no command '{word}'{}",
                    if guess.is_empty() { "; 'rukh help' lists them" } else { &guess }
                )
            }
            ErrorKind::UnknownArgument => {
                let word = text(ContextKind::InvalidArg);
                match word.starts_with('-') {
                    true => format!("unknown option '{word}'{}", maybe(ContextKind::SuggestedArg)),
                    false => format!("unexpected argument '{word}'"),
                }
            }
            ErrorKind::MissingRequiredArgument => format!("{} is missing", missing().replace("...", "")),
            ErrorKind::MissingSubcommand => match error.get(ContextKind::ValidSubcommand) {
                Some(ContextValue::Strings(list)) => {
                    let list: Vec<_> = list.iter().filter(|name| *name != "help").map(String::as_str).collect();
                    format!("what to do is missing: {}", list.join(", "))
                }
                _ => "what to do is missing".to_owned(),
            },
            ErrorKind::InvalidValue if text(ContextKind::InvalidValue).is_empty() => {
                format!("{} needs a value", text(ContextKind::InvalidArg))
            }
            ErrorKind::ArgumentConflict => {
                format!("{} and {}: one of them", text(ContextKind::InvalidArg), text(ContextKind::PriorArg))
            }
            _ => error.to_string().trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned(),
        })
    }
}
