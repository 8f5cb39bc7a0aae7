//! Part A: exact ranks of all positions with few men, and of chosen material besides.
//!
//! The space is a row of classes, one for each material. A class holds its plain positions first, then those with castling
//! rights or a capturable pawn, in groups of equal shape. docs/formats/position-code.md has the numbers.

use rukh_core::Variant;

use crate::combination::{binomial, rank, select, unrank};
use crate::plain::{LIMITS, MAX_KINDS, PAWN, Plain, ROOK, plies_of};

/// Squares of pawns: ranks 2 to 7.
const AREA: u64 = 0x00FF_FFFF_FFFF_FF00;
const AREA_SIZE: u32 = 48;
/// Numbers of men without the kings.
pub(crate) type Counts = [[u8; MAX_KINDS - 1]; 2];
/// Pairs of a capturable pawn's file and its taker's file.
const TAKERS: [(u8, u8); 14] = {
    let mut pairs = [(0, 0); 14];
    let (mut file, mut n) = (0, 0);
    while file < 8 {
        if file > 0 {
            pairs[n] = (file, file - 1);
            n += 1;
        }
        if file < 7 {
            pairs[n] = (file, file + 1);
            n += 1;
        }
        file += 1;
    }
    pairs
};

/// One material.
struct Class {
    counts: Counts,
    /// The first code.
    start: u64,
    /// Codes of plain positions; the special ones follow.
    plain: u64,
}

/// A white king with its castling rooks; Black's are the same on the eighth rank.
#[derive(Clone, Copy)]
struct Castle {
    king: u64,
    rooks: u64,
}

/// The exact ranks of a variant.
pub(crate) struct Exact {
    kinds: usize,
    counting: bool,
    classes: Vec<Class>,
    /// Class starts again, close together for the search.
    starts: Vec<u64>,
    /// Open addressing: class numbers by material key.
    slots: Vec<u16>,
    /// Placements of castling kings and rooks by number of rooks: none, one, two.
    castles: [Vec<Castle>; 3],
    /// Codes in all.
    size: u64,
    kings: Kings,
}

/// Pairs of kings that do not touch, by how many of them stand on ranks 2 to 7.
struct Kings {
    number: Vec<u16>,
    pairs: [Vec<(u8, u8)>; 3],
}

impl Kings {
    fn new() -> Self {
        let mut kings = Self { number: vec![u16::MAX; 4096], pairs: [const { Vec::new() }; 3] };
        for white in 0..64u8 {
            for black in 0..64u8 {
                let apart = (white & 7).abs_diff(black & 7).max((white >> 3).abs_diff(black >> 3));
                if apart > 1 {
                    let pairs = &mut kings.pairs[inside(white) + inside(black)];
                    kings.number[usize::from(white) << 6 | usize::from(black)] = pairs.len() as u16;
                    pairs.push((white, black));
                }
            }
        }
        kings
    }
}

fn inside(square: u8) -> usize {
    usize::from(AREA >> square & 1 != 0)
}

/// What is fixed in a group of special positions.
#[derive(Clone, Copy)]
struct Group {
    /// Whether a pawn can be taken en passant.
    passant: bool,
    /// Castling rooks by side.
    rooks: [usize; 2],
}

/// All groups, in code order; the plain one is not among them.
fn groups() -> impl Iterator<Item = Group> {
    (1..18).map(|n| Group { passant: n >= 9, rooks: [n / 3 % 3, n % 3] })
}

impl Exact {
    /// All material with up to `men` men, then `more` (in that order, which the codes depend on).
    pub(crate) fn new(variant: Variant, men: u32, more: &[Counts]) -> Self {
        let makruk = variant == Variant::Makruk;
        let mut exact = Self {
            kinds: if makruk { 7 } else { 6 },
            counting: makruk,
            classes: Vec::new(),
            starts: Vec::new(),
            slots: Vec::new(),
            castles: castles(variant),
            size: 0,
            kings: Kings::new(),
        };
        for others in 0..=men - 2 {
            exact.add_all(&mut [0; 12], 0, others);
        }
        for &counts in more {
            exact.add(counts);
        }
        exact.slots = vec![u16::MAX; (4 * exact.classes.len()).next_power_of_two()];
        for (number, class) in exact.classes.iter().enumerate() {
            let mut slot = exact.slot(key(&class.counts));
            while exact.slots[slot] != u16::MAX {
                slot = (slot + 1) % exact.slots.len();
            }
            exact.slots[slot] = number as u16;
        }
        exact
    }

