//! The part of a game that a move belongs to: the same for the page, the coach and its report.

use rukh_core::{Kind, Position, Rules};

/// Half-moves that are an opening, as long as there are pieces.
const OPENING_PLIES: usize = 24;
/// Pieces but pawns and kings, of both sides: with so few it is an ending.
const ENDING_PIECES: u32 = 6;

/// A part of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first moves.
    Opening,
    /// What comes between.
    Middle,
    /// Few pieces are left.
    Ending,
}

impl Phase {
    /// The phase of a position after so many half-moves.
    pub fn of<R: Rules>(pos: &Position<R>, plies: usize) -> Phase {
        match (pos.occupied() - pos.pieces(Kind::Pawn) - pos.pieces(Kind::King)).count() {
            0..=ENDING_PIECES => Phase::Ending,
            _ if plies < OPENING_PLIES => Phase::Opening,
            _ => Phase::Middle,
        }
    }

    /// The word for it in messages.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Middle => "middle",
            Phase::Ending => "ending",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::Chess;

    #[test]
    fn few_pieces_are_an_ending_whenever_that_is() {
        let start = Position::<Chess>::startpos();
        assert_eq!((Phase::of(&start, 23), Phase::of(&start, 24)), (Phase::Opening, Phase::Middle));
        let few = Position::<Chess>::from_fen("rnb1k3/pppp4/8/8/8/8/PPPP4/RNB1K3 w Q - 0 9").unwrap();
        assert_eq!(Phase::of(&few, 16), Phase::Ending);
    }
}
