//! Which men are on the board: the name of a table, and the key to find it by.

use rukh_core::{Chess, Color, Kind, Position};

/// Most men of a table.
pub(super) const MAX_MEN: usize = 7;

/// The letters of a table's name in the order in which they stand there.
const LETTERS: [(u8, Kind); 5] =
    [(b'Q', Kind::Queen), (b'R', Kind::Rook), (b'B', Kind::Bishop), (b'N', Kind::Knight), (b'P', Kind::Pawn)];

/// How many men of each colour and kind there are, kings apart: four bits each, White's five kinds below Black's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Material(u64);

const SIDE_BITS: u32 = 20;
const SIDE: u64 = (1 << SIDE_BITS) - 1;

const fn shift(color: Color, kind: Kind) -> u32 {
    color as u32 * SIDE_BITS + kind as u32 * 4
}

impl Material {
    pub(super) const BARE_KINGS: Self = Self(0);

    /// Reads a name as `KQvKR`; none for what names no table.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let (white, black) = name.split_once('v')?;
        let mut material = Self(0);
        for (color, side) in [(Color::White, white), (Color::Black, black)] {
            let mut letters = side.bytes();
            if letters.next() != Some(b'K') {
                return None;
            }
            let mut last = 0;
            for letter in letters {
                let at = LETTERS.iter().position(|&(known, _)| known == letter).filter(|&at| at >= last)?;
                last = at;
                if material.men() == MAX_MEN {
                    return None;
                }
                material.0 += 1 << shift(color, LETTERS[at].1);
            }
        }
        (material != Self::BARE_KINGS).then_some(material)
    }

    #[inline]
    pub(super) fn of(pos: &Position<Chess>) -> Self {
        let mut key = 0;
        for color in [Color::White, Color::Black] {
            for (_, kind) in LETTERS {
                key |= u64::from(pos.colored(color, kind).count() & 15) << shift(color, kind);
            }
        }
        Self(key)
    }

    pub(super) fn count(self, color: Color, kind: Kind) -> usize {
        if kind == Kind::King { 1 } else { (self.0 >> shift(color, kind) & 15) as usize }
    }

    pub(super) fn men(self) -> usize {
        let count = |color| LETTERS.iter().map(|&(_, kind)| self.count(color, kind)).sum::<usize>();
        2 + count(Color::White) + count(Color::Black)
    }

    /// The same with the colours exchanged.
    pub(super) const fn swapped(self) -> Self {
        Self(self.0 >> SIDE_BITS | (self.0 & SIDE) << SIDE_BITS)
    }

    pub(super) fn is_symmetric(self) -> bool {
        self == self.swapped()
    }

    pub(super) fn has_pawns(self) -> bool {
        self.pawns().0 != 0
    }

    /// Pawns of the leading colour and of the other. The colour with fewer pawns leads, but one without cannot.
    pub(super) fn pawns(self) -> (usize, usize) {
        let (white, black) = (self.count(Color::White, Kind::Pawn), self.count(Color::Black, Kind::Pawn));
        if self.leader() == Color::White { (white, black) } else { (black, white) }
    }

    /// The colour whose pawns come first.
    pub(super) fn leader(self) -> Color {
        let (white, black) = (self.count(Color::White, Kind::Pawn), self.count(Color::Black, Kind::Pawn));
        if black == 0 || (white != 0 && white <= black) { Color::White } else { Color::Black }
    }

    /// Whether a man besides the kings is the only one of his colour and kind.
    pub(super) fn has_single(self) -> bool {
        [Color::White, Color::Black]
            .into_iter()
            .any(|color| LETTERS.iter().any(|&(_, kind)| self.count(color, kind) == 1))
    }

    /// Mixed for a table with a power of two of slots.
    #[inline]
    pub(super) const fn hash(self) -> usize {
        (self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
    }
}
