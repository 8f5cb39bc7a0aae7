//! Attack tables. Leapers are plain tables; sliders use PEXT where the build has it and magics elsewhere.

#![allow(long_running_const_eval)] // the tables below are a few million steps of constant evaluation

use crate::bitboard::Bitboard;
use crate::types::{Color, Square};
use crate::unchecked;
#[cfg(feature = "sliders-at-start")]
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where a slider's attacks stand in the table, by square. Separate arrays: each look-up is one plain indexed load.
struct Slider {
    mask: [u64; 64],
    offset: [u32; 64],
    #[cfg(not(rukh_pext))]
    magic: [u64; 64],
    #[cfg(not(rukh_pext))]
    shift: [u8; 64],
}

include!(concat!(env!("OUT_DIR"), "/sliders.rs"));

#[cfg(not(feature = "sliders-at-start"))]
static TABLE: [u64; TABLE_LEN] = {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/sliders.bin"));
    let (words, rest) = bytes.as_chunks::<8>();
    assert!(words.len() == TABLE_LEN && rest.is_empty());
    let mut table = [0; TABLE_LEN];
    let mut i = 0;
    while i < TABLE_LEN {
        table[i] = u64::from_le_bytes(words[i]);
        i += 1;
    }
    table
};

// Zeros, which cost nothing in a file that is downloaded; `init` fills them. Where there are no threads these are plain loads.
#[cfg(feature = "sliders-at-start")]
static TABLE: [AtomicU64; TABLE_LEN] = [const { AtomicU64::new(0) }; TABLE_LEN];
#[cfg(feature = "sliders-at-start")]
static BETWEEN: Squares<AtomicU64> = [const { [const { AtomicU64::new(0) }; 64] }; 64];
#[cfg(feature = "sliders-at-start")]
static LINE: Squares<AtomicU64> = [const { [const { AtomicU64::new(0) }; 64] }; 64];

/// Fills the tables of a build with the feature `sliders-at-start`: call it before anything else of this crate, or every
/// slider attacks nothing. Elsewhere they are part of the program and nothing is done.
pub fn init() {
    #[cfg(feature = "sliders-at-start")]
    for (table, values) in [(&BETWEEN, betweens()), (&LINE, lines())] {
        for (slot, value) in table.as_flattened().iter().zip(values.as_flattened()) {
            slot.store(*value, Relaxed);
        }
    }
    #[cfg(feature = "sliders-at-start")]
    for (slider, directions) in [(&ROOK, &DIRECTIONS[..4]), (&BISHOP, &DIRECTIONS[4..])] {
        for square in Square::all() {
            let mask = slider.mask[square.index()];
            // Every subset of the mask, by counting in its bits.
            let mut subset = 0u64;
            loop {
                let attacks =
                    directions.iter().fold(0, |set, &(df, dr)| set | ray_until(square.index(), df, dr, subset));
                let place = place(slider, square, Bitboard(subset));
                TABLE[place].store(attacks, Relaxed);
                subset = subset.wrapping_sub(mask) & mask;
                if subset == 0 {
                    break;
                }
            }
        }
    }
}

/// The squares in one direction up to the first occupied one, which is included.
#[cfg(feature = "sliders-at-start")]
fn ray_until(square: usize, df: i32, dr: i32, occupied: u64) -> u64 {
    let (mut file, mut rank) = (square as i32 % 8 + df, square as i32 / 8 + dr);
    let mut set = 0;
    while (0..8).contains(&file) && (0..8).contains(&rank) {
        let bit = 1u64 << (8 * rank + file);
        set |= bit;
        if occupied & bit != 0 {
            break;
        }
        (file, rank) = (file + df, rank + dr);
    }
    set
}

/// Where in the table a slider's attacks stand.
#[inline(always)]
fn place(slider: &'static Slider, square: Square, occupied: Bitboard) -> usize {
    let at = square.index();
    #[cfg(rukh_pext)]
    let index = unchecked::pext(occupied.0, slider.mask[at]);
    #[cfg(not(rukh_pext))]
    let index = (occupied.0 & slider.mask[at]).wrapping_mul(slider.magic[at]) >> slider.shift[at];
    slider.offset[at] as usize + index as usize
}

#[inline(always)]
fn slide(slider: &'static Slider, square: Square, occupied: Bitboard) -> Bitboard {
    let entry = unchecked::slider(&TABLE, place(slider, square, occupied));
    #[cfg(feature = "sliders-at-start")]
    let entry = &entry.load(Relaxed);
    Bitboard(*entry)
}

