//! Moves in 32 bits and lists of them.

use crate::types::{Kind, Piece, Square};
use core::fmt;
use core::ops::Deref;

/// A move with all that is needed to make, order and undo it.
///
/// Bits: from 0–5, to 6–11, piece 12–15, captured 16–19, promotion 20–23, flags 24–27, the top four free. In the flags bit 2
/// means capture and bit 3 promotion. Castling goes from the king's square to the king's target (g or c file), also in
/// Chess960.
///
/// ```
/// use rukh_core::{Chess, Kind, Position, Square};
/// let pos = Position::<Chess>::startpos();
/// let mv = pos.parse_uci("e2e4").unwrap();
/// assert_eq!((mv.from(), mv.to(), mv.piece().kind()), (Square::E2, Square::E4, Kind::Pawn));
/// assert!(mv.is_double_push() && mv.is_quiet());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Move(u32);

/// A move's flags: the top four bits of [`Move::to_u16`].
pub mod flag {
    /// None of the others.
    pub const QUIET: u8 = 0;
    /// A pawn's two squares.
    pub const DOUBLE: u8 = 1;
    /// Castling to the king's side.
    pub const KING_CASTLE: u8 = 2;
    /// Castling to the queen's side.
    pub const QUEEN_CASTLE: u8 = 3;
    /// Something is taken; with promotions, too.
    pub const CAPTURE: u8 = 4;
    /// A pawn is taken in passing.
    pub const EN_PASSANT: u8 = 5;
    /// A promotion; the low two bits say to what.
    pub const PROMOTION: u8 = 8;
}

impl Move {
    /// No move.
    pub const NONE: Self = Self(0);

    #[inline(always)]
    pub(crate) const fn new(from: Square, to: Square, piece: u8, captured: u8, promotion: u8, flags: u8) -> Self {
        Self(
            from.index() as u32
                | (to.index() as u32) << 6
                | (piece as u32) << 12
                | (captured as u32) << 16
                | (promotion as u32) << 20
                | (flags as u32) << 24,
        )
    }

    /// The packed bits. [`Position::move_from_raw`] turns them back.
    ///
    /// [`Position::move_from_raw`]: crate::Position::move_from_raw
    #[inline]
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// Unchecked: for those who ask a position before they use it.
    pub(crate) const fn from_raw(raw: u32) -> Self {
        Self(raw)
    }

    /// Whether this is [`Move::NONE`].
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether this is a move.
    #[inline]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Where the piece stands.
    #[inline]
    pub const fn from(self) -> Square {
        Square::wrap(self.0)
    }

    /// Where it goes.
    #[inline]
    pub const fn to(self) -> Square {
        Square::wrap(self.0 >> 6)
    }

    /// The piece that moves, as it is before the move.
    #[inline]
    pub const fn piece(self) -> Piece {
        match Piece::from_code((self.0 >> 12 & 15) as u8) {
            Some(piece) => piece,
            None => Piece::new(crate::Color::White, Kind::Pawn),
        }
    }

    #[inline]
    pub(crate) const fn piece_code(self) -> u8 {
        (self.0 >> 12 & 15) as u8
    }

    /// The piece that is taken, also en passant.
    #[inline]
    pub const fn captured(self) -> Option<Piece> {
        Piece::from_code(self.captured_code())
    }

    #[inline]
    pub(crate) const fn captured_code(self) -> u8 {
        (self.0 >> 16 & 15) as u8
    }

    /// What a pawn becomes.
    #[inline]
    pub const fn promotion(self) -> Option<Kind> {
        match Piece::from_code(self.promotion_code()) {
            Some(piece) => Some(piece.kind()),
            None => None,
        }
    }

    /// The code of the promoted piece, colour included; 0 if none.
    #[inline]
    pub(crate) const fn promotion_code(self) -> u8 {
        (self.0 >> 20 & 15) as u8
    }

    /// The four flag bits.
    #[inline]
    pub const fn flags(self) -> u8 {
        (self.0 >> 24 & 15) as u8
    }

    /// Whether something is taken.
    #[inline]
    pub const fn is_capture(self) -> bool {
        self.0 >> 26 & 1 != 0
    }

    /// Whether a pawn promotes.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0 >> 27 & 1 != 0
    }

    /// Neither capture nor promotion.
    #[inline]
    pub const fn is_quiet(self) -> bool {
        self.0 >> 26 & 3 == 0
    }

    /// Castling to either side.
    #[inline]
    pub const fn is_castle(self) -> bool {
        matches!(self.flags(), flag::KING_CASTLE | flag::QUEEN_CASTLE)
    }

    /// Castling to the h side.
    #[inline]
    pub const fn is_king_castle(self) -> bool {
        self.flags() == flag::KING_CASTLE
    }

    /// An en-passant capture.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.flags() == flag::EN_PASSANT
    }

    /// A pawn's double step.
    #[inline]
    pub const fn is_double_push(self) -> bool {
        self.flags() == flag::DOUBLE
    }

    /// From, to and flags in 16 bits: what a transposition table keeps. [`Position::move_from_u16`] turns it back.
    ///
    /// [`Position::move_from_u16`]: crate::Position::move_from_u16
    #[inline]
    pub const fn to_u16(self) -> u16 {
        (self.0 & 0xFFF) as u16 | (self.flags() as u16) << 12
    }
}

/// Long algebraic form without regard to Chess960: `e2e4`, `e7e8q`, `e1g1`. See [`Position::uci`](crate::Position::uci).
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("0000");
        }
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion_code() & 7 {
            0 => Ok(()),
            7 => f.write_str("m"),
            code => f.write_str(["", "", "n", "b", "r", "q", "", ""][code as usize]),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A list of moves on the stack; 256 places, more than any position needs.
#[derive(Clone)]
#[must_use]
pub struct MoveList {
    len: usize,
    moves: [Move; 256],
}

impl MoveList {
    /// An empty list.
    #[inline]
    pub const fn new() -> Self {
        Self { len: 0, moves: [Move::NONE; 256] }
    }

    /// Most moves of a position: the record of the problemists, which nobody has beaten since 1964. (9 queens, 2 rooks, bishops and
    /// knights each, and a king; the reader of FENs takes no more.)
    pub(crate) const MOST: usize = 218;

    /// Adds a move.
    ///
    /// # Panics
    /// If there are 256 moves already.
    pub fn push(&mut self, mv: Move) {
        assert!(self.len < 256, "a list has room for 256 moves");
        self.add(mv);
    }

    /// As `push`, for generators, which see to it that there is room for a position's moves ([`has_room`](Self::has_room)).
    #[inline(always)]
    pub(crate) fn add(&mut self, mv: Move) {
        debug_assert!(self.len < 256);
        self.moves[self.len & 255] = mv;
        self.len += 1;
    }

    /// Whether the moves of any position can be added.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.len <= 256 - Self::MOST
    }

    /// Removes all moves.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Keeps the moves for which `keep` holds, in order.
    pub fn retain(&mut self, mut keep: impl FnMut(Move) -> bool) {
        let mut kept = 0;
        for i in 0..self.len.min(256) {
            let mv = self.moves[i];
            if keep(mv) {
                self.moves[kept] = mv;
                kept += 1;
            }
        }
        self.len = kept;
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.len.min(256)]
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = core::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Extend<Move> for MoveList {
    /// # Panics
    /// If there are more than 256 moves then.
    fn extend<I: IntoIterator<Item = Move>>(&mut self, moves: I) {
        moves.into_iter().for_each(|mv| self.push(mv));
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
