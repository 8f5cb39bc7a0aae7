//! The rules of chess and Chess960.

use super::{Rules, Side};
use crate::any::{Any, AnyPosition};
use crate::attacks;
use crate::bitboard::Bitboard;
use crate::fen::{self, FenError};
use crate::position::{Played, Position};
use crate::types::{Color, Kind, Square, Variant};
use crate::zobrist;
use alloc::string::String;

/// Chess and Chess960: castling is general, only its notation differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Chess;

/// What chess keeps beside the pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChessState {
    /// Rooks that may still castle.
    pub(crate) castling: Bitboard,
    /// The square behind a pawn that has just made a double step, if an enemy pawn stands ready to take it.
    pub(crate) ep: Bitboard,
}

impl Rules for Chess {
    type State = ChessState;

    fn read_fen(text: &str) -> Result<Position<Self>, FenError> {
        fen::read_chess(text)
    }

    fn write_fen_rest(pos: &Position<Self>, out: &mut String) {
        fen::write_chess_rest(pos, out);
    }

    fn letter(kind: Kind) -> char {
        ['P', 'N', 'B', 'R', 'Q', 'K'][kind.index()]
    }

    const VARIANT: Variant = Variant::Chess;
    const START_FEN: &'static str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const SLIDING_DIAGONALS: bool = true;
    const MARKS_PROMOTED: bool = false;
    const PAWN_RANK: usize = 1;
    const EPD_FIELDS: usize = 4;
    const THAI: bool = false;
    const DOUBLE_STEP: bool = true;
    const CASTLING: bool = true;
    const FIFTY_MOVES: bool = true;
    const PROMOTION_ZONE: [Bitboard; 2] = [Bitboard::RANKS[7], Bitboard::RANKS[0]];
    const PROMOTIONS: &'static [Kind] = &[Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight];
    const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 20_000];

    fn any(pos: Position<Self>) -> AnyPosition {
        Any::Chess(pos)
    }

    #[inline(always)]
    fn attacks(kind: Kind, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        match kind {
            Kind::Pawn => attacks::pawn(color, square),
            Kind::Knight => attacks::knight(square),
            Kind::Bishop => attacks::bishop(square, occupied),
            Kind::Rook => attacks::rook(square, occupied),
            Kind::Queen => attacks::queen(square, occupied),
            Kind::King => attacks::king(square),
        }
    }

    #[inline(always)]
    fn is_touched<S: Side>(state: &ChessState, played: &Played) -> bool {
        (state.castling & loses_castling::<S>(played) | state.ep).any()
    }

    #[inline(always)]
    fn leave<S: Side, const FULL: bool>(before: &Position<Self>, next: &mut Position<Self>, played: &Played) {
        if before.state.ep.any() {
            if FULL {
                next.key ^= zobrist::en_passant(before.state.ep.lsb());
            }
            next.state.ep = Bitboard::EMPTY;
        }
        let lost = before.state.castling & loses_castling::<S>(played);
        if lost.any() {
            next.state.castling = before.state.castling ^ lost;
            if FULL {
                next.key ^= zobrist::castling_rooks(lost & home::<S>(), before.colored(S::COLOR, Kind::King), S::COLOR)
                    ^ zobrist::castling_rooks(lost - home::<S>(), before.colored(!S::COLOR, Kind::King), !S::COLOR);
            }
        }
    }

    #[inline(always)]
    fn set_en_passant<S: Side, const FULL: bool>(next: &mut Position<Self>, to: Square) {
        let ready = (to.bb().east() | to.bb().west()) & next.colored(!S::COLOR, Kind::Pawn);
        if ready.any() {
            next.state.ep = to.bb().forward(!S::COLOR);
            if FULL {
                next.key ^= zobrist::en_passant(to);
            }
        }
    }

    fn advance_null(next: &mut Position<Self>) {
        if next.state.ep.any() {
            next.key ^= zobrist::en_passant(next.state.ep.lsb());
            next.state.ep = Bitboard::EMPTY;
        }
    }

    #[inline(always)]
    fn extra_key(_: &ChessState) -> u64 {
        0
    }

    #[inline(always)]
    fn castling_set(state: &ChessState) -> Bitboard {
        state.castling
    }

    #[inline(always)]
    fn ep_set(state: &ChessState) -> Bitboard {
        state.ep
    }

    /// No mate can be reached: bare kings, one minor piece, or bishops that all stand on one colour.
    fn insufficient_material(pos: &Position<Self>) -> bool {
        if (pos.pieces(Kind::Pawn) | pos.pieces(Kind::Rook) | pos.pieces(Kind::Queen)).any() {
            return false;
        }
        let (knights, bishops) = (pos.pieces(Kind::Knight), pos.pieces(Kind::Bishop));
        if knights.any() {
            return (knights | bishops).count() == 1;
        }
        (bishops & Bitboard::LIGHT).is_empty() || (bishops & Bitboard::DARK).is_empty()
    }
}

/// The squares whose castling rooks lose their right by this move: a king's move concerns its whole rank.
#[inline(always)]
fn loses_castling<S: Side>(played: &Played) -> Bitboard {
    let squares = played.from.bb() | played.to.bb();
    if played.kind == Kind::King as u8 + 1 { squares | home::<S>() } else { squares }
}

#[inline(always)]
const fn home<S: Side>() -> Bitboard {
    Bitboard::RANKS[if matches!(S::COLOR, Color::White) { 0 } else { 7 }]
}
