//! The combinatorial number system on sets of squares.

/// Largest number of like men that is ranked.
pub(crate) const MOST: usize = 16;

/// `BINOMIAL[k][n]` = n over k.
pub(crate) static BINOMIAL: [[u64; 65]; MOST + 1] = {
    let mut table = [[0; 65]; MOST + 1];
    let mut n = 0;
    while n < 65 {
        table[0][n] = 1;
        let mut k = 1;
        while k <= MOST && n > 0 {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

/// n over k; 0 for what is not tabled, which is never ranked.
pub(crate) fn binomial(n: u32, k: u32) -> u64 {
    BINOMIAL.get(k as usize).map_or(0, |row| row[n as usize])
}

/// The rank of `set` among the sets of its size within `free`, of which it must be a part: the sum over its squares, in
/// ascending order, of (place of the square in `free`) over (1, 2, 3, …).
#[inline]
pub(crate) fn rank(set: u64, free: u64) -> u64 {
    let (mut left, mut k, mut sum) = (set, 1, 0);
    while left != 0 {
        let below = (left & left.wrapping_neg()) - 1;
        sum += BINOMIAL[k][(free & below).count_ones() as usize];
        left &= left - 1;
        k += 1;
    }
    sum
}

/// The set of `size` squares of `free` with this rank, which must be below the number of such sets.
#[inline]
pub(crate) fn unrank(mut rank: u64, size: u32, free: u64) -> u64 {
    let mut set = 0;
    let mut top = free.count_ones();
    for k in (1..=size as usize).rev() {
        let row = &BINOMIAL[k];
        let place = if k == 1 {
            rank as u32
        } else {
            // The largest place with `row[place] <= rank`; `row` ascends, and `row[k - 1]` is 0.
            let (mut low, mut high) = (k as u32 - 1, top);
            while high - low > 1 {
                let middle = (low + high) / 2;
                if row[middle as usize] <= rank { low = middle } else { high = middle }
            }
            low
        };
        rank -= row[place as usize & 63];
        set |= select(free, place);
        top = place;
    }
    set
}

/// The square (as a set) with `place` squares of `set` below it, which must exist.
#[inline]
pub(crate) fn select(set: u64, place: u32) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Population count of each byte, then sums up to and including each byte.
    let mut x = set - (set >> 1 & 0x5555_5555_5555_5555);
    x = (x & 0x3333_3333_3333_3333) + (x >> 2 & 0x3333_3333_3333_3333);
    x = (x + (x >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    let sums = x.wrapping_mul(ONES);
    // How many bytes lie wholly below: their sums are at most `place`.
    let wholly = (((u64::from(place) * ONES | HIGH) - sums) & HIGH) >> 7;
    let shift = 8 * (wholly.wrapping_mul(ONES) >> 56) as u32;
    let before = if shift == 0 { 0 } else { (sums >> (shift - 8)) as u8 };
    let byte = (set >> (shift & 63)) as u8;
    u64::from(IN_BYTE[byte as usize][(place as usize).wrapping_sub(before as usize) & 7]) << (shift & 63)
}

/// The n-th lowest bit of a byte, as a byte.
static IN_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                table[byte][n] = 1 << bit;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The same for everybody: any sizes, and nothing that is not allowed goes through.
pub(crate) mod public {
    use super::select;

    /// n over k: how many sets of k squares there are among n, for n up to 64. 0 if k is larger than n.
    ///
    /// ```
    /// assert_eq!(rukh_code::choose(48, 8), 377_348_994); // places of eight pawns
    /// ```
    pub fn choose(n: u32, k: u32) -> u64 {
        if k > n || n > 64 {
            return 0;
        }
        // Each step is exact: it is a binomial coefficient itself.
        (1..=u128::from(k.min(n - k))).fold(1u128, |c, i| c * (u128::from(n) - i + 1) / i) as u64
    }

    /// The number of a set of squares among the sets of its size within `free`: the sum over its squares, in ascending order,
    /// of [`choose`] (place of the square in `free`, 1), (…, 2) and so on. None if it is not a part of `free`.
    ///
    /// ```
    /// use rukh_code::{choose, rank, unrank};
    /// let squares = 0x00FF_FFFF_FFFF_FF00; // ranks 2 to 7
    /// let pawns = 0xFF00;
    /// assert_eq!(rank(pawns, squares), Some(0));
    /// assert_eq!(unrank(choose(48, 8) - 1, 8, squares), Some(0x00FF_0000_0000_0000));
    /// ```
    pub fn rank(set: u64, free: u64) -> Option<u64> {
        if set & !free != 0 {
            return None;
        }
        let squares = (0..64).filter(|square| set >> square & 1 != 0);
        let place = |square: u32| (free & ((1 << square) - 1)).count_ones();
        Some(squares.zip(1..).map(|(square, k)| choose(place(square), k)).sum())
    }

    /// The inverse of [`rank`]: the set of `size` squares of `free` with this number. None if there are not so many.
    pub fn unrank(mut number: u64, size: u32, free: u64) -> Option<u64> {
        let mut top = free.count_ones();
        if number >= choose(top, size) {
            return None;
        }
        let mut set = 0;
        for k in (1..=size).rev() {
            let place = (0..top).rev().find(|&place| choose(place, k) <= number)?;
            number -= choose(place, k);
            set |= select(free, place);
            top = place;
        }
        Some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn select_is_the_nth_bit() {
        for set in [u64::MAX, 1, 1 << 63, 0x8000_0000_0000_0001, 0x00FF_FFFF_FFFF_FF00, 0x1234_5678_9ABC_DEF0] {
            let squares = (0..64).filter(|s| set >> s & 1 != 0);
            for (place, square) in squares.enumerate() {
                assert_eq!(select(set, place as u32), 1 << square);
            }
        }
    }

    #[test]
    fn all_sets_of_each_size_once() {
        let free = 0x00F0_0000_3C00_8001u64;
        let total = free.count_ones();
        for size in 0..=6 {
            for number in 0..binomial(total, size) {
                let set = unrank(number, size, free);
                assert_eq!((set.count_ones(), set & !free), (size, 0));
                assert_eq!(rank(set, free), number);
            }
        }
    }
}
