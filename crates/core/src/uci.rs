//! Moves as UCI writes them.

use crate::moves::Move;
use crate::position::Position;
use crate::rules::Rules;
use crate::types::{Color, Kind, Square};
use alloc::string::{String, ToString};

/// How castling is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Notation {
    /// The king's step: `e1g1`.
    #[default]
    Standard,
    /// The king takes its own rook: `e1h1`, as `UCI_Chess960` asks for.
    Chess960,
}

/// A text that is no move of the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum MoveError {
    #[error("`{0}` is not a move: expected something like {1}")]
    Syntax(String, &'static str),
    #[error("`{0}` is not a legal move in this position")]
    Illegal(String),
    #[error("`{0}` is ambiguous: more than one piece can make this move")]
    Ambiguous(String),
    #[error("`{0}` needs a promotion piece, such as `{0}{1}`")]
    NoPromotion(String, char),
}

const UCI_EXAMPLE: &str = "e2e4, e7e8q or (castling) e1g1";
const LONGEST: usize = 32;

/// The start of a hostile text: errors quote no more than this.
pub(crate) fn quote(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

impl<R: Rules> Position<R> {
    /// Reads a move in UCI form and checks that it is legal. Castling is understood both ways, and Makruk promotions with and
    /// without their `m`.
    ///
    /// ```
    /// use rukh_core::{Chess, Position};
    /// let pos: Position<Chess> = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1".parse().unwrap();
    /// assert_eq!(pos.parse_uci("e1g1"), pos.parse_uci("e1h1"));
    /// assert!(pos.parse_uci("e1e3").is_err());
    /// ```
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let syntax = || MoveError::Syntax(quote(text), UCI_EXAMPLE);
        if !text.is_ascii() || !(4..=5).contains(&text.len()) {
            return Err(syntax());
        }
        let from: Square = text[..2].parse().map_err(|_| syntax())?;
        let to: Square = text[2..4].parse().map_err(|_| syntax())?;
        let promotion = match text[4..].chars().next() {
            None => None,
            Some(c) => Some(
                R::PROMOTIONS.iter().copied().find(|&k| R::letter(k) == c.to_ascii_uppercase()).ok_or_else(syntax)?,
            ),
        };
        let king_takes_rook =
            |mv: &Move| mv.is_castle() && self.castle_rook(self.side_to_move(), mv.is_king_castle()) == Some(to);
        let list = self.legal_moves();
        let fits = |mv: &&Move| {
            mv.from() == from
                && (mv.to() == to && !mv.is_castle() || king_takes_rook(mv) && promotion.is_none())
                && (mv.promotion() == promotion || R::PROMOTIONS.len() == 1 && promotion.is_none())
        };
        if let Some(&mv) = list.iter().find(fits) {
            return Ok(mv);
        }
        // The king's step: only when it is not an ordinary move (in Chess960 both may exist).
        if let Some(&mv) = list
            .iter()
            .find(|mv| mv.is_castle() && mv.from() == from && mv.to() == to && from != to && promotion.is_none())
        {
            return Ok(mv);
        }
        if promotion.is_none() && list.iter().any(|mv| mv.from() == from && mv.to() == to && mv.is_promotion()) {
            let letter = R::letter(R::PROMOTIONS.first().copied().unwrap_or(Kind::Queen)).to_ascii_lowercase();
            return Err(MoveError::NoPromotion(quote(text), letter));
        }
        Err(MoveError::Illegal(quote(text)))
    }

    /// Writes a move in UCI form.
    pub fn uci(&self, mv: Move, notation: Notation) -> String {
        if mv.is_castle() && notation == Notation::Chess960 {
            let color = if mv.piece().color() == Color::White { Color::White } else { Color::Black };
            if let Some(rook) = self.castle_rook(color, mv.is_king_castle()) {
                return alloc::format!("{}{}", mv.from(), rook);
            }
        }
        mv.to_string()
    }
}
