//! The variant at run time.
//!
//! Inside, a variant is a type; whoever reads a FEN, a file or a command learns it while the program runs. [`Any`] is where
//! the two meet, the only place in the workspace (`cargo xtask test` looks for a second): a value of one type for chess
//! and Chess960, of another for Makruk, and which of the three games it is. [`dispatch!`](crate::dispatch) goes back to types.
//!
//! ```
//! use rukh_core::any::AnyGame;
//! use rukh_core::{Position, Variant, dispatch, perft};
//!
//! let mut game = AnyGame::from_fen(Variant::Chess960, "nrk2bbr/pppppppp/8/8/8/8/PPPPPPPP/NRK2BBR w HBhb - 0 1").unwrap();
//! let castling = game.parse_move("O-O-O").unwrap();
//! assert_eq!(game.uci(castling), "c1b1"); // the king takes its rook
//! game.play(castling);
//!
//! assert_eq!(dispatch!(&game, game => perft(game.start(), 1)), game.start().legal_moves().len() as u64);
//! assert_eq!(dispatch!(type R of Variant::Makruk => perft(&Position::<R>::startpos(), 2)), 529);
//! ```

use crate::epd::{Epd, EpdError};
use crate::fen::FenError;
use crate::game::{Decision, Game, Outcome};
use crate::moves::{Move, MoveList};
use crate::position::Position;
use crate::rules::{Chess, Count, Makruk, Rules};
use crate::san::Writing;
use crate::types::{Color, Piece, Square, Variant};
use crate::uci::MoveError;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A value for whichever variant is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Any<C, M> {
    /// For chess.
    Chess(C),
    /// For Chess960: the same rules, another castling notation.
    Chess960(C),
    /// For Makruk.
    Makruk(M),
}

/// A position of any variant.
pub type AnyPosition = Any<Position<Chess>, Position<Makruk>>;

/// A game of any variant.
pub type AnyGame = Any<Game<Chess>, Game<Makruk>>;

/// Runs the same code for every variant: for the value in an [`Any`], or for the rules of a [`Variant`].
///
/// - `dispatch!(any, value => body)` matches; `any` may be a reference.
/// - `dispatch!(type R of variant => body)` makes `R` the rules.
/// - `dispatch!(any R of variant => body)` does, too, and puts what comes out into an [`Any`] of that variant.
#[macro_export]
macro_rules! dispatch {
    (type $rules:ident of $variant:expr => $body:expr) => {
        match $variant {
            $crate::Variant::Chess | $crate::Variant::Chess960 => {
                type $rules = $crate::Chess;
                $body
            }
            $crate::Variant::Makruk => {
                type $rules = $crate::Makruk;
                $body
            }
        }
    };
    (any $rules:ident of $variant:expr => $body:expr) => {
        match $variant {
            $crate::Variant::Chess => $crate::any::Any::Chess({
                type $rules = $crate::Chess;
                $body
            }),
            $crate::Variant::Chess960 => $crate::any::Any::Chess960({
                type $rules = $crate::Chess;
                $body
            }),
            $crate::Variant::Makruk => $crate::any::Any::Makruk({
                type $rules = $crate::Makruk;
                $body
            }),
        }
    };
    ($any:expr, $value:pat_param => $body:expr) => {
        match $any {
            $crate::any::Any::Chess($value) | $crate::any::Any::Chess960($value) => $body,
            $crate::any::Any::Makruk($value) => $body,
        }
    };
}

impl<C, M> Any<C, M> {
    /// Which variant.
    pub const fn variant(&self) -> Variant {
        match self {
            Any::Chess(_) => Variant::Chess,
            Any::Chess960(_) => Variant::Chess960,
            Any::Makruk(_) => Variant::Makruk,
        }
    }

    /// The value, where the rules are those of chess.
    pub const fn chess(&self) -> Option<&C> {
        match self {
            Any::Chess(value) | Any::Chess960(value) => Some(value),
            Any::Makruk(_) => None,
        }
    }

    /// The value, where the rules are Makruk's.
    pub const fn makruk(&self) -> Option<&M> {
        match self {
            Any::Makruk(value) => Some(value),
            _ => None,
        }
    }

