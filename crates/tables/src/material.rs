//! Which pieces the attacker has, and the number of an arrangement of them.

use core::fmt;
use core::str::FromStr;
use rukh_core::{Bitboard, Color, Count, Kind, Makruk, Position};
use thiserror::Error;

/// The kinds in slot order. The Rua comes last: it has most moves, and the last slot's moves stay in nearby memory.
pub(crate) const KINDS: [Kind; 4] = [Kind::Queen, Kind::Bishop, Kind::Knight, Kind::Rook];
/// Their letters.
const LETTERS: [char; 4] = ['M', 'S', 'N', 'R'];

/// Most pieces beside the two Khun that a table holds.
pub(crate) const MAX_PIECES: usize = 3;

/// The attacker's pieces beside the Khun: one to three of Met (or Bia-ngai), Thon, Ma and Rua.
///
/// ```
/// use rukh_tables::Material;
/// let ending: Material = "KNM".parse().unwrap();
/// assert_eq!((ending.to_string().as_str(), ending.men()), ("KNM", 4));
/// assert!("KNNN".parse::<Material>().is_err()); // a side has two Ma
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Material {
    /// How many of each kind, in slot order.
    counts: [u8; 4],
}

/// Text that names no ending.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is not an ending: expected K and one to three of R, N, S, M, with at most two each of R, N and S")]
pub struct MaterialError(String);

impl Material {
    /// The ending with so many Met, Thon, Ma and Rua, if a game can bring it about.
    pub fn new(counts: [u8; 4]) -> Option<Material> {
        let pieces: u32 = counts.iter().map(|&n| u32::from(n)).sum();
        // Only Mets can be more than two: every Bia becomes one.
        let possible = (1..=MAX_PIECES as u32).contains(&pieces) && counts[1..].iter().all(|&n| n <= 2);
        possible.then_some(Material { counts })
    }

    /// Every ending with so many men on the board, the Khun included.
    pub fn all(men: u32) -> Vec<Material> {
        let mut found = Vec::new();
        for code in 0..256u32 {
            let counts = core::array::from_fn(|i| (code >> (2 * i) & 3) as u8);
            found.extend(Material::new(counts).filter(|m| m.men() == men));
        }
        found
    }

    /// The attacker's pieces of a position with a bare Khun and no Bia, and the attacker's colour.
    pub(crate) fn of(pos: &Position<Makruk>) -> Option<(Material, Color)> {
        if pos.pieces(Kind::Pawn).any() {
            return None;
        }
        let attacker = if pos.colors(Color::Black).more_than_one() { Color::Black } else { Color::White };
        if pos.colors(!attacker).more_than_one() || pos.colors(attacker).count() > 1 + MAX_PIECES as u32 {
            return None;
        }
        let counts = KINDS.map(|kind| pos.colored(attacker, kind).count() as u8);
        Some((Material::new(counts)?, attacker))
    }

    /// How many Met, Thon, Ma and Rua.
    pub fn counts(self) -> [u8; 4] {
        self.counts
    }

    /// Whether this ending is `whole`, or arises from it by captures.
    pub fn is_part_of(self, whole: Material) -> bool {
        self.counts.iter().zip(whole.counts).all(|(&part, whole)| part <= whole)
    }

    /// Men on the board, both Khun included.
    pub fn men(self) -> u32 {
        2 + self.pieces() as u32
    }

    pub(crate) fn pieces(self) -> usize {
        self.counts.iter().map(|&n| n as usize).sum()
    }

    /// A small number of its own for each material.
    pub(crate) fn code(self) -> usize {
        self.counts.iter().rev().fold(0, |code, &n| code << 2 | n as usize)
    }

    /// The kind in each slot.
    pub(crate) fn slots<const N: usize>(self) -> [Kind; N] {
        let mut slots = [Kind::Queen; N];
        let mut at = 0;
        for (kind, &n) in KINDS.iter().zip(&self.counts) {
            for _ in 0..n {
                slots[at] = *kind;
                at += 1;
            }
        }
        slots
    }

