//! A game: a position with its history, and how it ends.

use crate::moves::Move;
use crate::position::Position;
use crate::rules::{Count, Rules};
use crate::types::{Color, Variant};
use crate::uci::MoveError;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

/// Why a game is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum DrawReason {
    Stalemate,
    InsufficientMaterial,
    ThreefoldRepetition,
    FivefoldRepetition,
    FiftyMoves,
    SeventyFiveMoves,
    /// Makruk: the count has passed its limit.
    Count,
    /// Makruk between people: the side that counts has given mate without stopping its count.
    CounterMated,
}

impl fmt::Display for DrawReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient material",
            Self::ThreefoldRepetition => "threefold repetition",
            Self::FivefoldRepetition => "fivefold repetition",
            Self::FiftyMoves => "fifty-move rule",
            Self::SeventyFiveMoves => "seventy-five-move rule",
            Self::Count => "count",
            Self::CounterMated => "mate by the counting side",
        })
    }
}

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[must_use]
pub enum Outcome {
    /// By checkmate.
    Win(Color),
    /// For this reason.
    Draw(DrawReason),
}

/// Whether draws that a player must claim (threefold, fifty moves) count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Decision {
    /// Claimable draws end the game, as in engine matches.
    #[default]
    Claimed,
    /// Only what ends a game by itself: mate, stalemate, dead positions, fivefold, seventy-five moves, Makruk's rules.
    Automatic,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win(color) => write!(f, "{color} wins by checkmate"),
            Self::Draw(reason) => write!(f, "draw by {reason}"),
        }
    }
}

impl Outcome {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub const fn result(self) -> &'static str {
        match self {
            Self::Win(Color::White) => "1-0",
            Self::Win(Color::Black) => "0-1",
            Self::Draw(_) => "1/2-1/2",
        }
    }
}

impl<R: Rules> Position<R> {
    /// Whether the side to move is mated.
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }

    /// Whether the side to move has no move and is not in check.
    pub fn is_stalemate(&self) -> bool {
        !self.in_check() && !self.has_legal_move()
    }

    /// Whether neither side can ever mate.
    #[inline]
    pub fn is_insufficient_material(&self) -> bool {
        R::insufficient_material(self)
    }

    /// The running count of Makruk, if one runs.
    #[inline]
    pub fn count(&self) -> Option<Count> {
        let count = R::count_of(&self.state);
        (count.limit != 0).then_some(count)
    }

    /// Whether the count has passed its limit. Mate beats the count: test for it first.
    #[inline]
    pub fn is_count_draw(&self) -> bool {
        let count = R::count_of(&self.state);
        count.limit != 0 && count.plies > count.limit
    }
}

/// A position, the moves that led to it, and the keys that repetition needs.
///
/// ```
/// use rukh_core::{Chess, DrawReason, Game, Outcome, Position};
/// let mut game = Game::new(Position::<Chess>::startpos());
/// for uci in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"] {
///     let mv = game.position().parse_uci(uci).unwrap();
///     game.play(mv);
/// }
/// assert_eq!(game.repetitions(), 3);
/// assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::ThreefoldRepetition)));
/// ```
#[derive(Clone, Debug)]
pub struct Game<R: Rules> {
    // The positions, the start first; one more than there are moves.
    positions: Vec<Position<R>>,
    moves: Vec<Move>,
    keys: Vec<u64>,
}

impl<R: Rules> Game<R> {
    /// A game that starts here.
    pub fn new(start: Position<R>) -> Self {
        Self { positions: alloc::vec![start], moves: Vec::new(), keys: alloc::vec![start.repetition_key()] }
    }

    /// The position on the board.
    pub fn position(&self) -> &Position<R> {
        &self.positions[self.moves.len()]
    }

    /// Mutable access for what is no move: claiming and stopping a Makruk count.
    pub fn position_mut(&mut self) -> &mut Position<R> {
        let last = self.moves.len();
        &mut self.positions[last]
    }

    /// The position the game started from.
    pub fn start(&self) -> &Position<R> {
        &self.positions[0]
    }

    /// The positions of the game, the start first.
    pub fn positions(&self) -> &[Position<R>] {
        &self.positions
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a move, if it is legal here.
    pub fn try_play(&mut self, mv: Move) -> Result<(), MoveError> {
        if !self.position().is_legal(mv) {
            return Err(MoveError::Illegal(mv.to_string()));
        }
        self.push(mv, self.position().after_unchecked(mv));
        Ok(())
    }

    /// Plays a legal move.
    ///
    /// # Panics
    ///
    /// If the move is not legal here: [`try_play`](Self::try_play) returns an error instead.
    pub fn play(&mut self, mv: Move) {
        self.push(mv, self.position().after(mv));
    }

    fn push(&mut self, mv: Move, next: Position<R>) {
        self.positions.push(next);
        self.keys.push(next.repetition_key());
        self.moves.push(mv);
    }

    /// Takes the last move back.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        self.keys.pop();
        Some(mv)
    }

    /// The repetition keys of the positions since the last capture or pawn move, the current one last.
    pub fn keys(&self) -> &[u64] {
        let reversible = self.position().halfmove_clock() as usize;
        &self.keys[self.keys.len().saturating_sub(reversible + 1)..]
    }

    /// How often the current position has been on the board, this time included.
    pub fn repetitions(&self) -> usize {
        let key = self.position().repetition_key();
        self.keys().iter().rev().step_by(2).filter(|&&k| k == key).count()
    }

    /// How the game has ended, claimable draws included.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome_by(Decision::Claimed)
    }

    /// How the game has ended.
    pub fn outcome_by(&self, decision: Decision) -> Option<Outcome> {
        let pos = self.position();
        if !pos.has_legal_move() {
            if !pos.in_check() {
                return Some(Outcome::Draw(DrawReason::Stalemate));
            }
            let winner = !pos.side_to_move();
            if R::counter(&pos.state) == Some(winner) {
                return Some(Outcome::Draw(DrawReason::CounterMated));
            }
            return Some(Outcome::Win(winner));
        }
        if pos.is_count_draw() {
            return Some(Outcome::Draw(DrawReason::Count));
        }
        if pos.is_insufficient_material() {
            return Some(Outcome::Draw(DrawReason::InsufficientMaterial));
        }
        // Makruk has no claims: the third repetition ends the game.
        let claims = decision == Decision::Claimed || R::VARIANT == Variant::Makruk;
        let repetitions = self.repetitions();
        if R::FIFTY_MOVES && pos.halfmove_clock() >= 150 {
            return Some(Outcome::Draw(DrawReason::SeventyFiveMoves));
        }
        if repetitions >= 5 && R::VARIANT != Variant::Makruk {
            return Some(Outcome::Draw(DrawReason::FivefoldRepetition));
        }
        if claims && R::FIFTY_MOVES && pos.halfmove_clock() >= 100 {
            return Some(Outcome::Draw(DrawReason::FiftyMoves));
        }
        (claims && repetitions >= 3).then_some(Outcome::Draw(DrawReason::ThreefoldRepetition))
    }
}