    /// How many codes there are.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Adds every material with `left` more men of kinds from `at` on: White's pawns first and fewest first.
    fn add_all(&mut self, counts: &mut [u8; 12], at: usize, left: u32) {
        let per_side = self.kinds - 1;
        if at == 2 * per_side - 1 {
            counts[at] = left as u8;
            let mut both = Counts::default();
            for (n, &count) in counts[..2 * per_side].iter().enumerate() {
                both[n / per_side][n % per_side] = count;
            }
            self.add(both);
            return;
        }
        for here in 0..=left {
            counts[at] = here as u8;
            self.add_all(counts, at + 1, left - here);
        }
    }

    fn add(&mut self, counts: Counts) {
        let plain = self.plain_size(&counts);
        let special: u64 = if self.counting {
            0
        } else {
            groups().map(|group| self.group_size(&counts, group).map_or(0, |(many, places)| many * places)).sum()
        };
        self.starts.push(self.size);
        self.classes.push(Class { counts, start: self.size, plain });
        self.size += plain + special;
    }

    /// Placements of the men other than kings and pawns on `free` squares.
    fn others_size(&self, counts: &Counts, mut free: u32) -> u64 {
        let mut size = 1;
        for own in counts {
            for &count in &own[1..self.kinds - 1] {
                size *= binomial(free, u32::from(count));
                free -= u32::from(count);
            }
        }
        size
    }

    /// States of the count and sides to move.
    fn states(&self, counts: &Counts) -> u64 {
        if !self.counting || counts[0][PAWN] + counts[1][PAWN] > 0 {
            return 2;
        }
        let men = 2 + counts.iter().flatten().map(|&n| u32::from(n)).sum::<u32>();
        2 * (1 + (1..=LIMITS.len() as u8).map(|limit| u64::from(plies_of(limit, men))).sum::<u64>())
    }

    /// Placements of both sides' pawns on `area` squares.
    fn pawns_size(counts: &Counts, area: u32) -> [u64; 2] {
        let [white, black] = counts.map(|own| u32::from(own[PAWN]));
        [binomial(area, white), binomial(area - white, black)]
    }

    fn plain_size(&self, counts: &Counts) -> u64 {
        let pawns = u32::from(counts[0][PAWN] + counts[1][PAWN]);
        let rest = self.others_size(counts, 62 - pawns) * self.states(counts);
        (0..3).map(|k| self.kings.pairs[k as usize].len() as u64 * Self::both(counts, AREA_SIZE - k) * rest).sum()
    }

    fn both(counts: &Counts, area: u32) -> u64 {
        let [white, black] = Self::pawns_size(counts, area);
        white * black
    }

    /// The number of fixed parts (castling men, en passant, side to move) and the placements of the rest; none if the
    /// material does not allow the group.
    fn group_size(&self, counts: &Counts, group: Group) -> Option<(u64, u64)> {
        let (rest, area, mut free) = Self::without_fixed(counts, group)?;
        let mut many = if group.passant { 2 * TAKERS.len() as u64 } else { 2 };
        let mut places = Self::both(&rest, area);
        free -= u32::from(rest[0][PAWN] + rest[1][PAWN]);
        for rooks in group.rooks {
            many *= self.castles[rooks].len() as u64;
            if rooks == 0 {
                places *= u64::from(free);
                free -= 1;
            }
        }
        Some((many, places * self.others_size(&rest, free)))
    }

    /// The material without the fixed men, the squares left for pawns and the squares left for all.
    fn without_fixed(counts: &Counts, group: Group) -> Option<(Counts, u32, u32)> {
        let mut rest = *counts;
        let (mut area, mut free) = (AREA_SIZE, 64);
        for (own, rooks) in rest.iter_mut().zip(group.rooks) {
            own[ROOK] = own[ROOK].checked_sub(rooks as u8)?;
            own[PAWN] = own[PAWN].checked_sub(u8::from(group.passant))?;
            if rooks > 0 {
                free -= 1 + rooks as u32;
            }
        }
        if group.passant {
            area -= 4;
            free -= 4;
        }
        Some((rest, area, free))
    }

    fn counts(&self, plain: &Plain) -> Counts {
        let mut counts = Counts::default();
        for (to, own) in counts.iter_mut().zip(&plain.men) {
            for (count, set) in to.iter_mut().zip(&own[..self.kinds - 1]) {
                *count = set.count_ones() as u8;
            }
        }
        counts
    }

    /// Whether the material of a position has a class.
    pub(crate) fn has(&self, plain: &Plain) -> bool {
        self.class(&self.counts(plain)).is_some()
    }