    /// The material without one piece; `None` when nothing is left.
    pub(crate) fn without(self, kind: Kind) -> Option<Material> {
        let mut counts = self.counts;
        let at = KINDS.iter().position(|&k| k == kind)?;
        counts[at] = counts[at].checked_sub(1)?;
        Material::new(counts)
    }

    /// The number up to which the bare Khun counts against this material.
    pub fn limit(self) -> u16 {
        let [_, thon, ma, rua] = self.counts.map(u32::from);
        Count::pieces_honour(rua, thon, ma)
    }

    /// Moves the attacker has when the count starts with the bare Khun to move.
    pub fn moves_allowed(self) -> u16 {
        self.limit().saturating_sub(self.men() as u16)
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("K")?;
        // As people write it: KRM, KNSM.
        for at in [3, 2, 1, 0] {
            for _ in 0..self.counts[at] {
                write!(f, "{}", LETTERS[at])?;
            }
        }
        Ok(())
    }
}

impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<Material, MaterialError> {
        let wrong = || MaterialError(text.chars().take(20).collect());
        let pieces = text.strip_prefix(['K', 'k']).ok_or_else(wrong)?;
        let mut counts = [0u8; 4];
        for letter in pieces.chars() {
            let at = LETTERS.iter().position(|l| l.eq_ignore_ascii_case(&letter)).ok_or_else(wrong)?;
            counts[at] = (counts[at] + 1).min(9);
        }
        Material::new(counts).ok_or_else(wrong)
    }
}

/// Numbers arrangements of the pieces. Equal pieces are a combination, so the order within a kind does not matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Groups<const N: usize> {
    /// Whether slots 0 and 1, and 1 and 2, hold the same kind.
    same: [bool; 2],
    /// Arrangements per square of the attacker's Khun.
    pub len: usize,
}

const PAIRS: usize = 64 * 63 / 2;
const TRIPLES: usize = 64 * 63 * 62 / 6;

/// Pairs (y, ·) with y < x.
const PAIR_START: [u32; 65] = {
    let mut start = [0; 65];
    let mut x = 0;
    while x < 64 {
        start[x + 1] = start[x] + 63 - x as u32;
        x += 1;
    }
    start
};
/// Triples (y, ·, ·) with y < x.
const TRIPLE_START: [u32; 65] = {
    let mut start = [0; 65];
    let mut x = 0;
    while x < 64 {
        let rest = 63 - x as u32;
        start[x + 1] = start[x] + if rest < 2 { 0 } else { rest * (rest - 1) / 2 };
        x += 1;
    }
    start
};

#[inline(always)]
fn pair(a: u8, b: u8) -> usize {
    (PAIR_START[a as usize & 63] + u32::from(b) - u32::from(a) - 1) as usize
}

#[inline(always)]
fn triple(a: u8, b: u8, c: u8) -> usize {
    let (i, j) = (a as usize & 63, b as usize & 63);
    (TRIPLE_START[i] + PAIR_START[j] - PAIR_START[i + 1] + u32::from(c) - u32::from(b) - 1) as usize
}

impl<const N: usize> Groups<N> {
    pub fn new(material: Material) -> Self {
        let slots = material.slots::<N>();
        let same = [N > 1 && slots[0] == slots[1 % N], N > 2 && slots[1 % N] == slots[2 % N]];
        let len = match (N, same) {
            (1, _) => 64,
            (2, [true, _]) => PAIRS,
            (2, _) => 64 * 64,
            (_, [true, true]) => TRIPLES,
            (_, [true, false] | [false, true]) => 64 * PAIRS,
            _ => 64 * 64 * 64,
        };
        Groups { same, len }
    }

    /// Puts equal pieces in order.
    #[inline(always)]
    pub fn sort(&self, p: &mut [u8; N]) {
        let mut order = |i: usize| {
            if self.same[i] && p[i] > p[i + 1] {
                p.swap(i, i + 1);
            }
        };
        if N > 1 {
            order(0);
        }
        if N > 2 {
            order(1);
            order(0);
        }
    }

