//! Options: one typed list that protocols print, and one struct that holds their values.

use core::ops::RangeInclusive;
use rukh_core::Variant;

/// The type of an option, with its default and limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// On or off.
    Check {
        /// The default.
        default: bool,
    },
    /// A number.
    Spin {
        /// The default.
        default: i64,
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// One of a few words.
    Combo {
        /// The default.
        default: &'static str,
        /// All words.
        choices: &'static [&'static str],
    },
    /// Free text, often a path; empty means none.
    Text {
        /// The default.
        default: &'static str,
    },
    /// Something to do at once.
    Button,
}

/// An option's name and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// The name as protocols show it.
    pub name: &'static str,
    /// Type, default, limits.
    pub kind: OptionKind,
    /// What must be attached to the engine for it to have an effect.
    pub needs: Needs,
}

/// What an option needs from the host of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Needs {
    /// Nothing: every engine has it.
    Nothing,
    /// A [`Book`](crate::Book).
    Book,
    /// A [`Memory`](crate::Memory), or files of them.
    Memory,
    /// [`MemoryFiles`](crate::MemoryFiles).
    MemoryFiles,
}

impl OptionSpec {
    const fn new(name: &'static str, kind: OptionKind) -> OptionSpec {
        OptionSpec { name, kind, needs: Needs::Nothing }
    }

    const fn with(self, needs: Needs) -> OptionSpec {
        OptionSpec { needs, ..self }
    }
}

const fn check(name: &'static str, default: bool) -> OptionSpec {
    OptionSpec::new(name, OptionKind::Check { default })
}

const fn spin(name: &'static str, default: i64, range: RangeInclusive<i64>) -> OptionSpec {
    OptionSpec::new(name, OptionKind::Spin { default, min: *range.start(), max: *range.end() })
}

const fn text(name: &'static str, default: &'static str) -> OptionSpec {
    OptionSpec::new(name, OptionKind::Text { default })
}

/// Weakest and strongest rating that `UCI_Elo` can be set to.
pub const ELO_RANGE: RangeInclusive<i64> = 600..=2800;

/// Every option, in the order in which it is shown. An engine offers those whose [needs](Needs) are met.
pub const OPTIONS: &[OptionSpec] = &[
    spin("Hash", 16, 1..=1 << 20),
    spin("Threads", 1, 1..=512),
    spin("MultiPV", 1, 1..=256),
    check("Ponder", false),
    spin("Move Overhead", 20, 0..=5000),
    check("UCI_Chess960", false),
    OptionSpec::new("UCI_Variant", OptionKind::Combo { default: "chess", choices: &["chess", "chess960", "makruk"] }),
    check("UCI_ShowWDL", false),
    check("UCI_LimitStrength", false),
    spin("UCI_Elo", 1500, ELO_RANGE),
    spin("Skill Level", 20, 0..=20),
    text("SyzygyPath", ""),
    text("MakrukTables", ""),
    text("EvalFile", crate::network::EMBEDDED),
    check("OwnBook", false).with(Needs::Book),
    text("BookFile", "").with(Needs::Book),
    check("BestBookMove", false).with(Needs::Book),
    spin("BookDepth", 40, 0..=1000).with(Needs::Book),
    check("Learn", false).with(Needs::Memory),
    text("LearnFile", "").with(Needs::MemoryFiles),
    spin("LearnMB", 1024, 1..=1 << 24).with(Needs::MemoryFiles),
    OptionSpec::new("Clear Hash", OptionKind::Button),
];

/// Why an option was refused. The value stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// No such option.
    #[error("unknown option '{0}'")]
    Unknown(String),
    /// What it needs is not attached to this engine.
    #[error("option {0} has no effect here and is not offered")]
    NotOffered(&'static str),
    /// The value does not fit the option's type or range.
    #[error("option {name} takes {expected}, not '{value}'")]
    Value {
        /// The option.
        name: &'static str,
        /// What it takes.
        expected: String,
        /// What it was given.
        value: String,
    },
}

