//! Engine descriptions as the user writes them: `cmd=./rukh name=new option.Hash=16 tc=8+0.08`.

use std::path::Path;

use super::limits::EngineLimits;

/// One engine as asked for on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineSpec {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Folder to start it in.
    pub directory: Option<String>,
    /// Name for reports; the one the engine gives itself when empty.
    pub name: String,
    /// UCI options to set.
    pub options: Vec<OptionSetting>,
    /// How long it may think.
    pub limits: EngineLimits,
    /// Milliseconds, instead of the common margin.
    pub time_margin: Option<u64>,
    /// Start a fresh process for every game.
    pub restart: bool,
}

/// A UCI option to set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionSetting {
    /// As the engine calls it.
    pub name: String,
    /// As UCI writes it.
    pub value: String,
    /// From `--each`: an engine that has no such option does without.
    pub lenient: bool,
}

impl EngineSpec {
    /// Reads an `--engine` text on top of the `--each` text, whose settings it overrides.
    pub fn parse(text: &str, each: &str) -> Result<Self, String> {
        let mut spec = Self::default();
        for word in split(each)? {
            spec.apply(&word, true)?;
        }
        // The engine's own limits replace the common ones as a whole.
        let common = std::mem::take(&mut spec.limits);
        for word in split(text)? {
            spec.apply(&word, false)?;
        }
        spec.limits = spec.limits.or(common);
        if spec.command.is_empty() {
            return Err(format!("an engine needs cmd=…, as in 'cmd=./engine name=new option.Hash=16': '{text}'"));
        }
        Ok(spec)
    }

    fn apply(&mut self, word: &str, lenient: bool) -> Result<(), String> {
        let (key, value) = match word.split_once('=') {
            Some(parts) => parts,
            // `--engine ./rukh` alone is clear enough.
            None if !lenient && self.command.is_empty() => ("cmd", word),
            None => return Err(format!("expected key=value, found '{word}'")),
        };
        match key {
            "cmd" => self.command = value.to_owned(),
            "args" => self.arguments = split(value)?,
            "dir" => self.directory = Some(value.to_owned()),
            "name" => self.name = value.to_owned(),
            "restart" => self.restart = matches!(value, "on" | "true" | "yes" | "1"),
            "timemargin" => {
                self.time_margin = Some(value.parse().map_err(|_| format!("timemargin: '{value}' is not a number"))?);
            }
            _ => {
                if let Some(name) = key.strip_prefix("option.") {
                    let setting = OptionSetting { name: name.to_owned(), value: value.to_owned(), lenient };
                    self.options.retain(|known| !same_name(&known.name, name));
                    self.options.push(setting);
                } else if !self.limits.set(key, value).map_err(|error| format!("{key}: {error}"))? {
                    return Err(format!(
                        "unknown engine setting '{key}' (known: cmd args dir name restart timemargin option.NAME \
                         tc movetime nodes depth)"
                    ));
                }
            }
        }
        Ok(())
    }

    /// The name to use before, or instead of, the one the engine gives itself.
    pub fn fallback_name(&self) -> String {
        if !self.name.is_empty() {
            return self.name.clone();
        }
        let stem = Path::new(&self.command).file_stem().and_then(|stem| stem.to_str());
        stem.unwrap_or("engine").to_owned()
    }
}

/// Reads the engines of a match. What one does not say for itself comes from `each`, or is the `common` limit.
pub fn opponents(texts: &[String], each: &str, common: EngineLimits) -> Result<Vec<EngineSpec>, String> {
    let mut engines = Vec::new();
    for text in texts {
        let mut spec = EngineSpec::parse(text, each).map_err(|error| format!("--engine: {error}"))?;
        spec.limits = spec.limits.or(common);
        if spec.limits == EngineLimits::default() {
            let name = spec.fallback_name();
            return Err(format!("engine {name} has no limit: give --tc, --nodes, --depth or --movetime"));
        }
        engines.push(spec);
    }
    if engines.len() < 2 {
        return Err("a match needs two engines or more: --engine 'cmd=…' --engine 'cmd=…'".to_owned());
    }
    Ok(engines)
}

