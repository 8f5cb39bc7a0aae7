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

/// The symbols that a square has room for.
pub(crate) fn men(variant: Variant, square: usize) -> u32 {
    let kinds = kinds(variant);
    let (all, bia, black) = ((1u32 << (2 * kinds + 1)) - 1, 1 << 1, 1 << (1 + kinds));
    let rank = square / 8;
    match variant {
        // White Bia stand on ranks 3 to 7, Black's on ranks 2 to 6.
        Variant::Makruk => {
            all & if (2..7).contains(&rank) { !0 } else { !bia } & if (1..6).contains(&rank) { !0 } else { !black }
        }
        _ if rank == 0 || rank == 7 => all & !bia & !black,
        _ => all,
    }
}

/// Whether a side may castle short and long.
fn of(rights: u8, side: usize) -> (bool, bool) {
    (rights >> (2 * side) & 1 != 0, rights >> (2 * side) & 2 != 0)
}

/// The first and the last file where a king with these rights may stand.
fn span(variant: Variant, short: bool, long: bool) -> (usize, usize) {
    if variant == Variant::Chess { (4, 4) } else { (usize::from(long), 7 - usize::from(short)) }
}

fn kinds(variant: Variant) -> usize {
    if variant == Variant::Makruk { 7 } else { 6 }
}

/// What [`Possible`] says of a whole board with kings on these squares: the squares that are forced, and those where each king cannot stand.
#[cfg(target_arch = "x86_64")]
pub(crate) fn of_board(variant: Variant, rights: u8, kings: [u32; 2]) -> (u64, [u64; 2]) {
    let mut forced = if kings.contains(&63) { 1 << 63 } else { 0 };
    let mut kingless = kings.map(|king| !1 << king);
    for side in [0, 1] {
        let (short, long) = of(rights, side);
        if short || long {
            let (first, last) = span(variant, short, long);
            kingless[side] |= !(((1 << last) - (1 << first)) << (56 * side));
            forced |= (1 << kings[side]) & (1 << last << (56 * side));
        }
        if variant == Variant::Chess {
            forced |= (u64::from(short) << 7 | u64::from(long)) << (56 * side);
        }
    }
    (forced, kingless)
}

impl Possible {
    pub(crate) fn new(variant: Variant, rights: u8) -> Self {
        Self { variant, kinds: kinds(variant), rights, seen: [false; 2] }
    }

    fn king(&self, side: usize) -> usize {
        self.kinds * (side + 1)
    }

    /// What may stand on `square`; `None` if the position cannot be completed.
    pub(crate) fn at(&self, square: usize) -> Option<Square> {
        let mut open = men(self.variant, square);
        for side in [0, 1] {
            let king = self.king(side);
            let (short, long) = of(self.rights, side);
            if self.seen[side] {
                open &= !(1 << king);
            } else if short || long {
                let file = square.wrapping_sub(56 * side);
                let (first, last) = span(self.variant, short, long);
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Of all boards that two kings and the rights leave open.
    #[test]
    fn a_whole_board_says_what_its_squares_say() {
        for variant in Variant::ALL {
            let rights = if variant == Variant::Makruk { 0..1 } else { 0..16 };
            let boards = rights.flat_map(|r| (0..64).flat_map(move |w| (0..64).map(move |b| (r, w, b))));
            for (rights, white, black) in boards.filter(|(_, white, black)| white != black) {
                let (forced, kingless) = of_board(variant, rights, [white, black]);
                let mut possible = Possible::new(variant, rights);
                for square in 0..64 {
                    let king = [white, black].iter().position(|&king| king as usize == square);
                    let said = possible.at(square);
                    let king = king.map(|side| possible.king(side));
                    match said {
                        Some(Square::Forced(symbol)) => {
                            // A board with a king that rights rule out here is none.
                            if (possible.king(0) == symbol || possible.king(1) == symbol) && king != Some(symbol) {
                                break;
                            }
                            assert!(forced >> square & 1 != 0, "{variant:?} {rights} {white} {black} {square}");
                        }
                        Some(Square::Open(open)) => {
                            assert!(forced >> square & 1 == 0, "{variant:?} {rights} {white} {black} {square}");
                            let expected = [0, 1].map(|side: usize| open >> possible.king(side) & 1 == 0);
                            assert_eq!(kingless.map(|squares| squares >> square & 1 != 0), expected);
                            if king.is_some_and(|king| open >> king & 1 == 0) {
                                break;
                            }
                        }
                        None => break,
                    }
                    possible.note(king.unwrap_or(0));
                }
            }
        }
    }
}
