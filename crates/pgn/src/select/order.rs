//! Duplicates, samples and order.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

use rukh_core::rng::Rng;

use super::Facts;

/// When two games are the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    /// The same moves from the same start.
    Moves,
    /// And the same players and result; spaces and dots in names do not count.
    Game,
}

impl FromStr for Same {
    type Err = String;

    fn from_str(text: &str) -> Result<Same, String> {
        match text {
            "moves" => Ok(Same::Moves),
            "game" => Ok(Same::Game),
            _ => Err("expected game or moves".to_owned()),
        }
    }
}

/// What games are put in order by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortKey {
    /// From the oldest; games without a date come first.
    Date,
    /// By the mean rating, from the lowest.
    Elo,
    /// By the number of half-moves.
    Plies,
    /// By a tag; numbers in it by their value, as in rounds.
    Tag(String),
}

impl FromStr for SortKey {
    type Err = String;

    fn from_str(text: &str) -> Result<SortKey, String> {
        Ok(match text {
            "date" => SortKey::Date,
            "elo" => SortKey::Elo,
            "plies" => SortKey::Plies,
            "white" => SortKey::Tag("White".into()),
            "black" => SortKey::Tag("Black".into()),
            "event" => SortKey::Tag("Event".into()),
            "site" => SortKey::Tag("Site".into()),
            "round" => SortKey::Tag("Round".into()),
            "eco" => SortKey::Tag("ECO".into()),
            "result" => SortKey::Tag("Result".into()),
            name if name.starts_with(|c: char| c.is_ascii_uppercase()) => SortKey::Tag(name.into()),
            _ => return Err("expected date, elo, plies, white, black, event, site, round, eco, result or a tag".into()),
        })
    }
}

/// A part of a key: words and numbers in turn compare as people read them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Word(String),
}

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        parts.push(match part.parse() {
            Ok(number) if digits => Part::Number(number),
            _ => Part::Word(part.to_lowercase()),
        });
        rest = after;
    }
    parts
}

impl SortKey {
    fn of(&self, game: &Facts<'_>) -> Vec<Part> {
        match self {
            SortKey::Date => {
                let (year, month, day) = game.tags.date().unwrap_or_default();
                vec![Part::Number(u64::from(year) * 10_000 + u64::from(month) * 100 + u64::from(day))]
            }
            SortKey::Elo => vec![Part::Number(game.tags.mean_elo().unwrap_or(0).into())],
            SortKey::Plies => vec![Part::Number(game.moves.len() as u64)],
            SortKey::Tag(name) if name == "Result" => parts(game.result.as_str()),
            SortKey::Tag(name) => parts(&game.tags.get(name).unwrap_or_default()),
        }
    }
}

/// What to do with the games that pass a [`Filter`](super::Filter).
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Drop games that were there already.
    pub dedupe: Option<Same>,
    /// Keep so many, drawn by lot with this seed, in the order of the file.
    pub sample: Option<(usize, u64)>,
    /// Put them in order; equal ones stay as they were.
    pub sort: Vec<SortKey>,
    /// The other way round.
    pub reverse: bool,
}

/// Takes games one by one. What must be seen whole is kept until the end; `T` is whatever stands for a game.
pub struct Selector<T> {
    selection: Selection,
    seen: HashSet<u128>,
    kept: Vec<(u64, Vec<Vec<Part>>, T)>,
    count: u64,
    rng: Rng,
    /// Games that were there already.
    pub duplicates: u64,
}

impl<T> Selector<T> {
    /// Begins a selection.
    pub fn new(selection: Selection) -> Selector<T> {
        let rng = Rng::new(selection.sample.map_or(0, |(_, seed)| seed), 0);
        Selector { selection, seen: HashSet::new(), kept: Vec::new(), count: 0, rng, duplicates: 0 }
    }

    /// Takes a game; gives it back if its turn is now. `make` is called for games that may be needed.
    pub fn take(&mut self, game: &Facts<'_>, make: impl FnOnce() -> T) -> Option<T> {
        if let Some(same) = self.selection.dedupe
            && !self.seen.insert(identity(same, game))
        {
            self.duplicates += 1;
            return None;
        }
        self.count += 1;
        if self.selection.sample.is_none() && self.selection.sort.is_empty() && !self.selection.reverse {
            return Some(make());
        }
        let keys = || self.selection.sort.iter().map(|key| key.of(game)).collect();
        match self.selection.sample {
            // Every game so far has had the same chance.
            Some((size, _)) if self.kept.len() >= size => {
                let place = self.rng.below(self.count as usize);
                if place < size {
                    self.kept[place] = (self.count, keys(), make());
                }
            }
            _ => self.kept.push((self.count, keys(), make())),
        }
        None
    }

    /// What was kept back, in order.
    pub fn rest(mut self) -> impl Iterator<Item = T> {
        self.kept.sort_by(|a, b| a.1.cmp(&b.1).then(a.0.cmp(&b.0)));
        if self.selection.reverse {
            self.kept.reverse();
        }
        self.kept.into_iter().map(|(.., game)| game)
    }
}

/// 128 bits that stand for a game.
fn identity(same: Same, game: &Facts<'_>) -> u128 {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        game.start.fen().hash(&mut hasher);
        game.moves.iter().for_each(|mv| mv.to_u16().hash(&mut hasher));
        if same == Same::Game {
            let squeezed = |name: &str| name.to_lowercase().replace([' ', '.', ','], "");
            squeezed(&game.tags.white()).hash(&mut hasher);
            squeezed(&game.tags.black()).hash(&mut hasher);
            game.result.as_str().hash(&mut hasher);
        }
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}