    /// The code of a position, if its material has a class.
    pub(crate) fn encode(&self, plain: &Plain) -> Option<u64> {
        let counts = self.counts(plain);
        let class = self.class(&counts)?;
        if plain.castling == 0 && plain.ep.is_none() {
            Some(class.start + self.encode_plain(plain, class))
        } else {
            Some(class.start + class.plain + self.encode_special(plain, &counts)?)
        }
    }

    /// The position with this code; `None` if it belongs to none. Legality is the caller's to check.
    pub(crate) fn decode(&self, code: u64) -> Option<Plain> {
        if code >= self.size {
            return None;
        }
        let class = &self.classes[self.starts.partition_point(|&start| start <= code) - 1];
        let value = code - class.start;
        if value < class.plain {
            return Some(self.decode_plain(value, class));
        }
        let plain = self.decode_special(value - class.plain, class)?;
        // With two possible takers, the pair with the other one names the same position: only one of them is its code.
        (self.encode(&plain) == Some(code)).then_some(plain)
    }

    fn class(&self, counts: &Counts) -> Option<&Class> {
        let mut slot = self.slot(key(counts));
        loop {
            let class = self.classes.get(usize::from(self.slots[slot]))?;
            if class.counts == *counts {
                return Some(class);
            }
            slot = (slot + 1) % self.slots.len();
        }
    }

    fn slot(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (self.slots.len() - 1)
    }

    fn encode_plain(&self, plain: &Plain, class: &Class) -> u64 {
        let king = self.kinds - 1;
        let [white, black] = [0, 1].map(|side| plain.men[side][king]);
        let squares = [white, black].map(|set| set.trailing_zeros() as usize & 63);
        let k = (white & AREA).count_ones() + (black & AREA).count_ones();
        let mut value = u64::from(self.kings.number[squares[0] << 6 | squares[1]]);
        let mut free = !(white | black);
        let sizes = Self::pawns_size(&class.counts, AREA_SIZE - k);
        for (own, size) in plain.men.iter().zip(sizes) {
            value = value * size + rank(own[PAWN], free & AREA);
            free &= !own[PAWN];
        }
        value = self.encode_others(value, plain, &class.counts, free, 0);
        let states = self.states(&class.counts);
        value = value * states + self.state(plain, &class.counts);
        if k == 0 {
            return value;
        }
        let rest = self.others_size(&class.counts, free.count_ones()) * states;
        let before =
            |k: u32| self.kings.pairs[k as usize].len() as u64 * Self::both(&class.counts, AREA_SIZE - k) * rest;
        value + (0..k).map(before).sum::<u64>()
    }

    fn decode_plain(&self, mut value: u64, class: &Class) -> Plain {
        let pawns = u32::from(class.counts[0][PAWN] + class.counts[1][PAWN]);
        let states = self.states(&class.counts);
        let rest = self.others_size(&class.counts, 62 - pawns);
        let mut k = 0;
        let sizes = loop {
            let sizes = Self::pawns_size(&class.counts, AREA_SIZE - k);
            let size = self.kings.pairs[k as usize].len() as u64 * sizes[0] * sizes[1] * rest * states;
            if value < size {
                break sizes;
            }
            value -= size;
            k += 1;
        };
        let mut plain = Plain::default();
        self.set_state(&mut plain, &class.counts, value % states);
        let mut placed = value / states;
        let others = placed % rest;
        placed /= rest;
        let black = placed % sizes[1];
        placed /= sizes[1];
        let (white, number) = (placed % sizes[0], placed / sizes[0]);
        let (white_king, black_king) = self.kings.pairs[k as usize][number as usize];
        plain.men[0][self.kinds - 1] = 1 << white_king;
        plain.men[1][self.kinds - 1] = 1 << black_king;
        let mut free = !(1 << white_king | 1 << black_king);
        for (side, number) in [white, black].into_iter().enumerate() {
            let set = unrank(number, u32::from(class.counts[side][PAWN]), free & AREA);
            plain.men[side][PAWN] = set;
            free &= !set;
        }
        self.decode_others(others, &mut plain, &class.counts, free);
        plain
    }

    /// Appends the men other than kings and pawns to `value`; `fixed` rooks are placed already.
    fn encode_others(&self, mut value: u64, plain: &Plain, counts: &Counts, mut free: u64, fixed: u64) -> u64 {
        for (own, numbers) in plain.men.iter().zip(counts) {
            for (&set, &count) in own[1..self.kinds - 1].iter().zip(&numbers[1..]) {
                let set = set & !fixed;
                if set != 0 {
                    value = value * binomial(free.count_ones(), u32::from(count)) + rank(set, free);
                    free &= !set;
                }
            }
        }
        value
    }

