//! What differs between the games: a type per game that implements [`Rules`].

mod chess;
mod makruk;

pub use chess::{Chess, ChessState};
pub(crate) use makruk::count_limit;
pub use makruk::{BoardHonour, Count, Makruk, MakrukState};

use crate::any::AnyPosition;
use crate::bitboard::Bitboard;
use crate::fen::FenError;
use crate::position::{Played, Position};
use crate::types::{Color, Kind, Piece, Square, Variant};
use alloc::string::String;
use core::fmt::Debug;

/// A colour known at compile time, so that the generator has no run-time test of it.
#[doc(hidden)]
pub trait Side {
    const COLOR: Color;
    type Them: Side<Them = Self>;
}

#[doc(hidden)]
pub struct White;
#[doc(hidden)]
pub struct Black;

impl Side for White {
    const COLOR: Color = Color::White;
    type Them = Black;
}

impl Side for Black {
    const COLOR: Color = Color::Black;
    type Them = White;
}

/// The rules of one game. Sealed in effect: the hooks that are not documented may change at any time.
pub trait Rules: Copy + Eq + Debug + Default + Send + Sync + 'static {
    /// What the game keeps beside the pieces: castling and en passant, or promoted Bia and the count.
    type State: Copy + Eq + Debug + Default + Send + Sync;

    /// The game ([`Variant::Chess`] stands for Chess960 too).
    const VARIANT: Variant;
    /// The start position.
    const START_FEN: &'static str;
    /// Whether bishops and queens slide along diagonals (chess) or step (Makruk). Only the generator asks; others ask for
    /// [`Rules::slides`] or for what the position tells of its sliders.
    const SLIDING_DIAGONALS: bool;
    /// Whether a promoted pawn stays a piece of its own: a Bia-ngai moves as a Met, with another code and key.
    const MARKS_PROMOTED: bool;
    /// The rank where pawns start, counted from 0 at their own side.
    const PAWN_RANK: usize;
    /// Whether pawns have a double step and en passant.
    const DOUBLE_STEP: bool;
    /// Whether kings castle.
    const CASTLING: bool;
    /// Whether the fifty-move rule holds.
    const FIFTY_MOVES: bool;
    /// Where pawns promote, by colour.
    const PROMOTION_ZONE: [Bitboard; 2];
    /// What a pawn can become, strongest first.
    const PROMOTIONS: &'static [Kind];
    /// Exchange values by kind, in centipawns.
    const VALUES: [i32; 6];
    /// The kinds from the cheapest to the dearest.
    const BY_VALUE: [Kind; 6] = by_value(Self::VALUES);
    /// How many fields of a FEN an EPD has.
    const EPD_FIELDS: usize;
    /// Whether moves may be written in Thai.
    const THAI: bool;

    /// The position as one of any variant.
    #[doc(hidden)]
    fn any(pos: Position<Self>) -> AnyPosition;

    /// What a piece attacks from `square`.
    fn attacks(kind: Kind, color: Color, square: Square, occupied: Bitboard) -> Bitboard;

    /// Whether a kind slides until something is in its way.
    fn slides(kind: Kind) -> bool {
        kind == Kind::Rook || Self::SLIDING_DIAGONALS && matches!(kind, Kind::Bishop | Kind::Queen)
    }

    /// Whether even a plain move changes the state.
    #[doc(hidden)]
    fn is_touched<S: Side>(state: &Self::State, played: &Played) -> bool;

    /// Takes out of the state of `next` what the move ends.
    #[doc(hidden)]
    #[inline(always)]
    fn leave<S: Side, const FULL: bool>(_before: &Position<Self>, _next: &mut Position<Self>, _: &Played) {}

    /// Brings the state up to date when the pieces have moved.
    #[doc(hidden)]
    #[inline(always)]
    fn arrive<S: Side>(_: &mut Position<Self>, _: &Played) {}

    /// Notes that a pawn has just made a double step to `to`.
    #[doc(hidden)]
    #[inline(always)]
    fn set_en_passant<S: Side, const FULL: bool>(_: &mut Position<Self>, _: Square) {}

    /// Brings the state up to date after a null move.
    #[doc(hidden)]
    fn advance_null(next: &mut Position<Self>);

    /// The part of the key that is not kept incrementally.
    #[doc(hidden)]
    fn extra_key(state: &Self::State) -> u64;

    #[doc(hidden)]
    #[inline(always)]
    fn promoted_of(_: &Self::State) -> Bitboard {
        Bitboard::EMPTY
    }

    #[doc(hidden)]
    #[inline(always)]
    fn castling_set(_: &Self::State) -> Bitboard {
        Bitboard::EMPTY
    }

    #[doc(hidden)]
    #[inline(always)]
    fn ep_set(_: &Self::State) -> Bitboard {
        Bitboard::EMPTY
    }

    /// The running count of Makruk.
    #[doc(hidden)]
    #[inline(always)]
    fn count_of(_: &Self::State) -> Count {
        Count { limit: 0, plies: 0 }
    }

    /// Draws by too little material.
    #[doc(hidden)]
    fn insufficient_material(pos: &Position<Self>) -> bool;

    /// The side that counts by its own claim, whose mate is then a draw.
    #[doc(hidden)]
    fn counter(_: &Self::State) -> Option<Color> {
        None
    }

    #[doc(hidden)]
    fn read_fen(text: &str) -> Result<Position<Self>, FenError>;

    #[doc(hidden)]
    fn write_fen_rest(pos: &Position<Self>, out: &mut String);

    /// The letter of a kind in FEN, SAN and UCI, upper case.
    fn letter(kind: Kind) -> char;

    /// The letter of a piece in FEN: upper case for White.
    fn piece_letter(piece: Piece) -> char {
        let letter = Self::letter(piece.kind());
        if piece.color() == Color::White { letter } else { letter.to_ascii_lowercase() }
    }
}

/// The kinds in the order of their values.
const fn by_value(values: [i32; 6]) -> [Kind; 6] {
    let mut kinds = Kind::ALL;
    let mut sorted = 1;
    while sorted < 6 {
        let mut at = sorted;
        while at > 0 && values[kinds[at].index()] < values[kinds[at - 1].index()] {
            (kinds[at - 1], kinds[at]) = (kinds[at], kinds[at - 1]);
            at -= 1;
        }
        sorted += 1;
    }
    kinds
}
