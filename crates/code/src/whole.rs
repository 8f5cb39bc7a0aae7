//! The last resort of long codes: an exact rank for every board that the rules allow, likely or not.
//!
//! A board is taken apart into which squares each side holds and what stands on them. The second part depends on the first
//! only through two numbers, how many of the squares lie on the edge ranks (1 and 8) and how many between, so that all
//! material of both sides is never listed together. docs/formats/position-code.md has the numbers.

use rukh_core::Variant;

use crate::big::Big;
use crate::combination::{binomial, rank, unrank};
use crate::plain::{LIMITS, MAX_KINDS, PAWN, Plain, ROOK};

/// Squares where no pawn stands.
const EDGE: u64 = 0xFF00_0000_0000_00FF;
const INNER: u64 = !EDGE;
/// Most men of a side.
const SIDE: usize = 16;
/// Values that the plies of a count can take, by limit, on any board.
const PLIES: [u16; LIMITS.len()] = {
    let mut values = [0; LIMITS.len()];
    let mut at = 0;
    while at < values.len() {
        values[at] = if LIMITS[at] > 64 { LIMITS[at] + 2 } else { 66 };
        at += 1;
    }
    values
};

/// What a side has: its numbers of men without the king, and how many pawns and rooks among them are special.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Material {
    counts: [u8; MAX_KINDS - 1],
    /// Pawns that can be taken en passant, 0 or 1.
    passing: u8,
    /// Rooks that may castle, 0 to 2.
    castling: u8,
}

impl Material {
    fn is_special(&self) -> bool {
        self.passing + self.castling > 0
    }
}

/// In how many ways a side's squares can be filled.
#[derive(Default)]
struct Arrangements {
    all: u64,
    /// How many of them belong to the materials before each [`STEP`]th.
    steps: Vec<u64>,
}

/// Materials that are counted together.
const STEP: usize = 64;

/// How many squares of the edge and of the middle the sides hold, and whether more than the men must be said: castling
/// rights, a pawn that can be taken en passant, a running count.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shape {
    special: bool,
    white: (u32, u32),
    black: (u32, u32),
}

impl Shape {
    /// Few men first, so that their ranks are short; what is seldom last.
    fn order(&self) -> (u32, bool, (u32, u32), (u32, u32)) {
        let Self { special, white, black } = *self;
        (white.0 + white.1 + black.0 + black.1, special, white, black)
    }
}

/// The exact ranks of all positions of a variant.
pub(crate) struct Whole {
    kinds: usize,
    makruk: bool,
    /// By number of men without the king, in the order of the ranks.
    materials: [Vec<Material>; SIDE],
    /// `arrangements[special][edge][inner]`.
    arrangements: [[[Arrangements; SIDE + 1]; SIDE + 1]; 2],
    /// All shapes in their order, with the rank where each begins.
    shapes: Vec<(Big, Shape)>,
    /// Ranks in all.
    size: Big,
}

impl Whole {
    pub(crate) fn new(variant: Variant) -> Self {
        let makruk = variant == Variant::Makruk;
        let mut whole = Self {
            kinds: if makruk { 7 } else { 6 },
            makruk,
            materials: [const { Vec::new() }; SIDE],
            arrangements: Default::default(),
            shapes: Vec::new(),
            size: Big::ZERO,
        };
        whole.list_materials(&mut [0; MAX_KINDS - 1], 0);
        for (special, edge) in [false, true].into_iter().flat_map(|special| (0..=SIDE).map(move |edge| (special, edge)))
        {
            for inner in (0..=SIDE - edge).filter(|inner| edge + inner > 0) {
                let mut found = Arrangements::default();
                for part in whole.materials[edge + inner - 1].chunks(STEP) {
                    found.steps.push(found.all);
                    let places = part.iter().map(|own| whole.places_in(special, own, edge as u32, inner as u32));
                    found.all += places.sum::<u64>();
                }
                whole.arrangements[usize::from(special)][edge][inner] = found;
            }
        }
        whole.list_shapes();
        whole
    }

