//! How a table numbers its positions: groups of men, each with a number and a weight.

use rukh_core::{Bitboard, Color, Kind};

use super::Damage;
use super::material::{MAX_MEN, Material};
use super::numbers::{
    KINGS, THREE, choose, edge_file, kings, off_diagonal, pawn_number, pawn_sets, pawn_sets_before, three,
};

/// A man as the table knows him: its White may be our Black.
pub(super) type Man = (Color, Kind);

/// The men of a position as the table sees them.
pub(super) trait Men {
    fn men(&self, man: Man) -> u64;
}

/// What comes first, and how it is numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    /// Three men of which there is one each.
    Three([Man; 3]),
    /// Nobody but the kings is single.
    Kings([Man; 2]),
    /// Pawns of one colour; the first of them on this file.
    Pawns { man: Man, count: usize, file: usize },
}

/// Men that look alike, numbered as a set.
#[derive(Clone, Copy, Debug)]
struct Group {
    man: Man,
    count: usize,
    weight: u64,
    /// The second colour's pawns stand on 48 squares, not on 64.
    pawns: bool,
}

/// The numbering of one side to move (and one file of the leading pawn).
#[derive(Debug)]
pub(super) struct Layout {
    lead: Lead,
    lead_weight: u64,
    groups: Vec<Group>,
    /// Numbers are below this.
    size: u64,
}

/// The order of the men and of the weights as the file has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<'a> {
    /// A nibble each: 1 to 6 for pawn to king, 8 more for Black.
    pub(super) men: &'a [u8],
    /// When the leading men get their weight: before the group of that number.
    pub(super) lead: u8,
    /// The same for the second colour's pawns, if both have some.
    pub(super) pawns: u8,
}

fn man(code: u8) -> Option<Man> {
    let kind = *Kind::ALL.get(usize::from(code & 7).checked_sub(1)?)?;
    (code < 16).then_some((if code & 8 == 0 { Color::White } else { Color::Black }, kind))
}

impl Layout {
    /// Checks that the order is one of the material's men and computes the weights.
    pub(super) fn new(material: Material, order: Order<'_>, file: usize) -> Result<Self, Damage> {
        let wrong = || Damage("its order of men is not that of its name");
        let men = order.men.iter().map(|&code| man(code)).collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
        if men.len() != material.men() || men.len() > MAX_MEN {
            return Err(wrong());
        }
        let single = |man: Man| material.count(man.0, man.1) == 1;
        let (own, other) = material.pawns();
        let lead = if own > 0 {
            Lead::Pawns { man: (material.leader(), Kind::Pawn), count: own, file }
        } else if material.has_single() {
            Lead::Three([men[0], men[1], men[2]])
        } else {
            Lead::Kings([men[0], men[1]])
        };
        // The rest in groups; each must hold all men of its kind, and so must the leading men.
        let (lead_men, fits): (usize, bool) = match lead {
            Lead::Three([a, b, c]) => (3, [a, b, c].into_iter().all(single) && a != b && a != c && b != c),
            Lead::Kings([a, b]) => (2, a.1 == Kind::King && b.1 == Kind::King && a != b),
            Lead::Pawns { man, count, .. } => (count, men[..count].iter().all(|&other| other == man)),
        };
        let mut groups: Vec<Group> = Vec::new();
        let mut at = lead_men;
        while at < men.len() {
            let man = men[at];
            let count = men[at..].iter().take_while(|&&next| next == man).count();
            groups.push(Group { man, count, weight: 0, pawns: other > 0 && groups.is_empty() });
            at += count;
        }
        let whole = |group: &Group| {
            group.count == material.count(group.man.0, group.man.1)
                && group.pawns == (group.man.1 == Kind::Pawn)
                && !men[..lead_men].contains(&group.man)
        };
        let mut seen = groups.iter().map(|group| group.man).collect::<Vec<_>>();
        seen.sort_unstable_by_key(|man| (man.0 as u8, man.1 as u8));
        seen.dedup();
        if !fits || seen.len() != groups.len() || !groups.iter().all(whole) {
            return Err(wrong());
        }
        Self { lead, lead_weight: 0, groups, size: 0 }.weighed(order, lead_men)
    }

