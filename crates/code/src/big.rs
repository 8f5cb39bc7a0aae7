//! Numbers of 256 bits: what long codes are computed with.

/// Most significant word first, so that the derived order is the order of the numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Big([u64; 4]);

impl Big {
    pub(crate) const ZERO: Self = Self([0; 4]);
    pub(crate) const BYTES: usize = 32;

    /// 2^bits, for bits below 256.
    pub(crate) const fn power_of_two(bits: u32) -> Self {
        let mut words = [0; 4];
        words[3 - (bits / 64) as usize] = 1 << (bits % 64);
        Self(words)
    }

    /// The sum; `None` from 2^256 on.
    pub(crate) fn checked_add(self, other: Self) -> Option<Self> {
        let (mut words, mut carry) = ([0; 4], false);
        for at in (0..4).rev() {
            let (sum, first) = self.0[at].overflowing_add(other.0[at]);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (words[at], carry) = (sum, first || second);
        }
        (!carry).then_some(Self(words))
    }

    /// The difference; `other` must not be larger.
    pub(crate) fn minus(self, other: Self) -> Self {
        let (mut words, mut borrow) = ([0; 4], false);
        for at in (0..4).rev() {
            let (rest, first) = self.0[at].overflowing_sub(other.0[at]);
            let (rest, second) = rest.overflowing_sub(u64::from(borrow));
            (words[at], borrow) = (rest, first || second);
        }
        debug_assert!(!borrow);
        Self(words)
    }

    /// The product and what is beyond 256 bits of it.
    pub(crate) fn times(self, factor: u64) -> (u64, Self) {
        let (mut words, mut carry) = ([0; 4], 0u128);
        for at in (0..4).rev() {
            let product = u128::from(self.0[at]) * u128::from(factor) + carry;
            (words[at], carry) = (product as u64, product >> 64);
        }
        (carry as u64, Self(words))
    }

    /// The product; `None` from 2^256 on.
    pub(crate) fn checked_mul(self, factor: u64) -> Option<Self> {
        let (over, product) = self.times(factor);
        (over == 0).then_some(product)
    }

    /// Quotient and remainder of `over` · 2^256 + self, where `over` is below the divisor.
    pub(crate) fn divide_long(self, over: u64, divisor: u64) -> (Self, u64) {
        debug_assert!(over < divisor);
        let (mut words, mut rest) = ([0; 4], over);
        for (to, word) in words.iter_mut().zip(self.0) {
            let value = u128::from(rest) << 64 | u128::from(word);
            *to = (value / u128::from(divisor)) as u64;
            rest = (value % u128::from(divisor)) as u64;
        }
        (Self(words), rest)
    }

    pub(crate) fn divide(self, divisor: u64) -> (Self, u64) {
        self.divide_long(0, divisor)
    }

    /// What is above and what is below a bit, which must leave no more than a word above.
    pub(crate) fn split(self, bits: u32) -> (u64, Self) {
        debug_assert!((192..256).contains(&bits));
        let Self([top, rest @ ..]) = self;
        let [a, b, c] = rest;
        (top >> (bits - 192), Self([top & ((1 << (bits - 192)) - 1), a, b, c]))
    }

    /// The number, if it has 64 bits.
    #[cfg(test)]
    pub(crate) fn small(self) -> Option<u64> {
        if let [0, 0, 0, low] = self.0 { Some(low) } else { None }
    }

    /// All bytes, most significant first.
    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (to, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            to.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }

    /// The number with these bytes, most significant first; `None` if they are more than 32.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let before = Self::BYTES.checked_sub(bytes.len())?;
        let mut all = [0; Self::BYTES];
        all[before..].copy_from_slice(bytes);
        let mut words = [0; 4];
        for (to, from) in words.iter_mut().zip(all.chunks_exact(8)) {
            *to = from.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        Some(Self(words))
    }
}

impl From<u64> for Big {
    fn from(low: u64) -> Self {
        Self([0, 0, 0, low])
    }
}

/// What the ends of an interval are counted in: words where a code must be quick, [`Big`] where it may be long.
pub(crate) trait Width: Copy + Ord {
    const NONE: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// floor(self · below / 65536), for `below` up to 65536.
    fn part(self, below: u32) -> Self;
    /// floor(self · number / parts), for `number` up to `parts`.
    fn share(self, number: u32, parts: u32) -> Self;
}

impl Width for u64 {
    const NONE: Self = 0;

    #[inline]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline]
    fn minus(self, other: Self) -> Self {
        self - other
    }

    #[inline]
    fn part(self, below: u32) -> Self {
        (u128::from(self) * u128::from(below) >> 16) as u64
    }

    #[inline]
    fn share(self, number: u32, parts: u32) -> Self {
        (u128::from(self) * u128::from(number) / u128::from(parts)) as u64
    }
}

impl Width for Big {
    const NONE: Self = Self::ZERO;

    /// Both are below 2^255.
    fn plus(self, other: Self) -> Self {
        self.checked_add(other).unwrap_or_default()
    }

    fn minus(self, other: Self) -> Self {
        self.minus(other)
    }

    fn part(self, below: u32) -> Self {
        let (over, Self(words)) = self.times(below.into());
        let [a, b, c, d] = words;
        Self([over << 48 | a >> 16, a << 48 | b >> 16, b << 48 | c >> 16, c << 48 | d >> 16])
    }

    fn share(self, number: u32, parts: u32) -> Self {
        let (over, product) = self.times(number.into());
        product.divide_long(over, parts.into()).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::rng::Rng;

    #[test]
    fn arithmetic_and_its_inverse() {
        let mut random = Rng::new(5, 0);
        for _ in 0..2_000 {
            let number = Big([0, random.next_u64() >> 9, random.next_u64(), random.next_u64()]);
            let other = Big([0, random.next_u64() >> 9, random.next_u64(), random.next_u64()]);
            let factor = random.next_u64() >> (random.next_u64() % 60) | 1;
            let sum = number.checked_add(other).unwrap();
            assert_eq!(sum.minus(other).0, number.0);
            assert!(sum >= number);
            let (over, product) = number.times(factor);
            assert_eq!((over, product.divide(factor).1), (0, 0));
            assert_eq!(product.divide(factor).0.0, number.0);
            assert_eq!(Big::from_bytes(&number.to_bytes()).unwrap().0, number.0);
        }
        assert_eq!(Big([u64::MAX; 4]).checked_add(Big::from(1)).map(|n| n.0), None);
        assert_eq!(Big::power_of_two(255).checked_mul(2).map(|n| n.0), None);
        assert_eq!(Big::from_bytes(&[1; 33]).map(|n| n.0), None);
    }

    /// The same bounds as with words, where these suffice.
    #[test]
    fn parts_agree_with_words() {
        let mut random = Rng::new(9, 0);
        for _ in 0..2_000 {
            let width = random.next_u64() >> (random.next_u64() % 64);
            let below = (random.next_u64() % 65_537) as u32;
            assert_eq!(Big::from(width).part(below).small(), Some(Width::part(width, below)));
            let (number, parts) = (below % 130, 130);
            assert_eq!(Big::from(width).share(number, parts).small(), Some(width.share(number, parts)));
        }
    }
}
