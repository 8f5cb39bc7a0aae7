//! Small geometric tables, computed at compile time.

use rukh_core::{Bitboard, Color, Square};

const FILE_A: u64 = 0x0101_0101_0101_0101;

/// The dark squares (a1 is one).
pub(crate) const DARK: Bitboard = Bitboard(0xAA55_AA55_AA55_AA55);
/// d4, e4, d5, e5.
pub(crate) const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);
/// Files a to d.
pub(crate) const QUEEN_SIDE: Bitboard = Bitboard(0x0F0F_0F0F_0F0F_0F0F);

/// The neighbour files of a file.
pub(crate) const ADJACENT_FILES: [Bitboard; 8] = {
    let mut t = [Bitboard(0); 8];
    let mut f = 0;
    while f < 8 {
        let left = if f > 0 { FILE_A << (f - 1) } else { 0 };
        let right = if f < 7 { FILE_A << (f + 1) } else { 0 };
        t[f] = Bitboard(left | right);
        f += 1;
    }
    t
};

/// Ranks strictly ahead of a rank, `[colour][rank]`.
pub(crate) const AHEAD: [[Bitboard; 8]; 2] = {
    let mut t = [[Bitboard(0); 8]; 2];
    let mut r = 0;
    while r < 8 {
        t[0][r] = Bitboard(if r == 7 { 0 } else { u64::MAX << (8 * (r + 1)) });
        t[1][r] = Bitboard(if r == 0 { 0 } else { u64::MAX >> (8 * (8 - r)) });
        r += 1;
    }
    t
};

/// King's-walk distance between two squares.
static DISTANCE: [[u8; 64]; 64] = {
    let mut t = [[0; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let df = (a % 8usize).abs_diff(b % 8);
            let dr = (a / 8usize).abs_diff(b / 8);
            t[a][b] = if df > dr { df as u8 } else { dr as u8 };
            b += 1;
        }
        a += 1;
    }
    t
};

/// King's-walk distance between two squares.
#[inline(always)]
pub(crate) fn distance(a: Square, b: Square) -> usize {
    DISTANCE[a.index()][b.index()] as usize
}

/// 0 for the edge files a and h, to 3 for d and e.
#[inline(always)]
pub(crate) const fn edge(file: usize) -> usize {
    if file < 4 { file } else { 7 - file }
}

/// Squares ahead of `sq` on its own file.
#[inline(always)]
pub(crate) fn file_ahead(us: Color, sq: Square) -> Bitboard {
    AHEAD[us.index()][sq.rank().index()] & Bitboard::FILES[sq.file().index()]
}

/// Squares ahead of `sq` on its own and the neighbour files.
#[inline(always)]
pub(crate) fn passed_span(us: Color, sq: Square) -> Bitboard {
    let f = sq.file().index();
    AHEAD[us.index()][sq.rank().index()] & (Bitboard::FILES[f] | ADJACENT_FILES[f])
}

/// All squares from the given ones onwards in `us`'s direction.
#[inline(always)]
pub(crate) fn fill_forward(us: Color, bb: Bitboard) -> Bitboard {
    let mut b = bb.0;
    match us {
        Color::White => {
            b |= b << 8;
            b |= b << 16;
            b |= b << 32;
        }
        Color::Black => {
            b |= b >> 8;
            b |= b >> 16;
            b |= b >> 32;
        }
    }
    Bitboard(b)
}

/// Squares that pawns of `us` attack from `pawns`: towards the a-file and towards the h-file.
#[inline(always)]
pub(crate) fn pawn_attack_sides(us: Color, pawns: Bitboard) -> (Bitboard, Bitboard) {
    let west = Bitboard((pawns.0 & !FILE_A) >> 1);
    let east = Bitboard((pawns.0 & !(FILE_A << 7)) << 1);
    (west.forward(us), east.forward(us))
}

/// The squares of one colour on which `sq` lies.
#[inline(always)]
pub(crate) fn same_shade(sq: Square) -> Bitboard {
    if DARK.has(sq) { DARK } else { !DARK }
}