    fn counts() -> u64 {
        PLIES.iter().map(|&n| u64::from(n)).sum()
    }

    /// Every material from `at` on, in lexicographic order of the counts, then of passing pawns and castling rooks.
    fn list_materials(&mut self, counts: &mut [u8; MAX_KINDS - 1], at: usize) {
        if at < self.kinds - 1 {
            for here in 0.. {
                counts[at] = here;
                if !self.allowed(counts) {
                    break;
                }
                self.list_materials(counts, at + 1);
            }
            counts[at] = 0;
            return;
        }
        let men: u8 = counts.iter().sum();
        let (passing, castling) = if self.makruk { (0, 0) } else { (counts[PAWN].min(1), counts[ROOK].min(2)) };
        for passing in 0..=passing {
            for castling in 0..=castling {
                self.materials[usize::from(men)].push(Material { counts: *counts, passing, castling });
            }
        }
    }

    /// Whether the rules allow a side these men: what is more than at the start was a pawn.
    fn allowed(&self, counts: &[u8; MAX_KINDS - 1]) -> bool {
        let [pawns, knights, bishops, rooks, queens, turned] = *counts;
        let more = |n: u8, start: u8| n.saturating_sub(start);
        let extra = [more(knights, 2), more(bishops, 2), more(rooks, 2)];
        let limit = pawns + extra.iter().sum::<u8>() + more(queens + turned, 1) <= 8;
        let bia = !self.makruk || extra == [0; 3] && turned + pawns <= 8;
        limit && bia && usize::from(counts.iter().sum::<u8>()) < SIDE
    }

    fn places_in(&self, special: bool, material: &Material, edge: u32, inner: u32) -> u64 {
        if material.is_special() && !special { 0 } else { self.places(material, edge, inner) }
    }

    /// In how many ways the men can stand on a side's squares; the king takes the last one.
    fn places(&self, material: &Material, edge: u32, inner: u32) -> u64 {
        let Material { counts, passing, castling } = material;
        let pawns = u32::from(counts[PAWN]);
        let (Some(inner_left), Some(edge_left)) = (inner.checked_sub(pawns), edge.checked_sub((*castling).into()))
        else {
            return 0;
        };
        let passing = u32::from(*passing);
        let mut ways = binomial(inner, passing) * binomial(inner - passing, pawns - passing);
        ways *= binomial(edge, (*castling).into());
        let mut left = inner_left + edge_left;
        for (_, count) in others(material, self.kinds) {
            ways *= binomial(left, count);
            left -= count;
        }
        ways
    }

    fn list_shapes(&mut self) {
        let each = (0..=SIDE as u32).flat_map(|edge| (0..=SIDE as u32 - edge).map(move |inner| (edge, inner)));
        let possible: Vec<_> = each.filter(|&own| self.ways(false, own) > 0).collect();
        let mut shapes = Vec::new();
        for &white in &possible {
            for &black in possible.iter().filter(|black| white.0 + black.0 <= 16 && white.1 + black.1 <= 48) {
                shapes.extend([false, true].map(|special| Shape { special, white, black }));
            }
        }
        shapes.sort_unstable_by_key(Shape::order);
        for shape in shapes {
            self.shapes.push((self.size, shape));
            let ranks = self.radices(shape).into_iter().try_fold(Big::from(1), Big::checked_mul);
            self.size = ranks.and_then(|ranks| self.size.checked_add(ranks)).unwrap_or_default();
        }
    }

    fn arrangements(&self, special: bool, (edge, inner): (u32, u32)) -> &Arrangements {
        &self.arrangements[usize::from(special)][edge as usize][inner as usize]
    }

    fn ways(&self, special: bool, own: (u32, u32)) -> u64 {
        self.arrangements(special, own).all
    }

