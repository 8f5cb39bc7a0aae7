//! What an answer lacks. A database with a damaged segment still answers, and says so in every answer.

use super::error::DbError;

/// The parts of a database that an answer lacks because they could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missing {
    /// Segments.
    pub segments: u64,
    /// Games of these segments.
    pub games: u64,
    /// Why, one line for each, in the user's words.
    pub why: Vec<String>,
}

impl Missing {
    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.segments == 0
    }

    /// Notes a segment that could not be read.
    pub(super) fn add(&mut self, games: u64, why: &DbError) {
        self.segments += 1;
        self.games = self.games.saturating_add(games);
        self.why.push(why.to_string());
    }
}