    fn decode_others(&self, mut value: u64, plain: &mut Plain, counts: &Counts, mut free: u64) {
        // The last kind was appended last: take the values off from the end, then place from the start.
        let mut ranks = [[0; MAX_KINDS]; 2];
        let total: u32 = counts.iter().flat_map(|own| &own[1..]).map(|&n| u32::from(n)).sum();
        let mut left = free.count_ones() - total;
        for side in [1, 0] {
            for kind in (1..self.kinds - 1).rev() {
                let count = u32::from(counts[side][kind]);
                if count > 0 {
                    left += count;
                    let size = binomial(left, count);
                    ranks[side][kind] = value % size;
                    value /= size;
                }
            }
        }
        for side in [0, 1] {
            for kind in 1..self.kinds - 1 {
                if counts[side][kind] > 0 {
                    let set = unrank(ranks[side][kind], u32::from(counts[side][kind]), free);
                    plain.men[side][kind] |= set;
                    free &= !set;
                }
            }
        }
    }

    /// Count and side to move as a number below [`states`](Self::states).
    fn state(&self, plain: &Plain, counts: &Counts) -> u64 {
        let mut count = 0;
        if plain.limit > 0 {
            let men = 2 + counts.iter().flatten().map(|&n| u32::from(n)).sum::<u32>();
            count = 1 + u64::from(plain.plies);
            count += (1..plain.limit).map(|limit| u64::from(plies_of(limit, men))).sum::<u64>();
        }
        2 * count + plain.side as u64
    }

    fn set_state(&self, plain: &mut Plain, counts: &Counts, state: u64) {
        plain.side = (state & 1) as usize;
        let mut count = (state / 2) as u32;
        if count > 0 {
            let men = 2 + counts.iter().flatten().map(|&n| u32::from(n)).sum::<u32>();
            count -= 1;
            plain.limit = 1;
            while count >= plies_of(plain.limit, men) {
                count -= plies_of(plain.limit, men);
                plain.limit += 1;
            }
            plain.plies = count as u16;
        }
    }

    fn encode_special(&self, plain: &Plain, counts: &Counts) -> Option<u64> {
        let king = self.kinds - 1;
        let rights = [plain.castling & 0xFF, plain.castling >> 56];
        let rooks = rights.map(|set| set.count_ones() as usize);
        let mut value = plain.side as u64;
        let mut fixed = 0;
        if let Some(file) = plain.ep {
            let takers = plain.men[plain.side][PAWN];
            let rank = if plain.side == 0 { 32 } else { 24 };
            let pair = |&(pawn, taker): &(u8, u8)| pawn == file && takers >> (rank + taker) & 1 != 0;
            let number = TAKERS.iter().position(pair)?;
            value = value * TAKERS.len() as u64 + number as u64;
            let [pawns, empty] = passant_squares(plain.side, number);
            fixed |= pawns | empty;
        }
        for side in [0, 1] {
            let shift = 56 * side as u32;
            let men = plain.men[side][king] >> shift;
            let found = |castle: &Castle| rights[side] == 0 || castle.king == men && castle.rooks == rights[side];
            value = value * self.castles[rooks[side]].len() as u64
                + self.castles[rooks[side]].iter().position(found)? as u64;
            fixed |= rights[side] << shift;
            if rights[side] != 0 {
                fixed |= plain.men[side][king];
            }
        }
        let group = Group { passant: plain.ep.is_some(), rooks };
        let (rest, area, _) = Self::without_fixed(counts, group)?;
        let mut free = !fixed;
        for (own, size) in plain.men.iter().zip(Self::pawns_size(&rest, area)) {
            value = value * size + rank(own[PAWN] & !fixed, free & AREA);
            free &= !own[PAWN];
        }
        for side in [0, 1] {
            if rooks[side] == 0 {
                let set = plain.men[side][king];
                value = value * u64::from(free.count_ones()) + rank(set, free);
                free &= !set;
            }
        }
        value = self.encode_others(value, plain, &rest, free, fixed);
        let before = groups().take_while(|g| (g.passant, g.rooks) != (group.passant, group.rooks));
        Some(value + before.filter_map(|g| self.group_size(counts, g)).map(|(many, places)| many * places).sum::<u64>())
    }