    /// Radices of a rank's digits: White's squares on the edge, Black's, the same in the middle, White's men, Black's, the
    /// side to move, the count.
    fn radices(&self, Shape { special, white, black }: Shape) -> [u64; 8] {
        [
            binomial(16, white.0),
            binomial(16 - white.0, black.0),
            binomial(48, white.1),
            binomial(48 - white.1, black.1),
            self.ways(special, white),
            self.ways(special, black),
            2,
            if special && self.makruk { Self::counts() } else { 1 },
        ]
    }

    /// The rank of a position; `None` if it is none that the rules allow.
    pub(crate) fn encode(&self, plain: &Plain) -> Option<Big> {
        let own = [0, 1].map(|side| plain.men[side].iter().fold(0, |all, set| all | set));
        let [white, black] = own.map(|set| ((set & EDGE).count_ones(), (set & INNER).count_ones()));
        let special = plain.castling != 0 || plain.ep.is_some() || plain.limit > 0;
        let shape = Shape { special, white, black };
        let at = self.shapes.binary_search_by_key(&shape.order(), |(_, known)| known.order()).ok()?;
        let count = match usize::from(plain.limit).checked_sub(1) {
            None => 0,
            Some(limit) if plain.plies >= PLIES[limit] => return None,
            Some(limit) => PLIES[..limit].iter().sum::<u16>() + plain.plies,
        };
        let digits = [
            rank(own[0] & EDGE, EDGE),
            rank(own[1] & EDGE, EDGE & !own[0]),
            rank(own[0] & INNER, INNER),
            rank(own[1] & INNER, INNER & !own[0]),
            self.encode_side(plain, 0, own[0], special)?,
            self.encode_side(plain, 1, own[1], special)?,
            plain.side as u64,
            count.into(),
        ];
        let step = |rank: Big, (digit, radix): (u64, u64)| rank.checked_mul(radix)?.checked_add(digit.into());
        let rank = digits.into_iter().zip(self.radices(shape)).try_fold(Big::ZERO, step)?;
        self.shapes[at].0.checked_add(rank)
    }

    /// The position with this rank, legal or not; `None` beyond the last one.
    pub(crate) fn decode(&self, rank: Big) -> Option<Plain> {
        if rank >= self.size {
            return None;
        }
        let at = self.shapes.partition_point(|&(start, _)| start <= rank).checked_sub(1)?;
        let (start, shape) = self.shapes[at];
        let (mut left, mut digits) = (rank.minus(start), [0; 8]);
        for (digit, radix) in digits.iter_mut().zip(self.radices(shape)).rev() {
            (left, *digit) = left.divide(radix);
        }
        let [white_edge, black_edge, white_inner, black_inner, white, black, side, mut count] = digits;
        let mut plain = Plain { side: side as usize, ..Plain::default() };
        if shape.special && self.makruk {
            let mut limit = 0;
            while count >= u64::from(PLIES[limit]) {
                count -= u64::from(PLIES[limit]);
                limit += 1;
            }
            (plain.limit, plain.plies) = (limit as u8 + 1, count as u16);
        }
        let mut own = [0; 2];
        own[0] = unrank(white_edge, shape.white.0, EDGE) | unrank(white_inner, shape.white.1, INNER);
        own[1] = unrank(black_edge, shape.black.0, EDGE & !own[0]);
        own[1] |= unrank(black_inner, shape.black.1, INNER & !own[0]);
        self.decode_side(&mut plain, 0, own[0], white, shape.special)?;
        self.decode_side(&mut plain, 1, own[1], black, shape.special)?;
        Some(plain)
    }

