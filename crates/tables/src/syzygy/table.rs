//! One table: its head is read and checked, its values are looked up where they lie.

use rukh_core::{Chess, Color, Kind, Position};

use super::layout::{Layout, Man, Men, Order, leading_file};
use super::material::Material;
use super::pairs::{Head, Pairs};
use super::source::Source;
use super::{Damage, Reader, Wdl};

/// Results (`.rtbw`) or distances to a zeroing move (`.rtbz`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinds {
    Results,
    Distances,
}

impl Kinds {
    pub(super) const fn extension(self) -> &'static str {
        match self {
            Self::Results => "rtbw",
            Self::Distances => "rtbz",
        }
    }

    const fn magic(self) -> [u8; 4] {
        match self {
            Self::Results => [0x71, 0xE8, 0x23, 0x5D],
            Self::Distances => [0xD7, 0x66, 0x0C, 0xA5],
        }
    }
}

/// No head is longer: eight parts of 4,095 symbols and their codes, four maps of distances.
const MAX_HEAD: u64 = 1 << 18;

/// A file is a whole number of these, with a checksum of sixteen bytes behind.
const UNIT: u64 = 64;
const CHECKSUM: u64 = 16;

/// Flags of a part with distances.
mod flag {
    /// The distances are those with Black to move.
    pub(super) const BLACK: u8 = 1;
    /// The values are numbers of entries in a map.
    pub(super) const MAPPED: u8 = 2;
    /// Won positions count plies, not moves.
    pub(super) const WIN_PLIES: u8 = 4;
    /// Lost positions count plies, not moves.
    pub(super) const LOSS_PLIES: u8 = 8;
    /// The map has entries of two bytes.
    pub(super) const WIDE: u8 = 16;
}

/// The values of one side to move and one file of the leading pawn.
#[derive(Debug)]
struct Part {
    layout: Layout,
    values: Pairs,
    flags: u8,
    /// Distances by value: won, lost, won and lost beyond the fifty moves. Empty without a map.
    map: [Vec<u16>; 4],
}

/// A checked table.
#[derive(Debug)]
pub(super) struct Table {
    source: Source,
    symmetric: bool,
    /// Whose pawns lead, if there are any.
    leader: Option<Man>,
    sides: usize,
    /// By file, then by side.
    parts: Vec<Part>,
}

/// A position as the table sees it.
struct View<'a> {
    pos: &'a Position<Chess>,
    swapped: bool,
}

impl Men for View<'_> {
    #[inline]
    fn men(&self, (color, kind): Man) -> u64 {
        if self.swapped { self.pos.colored(!color, kind).flip_ranks().0 } else { self.pos.colored(color, kind).0 }
    }
}

/// An answer of a table of distances.
pub(super) enum Distance {
    Plies(i32),
    /// The table knows the other side's distances only.
    OtherSide,
}

impl Table {
    /// Whether the first bytes and the length are those of a table; cheap enough for every file of a folder.
    pub(super) fn looks_right(source: &Source, kinds: Kinds) -> Result<(), Damage> {
        if source.len() % UNIT != CHECKSUM || source.len() < UNIT {
            return Err(Damage("it is not complete"));
        }
        if source.head(4)? != kinds.magic() {
            return Err(Damage("it does not begin as a table does"));
        }
        Ok(())
    }

    /// Reads and checks the head.
    pub(super) fn read(source: Source, kinds: Kinds, material: Material) -> Result<Self, Damage> {
        Self::looks_right(&source, kinds)?;
        let head = source.head(MAX_HEAD.min(source.len() - CHECKSUM))?;
        let mut reader = Reader::new(&head);
        reader.take(4)?;
        let symmetric = material.is_symmetric();
        let pawns = material.has_pawns();
        let flags = reader.u8()?;
        if (flags & 1 == 0) != symmetric || (flags & 2 != 0) != pawns {
            return Err(Damage("it is not what its name says"));
        }
        let sides = if kinds == Kinds::Results && !symmetric { 2 } else { 1 };
        let layouts = read_layouts(&mut reader, material, sides)?;
        reader.align()?;
        let mut heads = Vec::new();
        let mut all_flags = Vec::new();
        for layout in &layouts {
            let (flags, head) = Head::read(&mut reader, layout.size())?;
            heads.push(head);
            all_flags.push(flags);
        }
        let mut maps = Vec::new();
        for &flags in &all_flags {
            maps.push(if kinds == Kinds::Distances { read_map(&mut reader, flags)? } else { Default::default() });
        }
        reader.align()?;
        let (values, end) = Pairs::place(heads, &source, reader.at() as u64)?;
        if end.next_multiple_of(UNIT) + CHECKSUM != source.len() {
            return Err(Damage("its parts do not fill it"));
        }
        let parts = layouts.into_iter().zip(values).zip(all_flags).zip(maps);
        let parts = parts.map(|(((layout, values), flags), map)| Part { layout, values, flags, map }).collect();
        let leader = pawns.then(|| (material.leader(), Kind::Pawn));
        Ok(Self { source, symmetric, leader, sides, parts })
    }

