//! Ending games early by what the engines themselves say.

use rukh_core::Color;

use super::spec::numbers;
use super::uci::Score;

/// When a side is taken to resign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResignRule {
    /// Consecutive moves of the loser …
    pub moves: u32,
    /// … with its own score at minus this or worse, in centipawns.
    pub score: i32,
    /// The winner must agree for as long.
    pub two_sided: bool,
}

/// When a game is taken to be a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawRule {
    /// From this move number on …
    pub from_move: u32,
    /// … when for so many moves of each side in a row, no capture or pawn move among them …
    pub moves: u32,
    /// … both scores stay within this many centipawns.
    pub score: i32,
}

/// The rules of a match; none by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rules {
    /// When an engine loses by its own score.
    pub resign: Option<ResignRule>,
    /// When the scores agree on a draw.
    pub draw: Option<DrawRule>,
    /// A game of so many moves is a draw.
    pub max_moves: Option<u32>,
}

impl ResignRule {
    /// Reads `moves=3 score=800 twosided=1`; missing keys have these values, but one-sided.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rule = Self { moves: 3, score: 800, two_sided: false };
        for (key, value) in numbers(text, &["moves", "score", "twosided"])? {
            match key.as_str() {
                "moves" => rule.moves = count(&key, value)?,
                "score" => rule.score = count(&key, value)? as i32,
                _ => rule.two_sided = value != 0.0,
            }
        }
        Ok(rule)
    }
}

impl DrawRule {
    /// Reads `movenumber=40 movecount=8 score=8`; missing keys have these values.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rule = Self { from_move: 40, moves: 8, score: 8 };
        for (key, value) in numbers(text, &["movenumber", "movecount", "score"])? {
            match key.as_str() {
                "movenumber" => rule.from_move = value as u32,
                "movecount" => rule.moves = count(&key, value)?,
                _ => rule.score = value as i32,
            }
        }
        Ok(rule)
    }
}

fn count(key: &str, value: f64) -> Result<u32, String> {
    if (1.0..=1e6).contains(&value) && value.fract() == 0.0 {
        Ok(value as u32)
    } else {
        Err(format!("{key}: {value} is not a positive whole number"))
    }
}

/// What the rules say after a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// This side has lost.
    Resigns(Color),
    /// The scores agreed.
    AgreedDraw,
    /// The limit of moves is reached.
    TooLong,
}

/// Follows one game.
#[derive(Debug, Clone, Default)]
pub struct Adjudicator {
    rules: Rules,
    /// Consecutive moves with a lost score, by colour.
    lost: [u32; 2],
    /// Consecutive moves with a won score, by colour.
    won: [u32; 2],
    /// Consecutive plies with a drawish score.
    level: u32,
}

