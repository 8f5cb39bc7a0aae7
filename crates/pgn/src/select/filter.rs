//! Which games are wanted.

use std::str::FromStr;

use rukh_core::{AnyPosition, Move, Position, Rules, Variant, dispatch};

use super::{Facts, Material, Pattern};
use crate::{GameResult, Tags};

/// All that is set must hold. Names are found anywhere in a tag, in small or large letters.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// One of the players.
    pub player: Option<String>,
    /// The player of the white pieces.
    pub white: Option<String>,
    /// The player of the black pieces.
    pub black: Option<String>,
    /// Other tags by name.
    pub tags: Vec<(String, String)>,
    /// Least mean rating; a game without ratings has none.
    pub min_elo: Option<u16>,
    /// Greatest mean rating.
    pub max_elo: Option<u16>,
    /// The result.
    pub result: Option<GameResult>,
    /// First date; month and day may be 0.
    pub since: Option<(u16, u8, u8)>,
    /// Last date.
    pub until: Option<(u16, u8, u8)>,
    /// Classes of openings.
    pub eco: Option<EcoRange>,
    /// The variant.
    pub variant: Option<Variant>,
    /// Least number of half-moves.
    pub min_plies: Option<usize>,
    /// Greatest number of half-moves.
    pub max_plies: Option<usize>,
    /// Men that stand on the board at some time.
    pub material: Option<Material>,
    /// A position that occurs.
    pub position: Option<AnyPosition>,
    /// Squares that look so at some time.
    pub pattern: Option<Pattern>,
}

impl Filter {
    /// What the tags alone can tell. Whoever reads a file asks first: the moves of others need not be read.
    pub fn tags_pass(&self, tags: &Tags) -> bool {
        let has = |text: &str, wanted: &Option<String>| wanted.as_ref().is_none_or(|wanted| holds(text, wanted));
        let (white, black) = (tags.white(), tags.black());
        let rating = |test: &dyn Fn(u16) -> bool| tags.mean_elo().is_some_and(test);
        (has(&white, &self.player) || has(&black, &self.player))
            && has(&white, &self.white)
            && has(&black, &self.black)
            && self.tags.iter().all(|(name, wanted)| tags.get(name).is_some_and(|text| holds(&text, wanted)))
            && self.min_elo.is_none_or(|least| rating(&|elo| elo >= least))
            && self.max_elo.is_none_or(|most| rating(&|elo| elo <= most))
            && self.since.is_none_or(|first| tags.date().is_some_and(|date| date >= first))
            && self.until.is_none_or(|last| tags.date().is_some_and(|date| date <= last))
    }

    /// What the whole game tells. `eco` is asked for the opening of games that do not name it.
    pub fn game_passes(&self, game: &Facts<'_>, eco: impl FnOnce() -> Option<String>) -> bool {
        let plies = game.moves.len();
        self.tags_pass(game.tags)
            && self.result.is_none_or(|result| result == game.result)
            && self.variant.is_none_or(|variant| variant == game.start.variant())
            && self.min_plies.is_none_or(|least| plies >= least)
            && self.max_plies.is_none_or(|most| plies <= most)
            && self.eco.as_ref().is_none_or(|range| {
                let named = game.tags.get("ECO").map(|text| text.into_owned()).filter(|text| EcoRange::is_class(text));
                named.or_else(eco).is_some_and(|class| range.holds(&class))
            })
            && self.boards_pass(game)
    }

    fn boards_pass(&self, game: &Facts<'_>) -> bool {
        if self.material.is_none() && self.position.is_none() && self.pattern.is_none() {
            return true;
        }
        let wanted = self.position.as_ref();
        if wanted.is_some_and(|wanted| wanted.variant().rules() != game.start.variant().rules()) {
            return false;
        }
        dispatch!(game.start, start => self.shown(start, &game.moves, wanted.map(AnyPosition::key)))
    }

    /// Each of the three may be shown by another position of the game.
    fn shown<R: Rules>(&self, start: &Position<R>, moves: &[Move], key: Option<u64>) -> bool {
        let mut left = (self.material.as_ref(), key, self.pattern.as_ref());
        let mut pos = *start;
        let mut next = moves.iter();
        loop {
            left.0 = left.0.filter(|material| !material.stands(&pos));
            left.1 = left.1.filter(|&key| pos.key() != key);
            left.2 = left.2.filter(|pattern| !pattern.stands(&pos));
            if left == (None, None, None) {
                return true;
            }
            let Some(&mv) = next.next() else { return false };
            pos = pos.after_unchecked(mv);
        }
    }
}

/// Whether a text holds another, whatever the size of the letters.
fn holds(text: &str, wanted: &str) -> bool {
    text.to_lowercase().contains(&wanted.to_lowercase())
}

/// Classes of the Encyclopaedia of Chess Openings: `B33`, `B` or `B20-B99`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EcoRange {
    first: String,
    last: String,
}

impl EcoRange {
    fn is_class(text: &str) -> bool {
        matches!(text.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9', ..])
    }

    fn holds(&self, class: &str) -> bool {
        let class = class.get(..3).unwrap_or(class);
        self.first.as_str() <= class && class <= self.last.as_str()
    }
}

impl FromStr for EcoRange {
    type Err = String;

    fn from_str(text: &str) -> Result<EcoRange, String> {
        let text = text.trim().to_ascii_uppercase();
        let (first, last) = text.split_once('-').unwrap_or((&text, &text));
        let whole = |part: &str, fill: char| {
            let class: String = part.chars().chain(std::iter::repeat(fill)).take(3).collect();
            (part.len() <= 3 && EcoRange::is_class(&class)).then_some(class)
        };
        match (whole(first, '0'), whole(last, '9')) {
            (Some(first), Some(last)) if first <= last => Ok(EcoRange { first, last }),
            _ => Err("expected classes such as B33, B or B20-B99".to_owned()),
        }
    }
}
