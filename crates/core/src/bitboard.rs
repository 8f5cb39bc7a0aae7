//! A set of squares in 64 bits.

use crate::types::{Color, File, Rank, Square};
use core::fmt;
use core::num::NonZeroU64;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

/// A set of squares: bit n stands for the square with index n.
///
/// ```
/// use rukh_core::{Bitboard, Square};
/// let b = Square::A1.bb() | Square::C3.bb();
/// assert_eq!(b.count(), 2);
/// assert_eq!(b.into_iter().collect::<Vec<_>>(), [Square::A1, Square::C3]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
#[must_use]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// Every square.
    pub const ALL: Self = Self(!0);
    /// The eight files, a to h.
    pub const FILES: [Self; 8] = {
        let mut files = [Self::EMPTY; 8];
        let mut i = 0;
        while i < 8 {
            files[i] = Self(0x0101_0101_0101_0101 << i);
            i += 1;
        }
        files
    };
    /// The eight ranks, 1 to 8.
    pub const RANKS: [Self; 8] = {
        let mut ranks = [Self::EMPTY; 8];
        let mut i = 0;
        while i < 8 {
            ranks[i] = Self(0xFF << (8 * i));
            i += 1;
        }
        ranks
    };
    /// The light squares (b1, a2, …).
    pub const LIGHT: Self = Self(0x55AA_55AA_55AA_55AA);
    /// The dark squares (a1, b2, …).
    pub const DARK: Self = Self(0xAA55_AA55_AA55_AA55);

    const NOT_A: u64 = !Self::FILES[0].0;
    const NOT_H: u64 = !Self::FILES[7].0;

    /// The squares of a file.
    #[inline]
    pub const fn file(file: File) -> Self {
        Self::FILES[file.index()]
    }

    /// The squares of a rank.
    #[inline]
    pub const fn rank(rank: Rank) -> Self {
        Self::RANKS[rank.index()]
    }

    /// How many squares.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there is at least one.
    #[inline]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether there are two or more.
    #[inline]
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Whether `square` is in the set.
    #[inline]
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The lowest square; a1 for the empty set.
    #[inline]
    pub const fn lsb(self) -> Square {
        Square::wrap(self.0.trailing_zeros())
    }

    /// The highest square; a1 for the empty set.
    #[inline]
    pub const fn msb(self) -> Square {
        Square::wrap(63u32.wrapping_sub(self.0.leading_zeros()))
    }

    /// One rank up.
    #[inline]
    pub const fn north(self) -> Self {
        Self(self.0 << 8)
    }

    /// One rank down.
    #[inline]
    pub const fn south(self) -> Self {
        Self(self.0 >> 8)
    }

    /// One file to the right.
    #[inline]
    pub const fn east(self) -> Self {
        Self((self.0 & Self::NOT_H) << 1)
    }

    /// One file to the left.
    #[inline]
    pub const fn west(self) -> Self {
        Self((self.0 & Self::NOT_A) >> 1)
    }

    /// Up and right.
    #[inline]
    pub const fn north_east(self) -> Self {
        Self((self.0 & Self::NOT_H) << 9)
    }

    /// Up and left.
    #[inline]
    pub const fn north_west(self) -> Self {
        Self((self.0 & Self::NOT_A) << 7)
    }

    /// Down and right.
    #[inline]
    pub const fn south_east(self) -> Self {
        Self((self.0 & Self::NOT_H) >> 7)
    }

    /// Down and left.
    #[inline]
    pub const fn south_west(self) -> Self {
        Self((self.0 & Self::NOT_A) >> 9)
    }

    /// One rank forward for `color`.
    #[inline]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => self.north(),
            Color::Black => self.south(),
        }
    }

    /// Forward and to the west (left on the board) for `color`.
    #[inline]
    pub const fn forward_west(self, color: Color) -> Self {
        match color {
            Color::White => self.north_west(),
            Color::Black => self.south_west(),
        }
    }

    /// Forward and to the east (right on the board) for `color`.
    #[inline]
    pub const fn forward_east(self, color: Color) -> Self {
        match color {
            Color::White => self.north_east(),
            Color::Black => self.south_east(),
        }
    }

    /// Mirrored top to bottom.
    #[inline]
    pub const fn flip_ranks(self) -> Self {
        Self(self.0.swap_bytes())
    }

    /// Mirrored left to right.
    #[inline]
    pub const fn flip_files(self) -> Self {
        Self(self.0.reverse_bits().swap_bytes())
    }
}

impl Iterator for Bitboard {
    type Item = Square;

    /// Takes the lowest square out.
    #[inline]
    fn next(&mut self) -> Option<Square> {
        let bits = NonZeroU64::new(self.0)?;
        self.0 &= self.0 - 1;
        Some(Square::wrap(bits.trailing_zeros()))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count() as usize, Some(self.count() as usize))
    }
}

impl ExactSizeIterator for Bitboard {}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Self {
        square.bb()
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, sq| set | sq.bb())
    }
}

macro_rules! binary {
    ($($trait:ident $fn:ident $assign_trait:ident $assign_fn:ident $op:tt;)*) => {$(
        impl $trait for Bitboard {
            type Output = Self;
            #[inline]
            fn $fn(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
        impl $assign_trait for Bitboard {
            #[inline]
            fn $assign_fn(&mut self, other: Self) {
                self.0 = self.0 $op other.0;
            }
        }
    )*};
}
binary! {
    BitAnd bitand BitAndAssign bitand_assign &;
    BitOr bitor BitOrAssign bitor_assign |;
    BitXor bitxor BitXorAssign bitxor_assign ^;
}

impl Not for Bitboard {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// Set difference.
impl Sub for Bitboard {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bitboard({:#018x})", self.0)
    }
}

/// Eight lines, rank 8 first, `1` for a member and `.` otherwise.
impl fmt::Display for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            for file in 0..8 {
                f.write_str(if self.0 >> (8 * rank + file) & 1 != 0 { "1" } else { "." })?;
                f.write_str(if file < 7 { " " } else { "\n" })?;
            }
        }
        Ok(())
    }
}