/// One slider look-up with everything on its way, for those who want to see how it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lookup {
    /// The squares whose occupation matters.
    pub mask: Bitboard,
    /// The multiplier and the bits that the product is shifted down by; `None` in a build with PEXT.
    pub magic: Option<(u64, u32)>,
    /// Where in the square's part of the table.
    pub index: usize,
    /// Where that part begins.
    pub offset: usize,
    /// Entries of the whole table.
    pub table_len: usize,
    /// What stands there.
    pub attacks: Bitboard,
}

/// The look-up that [`rook`] (or [`bishop`]) makes.
pub fn lookup(is_rook: bool, square: Square, occupied: Bitboard) -> Lookup {
    let slider = if is_rook { &ROOK } else { &BISHOP };
    let at = square.index();
    let mask = slider.mask[at];
    #[cfg(rukh_pext)]
    let magic = None;
    #[cfg(not(rukh_pext))]
    let magic = Some((slider.magic[at], u32::from(slider.shift[at])));
    let offset = slider.offset[at] as usize;
    let index = place(slider, square, occupied) - offset;
    let attacks = slide(slider, square, occupied);
    Lookup { mask: Bitboard(mask), magic, index, offset, table_len: TABLE_LEN, attacks }
}

/// What a rook on `square` attacks, blockers included.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    slide(&ROOK, square, occupied)
}

/// What a bishop on `square` attacks, blockers included.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    slide(&BISHOP, square, occupied)
}

/// What a chess queen on `square` attacks, blockers included.
#[inline(always)]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    rook(square, occupied) | bishop(square, occupied)
}

const fn leaps(steps: &[(i32, i32)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < steps.len() {
            let (file, rank) = (square % 8 + steps[i].0, square / 8 + steps[i].1);
            if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
                table[square as usize].0 |= 1 << (8 * rank + file);
            }
            i += 1;
        }
        square += 1;
    }
    table
}

static KNIGHT: [Bitboard; 64] = leaps(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
static KING: [Bitboard; 64] = leaps(&[(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);
static MET: [Bitboard; 64] = leaps(&[(1, 1), (1, -1), (-1, -1), (-1, 1)]);
// Indexed by colour, then square.
static PAWN: [[Bitboard; 64]; 2] = [leaps(&[(-1, 1), (1, 1)]), leaps(&[(-1, -1), (1, -1)])];
static THON: [[Bitboard; 64]; 2] =
    [leaps(&[(0, 1), (1, 1), (1, -1), (-1, -1), (-1, 1)]), leaps(&[(0, -1), (1, 1), (1, -1), (-1, -1), (-1, 1)])];

/// What a knight (Ma) on `square` attacks.
#[inline(always)]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// What a king (Khun) on `square` attacks.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// What a Met (or Bia-ngai) on `square` attacks: one step diagonally.
#[inline(always)]
pub fn met(square: Square) -> Bitboard {
    MET[square.index()]
}

/// What a Thon of `color` on `square` attacks: one step diagonally or straight ahead.
#[inline(always)]
pub fn thon(color: Color, square: Square) -> Bitboard {
    THON[color.index()][square.index()]
}

/// What a pawn (Bia) of `color` on `square` attacks.
#[inline(always)]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

const fn ray_walk(square: usize, df: i32, dr: i32, stop: usize) -> (u64, bool) {
    let (mut f, mut r) = (square as i32 % 8 + df, square as i32 / 8 + dr);
    let mut set = 0;
    while 0 <= f && f < 8 && 0 <= r && r < 8 {
        if (8 * r + f) as usize == stop {
            return (set, true);
        }
        set |= 1 << (8 * r + f);
        f += df;
        r += dr;
    }
    (set, false)
}

const DIRECTIONS: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)];

/// A set for every two squares.
type Squares<T = u64> = [[T; 64]; 64];

#[cfg(not(feature = "sliders-at-start"))]
static BETWEEN: Squares = betweens();
#[cfg(not(feature = "sliders-at-start"))]
static LINE: Squares = lines();

const fn betweens() -> Squares {
    let mut table = [[0; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let mut d = 0;
            while d < 8 {
                let (set, hit) = ray_walk(a, DIRECTIONS[d].0, DIRECTIONS[d].1, b);
                if hit {
                    table[a][b] = set;
                }
                d += 1;
            }
            b += 1;
        }
        a += 1;
    }
    table
}

// Rays on an empty board from each square: [rook-wise, bishop-wise].
static RAYS: [[u64; 64]; 2] = {
    let mut table = [[0; 64]; 2];
    let mut square = 0;
    while square < 64 {
        let mut d = 0;
        while d < 8 {
            table[d / 4][square] |= ray_walk(square, DIRECTIONS[d].0, DIRECTIONS[d].1, 64).0;
            d += 1;
        }
        square += 1;
    }
    table
};

const fn lines() -> Squares {
    let mut table = [[0; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut d = 0;
        while d < 8 {
            // Directions come in opposite pairs, so d ^ 1 is the other way along the same line.
            let forth = ray_walk(a, DIRECTIONS[d].0, DIRECTIONS[d].1, 64).0;
            let back = ray_walk(a, DIRECTIONS[d ^ 1].0, DIRECTIONS[d ^ 1].1, 64).0;
            let mut b = 0;
            while b < 64 {
                if forth >> b & 1 != 0 {
                    table[a][b] = forth | back | 1 << a;
                }
                b += 1;
            }
            d += 1;
        }
        a += 1;
    }
    table
}

// Squares from which a slider could, on an empty board, attack some square next to the king: [rook-wise, bishop-wise].
static KING_REACH: [[u64; 64]; 2] = {
    let mut table = [[0; 64]; 2];
    let mut king = 0;
    while king < 64 {
        let ring = KING[king].0;
        let mut s = 0;
        while s < 64 {
            if ring >> s & 1 != 0 {
                table[0][king] |= RAYS[0][s];
                table[1][king] |= RAYS[1][s];
            }
            s += 1;
        }
        king += 1;
    }
    table
};

/// The squares strictly between two squares on one line; empty if they are on none.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    Bitboard(squares(&BETWEEN, a, b))
}

/// The whole line through two squares, both included; empty if they are on none.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    Bitboard(squares(&LINE, a, b))
}