    fn encode_side(&self, plain: &Plain, side: usize, own: u64, special: bool) -> Option<u64> {
        let men = &plain.men[side];
        let castling = plain.castling & men[ROOK];
        let row = if side == 0 { 24 } else { 32 };
        let passing = plain.ep.filter(|_| side != plain.side).map_or(0, |file| men[PAWN] & 1 << (row + file));
        let mut counts = [0; MAX_KINDS - 1];
        for (count, set) in counts.iter_mut().zip(&men[..self.kinds - 1]) {
            *count = set.count_ones() as u8;
        }
        let (passed, castled) = (passing.count_ones() as u8, castling.count_ones() as u8);
        let material = Material { counts, passing: passed, castling: castled };
        let (edge, inner) = ((own & EDGE).count_ones(), (own & INNER).count_ones());
        let list = self.materials.get((edge + inner) as usize - 1)?;
        let at = list.binary_search(&material).ok()?;
        let before = list[at / STEP * STEP..at].iter().map(|known| self.places_in(special, known, edge, inner));
        let start = self.arrangements(special, (edge, inner)).steps[at / STEP] + before.sum::<u64>();
        let mut number = rank(passing, own & INNER);
        let mut free = own & !passing;
        let mut digit = |set: u64, among: u64| {
            let among = free & among;
            number = number * binomial(among.count_ones(), set.count_ones()) + rank(set, among);
            free &= !set;
        };
        digit(men[PAWN] & !passing, INNER);
        digit(castling, EDGE);
        for (kind, _) in others(&material, self.kinds) {
            digit(men[kind] & !castling, !0);
        }
        Some(start + number)
    }

    fn decode_side(&self, plain: &mut Plain, side: usize, own: u64, mut number: u64, special: bool) -> Option<()> {
        let (edge, inner) = ((own & EDGE).count_ones(), (own & INNER).count_ones());
        let list = self.materials.get((edge + inner) as usize - 1)?;
        let steps = &self.arrangements(special, (edge, inner)).steps;
        let step = steps.partition_point(|&start| start <= number).checked_sub(1)?;
        number -= steps[step];
        let material = list[step * STEP..].iter().find(|known| {
            let places = self.places_in(special, known, edge, inner);
            let here = number < places;
            number -= if here { 0 } else { places };
            here
        })?;
        // Radices in the order of encoding; the digits come off from the end.
        let Material { counts, passing, castling } = *material;
        let pawns = u32::from(counts[PAWN]);
        let (passing, castling) = (u32::from(passing), u32::from(castling));
        let mut radices = vec![binomial(inner - passing, pawns - passing), binomial(edge, castling)];
        let mut left = inner - pawns + edge - castling;
        for (_, count) in others(material, self.kinds) {
            radices.push(binomial(left, count));
            left -= count;
        }
        let mut digits = vec![0; radices.len()];
        for (digit, radix) in digits.iter_mut().zip(&radices).rev() {
            *digit = number % radix;
            number /= radix;
        }
        let special = unrank(number, passing, own & INNER);
        let mut free = own & !special;
        let mut take = |digit: u64, count: u32, among: u64| {
            let set = unrank(digit, count, free & among);
            free &= !set;
            set
        };
        let men = &mut plain.men[side];
        men[PAWN] = special | take(digits[0], pawns - passing, INNER);
        let rooks = take(digits[1], castling, EDGE);
        for ((kind, count), &digit) in others(material, self.kinds).zip(&digits[2..]) {
            men[kind] = take(digit, count, !0);
        }
        men[ROOK] |= rooks;
        men[self.kinds - 1] = free;
        plain.castling |= rooks;
        if special != 0 {
            plain.ep = Some((special.trailing_zeros() % 8) as u8);
        }
        Some(())
    }
}

/// Kinds between pawn and king with their numbers, castling rooks left out.
fn others(material: &Material, kinds: usize) -> impl Iterator<Item = (usize, u32)> {
    (1..kinds - 1).map(move |kind| {
        let castling = if kind == ROOK { material.castling } else { 0 };
        (kind, u32::from(material.counts[kind] - castling))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many positions the ranks have room for, as the page says.
    #[test]
    fn sizes() {
        let bits = |variant| {
            let bytes = Whole::new(variant).size.to_bytes();
            bytes.iter().fold(0.0, |sum, &byte| sum * 256.0 + f64::from(byte)).log2()
        };
        let found = [Variant::Chess, Variant::Chess960, Variant::Makruk].map(|v| (100.0 * bits(v)).round() / 100.0);
        assert_eq!(found, [170.45, 170.45, 172.27]);
    }
}