/// The values of all options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Transposition table in mebibytes.
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Lines to report.
    pub multipv: usize,
    /// The host may ask to ponder.
    pub ponder: bool,
    /// Time lost per move between engine and clock, milliseconds.
    pub move_overhead: u64,
    /// Which game. Chess960 differs from chess in notation only.
    pub variant: Variant,
    /// Report win, draw and loss in permille.
    pub show_wdl: bool,
    /// Play at `elo` instead of full strength.
    pub limit_strength: bool,
    /// The rating to play at.
    pub elo: i64,
    /// 20 is full strength.
    pub skill_level: i64,
    /// Folders with Syzygy tables.
    pub syzygy_path: String,
    /// Folder with Makruk's bare-Khun tables; without one, those of up to four men are made in memory.
    pub makruk_tables: String,
    /// The network file; `<embedded>` for the program's own, `<page>` for the small one of pages, `<classical>` for the terms written by hand.
    pub eval_file: String,
    /// Play from `book_file`.
    pub own_book: bool,
    /// The opening book; empty for the program's own.
    pub book_file: String,
    /// Always the heaviest move of the book, not one drawn by weight.
    pub best_book_move: bool,
    /// Half-moves of a game that may come from the book.
    pub book_depth: usize,
    /// Remember what searches find, and use it.
    pub learn: bool,
    /// The table to remember in; empty for the user's own.
    pub learn_file: String,
    /// Megabytes that the table may take.
    pub learn_mb: u64,
}

impl Default for Options {
    fn default() -> Options {
        let mut options = Options {
            hash: 0,
            threads: 0,
            multipv: 0,
            ponder: false,
            move_overhead: 0,
            variant: Variant::Chess,
            show_wdl: false,
            limit_strength: false,
            elo: 0,
            skill_level: 0,
            syzygy_path: String::new(),
            makruk_tables: String::new(),
            eval_file: String::new(),
            own_book: false,
            book_file: String::new(),
            best_book_move: false,
            book_depth: 0,
            learn: false,
            learn_file: String::new(),
            learn_mb: 0,
        };
        // The list is the one place where defaults live.
        for spec in OPTIONS {
            let value = match spec.kind {
                OptionKind::Check { default } => default.to_string(),
                OptionKind::Spin { default, .. } => default.to_string(),
                OptionKind::Combo { default, .. } | OptionKind::Text { default } => default.to_string(),
                OptionKind::Button => continue,
            };
            options.set(spec.name, &value).expect("defaults are valid");
        }
        options
    }
}

/// A value checked against its option's type.
enum Value {
    Check(bool),
    Spin(i64),
    Word(&'static str),
    Text(String),
    Button,
}

impl OptionSpec {
    /// The option called `name`; case does not matter.
    pub fn find(name: &str) -> Option<&'static OptionSpec> {
        OPTIONS.iter().find(|spec| spec.name.eq_ignore_ascii_case(name.trim()))
    }

    fn parse(&self, text: &str) -> Result<Value, OptionError> {
        let text = text.trim();
        let wrong = |expected: String| {
            Err(OptionError::Value { name: self.name, expected, value: text.chars().take(80).collect() })
        };
        match self.kind {
            OptionKind::Check { .. } => match text.to_ascii_lowercase().as_str() {
                "true" | "on" | "1" => Ok(Value::Check(true)),
                "false" | "off" | "0" => Ok(Value::Check(false)),
                _ => wrong("true or false".into()),
            },
            OptionKind::Spin { min, max, .. } => match text.parse::<i64>() {
                Ok(n) if (min..=max).contains(&n) => Ok(Value::Spin(n)),
                _ => wrong(format!("a number from {min} to {max}")),
            },
            OptionKind::Combo { choices, .. } => match choices.iter().find(|c| c.eq_ignore_ascii_case(text)) {
                Some(word) => Ok(Value::Word(word)),
                None => wrong(format!("one of {}", choices.join(", "))),
            },
            // Some hosts write <empty> where they mean nothing.
            OptionKind::Text { .. } => {
                Ok(Value::Text(if text == "<empty>" { String::new() } else { text.to_string() }))
            }
            OptionKind::Button => Ok(Value::Button),
        }
    }
}

