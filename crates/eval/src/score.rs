//! A middle-game and an end-game value in one integer.

use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Two 16-bit values packed in 32 bits, so that one addition adds both. The end-game half sits on top; the borrow
/// that a negative middle-game half takes from it is given back on reading.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Pair(i32);

impl Pair {
    /// Nothing.
    pub const ZERO: Pair = Pair(0);

    /// From middle-game and end-game values, each within ±32,000.
    pub const fn new(mg: i32, eg: i32) -> Self {
        Self((eg << 16).wrapping_add(mg))
    }

    /// The middle-game half.
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The end-game half.
    pub const fn eg(self) -> i32 {
        (self.0.wrapping_add(0x8000) >> 16) as i16 as i32
    }
}

// Sums wrap: an absurd board may overflow a half, and must give a wrong number rather than a panic. Values are
// clamped afterwards.
impl Add for Pair {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl Sub for Pair {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

impl AddAssign for Pair {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Pair {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Neg for Pair {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.wrapping_neg())
    }
}

impl Mul<i32> for Pair {
    type Output = Self;
    #[inline(always)]
    fn mul(self, n: i32) -> Self {
        Self(self.0.wrapping_mul(n))
    }
}

impl core::fmt::Debug for Pair {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "({}, {})", self.mg(), self.eg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_do_not_mix() {
        for (a, b) in [(0, 0), (-1, 0), (1, -1), (-300, 200), (1200, -1500), (-9000, -9000)] {
            let p = Pair::new(a, b);
            assert_eq!((p.mg(), p.eg()), (a, b));
            let q = p * 3 - Pair::new(5, -7) + -p;
            assert_eq!((q.mg(), q.eg()), (2 * a - 5, 2 * b + 7));
        }
    }
}
