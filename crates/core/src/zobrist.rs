//! Keys. Chess uses the Polyglot constants, so that its key is the Polyglot key bit for bit.

use crate::bitboard::Bitboard;
use crate::polyglot::RANDOM;
use crate::rules::Count;
use crate::types::{CastlingRights, Color, Square};

// [piece code][square]; rows 0 and 8 stay zero so that "nothing captured" needs no branch. A Bia-ngai (7, 15) has the
// key of a Met: the two move alike, and a position with either is the same position for repetition.
static PIECES: [[u64; 64]; 16] = {
    let mut table = [[0; 64]; 16];
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < 6 {
            let mut square = 0;
            while square < 64 {
                // Polyglot numbers black pawn 0, white pawn 1, black knight 2, …
                table[color * 8 + kind + 1][square] = RANDOM[64 * (2 * kind + 1 - color) + square];
                square += 1;
            }
            kind += 1;
        }
        table[color * 8 + 7] = table[color * 8 + 5];
        color += 1;
    }
    table
};

// Tables of their own: whoever looks something up in `RANDOM` while the program runs has all of it once more.
static CASTLING: [u64; 4] = *RANDOM.split_at(768).1.first_chunk().unwrap();
static EN_PASSANT: [u64; 8] = *RANDOM.split_at(772).1.first_chunk().unwrap();

/// Is part of the key while White is to move.
pub(crate) const WHITE_TO_MOVE: u64 = RANDOM[780];

#[inline(always)]
pub(crate) fn piece(code: u8, square: Square) -> u64 {
    PIECES[(code & 15) as usize][square.index()]
}

pub(crate) fn castling(rights: CastlingRights) -> u64 {
    (0..4).filter(|i| rights.bits() >> i & 1 != 0).fold(0, |key, i| key ^ CASTLING[i])
}

/// The keys of the rights of one side's castling rooks, told apart by the king between them.
#[inline(always)]
pub(crate) fn castling_rooks(rooks: Bitboard, king: Bitboard, color: Color) -> u64 {
    let below = king.0.wrapping_sub(1);
    let kingside = if rooks.0 & !below != 0 { CASTLING[2 * color.index()] } else { 0 };
    let queenside = if rooks.0 & below != 0 { CASTLING[2 * color.index() + 1] } else { 0 };
    kingside ^ queenside
}

#[inline(always)]
pub(crate) fn en_passant(square: Square) -> u64 {
    EN_PASSANT[square.file().index()]
}

/// A running Makruk count is part of the key: a position two moves before the draw is not the same as a fresh one.
#[inline(always)]
pub(crate) fn count(count: Count) -> u64 {
    if count.limit == 0 { 0 } else { mix(u64::from(count.limit) << 16 | u64::from(count.plies)) }
}

/// A 64-bit finaliser (two rounds of multiply and fold).
#[inline(always)]
pub(crate) const fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ x >> 32
}

/// A key for a handful of bitboards, computed on the spot: cheaper than keeping it incrementally for those who ask once a node.
#[inline(always)]
pub(crate) fn boards<const N: usize>(boards: [Bitboard; N]) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut key = 0u64;
    for board in boards {
        key = (key.rotate_left(29) ^ board.0).wrapping_mul(ODD);
        key ^= key >> 31;
    }
    mix(key)
}

/// What `piece` on `square` adds to a key, for tables that are indexed by the difference of two keys.
pub fn piece_key(piece: crate::Piece, square: Square) -> u64 {
    self::piece(piece.code(), square)
}

/// What a castling right adds to a key.
pub fn castling_key(color: Color, kingside: bool) -> u64 {
    CASTLING[2 * color.index() + usize::from(!kingside)]
}

/// What a pawn that can be taken en passant adds to a key; only the file of `square` counts.
pub fn en_passant_key(square: Square) -> u64 {
    en_passant(square)
}

/// What a running Makruk count adds to a key.
pub fn count_key(running: Count) -> u64 {
    count(running)
}

/// What the side to move adds to a key: two positions that differ in it alone differ by this.
pub const fn side_key() -> u64 {
    WHITE_TO_MOVE
}
