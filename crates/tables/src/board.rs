//! The attacker's side of the board as sets of squares of the bare Khun.

use rukh_core::{Bitboard, Color, Kind, Square, attacks};

#[inline(always)]
pub(crate) fn square(index: usize) -> Square {
    // Callers pass squares that came from squares.
    Square::from_index(index as u8 & 63).unwrap_or(Square::A1)
}

#[inline(always)]
pub(crate) fn bit(index: u8) -> u64 {
    1 << (index & 63)
}

/// Squares a step of a king away from any square of the set.
#[inline(always)]
pub(crate) fn dilate(set: u64) -> u64 {
    const A: u64 = 0x0101_0101_0101_0101;
    let sides = (set << 1 & !A) | (set >> 1 & !(A << 7));
    let wide = set | sides;
    sides | wide << 8 | wide >> 8
}

/// What a white piece attacks.
#[inline(always)]
pub(crate) fn attack(kind: Kind, from: u8, occupied: u64) -> u64 {
    let from = square(from as usize);
    match kind {
        Kind::Knight => attacks::knight(from).0,
        Kind::Bishop => attacks::thon(Color::White, from).0,
        Kind::Rook => attacks::rook(from, Bitboard(occupied)).0,
        _ => attacks::met(from).0,
    }
}

/// The steps of a king.
#[inline(always)]
pub(crate) fn king(from: usize) -> u64 {
    attacks::king(square(from)).0
}

/// An arrangement of the attacker: what the bare Khun can do against it, for all his squares at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camp {
    /// The attacker's men.
    pub occupied: u64,
    /// Squares the attacker does not cover, seen with the bare Khun lifted from the board: he cannot hide in his own
    /// shadow. Undefended men of the attacker are among them.
    pub safe: u64,
    /// Where the bare Khun may stand when it is his move.
    pub valid: u64,
}

impl Camp {
    /// `None` when two men share a square.
    #[inline(always)]
    pub fn new<const N: usize>(khun: usize, kinds: &[Kind; N], p: &[u8; N]) -> Option<Camp> {
        let mut occupied = 1u64 << khun;
        for &square in p {
            if occupied & bit(square) != 0 {
                return None;
            }
            occupied |= bit(square);
        }
        let mut covered = king(khun);
        for (&kind, &from) in kinds.iter().zip(p) {
            covered |= attack(kind, from, occupied);
        }
        Some(Camp { occupied, safe: !covered & !(1 << khun), valid: !occupied & !king(khun) })
    }

    /// Where the bare Khun may stand when it is the attacker's move: not in check.
    #[inline(always)]
    pub fn quiet(&self) -> u64 {
        self.safe & !self.occupied
    }

    /// Squares from which the bare Khun, to move, is lost when he may safely go to the squares of `escape` only.
    #[inline(always)]
    pub fn lost(&self, escape: u64) -> u64 {
        self.valid & !dilate(escape) & (dilate(self.safe) | !self.safe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dilation_is_the_union_of_king_steps() {
        let mut rng = rukh_core::rng::Rng::plain(7);
        for _ in 0..2000 {
            let seed = rng.next_u64();
            let set = seed & seed.rotate_left(17);
            let wanted = Bitboard(set).into_iter().fold(0, |sum, s| sum | king(s.index()));
            assert_eq!(dilate(set), wanted);
        }
    }
}
