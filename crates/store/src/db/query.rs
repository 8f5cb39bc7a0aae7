//! Positions as people and pages write them: a FEN, or moves from the initial position.

use rukh_core::{Position, Rules};
use thiserror::Error;

/// What was not understood.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{problem}: {part}")]
pub struct QueryError {
    /// What is wrong.
    pub problem: String,
    /// The word or FEN that is wrong.
    pub part: String,
}

impl QueryError {
    fn new(problem: impl std::fmt::Display, part: &str) -> QueryError {
        QueryError { problem: problem.to_string(), part: part.chars().take(200).collect() }
    }
}

/// The position that a text means: a FEN if there is a slash in it, else moves in SAN or UCI notation, with or without
/// numbers, parted by blanks or commas. An empty text is the initial position.
///
/// ```
/// use rukh_core::{Chess, Position};
/// use rukh_store::db::position;
///
/// let a: Position<Chess> = position("1. e4 e5 2. Nf3").unwrap();
/// let b: Position<Chess> = position("e2e4,e7e5,g1f3").unwrap();
/// assert_eq!(a.key(), b.key());
/// assert_eq!(position::<Chess>("e4 e6 Ke3").unwrap_err().part, "Ke3");
/// ```
pub fn position<R: Rules>(text: &str) -> Result<Position<R>, QueryError> {
    let text = text.trim();
    if text.contains('/') {
        return Position::from_fen(text).map_err(|e| QueryError::new(e, text));
    }
    let mut pos = Position::startpos();
    for word in text.split(|c: char| c.is_whitespace() || c == ',') {
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        if word.is_empty() {
            continue;
        }
        let mv = pos.parse_uci(word).or_else(|_| pos.parse_san(word)).map_err(|e| QueryError::new(e, word))?;
        pos = pos.after(mv);
    }
    Ok(pos)
}