    /// The part of a position and its number there.
    #[inline]
    fn find(&self, pos: &Position<Chess>, swapped: bool) -> Result<(&Part, u64, Color), Damage> {
        let turn = pos.side_to_move();
        // Of two equal sides the table keeps White to move only.
        let swapped = swapped || self.symmetric && turn == Color::Black;
        let turn = if swapped { !turn } else { turn };
        let view = View { pos, swapped };
        let file = self.leader.map_or(Some(0), |man| leading_file(view.men(man)));
        let side = if self.sides == 2 { turn as usize } else { 0 };
        let part = file.and_then(|file| self.parts.get(file * self.sides + side));
        let found = part.and_then(|part| Some((part, part.layout.number(&view)?, turn)));
        found.ok_or(Damage("it has no place for a position"))
    }

    /// What the table says of the position, captures and en passant apart.
    pub(super) fn result(&self, pos: &Position<Chess>, swapped: bool) -> Result<Wdl, Damage> {
        let (part, number, _) = self.find(pos, swapped)?;
        match part.values.value(&self.source, number)? {
            0 => Ok(Wdl::Loss),
            1 => Ok(Wdl::BlessedLoss),
            2 => Ok(Wdl::Draw),
            3 => Ok(Wdl::CursedWin),
            4 => Ok(Wdl::Win),
            _ => Err(Damage("it has a result that does not exist")),
        }
    }

    /// The distance, without sign, of a position with this result.
    pub(super) fn distance(&self, pos: &Position<Chess>, swapped: bool, result: Wdl) -> Result<Distance, Damage> {
        let (part, number, turn) = self.find(pos, swapped)?;
        let stored = if part.flags & flag::BLACK == 0 { Color::White } else { Color::Black };
        if stored != turn && !(self.symmetric && self.leader.is_none()) {
            return Ok(Distance::OtherSide);
        }
        let value = part.values.value(&self.source, number)?;
        let (column, in_plies) = match result {
            Wdl::Win => (0, part.flags & flag::WIN_PLIES != 0),
            Wdl::Loss => (1, part.flags & flag::LOSS_PLIES != 0),
            Wdl::CursedWin => (2, false),
            Wdl::BlessedLoss => (3, false),
            Wdl::Draw => return Ok(Distance::Plies(0)),
        };
        let value = if part.flags & flag::MAPPED == 0 {
            value
        } else {
            let entry = part.map[column].get(usize::from(value));
            *entry.ok_or(Damage("it has a distance that is not in its map"))?
        };
        Ok(Distance::Plies(i32::from(value) * if in_plies { 1 } else { 2 } + 1))
    }
}

/// For each file of the leading pawn: when leading men and pawns get their weights, then the men, both sides in one byte.
fn read_layouts(reader: &mut Reader<'_>, material: Material, sides: usize) -> Result<Vec<Layout>, Damage> {
    let files = if material.has_pawns() { 4 } else { 1 };
    let both_have_pawns = material.pawns().1 > 0;
    let mut layouts = Vec::with_capacity(files * sides);
    for file in 0..files {
        let lead = reader.u8()?;
        let pawns = if both_have_pawns { reader.u8()? } else { 0xFF };
        let men = reader.take(material.men())?;
        for side in 0..sides {
            let nibble = |byte: u8| if side == 0 { byte & 15 } else { byte >> 4 };
            let men = men.iter().map(|&byte| nibble(byte)).collect::<Vec<_>>();
            let order = Order { men: &men, lead: nibble(lead), pawns: nibble(pawns) };
            layouts.push(Layout::new(material, order, file)?);
        }
    }
    Ok(layouts)
}

/// Four lists, each with its length before it, in bytes or in words.
fn read_map(reader: &mut Reader<'_>, flags: u8) -> Result<[Vec<u16>; 4], Damage> {
    let mut map: [Vec<u16>; 4] = Default::default();
    if flags & flag::MAPPED != 0 {
        let wide = flags & flag::WIDE != 0;
        if wide {
            reader.align()?;
        }
        for list in &mut map {
            *list = if wide {
                let len = reader.u16()?;
                (0..len).map(|_| reader.u16()).collect::<Result<_, _>>()?
            } else {
                let len = reader.u8()?;
                reader.take(len.into())?.iter().map(|&byte| byte.into()).collect()
            };
        }
    }
    Ok(map)
}