    /// The value to change, where the rules are those of chess.
    pub const fn chess_mut(&mut self) -> Option<&mut C> {
        match self {
            Any::Chess(value) | Any::Chess960(value) => Some(value),
            Any::Makruk(_) => None,
        }
    }

    /// The value to change, where the rules are Makruk's.
    pub const fn makruk_mut(&mut self) -> Option<&mut M> {
        match self {
            Any::Makruk(value) => Some(value),
            _ => None,
        }
    }

    /// The same variant with another value.
    pub fn map<D, N>(&self, chess: impl FnOnce(&C) -> D, makruk: impl FnOnce(&M) -> N) -> Any<D, N> {
        match self {
            Any::Chess(value) => Any::Chess(chess(value)),
            Any::Chess960(value) => Any::Chess960(chess(value)),
            Any::Makruk(value) => Any::Makruk(makruk(value)),
        }
    }
}

impl<C: 'static, M: 'static> Any<C, M> {
    /// The value, if it is a `T`: for code that is generic over the rules.
    ///
    /// ```
    /// # use rukh_core::{Chess, Makruk, Position, Variant, any::AnyPosition};
    /// let any = AnyPosition::new(Variant::Chess960);
    /// assert!(any.of::<Position<Chess>>().is_some() && any.of::<Position<Makruk>>().is_none());
    /// ```
    pub fn of<T: 'static>(&self) -> Option<&T> {
        dispatch!(self, value => (value as &dyn core::any::Any).downcast_ref())
    }
}

impl<R: Rules> From<Position<R>> for AnyPosition {
    fn from(pos: Position<R>) -> AnyPosition {
        R::any(pos)
    }
}

impl Default for AnyPosition {
    fn default() -> AnyPosition {
        AnyPosition::new(Variant::Chess)
    }
}

