//! What clap has read, in the form that commands want it: paths as the system spells them, other values as text whose
//! errors mark what was wrong.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::File;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use rukh_core::Variant;
use rukh_engine::Limits;

use super::{CliError, Result};

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
    pub fn option(&self, name: &str) -> Result<Option<String>> {
        Ok(self.options(name)?.pop())
    }

    /// Every value of an option that may be repeated, or all words of a list.
    pub fn options(&self, name: &str) -> Result<Vec<String>> {
        let unreadable =
            |value: OsString| CliError::usage(format!("{name}: '{}' is not valid Unicode", value.to_string_lossy()));
        self.raw(name).into_iter().map(|value| value.into_string().map_err(unreadable)).collect()
    }

    /// The words of an option with commas between them.
    pub fn list(&self, name: &str) -> Result<Vec<String>> {
        let text = self.option(name)?.unwrap_or_default();
        Ok(text.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect())
    }

    /// The value of an option that names a file or a folder.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.raw(name).pop().map(PathBuf::from)
    }

    /// All of them, or all files of a list.
    pub fn paths(&self, name: &str) -> Vec<PathBuf> {
        self.raw(name).into_iter().map(PathBuf::from).collect()
    }

    /// The files of a list, all of which can be read: better said before the first one's games have taken their time.
    pub fn inputs(&self, name: &str) -> Result<Vec<PathBuf>> {
        let paths = self.paths(name);
        for path in paths.iter().filter(|path| path.as_os_str() != "-") {
            // What is no file, a pipe for instance, can be opened only once.
            let found = std::fs::metadata(path)
                .and_then(|about| if about.is_file() { File::open(path).map(drop) } else { Ok(()) });
            found.map_err(|error| CliError::new(format!("{}: cannot read: {error}", path.display())))?;
        }
        Ok(paths)
    }

    /// A file that must be named.
    pub fn required_path(&self, name: &str) -> Result<PathBuf> {
        self.path(name).ok_or_else(|| CliError::usage(format!("<{name}> is missing")))
    }

    /// The value of an option, parsed.
    pub fn parsed<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>> {
        self.option(name)?.map(|value| parse(name, &value)).transpose()
    }

    /// The same for an option that has a default.
    pub fn or<T: FromStr<Err: Display>>(&self, name: &str, default: T) -> Result<T> {
        Ok(self.parsed(name)?.unwrap_or(default))
    }

    /// A number where none, or less, makes no sense.
    pub fn positive<T>(&self, name: &str) -> Result<Option<T>>
    where
        T: FromStr<Err: Display> + PartialOrd + Default,
    {
        let value = self.parsed(name)?;
        match value {
            Some(value) if value > T::default() => Ok(Some(value)),
            None => Ok(None),
            Some(_) => {
                Err(CliError::input(format!("{name} must be more than 0"), &self.option(name)?.unwrap_or_default()))
            }
        }
    }

    /// The same where only some numbers make sense.
    pub fn within<T>(&self, name: &str, default: T, range: RangeInclusive<T>) -> Result<T>
    where
        T: FromStr<Err: Display> + PartialOrd + Display,
    {
        let value = self.or(name, default)?;
        let outside = || CliError::usage(format!("{name}: between {} and {}", range.start(), range.end()));
        if range.contains(&value) { Ok(value) } else { Err(outside()) }
    }

    /// What the value of an option stands for.
    pub fn one_of<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>> {
        let Some(text) = self.option(name)? else { return Ok(None) };
        if let Some((_, value)) = choices.iter().find(|(word, _)| *word == text) {
            return Ok(Some(*value));
        }
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let (last, others) = words.split_last().unwrap_or((&"nothing", &[]));
        Err(CliError::input(format!("{name}: expected {} or {last}", others.join(", ")), &text))
    }

    /// A date of which month and day may be missing; `missing` stands for them.
    pub fn date(&self, name: &str, missing: u8) -> Result<Option<(u16, u8, u8)>> {
        let Some(text) = self.option(name)? else { return Ok(None) };
        let wrong = || CliError::input(format!("{name}: expected a date like 2024, 2024.05 or 2024.05.31"), &text);
        rukh_pgn::parse_date(&text, missing).ok_or_else(wrong).map(Some)
    }

    /// `--movetime`, `--nodes` and `--depth`; so many milliseconds if none is given.
    pub fn limits(&self, default: u64) -> Result<Limits> {
        let (nodes, depth) = (self.positive("--nodes")?, self.positive("--depth")?);
        let default = if nodes.is_none() && depth.is_none() { Some(default) } else { None };
        Ok(Limits { movetime: self.positive("--movetime")?.or(default), nodes, depth, ..Limits::default() })
    }

    /// `--token`, or the variable that stands for it.
    pub fn lichess_token(&self) -> Result<Option<String>> {
        let token = self.option("--token")?.or_else(|| std::env::var("LICHESS_TOKEN").ok());
        Ok(token.filter(|token| !token.is_empty()))
    }

    /// A positional word that clap has made sure of.
    pub fn required<T: FromStr<Err: Display>>(&self, name: &str) -> Result<T> {
        self.parsed(name)?.ok_or_else(|| CliError::usage(format!("<{name}> is missing")))
    }

    /// `--threads`: all cores unless it is given.
    pub fn threads(&self) -> Result<usize> {
        match self.parsed::<usize>("--threads")? {
            None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
            Some(n) if (1..=MAX_THREADS).contains(&n) => Ok(n),
            Some(n) => Err(CliError::input(format!("--threads is between 1 and {MAX_THREADS}"), &n.to_string())),
        }
    }

    /// `--variant`, and the words of `name`. Without the option the first word may be the game, as in `rukh train makruk …`.
    pub fn variant_and_words(&self, name: &str) -> Result<(Option<Variant>, Vec<OsString>)> {
        let mut words = self.raw(name);
        let mut variant = self.parsed("--variant")?;
        if variant.is_none() {
            variant = words.first().and_then(|word| word.to_str()?.parse().ok());
            words.drain(..usize::from(variant.is_some()));
        }
        Ok((variant, words))
    }

    /// The position of a command line: a FEN need not be quoted, so several words may be one. `--fen` is the same.
    pub fn position(&self) -> Result<Option<String>> {
        let words = self.options("position")?;
        Ok(if words.is_empty() { self.option("--fen")? } else { Some(words.join(" ")) })
    }
}

