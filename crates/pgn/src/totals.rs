//! Sums over many games.

use crate::{GameResult, PgnGame};

/// What a collection of games amounts to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Games.
    pub games: u64,
    /// Moves of both sides.
    pub plies: u64,
    /// Of the longest game, in plies.
    pub longest: usize,
    /// Games won by White.
    pub white: u64,
    /// Games won by Black.
    pub black: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games without a known result.
    pub unknown: u64,
    /// Games without a result behind their moves.
    pub unfinished: u64,
    /// Games with a rating.
    pub rated: u64,
    /// Sum of their mean ratings.
    pub rating_sum: u64,
    /// The first and the last year.
    pub years: Option<(u16, u16)>,
}

impl Totals {
    /// Adds a game.
    pub fn add(&mut self, game: &PgnGame) {
        self.games += 1;
        self.plies += game.moves.len() as u64;
        self.longest = self.longest.max(game.moves.len());
        *match game.result {
            GameResult::White => &mut self.white,
            GameResult::Black => &mut self.black,
            GameResult::Draw => &mut self.draws,
            GameResult::Unknown => &mut self.unknown,
        } += 1;
        self.unfinished += u64::from(!game.terminated);
        if let Some(elo) = game.tags.mean_elo() {
            self.rated += 1;
            self.rating_sum += u64::from(elo);
        }
        if let Some((year, ..)) = game.tags.date() {
            let (first, last) = self.years.unwrap_or((year, year));
            self.years = Some((first.min(year), last.max(year)));
        }
    }

    /// Mean rating of the rated games.
    pub fn mean_rating(&self) -> Option<u64> {
        self.rating_sum.checked_div(self.rated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PgnReader;

    #[test]
    fn games_add_up() {
        let text = "[White \"a\"]\n[WhiteElo \"2000\"]\n[BlackElo \"2100\"]\n[Date \"2001.02.03\"]\n\n1. e4 e5 2. Nf3 1-0\n\n\
                    [White \"b\"]\n[Date \"1999.??.??\"]\n\n1. d4 1/2-1/2\n\n[White \"c\"]\n\n1. c4";
        let mut totals = Totals::default();
        for game in PgnReader::new("test", text.as_bytes()).unwrap() {
            totals.add(&game.unwrap());
        }
        assert_eq!((totals.games, totals.plies, totals.longest), (3, 5, 3));
        assert_eq!((totals.white, totals.draws, totals.black, totals.unknown), (1, 1, 0, 1));
        assert_eq!((totals.unfinished, totals.rated, totals.mean_rating()), (1, 1, Some(2050)));
        assert_eq!(totals.years, Some((1999, 2001)));
    }
}