/// What a position answers, and a game for the position on its board.
macro_rules! answers {
    ($($(#[$doc:meta])* fn $name:ident($pos:ident $(, $arg:ident: $of:ty)*) -> $answer:ty { $body:expr })*) => {
        impl AnyPosition {
            $($(#[$doc])* pub fn $name(&self $(, $arg: $of)*) -> $answer { dispatch!(self, $pos => $body) })*

            /// A legal move in the variant's UCI notation; `0000` for [`Move::NONE`].
            pub fn uci(&self, mv: Move) -> String {
                dispatch!(self, pos => pos.uci(mv, self.variant().notation()))
            }
        }

        impl AnyGame {
            $($(#[$doc])* pub fn $name(&self $(, $arg: $of)*) -> $answer {
                dispatch!(self, game => { let $pos = game.position(); $body })
            })*

            /// A legal move in the variant's UCI notation; `0000` for [`Move::NONE`].
            pub fn uci(&self, mv: Move) -> String {
                self.position().uci(mv)
            }
        }
    };
}

answers! {
    /// The position as a FEN.
    fn fen(pos) -> String { pos.fen() }

    /// Who is to move.
    fn side_to_move(pos) -> Color { pos.side_to_move() }

    /// Number of the move to come, as in FEN.
    fn fullmove(pos) -> u32 { pos.fullmove() }

    /// The hash key (the Polyglot key in chess).
    fn key(pos) -> u64 { pos.key() }

    /// How many pieces are on the board.
    fn men(pos) -> u32 { pos.occupied().count() }

    /// What stands on a square.
    fn piece_at(pos, square: Square) -> Option<Piece> { pos.piece_at(square) }

    /// Whether the side to move is in check.
    fn in_check(pos) -> bool { pos.in_check() }

    /// The king of the side to move if it is in check.
    fn checked_king(pos) -> Option<Square> { pos.in_check().then(|| pos.king(pos.side_to_move())) }

    /// Squares of the pieces that give check.
    fn checkers(pos) -> Vec<Square> { pos.checkers().into_iter().collect() }

    /// The Makruk count, while one runs.
    fn count(pos) -> Option<Count> { pos.count() }

    /// All legal moves.
    fn legal_moves(pos) -> MoveList { pos.legal_moves() }

    /// Reads a move in UCI notation: castling either way, Makruk promotions with or without their `m`.
    fn parse_uci(pos, text: &str) -> Result<Move, MoveError> { pos.parse_uci(text) }

    /// Reads a move in UCI notation or SAN, as people type them.
    fn parse_move(pos, text: &str) -> Result<Move, MoveError> { pos.parse_uci(text).or_else(|_| pos.parse_san(text)) }

    /// A legal move in SAN; `--` for [`Move::NONE`].
    fn san(pos, mv: Move) -> String { written(pos, mv, Writing::default()) }

    /// A legal move as people write it; `--` for [`Move::NONE`].
    fn written(pos, mv: Move, writing: Writing) -> String { written(pos, mv, writing) }

    /// A line of play with move numbers, cut at the first word that is no legal move.
    fn written_line(pos, line: &[String], writing: Writing) -> String { written_line(*pos, line, writing) }
}

fn written<R: Rules>(pos: &Position<R>, mv: Move, writing: Writing) -> String {
    if mv.is_none() { "--".into() } else { pos.written(mv, writing) }
}

fn written_line<R: Rules>(mut pos: Position<R>, line: &[String], writing: Writing) -> String {
    let mut words = Vec::new();
    for word in line {
        let Ok(mv) = pos.parse_uci(word) else { break };
        let number = writing.number(pos.fullmove());
        match pos.side_to_move() {
            Color::White => words.push(format!("{number}.")),
            Color::Black if words.is_empty() => words.push(format!("{number}...")),
            Color::Black => {}
        }
        words.push(pos.written(mv, writing));
        pos = pos.after_unchecked(mv);
    }
    words.join(" ")
}

impl AnyPosition {
    /// The variant's start position.
    pub fn new(variant: Variant) -> AnyPosition {
        dispatch!(any R of variant => Position::<R>::startpos())
    }

    /// Reads a FEN.
    pub fn from_fen(variant: Variant, fen: &str) -> Result<AnyPosition, FenError> {
        Ok(dispatch!(any R of variant => Position::<R>::from_fen(fen)?))
    }

    /// Reads a line of a test suite: the position and its operations.
    #[allow(clippy::type_complexity)]
    pub fn from_epd(variant: Variant, line: &str) -> Result<(AnyPosition, Vec<(String, Vec<String>)>), EpdError> {
        let operations;
        let pos = dispatch!(any R of variant => {
            let epd = Epd::<R>::parse(line)?;
            operations = epd.operations;
            epd.position
        });
        Ok((pos, operations))
    }

    /// A line of legal moves in the variant's UCI notation.
    pub fn uci_line(&self, line: &[Move]) -> Vec<String> {
        let mut at = self.clone();
        let written = line.iter().map(|&mv| {
            let text = at.uci(mv);
            at.play(mv);
            text
        });
        written.collect()
    }

    /// Plays a move, if it is legal here.
    pub fn try_play(&mut self, mv: Move) -> Result<(), MoveError> {
        dispatch!(self, pos => pos.try_play(mv))
    }

    /// Plays a move, which must be legal, or passes for [`Move::NONE`], which one may not while in check.
    ///
    /// # Panics
    ///
    /// If one may not.
    pub fn play(&mut self, mv: Move) {
        dispatch!(self, pos => *pos = if mv.is_none() { pos.after_null() } else { pos.after(mv) });
    }
}

impl AnyGame {
    /// A game from the variant's start position.
    pub fn new(variant: Variant) -> AnyGame {
        AnyGame::from(&AnyPosition::new(variant))
    }

    /// A game from a FEN.
    pub fn from_fen(variant: Variant, fen: &str) -> Result<AnyGame, FenError> {
        Ok(AnyGame::from(&AnyPosition::from_fen(variant, fen)?))
    }

    /// The position on the board.
    pub fn position(&self) -> AnyPosition {
        self.map(|game| *game.position(), |game| *game.position())
    }

    /// The position the game started from.
    pub fn start(&self) -> AnyPosition {
        self.map(|game| *game.start(), |game| *game.start())
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        dispatch!(self, game => game.moves())
    }

    /// The moves so far in the variant's UCI notation.
    pub fn moves_uci(&self) -> Vec<String> {
        let notation = self.variant().notation();
        dispatch!(self, game => game.positions().iter().zip(game.moves()).map(|(pos, &mv)| pos.uci(mv, notation)).collect())
    }

    /// Plays a move, if it is legal here.
    pub fn try_play(&mut self, mv: Move) -> Result<(), MoveError> {
        dispatch!(self, game => game.try_play(mv))
    }

    /// Plays a move, which must be legal: [`try_play`](Self::try_play) looks first.
    pub fn play(&mut self, mv: Move) {
        dispatch!(self, game => game.play(mv));
    }

    /// Takes the last move back.
    pub fn undo(&mut self) -> Option<Move> {
        dispatch!(self, game => game.undo())
    }

    /// How the game has ended, draws that must be claimed included.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome_by(Decision::Claimed)
    }

    /// How the game has ended by itself: a draw that nobody has claimed may be played on.
    pub fn finished(&self) -> Option<Outcome> {
        self.outcome_by(Decision::Automatic)
    }

    fn outcome_by(&self, decision: Decision) -> Option<Outcome> {
        dispatch!(self, game => game.outcome_by(decision))
    }

    /// The same game with the notation of chess or Chess960; `None` where the rules are others.
    pub fn noted_as(&self, variant: Variant) -> Option<AnyGame> {
        match (self, variant) {
            (Any::Chess(game) | Any::Chess960(game), Variant::Chess) => Some(Any::Chess(game.clone())),
            (Any::Chess(game) | Any::Chess960(game), Variant::Chess960) => Some(Any::Chess960(game.clone())),
            (Any::Makruk(game), Variant::Makruk) => Some(Any::Makruk(game.clone())),
            _ => None,
        }
    }
}

impl From<&AnyPosition> for AnyGame {
    /// A game that starts here.
    fn from(start: &AnyPosition) -> AnyGame {
        start.map(|pos| Game::new(*pos), |pos| Game::new(*pos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_in_any_notation() {
        let mut game = AnyGame::new(Variant::Chess);
        for text in ["e4", "e7e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"] {
            game.play(game.parse_move(text).unwrap());
        }
        assert_eq!(game.moves_uci(), ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1"]);
        let words = ["a6b5", "f3e5", "a1a1"].map(String::from);
        let line = |writing: &str| game.written_line(&words, writing.parse().unwrap());
        assert_eq!(line("san"), "4... axb5 5. Nxe5");
        assert_eq!(line("thai-lan"), "๔... a6xb5 ๕. Nf3xe5", "chess has no Thai letters");
        assert_eq!(game.start().uci_line(game.moves()), game.moves_uci());
        let noted = game.noted_as(Variant::Chess960).unwrap();
        assert_eq!(noted.moves_uci().last().map(String::as_str), Some("e1h1"));
        assert!(game.noted_as(Variant::Makruk).is_none());
        assert!(game.undo().is_some() && game.moves().len() == 6);
        assert!(game.parse_move("Ke3").is_err());
        assert_eq!((game.uci(Move::NONE), game.san(Move::NONE)), ("0000".into(), "--".into()));
    }

    #[test]
    fn endings() {
        let game = AnyGame::from_fen(Variant::Chess, "8/8/8/8/8/2k5/8/K7 w - - 0 1").unwrap();
        assert!(game.finished().is_some());
        let game = AnyGame::from_fen(Variant::Chess, "8/8/8/8/8/2k5/7P/K7 w - - 100 90").unwrap();
        assert!(game.finished().is_none() && game.outcome().is_some());
    }

    #[test]
    fn the_variant_stays_with_the_value() {
        for variant in Variant::ALL {
            let game = AnyGame::new(variant);
            assert_eq!((game.variant(), game.position().variant()), (variant, variant));
            assert_eq!(game.start(), AnyPosition::new(variant));
            assert_eq!(game.chess().is_some(), variant != Variant::Makruk);
            let rules = dispatch!(type R of variant => R::VARIANT);
            assert_eq!(rules == Variant::Makruk, game.makruk().is_some());
            let epd = format!("{} id \"one\";", game.fen());
            let (pos, operations) = AnyPosition::from_epd(variant, &epd).unwrap();
            assert_eq!((pos.fen(), operations.len()), (game.fen(), 1));
        }
    }
}