    /// The number of a sorted arrangement.
    #[inline(always)]
    pub fn number(&self, p: &[u8; N]) -> usize {
        let at = |i: usize| p[i % N] as usize;
        match (N, self.same) {
            (1, _) => at(0),
            (2, [true, _]) => pair(p[0], p[1 % N]),
            (2, _) => at(0) << 6 | at(1),
            (_, [true, true]) => triple(p[0], p[1 % N], p[2 % N]),
            (_, [true, false]) => pair(p[0], p[1 % N]) << 6 | at(2),
            (_, [false, true]) => at(0) * PAIRS + pair(p[1 % N], p[2 % N]),
            _ => (at(0) << 6 | at(1)) << 6 | at(2),
        }
    }

    /// Every arrangement in the order of its number.
    #[inline(always)]
    pub fn for_each(&self, mut f: impl FnMut(usize, [u8; N])) {
        let mut number = 0;
        let mut p = [0u8; N];
        let after = |same: bool, square: u8| if same { square + 1 } else { 0 };
        for a in 0..64 {
            p[0] = a;
            if N == 1 {
                f(number, p);
                number += 1;
                continue;
            }
            for b in after(self.same[0], a)..64 {
                p[1 % N] = b;
                if N == 2 {
                    f(number, p);
                    number += 1;
                    continue;
                }
                for c in after(self.same[1], b)..64 {
                    p[2 % N] = c;
                    f(number, p);
                    number += 1;
                }
            }
        }
        debug_assert_eq!(number, self.len);
    }
}

/// Squares of the attacker's Khun in a table: files a to d.
pub(crate) const KHUN_SQUARES: usize = 32;

/// The number of the attacker's Khun's square (files a to d).
#[inline(always)]
pub(crate) fn khun_number(square: usize) -> usize {
    (square >> 3) * 4 + (square & 3)
}

/// The square of a Khun's number.
#[inline(always)]
pub(crate) fn khun_square(number: usize) -> usize {
    (number >> 2) * 8 + (number & 3)
}

/// The squares of a set, ascending, in slots `from..`.
pub(crate) fn fill_slots(squares: Bitboard, slots: &mut [u8], at: &mut usize) {
    for square in squares {
        if let Some(slot) = slots.get_mut(*at) {
            *slot = square.index() as u8;
        }
        *at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_lead_to_parts() {
        let of = |name: &str| name.parse::<Material>().unwrap();
        assert!(of("KRM").is_part_of(of("KRMM")) && of("KRM").is_part_of(of("KRM")));
        assert!(!of("KRMM").is_part_of(of("KRM")) && !of("KSM").is_part_of(of("KRMM")));
    }

    fn numbers_are_dense<const N: usize>(name: &str) {
        let groups = Groups::<N>::new(name.parse().unwrap());
        let mut next = 0;
        groups.for_each(|number, p| {
            assert_eq!(number, next);
            assert_eq!(groups.number(&p), number, "{name} {p:?}");
            next += 1;
        });
        assert_eq!(next, groups.len);
    }

    #[test]
    fn arrangements_are_numbered_without_gaps() {
        numbers_are_dense::<1>("KR");
        for name in ["KRM", "KSS"] {
            numbers_are_dense::<2>(name);
        }
        for name in ["KMMM", "KSMM", "KSSM", "KRNS", "KRRN"] {
            numbers_are_dense::<3>(name);
        }
    }

    #[test]
    fn all_endings() {
        assert_eq!([3, 4, 5, 6].map(|men| Material::all(men).len()), [4, 10, 17, 0]);
        for men in 3..=5 {
            for material in Material::all(men) {
                assert_eq!(material.to_string().parse(), Ok(material));
            }
        }
        for bad in ["", "K", "KQ", "KRRR", "KMMMM", "RN", "KMMMMMMMMMMMMMMMMMMMMMMMMMMMM"] {
            assert!(bad.parse::<Material>().is_err(), "{bad}");
        }
    }

    #[test]
    fn khun_squares() {
        for number in 0..KHUN_SQUARES {
            assert_eq!(khun_number(khun_square(number)), number);
        }
    }
}
