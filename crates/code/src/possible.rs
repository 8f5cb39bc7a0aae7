//! What may stand on a square.

use rukh_core::Variant;

use crate::plain::ROOK;

/// What the rules of the format leave possible, given what has been seen.
pub(crate) struct Possible {
    variant: Variant,
    kinds: usize,
    /// Castling rights, in the order WK WQ BK BQ.
    rights: u8,
    /// Whether each king has been seen.
    seen: [bool; 2],
}

pub(crate) enum Square {
    /// Not coded: it must be this symbol.
    Forced(usize),
    /// Coded among these symbols.
    Open(u32),
}

impl Possible {
    pub(crate) fn new(variant: Variant, rights: u8) -> Self {
        let kinds = if variant == Variant::Makruk { 7 } else { 6 };
        Self { variant, kinds, rights, seen: [false; 2] }
    }

    fn king(&self, side: usize) -> usize {
        self.kinds * (side + 1)
    }

    /// What may stand on `square`; `None` if the position cannot be completed.
    pub(crate) fn at(&self, square: usize) -> Option<Square> {
        let mut open = (1u32 << (2 * self.kinds + 1)) - 1;
        let rank = square / 8;
        if self.variant == Variant::Makruk {
            // White Bia stand on ranks 3 to 7, Black's on ranks 2 to 6.
            open &= if (2..7).contains(&rank) { !0 } else { !(1 << 1) };
            open &= if (1..6).contains(&rank) { !0 } else { !(1 << (1 + self.kinds)) };
        } else if rank == 0 || rank == 7 {
            open &= !(1 << 1 | 1 << (1 + self.kinds));
        }
        for side in [0, 1] {
            let king = self.king(side);
            let (short, long) = (self.rights >> (2 * side) & 1 != 0, self.rights >> (2 * side) & 2 != 0);
            if self.seen[side] {
                open &= !(1 << king);
            } else if short || long {
                let file = square.wrapping_sub(56 * side);
                let (first, last) = match self.variant {
                    Variant::Chess => (4, 4),
                    _ => (usize::from(long), 7 - usize::from(short)),
                };
                if file == last {
                    return Some(Square::Forced(king));
                }
                if !(first..last).contains(&file) {
                    open &= !(1 << king);
                }
            }
            if self.variant == Variant::Chess {
                let corner = |right: bool, corner: usize| right && square == 56 * side + corner;
                if corner(short, 7) || corner(long, 0) {
                    return Some(Square::Forced(self.kinds * side + ROOK + 1));
                }
            }
        }
        if square == 63 {
            match self.seen {
                [false, false] => return None,
                [false, true] => return Some(Square::Forced(self.king(0))),
                [true, false] => return Some(Square::Forced(self.king(1))),
                [true, true] => {}
            }
        }
        Some(Square::Open(open))
    }

    /// Notes a symbol; false if it is a second king.
    pub(crate) fn note(&mut self, symbol: usize) {
        for side in [0, 1] {
            self.seen[side] |= symbol == self.king(side);
        }
    }
}
