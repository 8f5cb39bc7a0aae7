//! One file becomes many.

use std::collections::HashMap;
use std::str::FromStr;

use super::{Facts, SortKey};

/// What a game's file is named after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SplitBy {
    /// So many games in each, numbered from 1.
    Games(u64),
    /// The year.
    Year,
    /// The value of a tag.
    Tag(String),
}

impl FromStr for SplitBy {
    type Err = String;

    fn from_str(text: &str) -> Result<SplitBy, String> {
        match text.parse() {
            Ok(0) => return Err("a file has at least one game".to_owned()),
            Ok(games) => return Ok(SplitBy::Games(games)),
            Err(_) if text == "year" => return Ok(SplitBy::Year),
            Err(_) => {}
        }
        match text.parse() {
            Ok(SortKey::Tag(name)) => Ok(SplitBy::Tag(name)),
            _ => Err("expected a number of games, year, white, black, event, site, round, eco, result or a tag".into()),
        }
    }
}

/// Longest name of a file, in characters.
const LONGEST: usize = 60;

impl SplitBy {
    /// The name of the file for the game that comes as number `at` (from 0), without its ending. No name leads out of the
    /// folder or is one that some system refuses.
    pub fn name(&self, at: u64, game: &Facts<'_>) -> String {
        let value = match self {
            SplitBy::Games(games) => format!("{:04}", at / games + 1),
            SplitBy::Year => game.tags.date().map_or(String::new(), |(year, ..)| format!("{year:04}")),
            SplitBy::Tag(name) if name == "Result" => game.result.as_str().to_owned(),
            SplitBy::Tag(name) => game.tags.get(name).unwrap_or_default().into_owned(),
        };
        let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
        let name: String = value.trim().chars().take(LONGEST).map(|c| if c == '-' { c } else { plain(c) }).collect();
        match name.to_ascii_uppercase() {
            upper if upper.trim_matches(['_', '-']).is_empty() => "unknown".to_owned(),
            upper if is_device(&upper) => name + "_",
            _ => name,
        }
    }
}

/// Names that Windows keeps for devices, whatever their ending.
fn is_device(upper: &str) -> bool {
    let numbered = upper.strip_prefix("COM").or_else(|| upper.strip_prefix("LPT"));
    matches!(upper, "CON" | "PRN" | "AUX" | "NUL") || numbered.is_some_and(|rest| rest.chars().count() == 1)
}

/// Names for the files of many games. Two that differ in the size of letters only are one, spelled as it came first: for
/// some file systems they are the same, and the second file would take the place of the first.
#[derive(Debug)]
pub struct SplitNames {
    by: SplitBy,
    given: HashMap<String, String>,
}

impl SplitNames {
    /// Names by what games are split by.
    pub fn new(by: SplitBy) -> SplitNames {
        SplitNames { by, given: HashMap::new() }
    }

    /// The name of the file for the game that comes as number `at` (from 0), without its ending.
    pub fn name(&mut self, at: u64, game: &Facts<'_>) -> String {
        let name = self.by.name(at, game);
        self.given.entry(name.to_lowercase()).or_insert(name).clone()
    }
}