/// Enough for every machine; a slip of the keyboard is refused.
const MAX_THREADS: usize = 1024;

fn id(name: &str) -> &str {
    name.trim_start_matches('-')
}

fn parse<T: FromStr<Err: Display>>(name: &str, value: &str) -> Result<T> {
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
        "invalid IP address syntax" => "expected an IP address such as 0.0.0.0",
        other => other,
    }
}

/// The command whose action is meant, from its usage: `rukh pgn <action>`.
fn above(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    let usage = usage.to_string();
    let (command, _) = usage.lines().next()?.split_once(" <action>")?;
    Some(command.trim_start_matches("Usage:").trim().to_owned())
}

impl CliError {
    /// What clap says, in one line of our words.
    pub fn from_clap(error: &clap::Error) -> CliError {
        let words = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => vec![text.as_str()],
            Some(ContextValue::Strings(list)) => list.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        };
        let text = |kind| words(kind).join("' or '");
        let maybe = |kind, otherwise: &str| match text(kind) {
            guess if guess.is_empty() => otherwise.to_owned(),
            guess => format!("; did you mean '{guess}'?"),
        };
        let arg = text(ContextKind::InvalidArg);
        CliError::usage(match error.kind() {
            ErrorKind::InvalidSubcommand => {
                let unknown = text(ContextKind::InvalidSubcommand);
                let (what, list) = match above(error) {
                    Some(command) => (format!("action '{unknown}' in '{command}'"), format!("{command} --help")),
                    None => (format!("command '{unknown}'"), "rukh help".into()),
                };
                let guess = maybe(ContextKind::SuggestedSubcommand, &format!("; '{list}' lists them"));
                format!("there is no {what}{guess}")
            }
            ErrorKind::UnknownArgument if arg.starts_with('-') => {
                format!("unknown option '{arg}'{}", maybe(ContextKind::SuggestedArg, ""))
            }
            ErrorKind::UnknownArgument => format!("unexpected argument '{arg}'"),
            ErrorKind::MissingRequiredArgument => {
                let missing = words(ContextKind::InvalidArg);
                let are = if missing.len() == 1 { "is" } else { "are" };
                format!("{} {are} missing", missing.join(" and ").replace("...", ""))
            }
            ErrorKind::MissingSubcommand => {
                let mut actions = words(ContextKind::ValidSubcommand);
                actions.retain(|name| *name != "help");
                format!("an action is missing: {}", actions.join(", "))
            }
            ErrorKind::InvalidValue if text(ContextKind::InvalidValue).is_empty() => format!("{arg} needs a value"),
            ErrorKind::ArgumentConflict => format!("{arg} and {} cannot be used together", text(ContextKind::PriorArg)),
            _ => error.to_string().trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned(),
        })
    }
}