impl Options {
    /// Sets an option by name. Buttons are accepted and do nothing here.
    ///
    /// ```
    /// let mut options = rukh_engine::Options::default();
    /// options.set("hash", "64").unwrap();
    /// assert_eq!(options.hash, 64);
    /// assert_eq!(options.set("Threads", "many").unwrap_err().to_string(), "option Threads takes a number from 1 to 512, not 'many'");
    /// ```
    pub fn set(&mut self, name: &str, value: &str) -> Result<&'static OptionSpec, OptionError> {
        let spec =
            OptionSpec::find(name).ok_or_else(|| OptionError::Unknown(name.trim().chars().take(80).collect()))?;
        match (spec.name, spec.parse(value)?) {
            ("Hash", Value::Spin(n)) => self.hash = n as usize,
            ("Threads", Value::Spin(n)) => self.threads = n as usize,
            ("MultiPV", Value::Spin(n)) => self.multipv = n as usize,
            ("Ponder", Value::Check(on)) => self.ponder = on,
            ("Move Overhead", Value::Spin(n)) => self.move_overhead = n as u64,
            ("UCI_Chess960", Value::Check(on)) => {
                self.variant = match (self.variant, on) {
                    (Variant::Chess | Variant::Chess960, true) => Variant::Chess960,
                    (Variant::Chess | Variant::Chess960, false) => Variant::Chess,
                    (Variant::Makruk, _) => Variant::Makruk,
                }
            }
            ("UCI_Variant", Value::Word(word)) => {
                self.variant = match (word, self.variant) {
                    // Hosts set UCI_Chess960 and UCI_Variant in any order.
                    ("chess", Variant::Chess960) => Variant::Chess960,
                    ("chess960", _) => Variant::Chess960,
                    ("makruk", _) => Variant::Makruk,
                    _ => Variant::Chess,
                }
            }
            ("UCI_ShowWDL", Value::Check(on)) => self.show_wdl = on,
            ("UCI_LimitStrength", Value::Check(on)) => self.limit_strength = on,
            ("UCI_Elo", Value::Spin(n)) => self.elo = n,
            ("Skill Level", Value::Spin(n)) => self.skill_level = n,
            ("SyzygyPath", Value::Text(path)) => self.syzygy_path = path,
            ("MakrukTables", Value::Text(path)) => self.makruk_tables = path,
            ("EvalFile", Value::Text(path)) => self.eval_file = path,
            ("OwnBook", Value::Check(on)) => self.own_book = on,
            ("BookFile", Value::Text(path)) => self.book_file = path,
            ("BestBookMove", Value::Check(on)) => self.best_book_move = on,
            ("BookDepth", Value::Spin(n)) => self.book_depth = n as usize,
            ("Learn", Value::Check(on)) => self.learn = on,
            ("LearnFile", Value::Text(path)) => self.learn_file = path,
            ("LearnMB", Value::Spin(n)) => self.learn_mb = n as u64,
            _ => {}
        }
        Ok(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_but_buttons_changes_the_struct() {
        for spec in OPTIONS {
            let mut options = Options::default();
            let other = match spec.kind {
                OptionKind::Check { default } => (!default).to_string(),
                OptionKind::Spin { default, min, max } => if default == max { min } else { max }.to_string(),
                OptionKind::Combo { choices, .. } => choices[choices.len() - 1].to_string(),
                OptionKind::Text { .. } => "somewhere".to_string(),
                OptionKind::Button => continue,
            };
            options.set(spec.name, &other).unwrap();
            assert_ne!(options, Options::default(), "{}", spec.name);
        }
    }

    #[test]
    fn bad_values_change_nothing() {
        let mut options = Options::default();
        for (name, value) in [
            ("Hash", "0"),
            ("Hash", "-5"),
            ("Hash", ""),
            ("Ponder", "maybe"),
            ("UCI_Variant", "xiangqi"),
            ("Nonsense", "1"),
        ] {
            assert!(options.set(name, value).is_err(), "{name} {value}");
        }
        assert_eq!(options, Options::default());
    }

    #[test]
    fn chess960_and_variant_come_in_any_order() {
        for order in [["UCI_Chess960", "UCI_Variant"], ["UCI_Variant", "UCI_Chess960"]] {
            let mut options = Options::default();
            for name in order {
                options.set(name, if name == "UCI_Variant" { "chess" } else { "true" }).unwrap();
            }
            assert_eq!(options.variant, Variant::Chess960);
        }
    }
}