impl Adjudicator {
    /// For a new game.
    pub fn new(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Notes a move of `side` with the score it gave; `move_number` is the number of that move, `progress` whether it
    /// was a capture or a pawn move, `length` the number of moves that each side has made.
    pub fn note(
        &mut self,
        side: Color,
        score: Option<Score>,
        move_number: u32,
        progress: bool,
        length: u32,
    ) -> Option<Decision> {
        let value = score.map(Score::centipawns);
        if let Some(rule) = self.rules.resign {
            let (me, other) = (side.index(), (!side).index());
            self.lost[me] = if value.is_some_and(|v| v <= -rule.score) { self.lost[me] + 1 } else { 0 };
            self.won[me] = if value.is_some_and(|v| v >= rule.score) { self.won[me] + 1 } else { 0 };
            let agreed = |winner: usize| !rule.two_sided || self.won[winner] >= rule.moves;
            if self.lost[me] >= rule.moves && agreed(other) {
                return Some(Decision::Resigns(side));
            }
            // With two sides to agree, the winner's move may be the one that completes it.
            if rule.two_sided && self.lost[other] >= rule.moves && agreed(me) {
                return Some(Decision::Resigns(!side));
            }
        }
        if let Some(rule) = self.rules.draw {
            self.level = if value.is_some_and(|v| v.abs() <= rule.score) && !progress { self.level + 1 } else { 0 };
            if move_number >= rule.from_move && self.level >= 2 * rule.moves {
                return Some(Decision::AgreedDraw);
            }
        }
        (self.rules.max_moves.is_some_and(|max| length >= max)).then_some(Decision::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESIGN: Rules =
        Rules { resign: Some(ResignRule { moves: 2, score: 500, two_sided: false }), draw: None, max_moves: None };

    fn cp(value: i32) -> Option<Score> {
        Some(Score::Cp(value))
    }

    #[test]
    fn rules_are_read() {
        assert_eq!(
            ResignRule::parse("moves=4 score=600").unwrap(),
            ResignRule { moves: 4, score: 600, two_sided: false }
        );
        assert!(ResignRule::parse("twosided=1").unwrap().two_sided);
        assert_eq!(
            DrawRule::parse("movenumber=34,movecount=6,score=20").unwrap(),
            DrawRule { from_move: 34, moves: 6, score: 20 }
        );
        assert!(ResignRule::parse("moves=0").is_err());
        assert!(DrawRule::parse("moves=3").is_err());
    }

    #[test]
    fn resignation_needs_consecutive_moves() {
        let mut game = Adjudicator::new(RESIGN);
        assert_eq!(game.note(Color::White, cp(-600), 1, false, 1), None);
        assert_eq!(game.note(Color::Black, cp(650), 1, false, 1), None);
        assert_eq!(game.note(Color::White, cp(-400), 2, false, 2), None);
        assert_eq!(game.note(Color::White, Some(Score::Mate(-3)), 3, false, 3), None);
        assert_eq!(game.note(Color::Black, cp(900), 3, false, 3), None);
        assert_eq!(game.note(Color::White, cp(-500), 4, false, 4), Some(Decision::Resigns(Color::White)));
    }

    #[test]
    fn no_score_breaks_the_row() {
        let mut game = Adjudicator::new(RESIGN);
        game.note(Color::White, cp(-600), 1, false, 1);
        game.note(Color::White, None, 2, false, 2);
        assert_eq!(game.note(Color::White, cp(-600), 3, false, 3), None);
    }

    #[test]
    fn both_sides_must_agree_when_asked() {
        let rules = Rules { resign: Some(ResignRule { moves: 2, score: 500, two_sided: true }), ..Rules::default() };
        let mut game = Adjudicator::new(rules);
        for number in 1..=5 {
            assert_eq!(game.note(Color::White, cp(-900), number, false, number), None);
            assert_eq!(game.note(Color::Black, cp(10), number, false, number), None);
        }
        assert_eq!(game.note(Color::Black, cp(700), 6, false, 6), None);
        assert_eq!(game.note(Color::Black, cp(700), 7, false, 7), Some(Decision::Resigns(Color::White)));
    }

    #[test]
    fn draws_need_both_sides_and_no_progress() {
        let draw = Some(DrawRule { from_move: 3, moves: 2, score: 10 });
        let mut game = Adjudicator::new(Rules { draw, ..Rules::default() });
        for number in 1..=2 {
            assert_eq!(game.note(Color::White, cp(5), number, false, number), None);
            assert_eq!(game.note(Color::Black, cp(-5), number, false, number), None);
        }
        let mut other = game.clone();
        assert_eq!(game.note(Color::White, cp(0), 3, false, 3), Some(Decision::AgreedDraw));
        assert_eq!(other.note(Color::White, cp(0), 3, true, 3), None, "a capture starts afresh");
    }

    #[test]
    fn long_games_end() {
        let mut game = Adjudicator::new(Rules { max_moves: Some(2), ..Rules::default() });
        assert_eq!(game.note(Color::White, None, 10, false, 1), None);
        assert_eq!(game.note(Color::Black, None, 10, false, 2), Some(Decision::TooLong));
    }
}