/// UCI option names ignore case; `_` may stand for a blank, which saves quotes in a shell.
pub fn same_name(a: &str, b: &str) -> bool {
    let fold = |c: char| if c == '_' { ' ' } else { c.to_ascii_lowercase() };
    a.chars().map(fold).eq(b.chars().map(fold))
}

/// Splits at blanks; '…' and "…" keep blanks, wherever they begin in a word.
pub fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(format!("a quotation mark is not closed: {text}"));
    }
    words.extend(word);
    Ok(words)
}

/// Reads `key=value` words into numbers by name, for `--resign`, `--draw` and `--sprt`.
pub fn numbers(text: &str, known: &[&str]) -> Result<Vec<(String, f64)>, String> {
    split(&text.replace(',', " "))?
        .iter()
        .map(|word| {
            let (key, value) = word.split_once('=').ok_or_else(|| format!("expected key=value, found '{word}'"))?;
            if !known.contains(&key) {
                return Err(format!("unknown key '{key}' (known: {})", known.join(" ")));
            }
            let number: f64 = value.parse().map_err(|_| format!("{key}: '{value}' is not a number"))?;
            if number.is_finite() {
                Ok((key.to_owned(), number))
            } else {
                Err(format!("{key}: '{value}' is too large"))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_like_a_shell() {
        assert_eq!(split(" a  b=c ").unwrap(), ["a", "b=c"]);
        assert_eq!(
            split(r#""option.Move Overhead=10" args='-x "y"' e="""#).unwrap(),
            ["option.Move Overhead=10", "args=-x \"y\"", "e="]
        );
        assert!(split("a 'b").is_err());
    }

    #[test]
    fn full_specification() {
        let spec = EngineSpec::parse(
            r#"cmd=/usr/games/x name=new args="-a b" option.Hash=32 nodes=500 timemargin=5 restart=on"#,
            "option.hash=16 option.Threads=1 tc=8+0.08",
        )
        .unwrap();
        assert_eq!(spec.command, "/usr/games/x");
        assert_eq!(spec.arguments, ["-a", "b"]);
        assert_eq!(spec.limits, EngineLimits { nodes: Some(500), ..EngineLimits::default() });
        assert_eq!((spec.time_margin, spec.restart), (Some(5), true));
        let options: Vec<_> = spec.options.iter().map(|o| (o.name.as_str(), o.value.as_str(), o.lenient)).collect();
        assert_eq!(options, [("Threads", "1", true), ("Hash", "32", false)]);
    }

    #[test]
    fn short_forms() {
        let spec = EngineSpec::parse("./rukh", "tc=1").unwrap();
        assert_eq!((spec.command.as_str(), spec.fallback_name().as_str()), ("./rukh", "rukh"));
        assert!(spec.limits.tc.is_some());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, each, part) in [
            ("name=x", "", "cmd="),
            ("cmd=x frob=1", "", "'frob'"),
            ("cmd=x tc=0", "", "tc: "),
            ("cmd=x junk", "", "'junk'"),
            ("cmd=x", "junk", "'junk'"),
            ("cmd='x", "", "quotation"),
        ] {
            let error = EngineSpec::parse(text, each).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn numbers_by_name() {
        let read = numbers("moves=3, score=800", &["moves", "score"]).unwrap();
        assert_eq!(read, [("moves".to_owned(), 3.0), ("score".to_owned(), 800.0)]);
        assert!(numbers("moves=x", &["moves"]).is_err());
        assert!(numbers("move=3", &["moves"]).unwrap_err().contains("moves"));
        assert!(numbers("moves=inf", &["moves"]).is_err());
    }

    #[test]
    fn option_names() {
        assert!(same_name("move_overhead", "Move Overhead"));
        assert!(same_name("UCI_Chess960", "uci_chess960"));
        assert!(!same_name("Hash", "HashFile"));
    }
}
