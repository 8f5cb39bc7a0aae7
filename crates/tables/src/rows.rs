//! A row: the distances of one arrangement of the attacker, for all squares of the bare Khun, as bit planes.
//!
//! A distance is a number from 1 to 127; a square without one is drawn. A row is kept as its smallest distance and as many
//! planes as the difference to the largest needs. Squares on which the bare Khun cannot stand have no say.

/// Planes of a full distance.
pub(crate) const PLANES: usize = 7;

/// Distances of a row while it is computed: bit `k` of plane `i` is bit `i` of the distance on square `k`.
pub(crate) type Planes = [u64; PLANES];

/// The head of a row as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct RowHead {
    /// What a coded 0 means: the smallest distance; with draws in the row, one less.
    pub base: u8,
    /// Planes that follow.
    pub width: u8,
    /// Whether a coded 0 is a draw.
    pub draws: bool,
}

impl RowHead {
    const DRAWS: u8 = 0x80;

    pub fn to_bytes(self) -> [u8; 2] {
        [self.base, self.width | if self.draws { Self::DRAWS } else { 0 }]
    }

    pub fn from_bytes([base, width]: [u8; 2]) -> RowHead {
        RowHead { base, width: width & 7, draws: width & Self::DRAWS != 0 }
    }
}

/// Adds `by` to the distances of `set`.
#[inline]
pub(crate) fn record(planes: &mut Planes, set: u64, distance: u8) {
    for (i, plane) in planes.iter_mut().enumerate() {
        if distance >> i & 1 != 0 {
            *plane |= set;
        }
    }
}

/// Smallest and largest distance in a set that is not empty.
fn extremes(planes: &Planes, set: u64) -> (u8, u8) {
    let (mut low, mut high, mut small, mut large) = (set, set, 0, 0);
    for i in (0..PLANES).rev() {
        if low & !planes[i] != 0 {
            low &= !planes[i];
        } else {
            small |= 1 << i;
        }
        if high & planes[i] != 0 {
            high &= planes[i];
            large |= 1 << i;
        }
    }
    (small, large)
}

/// The stored form of a row: `won` of the squares `quiet` have a distance, the others are drawn.
pub(crate) fn encode(planes: &Planes, won: u64, quiet: u64) -> (RowHead, Planes) {
    let won = won & quiet;
    let draws = won != quiet;
    if won == 0 {
        return (RowHead { base: 0, width: 0, draws }, [0; PLANES]);
    }
    let (small, large) = extremes(planes, won);
    let base = small - u8::from(draws);
    let width = (8 - (large - base).leading_zeros()) as u8;
    // Bit-wise subtraction of the base from all distances at once.
    let mut coded = [0; PLANES];
    let mut borrow = 0u64;
    for i in 0..PLANES {
        let subtract = if base >> i & 1 != 0 { !0 } else { 0 };
        coded[i] = (planes[i] ^ subtract ^ borrow) & won;
        borrow = (!planes[i] & (subtract | borrow)) | (subtract & borrow);
    }
    (RowHead { base, width, draws }, coded)
}

/// A stored row, read in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub head: RowHead,
    /// `width` planes of eight bytes.
    pub planes: &'a [u8],
}

impl Row<'_> {
    #[inline]
    fn plane(&self, i: usize) -> u64 {
        match self.planes.get(8 * i..8 * i + 8) {
            Some(bytes) => u64::from_le_bytes(bytes.try_into().unwrap_or_default()),
            None => 0,
        }
    }

    /// The distance on a square; 0 for a draw.
    #[inline]
    pub fn distance(&self, square: usize) -> u8 {
        let mut coded = 0;
        for i in 0..self.head.width as usize {
            coded |= (self.plane(i) >> square & 1) as u8 * (1 << i);
        }
        if coded == 0 && self.head.draws { 0 } else { self.head.base + coded }
    }

    /// The squares whose distance is `limit` or less (draws have none). Squares without a say may be among them.
    #[inline]
    pub fn within(&self, limit: u8) -> u64 {
        let drawn =
            if self.head.draws { !(0..self.head.width as usize).fold(0, |any, i| any | self.plane(i)) } else { 0 };
        if limit < self.head.base {
            return 0;
        }
        let most = limit - self.head.base;
        if self.head.width < 7 && most >= 1 << self.head.width {
            return !drawn;
        }
        // From the top plane down: less so far, or equal so far.
        let (mut less, mut equal) = (0u64, !0u64);
        for i in (0..self.head.width as usize).rev() {
            let plane = self.plane(i);
            if most >> i & 1 != 0 {
                less |= equal & !plane;
                equal &= plane;
            } else {
                equal &= !plane;
            }
        }
        (less | equal) & !drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        let mut rng = rukh_core::rng::Rng::plain(99);
        let mut random = move || rng.next_u64() >> 33;
        for round in 0..3000 {
            let (low, span) = (1 + random() % 100, 1 + random() % 27);
            let distances: [u8; 64] = core::array::from_fn(|_| {
                if round % 3 == 0 && random() % 3 == 0 { 0 } else { (low + random() % span) as u8 }
            });
            let quiet = random() << 32 ^ random() << 3;
            let (mut planes, mut won) = ([0; PLANES], 0);
            for (k, &d) in distances.iter().enumerate() {
                if d > 0 && quiet >> k & 1 != 0 {
                    record(&mut planes, 1 << k, d);
                    won |= 1 << k;
                }
            }
            let (head, coded) = encode(&planes, won, quiet);
            let head = RowHead::from_bytes(head.to_bytes());
            let bytes: Vec<u8> = coded[..head.width as usize].iter().flat_map(|p| p.to_le_bytes()).collect();
            assert!(coded[head.width as usize..].iter().all(|&p| p == 0));
            let row = Row { head, planes: &bytes };
            for (k, &d) in distances.iter().enumerate().filter(|&(k, _)| quiet >> k & 1 != 0) {
                assert_eq!(row.distance(k), d, "round {round} square {k}");
            }
            for limit in 0..=127 {
                let wanted = (0..64).filter(|&k| (1..=limit).contains(&distances[k])).fold(0u64, |set, k| set | 1 << k);
                assert_eq!(row.within(limit) & quiet, wanted & quiet, "round {round} limit {limit}");
            }
        }
    }
}