#[cfg(not(feature = "sliders-at-start"))]
#[inline(always)]
fn squares(table: &Squares, a: Square, b: Square) -> u64 {
    table[a.index()][b.index()]
}

#[cfg(feature = "sliders-at-start")]
#[inline(always)]
fn squares(table: &Squares<AtomicU64>, a: Square, b: Square) -> u64 {
    table[a.index()][b.index()].load(Relaxed)
}

/// Rook moves on an empty board.
#[inline(always)]
pub fn rook_rays(square: Square) -> Bitboard {
    Bitboard(RAYS[0][square.index()])
}

/// Bishop moves on an empty board.
#[inline(always)]
pub fn bishop_rays(square: Square) -> Bitboard {
    Bitboard(RAYS[1][square.index()])
}

#[inline(always)]
pub(crate) fn rook_king_reach(king: Square) -> Bitboard {
    Bitboard(KING_REACH[0][king.index()])
}

#[inline(always)]
pub(crate) fn bishop_king_reach(king: Square) -> Bitboard {
    Bitboard(KING_REACH[1][king.index()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(square: Square, directions: &[(i32, i32)], occupied: u64) -> u64 {
        let mut attacks = 0;
        for (df, dr) in directions {
            let (mut f, mut r) = (square.file().index() as i32 + df, square.rank().index() as i32 + dr);
            while (0..8).contains(&f) && (0..8).contains(&r) {
                attacks |= 1u64 << (8 * r + f);
                if occupied >> (8 * r + f) & 1 != 0 {
                    break;
                }
                (f, r) = (f + df, r + dr);
            }
        }
        attacks
    }

    #[test]
    fn sliders_match_ray_walks() {
        init();
        let mut rng = crate::rng::Rng::plain(1);
        for _ in 0..20_000 {
            let seed = rng.next_u64();
            let occ = seed & seed.rotate_left(23);
            let square = Square::wrap((seed >> 58) as u32);
            assert_eq!(rook(square, Bitboard(occ)).0, walk(square, &DIRECTIONS[..4], occ));
            assert_eq!(bishop(square, Bitboard(occ)).0, walk(square, &DIRECTIONS[4..], occ));
        }
    }

    #[test]
    fn lines_and_betweens() {
        init();
        assert_eq!(between(Square::A1, Square::D4), Square::B2.bb() | Square::C3.bb());
        assert_eq!(between(Square::A1, Square::B3), Bitboard::EMPTY);
        assert_eq!(line(Square::B2, Square::C3).count(), 8);
        assert_eq!(line(Square::A1, Square::A8), Bitboard::FILES[0]);
        assert_eq!(thon(Color::White, Square::E4).count(), 5);
        assert!(thon(Color::Black, Square::E4).has(Square::E3));
    }
}
