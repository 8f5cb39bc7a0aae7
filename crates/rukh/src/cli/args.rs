//! A small argument parser: take what you know by name, then [`Args::finish`] refuses what is left.

use std::ffi::OsString;
use std::fmt::Display;
use std::str::FromStr;

use super::CliError;

/// The words after the command. Options may stand anywhere; `--name value` and `--name=value` are the same;
/// after `--` every word is positional.
///
/// ```text
/// let fen: Option<String> = args.option("--fen")?;
/// let threads: usize = args.parsed("--threads")?.unwrap_or(1);
/// let divide = args.flag("--divide");
/// let depth: u32 = args.required("depth")?;
/// args.finish()?;
/// ```
/// Take options and flags before positionals: an option's value must not be mistaken for one.
#[derive(Debug, Clone, Default)]
pub struct Args {
    words: Vec<String>,
    /// Words after `--`, positional whatever they look like.
    rest: Vec<String>,
}

#[allow(dead_code)] // each taker serves the commands that need it
impl Args {
    /// Collects the words; refuses those that are not Unicode.
    pub fn new(words: impl IntoIterator<Item = OsString>) -> Result<Self, CliError> {
        let mut args = Self::default();
        let mut after = false;
        for word in words {
            let word = word.into_string().map_err(|word| {
                CliError::usage(format!("the argument '{}' is not valid Unicode", word.to_string_lossy()))
            })?;
            match (after, word.as_str()) {
                (false, "--") => after = true,
                (false, _) => args.words.push(word),
                (true, _) => args.rest.push(word),
            }
        }
        Ok(args)
    }

    /// Takes a flag such as `--divide`; true if it was there.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() != before
    }

    /// Takes an option with a value; given twice, the last one counts.
    pub fn option(&mut self, name: &str) -> Result<Option<String>, CliError> {
        Ok(self.options(name)?.pop())
    }

    /// Takes every value of an option that may be repeated, such as `--engine a --engine b`.
    pub fn options(&mut self, name: &str) -> Result<Vec<String>, CliError> {
        let mut values = Vec::new();
        let mut at = 0;
        while at < self.words.len() {
            let word = &self.words[at];
            if word == name {
                if at + 1 == self.words.len() {
                    return Err(CliError::usage(format!("{name} needs a value")));
                }
                values.push(self.words.remove(at + 1));
                self.words.remove(at);
            } else if let Some(value) = word.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
                values.push(value.to_owned());
                self.words.remove(at);
            } else {
                at += 1;
            }
        }
        Ok(values)
    }

    /// Takes an option and parses its value.
    pub fn parsed<T: FromStr<Err: Display>>(&mut self, name: &str) -> Result<Option<T>, CliError> {
        self.option(name)?.map(|value| parse(name, &value)).transpose()
    }

    /// Takes the first word if it is `name`.
    pub fn subcommand(&mut self, name: &str) -> bool {
        let found = self.words.first().is_some_and(|word| word == name);
        if found {
            self.words.remove(0);
        }
        found
    }

    /// Takes the next positional word, if there is one. A word that looks like an option is an error.
    pub fn positional(&mut self) -> Result<Option<String>, CliError> {
        if let Some(word) = self.words.first() {
            if is_option(word) {
                return Err(unknown_option(word));
            }
            return Ok(Some(self.words.remove(0)));
        }
        Ok(if self.rest.is_empty() { None } else { Some(self.rest.remove(0)) })
    }

    /// Takes and parses a positional word that must be there.
    pub fn required<T: FromStr<Err: Display>>(&mut self, name: &str) -> Result<T, CliError> {
        match self.positional()? {
            Some(word) => parse(name, &word),
            None => Err(CliError::usage(format!("<{name}> is missing"))),
        }
    }

    /// Takes all remaining words joined by blanks, so that a FEN need not be quoted. None if there are none.
    pub fn rest(&mut self) -> Result<Option<String>, CliError> {
        let mut words = Vec::new();
        while let Some(word) = self.positional()? {
            words.push(word);
        }
        Ok(if words.is_empty() { None } else { Some(words.join(" ")) })
    }

    /// True when a `--help` or `-h` is among the words (and takes it).
    pub fn wants_help(&mut self) -> bool {
        self.flag("--help") | self.flag("-h")
    }

    /// Refuses words that nobody took.
    pub fn finish(self) -> Result<(), CliError> {
        match self.words.iter().chain(&self.rest).next() {
            None => Ok(()),
            Some(word) if is_option(word) => Err(unknown_option(word)),
            Some(word) => Err(CliError::usage(format!("unexpected argument '{word}'"))),
        }
    }
}

/// `-` alone and negative numbers are values.
fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word[1..].starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

fn unknown_option(word: &str) -> CliError {
    CliError::usage(format!("unknown option '{word}'"))
}

fn parse<T: FromStr<Err: Display>>(name: &str, value: &str) -> Result<T, CliError> {
    value.parse().map_err(|error| CliError::input(format!("{name}: {error}"), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Args {
        Args::new(line.split_whitespace().map(OsString::from)).unwrap()
    }

    #[test]
    fn options_anywhere() {
        let mut args = args("5 --fen=x --threads 2 --divide");
        assert_eq!(args.option("--fen").unwrap().as_deref(), Some("x"));
        assert_eq!(args.parsed::<usize>("--threads").unwrap(), Some(2));
        assert!(args.flag("--divide") && !args.flag("--divide"));
        assert_eq!(args.required::<u32>("depth").unwrap(), 5);
        args.finish().unwrap();
    }

    #[test]
    fn repeated_options_and_rest() {
        let mut a = args("--engine a --engine=b");
        assert_eq!(a.options("--engine").unwrap(), ["a", "b"]);
        let mut a = args("8/8/8/8/8/8/8/K1k5 w - - 0 1");
        assert_eq!(a.rest().unwrap().as_deref(), Some("8/8/8/8/8/8/8/K1k5 w - - 0 1"));
        assert_eq!(args("-- --odd").positional().unwrap().as_deref(), Some("--odd"));
        assert_eq!(args("-5").required::<i32>("n").unwrap(), -5);
    }

    #[test]
    fn errors_name_the_culprit() {
        assert_eq!(args("x").required::<u32>("depth").unwrap_err().line(), "depth: invalid digit found in string: »x«");
        assert_eq!(args("").required::<u32>("depth").unwrap_err().line(), "<depth> is missing");
        assert_eq!(args("--fen").option("--fen").unwrap_err().line(), "--fen needs a value");
        assert_eq!(args("--what").finish().unwrap_err().line(), "unknown option '--what'");
        assert_eq!(args("a b").finish().unwrap_err().line(), "unexpected argument 'a'");
        assert_eq!(args("--what").positional().unwrap_err().line(), "unknown option '--what'");
    }
}