    fn decode_special(&self, mut value: u64, class: &Class) -> Option<Plain> {
        for group in groups() {
            let Some((many, places)) = self.group_size(&class.counts, group) else { continue };
            if value < many * places {
                return self.decode_group(value / places, value % places, class, group);
            }
            value -= many * places;
        }
        None
    }

    fn decode_group(&self, mut fixed_number: u64, mut value: u64, class: &Class, group: Group) -> Option<Plain> {
        let (rest, area, _) = Self::without_fixed(&class.counts, group)?;
        let king = self.kinds - 1;
        let mut plain = Plain::default();
        let mut fixed = 0;
        for side in [1, 0] {
            let castles = &self.castles[group.rooks[side]];
            let castle = castles[(fixed_number % castles.len() as u64) as usize];
            fixed_number /= castles.len() as u64;
            let shift = 56 * side as u32;
            plain.men[side][king] = castle.king << shift;
            plain.men[side][ROOK] = castle.rooks << shift;
            plain.castling |= castle.rooks << shift;
            fixed |= (castle.king | castle.rooks) << shift;
        }
        if group.passant {
            let number = (fixed_number % TAKERS.len() as u64) as usize;
            plain.side = (fixed_number / TAKERS.len() as u64) as usize;
            plain.ep = Some(TAKERS[number].0);
            let [pawns, empty] = passant_squares(plain.side, number);
            let taker = 1 << TAKERS[number].1 << if plain.side == 0 { 32 } else { 24 };
            plain.men[plain.side][PAWN] = taker;
            plain.men[1 - plain.side][PAWN] = pawns & !taker;
            fixed |= pawns | empty;
        } else {
            plain.side = fixed_number as usize;
        }
        // Sizes in the order of encoding, to take the values off from the end.
        let sizes = Self::pawns_size(&rest, area);
        let mut squares = 64 - fixed.count_ones() - u32::from(rest[0][PAWN] + rest[1][PAWN]);
        let mut king_sizes = [1, 1];
        for side in [0, 1] {
            if group.rooks[side] == 0 {
                king_sizes[side] = u64::from(squares);
                squares -= 1;
            }
        }
        let others_size = self.others_size(&rest, squares);
        let others = value % others_size;
        value /= others_size;
        let black_king = value % king_sizes[1];
        value /= king_sizes[1];
        let white_king = value % king_sizes[0];
        value /= king_sizes[0];
        let mut free = !fixed;
        for (side, number) in [value / sizes[1], value % sizes[1]].into_iter().enumerate() {
            let set = unrank(number, u32::from(rest[side][PAWN]), free & AREA);
            plain.men[side][PAWN] |= set;
            free &= !set;
        }
        for (side, number) in [white_king, black_king].into_iter().enumerate() {
            if group.rooks[side] == 0 {
                let set = select(free, number as u32);
                plain.men[side][king] = set;
                free &= !set;
            }
        }
        self.decode_others(others, &mut plain, &rest, free);
        Some(plain)
    }
}

/// The two pawns of an en-passant pair, and the squares that the pawn came from and over.
fn passant_squares(side: usize, number: usize) -> [u64; 2] {
    let (pawn, taker) = TAKERS[number];
    let (rank, behind) = if side == 0 { (32, [40, 48]) } else { (24, [16, 8]) };
    [1 << (rank + pawn) | 1 << (rank + taker), 1 << (behind[0] + pawn) | 1 << (behind[1] + pawn)]
}

/// Four bits a count.
fn key(counts: &Counts) -> u64 {
    counts.iter().flatten().fold(0, |key, &n| key << 4 | u64::from(n))
}

/// Kings and rooks that may castle, by number of rooks: standard squares, or any on the first rank with the king between.
fn castles(variant: Variant) -> [Vec<Castle>; 3] {
    let none = vec![Castle { king: 0, rooks: 0 }];
    let castle = |king: u32, rooks: u64| Castle { king: 1 << king, rooks };
    match variant {
        Variant::Makruk => [none, vec![], vec![]],
        Variant::Chess => [none, vec![castle(4, 1 << 7), castle(4, 1)], vec![castle(4, 1 << 7 | 1)]],
        Variant::Chess960 => {
            let mut lists = [none, vec![], vec![]];
            for king in 0..8 {
                for rook in (0..8).filter(|&rook| rook != king) {
                    lists[1].push(castle(king, 1 << rook));
                }
                for left in 0..king {
                    for right in king + 1..8 {
                        lists[2].push(castle(king, 1 << left | 1 << right));
                    }
                }
            }
            lists
        }
    }
}