    /// Weights in the order of the file: `lead` and `pawns` say when it is their turn.
    fn weighed(mut self, order: Order<'_>, lead_men: usize) -> Result<Self, Damage> {
        let wrong = || Damage("its order of groups makes no sense");
        let second = self.groups.iter().filter(|group| group.pawns).map(|group| group.count).sum::<usize>();
        let ways_of_lead = match self.lead {
            Lead::Three(_) => THREE,
            Lead::Kings(_) => KINGS,
            Lead::Pawns { count, file, .. } => pawn_sets(count, file),
        };
        let mut free = 64 - lead_men - second;
        let mut next = usize::from(second > 0);
        let turns = self.groups.len() + 1;
        let mut size = 1_u64;
        let mut weighed = 0;
        for turn in 0..turns {
            let ways = if turn == usize::from(order.lead) {
                self.lead_weight = size;
                ways_of_lead
            } else if second > 0 && turn == usize::from(order.pawns) {
                self.groups[0].weight = size;
                choose(48 - lead_men, second)
            } else {
                let group = self.groups.get_mut(next).ok_or_else(wrong)?;
                group.weight = size;
                let ways = choose(free, group.count);
                free -= group.count;
                next += 1;
                ways
            };
            weighed += 1;
            size = size.checked_mul(ways).filter(|&size| size > 0).ok_or_else(wrong)?;
        }
        // Somebody's turn never came.
        if weighed != turns || self.lead_weight == 0 || self.groups.iter().any(|group| group.weight == 0) {
            return Err(wrong());
        }
        self.size = size;
        Ok(self)
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The number of a position. None when the men are not those of the table.
    pub(super) fn number(&self, board: &impl Men) -> Option<u64> {
        let (lead, used, turn) = match self.lead {
            Lead::Three(men) => {
                let [a, b, c] = men.map(|man| square(board.men(man)));
                let turn = Symmetry::of(&[a?, b?, c?]);
                let [a, b, c] = [a?, b?, c?].map(|square| turn.apply(square));
                (three(a, b, c), 1 << a | 1 << b | 1 << c, turn)
            }
            Lead::Kings(men) => {
                let [a, b] = men.map(|man| square(board.men(man)));
                let turn = Symmetry::of(&[a?, b?]);
                let [a, b] = [a?, b?].map(|square| turn.apply(square));
                (kings(a, b)?, 1 << a | 1 << b, turn)
            }
            Lead::Pawns { man, count, file } => {
                let pawns = board.men(man);
                let leader = leading_pawn(pawns)?;
                let turn = Symmetry { mask: if leader & 4 == 0 { 0 } else { 7 }, diagonal: false };
                let (leader, pawns) = (turn.apply(leader), turn.apply_all(pawns));
                if pawns.count_ones() as usize != count || usize::from(leader & 7) != file {
                    return None;
                }
                (pawns_number(leader, pawns, count), pawns, turn)
            }
        };
        let mut number = lead * self.lead_weight;
        let mut taken: u64 = used;
        for group in &self.groups {
            let set = turn.apply_all(board.men(group.man));
            let first = if group.pawns { 8 } else { 0 };
            let mut ways = 0;
            for (at, square) in Bitboard(set).into_iter().enumerate() {
                let below = (taken & (square.bb().0 - 1)).count_ones() as usize;
                ways += choose((square.index() - below).checked_sub(first)?, at + 1);
            }
            if set.count_ones() as usize != group.count {
                return None;
            }
            number += ways * group.weight;
            taken |= set;
        }
        (number < self.size).then_some(number)
    }
}

/// The only square of a set.
#[inline]
fn square(set: u64) -> Option<u8> {
    (set.count_ones() == 1).then(|| set.trailing_zeros() as u8)
}

/// The pawn of a set that leads.
#[inline]
pub(super) fn leading_pawn(pawns: u64) -> Option<u8> {
    Bitboard(pawns).into_iter().map(|square| square.index() as u8).max_by_key(|&square| pawn_number(square))
}

/// The file by which a table with pawns is split.
#[inline]
pub(super) fn leading_file(pawns: u64) -> Option<usize> {
    leading_pawn(pawns).map(|leader| usize::from(edge_file(leader)))
}

/// The number of the leading colour's pawns, the leader in the left half.
fn pawns_number(leader: u8, pawns: u64, count: usize) -> u64 {
    let others = Bitboard(pawns & !(1 << leader)).into_iter();
    let numbers = others.fold(0_u64, |set, square| set | 1 << pawn_number(square.index() as u8));
    let ways = Bitboard(numbers).into_iter().enumerate().map(|(at, number)| choose(number.index(), at + 1));
    pawn_sets_before(count, leader) + ways.sum::<u64>()
}

/// A reflection of the board, or two, or three.
#[derive(Clone, Copy)]
struct Symmetry {
    /// 7 exchanges left and right, 56 top and bottom.
    mask: u8,
    /// Then exchange files and ranks.
    diagonal: bool,
}

impl Symmetry {
    /// Brings the first square to the triangle a1–d1–d4 and the first one off the diagonal below it.
    #[inline]
    fn of(squares: &[u8]) -> Self {
        let first = squares.first().copied().unwrap_or(0);
        let mask = if first & 4 == 0 { 0 } else { 7 } | if first & 32 == 0 { 0 } else { 56 };
        let off = squares.iter().map(|square| off_diagonal(square ^ mask)).find(|&off| off != 0);
        Self { mask, diagonal: off.is_some_and(|off| off > 0) }
    }

    #[inline]
    fn apply(self, square: u8) -> u8 {
        let square = square ^ self.mask;
        if self.diagonal { (square >> 3 | square << 3) & 63 } else { square }
    }

    #[inline]
    fn apply_all(self, set: u64) -> u64 {
        Bitboard(set).into_iter().fold(0, |set, square| set | 1 << self.apply(square.index() as u8))
    }
}
