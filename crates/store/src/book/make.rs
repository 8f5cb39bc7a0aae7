//! Making books from games.

use std::collections::HashMap;

use rukh_core::{Color, Position, Rules, dispatch};

use super::polyglot::{Entry, encode_move};
use rukh_pgn::{GameResult, PgnGame};

/// Weights of moves by position while a book is put together.
#[derive(Default)]
pub(super) struct Tally {
    moves: HashMap<(u64, u16), Count>,
}

#[derive(Default, Clone, Copy)]
struct Count {
    games: u32,
    weight: u64,
}

impl Tally {
    pub fn add(&mut self, key: u64, mv: u16, weight: u64) {
        let count = self.moves.entry((key, mv)).or_default();
        count.games = count.games.saturating_add(1);
        count.weight = count.weight.saturating_add(weight);
    }

    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Entries of moves seen in at least `min_games`, in file order. Weights keep their proportions within a position
    /// when they must be scaled down to 16 bits, and a weight above zero stays above zero.
    ///
    /// With `within`, a move must also score no more than so many thousandths of a point less than the best of its
    /// position, each score less its standard error: what few games say counts less.
    pub fn entries(&self, min_games: u32, within: Option<u32>) -> Vec<Entry> {
        let score = |c: &Count| {
            let games = f64::from(c.games.max(1));
            500.0 * (c.weight as f64 / games - 1.0 / games.sqrt())
        };
        let mut best: HashMap<u64, f64> = HashMap::new();
        for (&(key, _), count) in self.moves.iter().filter(|(_, c)| c.games >= min_games) {
            let known = best.entry(key).or_insert(f64::MIN);
            *known = known.max(score(count));
        }
        let good = |key: &u64, c: &Count| {
            within.is_none_or(|within| best.get(key).is_some_and(|best| score(c) + f64::from(within) >= *best))
        };
        let kept = || self.moves.iter().filter(|((key, _), c)| c.games >= min_games && good(key, c));
        let mut heaviest: HashMap<u64, u64> = HashMap::new();
        for (&(key, _), count) in kept() {
            let most = heaviest.entry(key).or_default();
            *most = count.weight.max(*most);
        }
        let mut entries: Vec<Entry> = kept()
            .map(|(&(key, mv), count)| {
                let most = heaviest[&key];
                let weight = if most > u64::from(u16::MAX) {
                    let scaled = u128::from(count.weight) * u128::from(u16::MAX) / u128::from(most);
                    (scaled as u16).max(u16::from(count.weight > 0))
                } else {
                    count.weight as u16
                };
                Entry { key, mv, weight, learn: 0 }
            })
            .collect();
        super::polyglot::sort(&mut entries);
        entries
    }
}

/// What goes into a book.
#[derive(Debug, Clone)]
pub struct MakeOptions {
    /// Half-moves of each game to take.
    pub plies: usize,
    /// Least games of a move.
    pub min_games: u32,
    /// Moves of this colour only.
    pub color: Option<Color>,
    /// Weigh every game alike instead of 2 for a win of the moving side and 1 for a draw.
    pub uniform: bool,
    /// Only moves that score at most so many thousandths of a point less than the best of their position.
    pub within: Option<u32>,
}

impl Default for MakeOptions {
    fn default() -> Self {
        MakeOptions { plies: 40, min_games: 3, color: None, uniform: false, within: None }
    }
}

/// Collects games into a book.
pub struct BookMaker {
    options: MakeOptions,
    tally: Tally,
    games: u64,
}

impl BookMaker {
    /// An empty book.
    pub fn new(options: MakeOptions) -> Self {
        BookMaker { options, tally: Tally::default(), games: 0 }
    }

    /// Adds a game. Games without a result count in a uniform book only.
    pub fn add(&mut self, game: &PgnGame) {
        dispatch!(&game.start, start => self.add_from(start, game));
    }

    fn add_from<R: Rules>(&mut self, start: &Position<R>, game: &PgnGame) {
        let winner = match game.result {
            GameResult::White => Some(Color::White),
            GameResult::Black => Some(Color::Black),
            GameResult::Draw => None,
            GameResult::Unknown if self.options.uniform => None,
            GameResult::Unknown => return,
        };
        self.games += 1;
        let mut pos = *start;
        for &mv in game.moves.iter().take(self.options.plies) {
            let us = pos.side_to_move();
            if self.options.color.is_none_or(|c| c == us) {
                let weight = match winner {
                    _ if self.options.uniform => 1,
                    None => 1,
                    Some(side) if side == us => 2,
                    Some(_) => 0,
                };
                self.record(pos.key(), encode_move(&pos, mv), weight);
            }
            pos = pos.after(mv);
        }
    }

    /// Adds one move with a weight of its own.
    pub fn record(&mut self, key: u64, mv: u16, weight: u64) {
        self.tally.add(key, mv, weight);
    }

    /// Games taken so far.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Different (position, move) pairs so far.
    pub fn pairs(&self) -> usize {
        self.tally.len()
    }

    /// The book: moves with enough games and a weight, in file order.
    pub fn finish(self) -> Vec<Entry> {
        let mut entries = self.tally.entries(self.options.min_games, self.options.within);
        entries.retain(|e| e.weight > 0);
        entries
    }
}
