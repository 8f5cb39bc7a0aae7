//! Names of openings: a table of 3,800 named lines as a tree of moves, found by position, so transpositions are named
//! too.
//!
//! The table is this project's own packing of the CC0 list `lichess-org/chess-openings`; `docs/formats/openings.md` has
//! the layout, `examples/make_openings.rs` makes the file.

mod table;

use std::collections::HashMap;
use std::sync::OnceLock;

use rukh_core::{Chess, Kind, Move, Position};

pub use table::{TableError, pack, unpack};

/// The edition of the built-in table, for codes that are entries of it: changes with the table.
pub const EDITION: u8 = 0;

static PACKED: &[u8] = include_bytes!("../../data/openings.bin");

/// A named opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening<'a> {
    /// Code of the *Encyclopaedia of Chess Openings*: letter and number, as `('B', 90)`.
    eco: (char, u8),
    /// `Sicilian Defense: Najdorf Variation`.
    pub name: &'a str,
}

impl Opening<'_> {
    /// The code as text, `B90`.
    pub fn eco(&self) -> String {
        format!("{}{:02}", self.eco.0, self.eco.1)
    }
}

/// One position of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Half-moves from the start; 1 for a first move. A line hangs on the nearest earlier one that is one shorter.
    pub depth: u8,
    /// Origin, target and promotion: see [`move_bits`].
    pub mv: u16,
    /// Index of the name and ECO code (letter × 100 + number), if the position has one.
    pub name: Option<(u16, u16)>,
}

/// The unpacked table.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Names in byte order.
    pub names: Vec<String>,
    /// Lines, each behind the one it continues (pre-order).
    pub lines: Vec<Line>,
}

/// A move as the table stores it: origin, target × 64, promoted piece (1 knight … 4 queen) × 4096. It does not depend
/// on how moves are packed elsewhere.
pub fn move_bits(mv: Move) -> u16 {
    let promotion = match mv.promotion() {
        Some(Kind::Knight) => 1,
        Some(Kind::Bishop) => 2,
        Some(Kind::Rook) => 3,
        Some(Kind::Queen) => 4,
        _ => 0,
    };
    mv.from().index() as u16 | (mv.to().index() as u16) << 6 | promotion << 12
}

/// The table, ready for questions.
pub struct Openings {
    table: Table,
    /// Parent of each line; `u32::MAX` for first moves.
    parents: Vec<u32>,
    by_key: HashMap<u64, u32>,
}

/// The built-in table. The first call unpacks it and plays its lines, a few milliseconds.
pub fn openings() -> &'static Openings {
    static TABLE: OnceLock<Openings> = OnceLock::new();
    // A damaged built-in table would be a bug of the build, which the tests catch; no names is then better than no program.
    TABLE.get_or_init(|| unpack(PACKED).ok().and_then(Openings::new).unwrap_or_else(Openings::empty))
}

impl Openings {
    fn empty() -> Openings {
        Openings { table: Table::default(), parents: Vec::new(), by_key: HashMap::new() }
    }

    /// Plays all lines; `None` if one holds an illegal move.
    fn new(table: Table) -> Option<Openings> {
        let mut parents = Vec::with_capacity(table.lines.len());
        let mut by_key = HashMap::with_capacity(table.lines.len());
        // The path to the current line: index and position by depth.
        let mut path: Vec<(u32, Position<Chess>)> = vec![(u32::MAX, Position::startpos())];
        for (i, line) in table.lines.iter().enumerate() {
            path.truncate(usize::from(line.depth));
            let (parent, pos) = *path.last().filter(|_| path.len() == usize::from(line.depth))?;
            let mv = pos.legal_moves().iter().copied().find(|&mv| move_bits(mv) == line.mv)?;
            let after = pos.after(mv);
            parents.push(parent);
            let known = by_key.entry(after.key()).or_insert(i as u32);
            // Of several ways to one position the named one speaks for it.
            if table.lines[*known as usize].name.is_none() && line.name.is_some() {
                *known = i as u32;
            }
            path.push((i as u32, after));
        }
        Some(Openings { table, parents, by_key })
    }

    /// Number of positions, named or on the way to a name.
    pub fn len(&self) -> usize {
        self.table.lines.len()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The opening whose defining position this is.
    pub fn find(&self, pos: &Position<Chess>) -> Option<Opening<'_>> {
        self.opening(*self.by_key.get(&pos.key())?)
    }

    /// The last named position of a game that starts at `start`.
    pub fn classify(&self, start: &Position<Chess>, moves: &[Move]) -> Option<Opening<'_>> {
        let mut pos = *start;
        let mut found = None;
        for &mv in moves.iter().take(self.deepest()) {
            pos = pos.after(mv);
            found = self.find(&pos).or(found);
        }
        found
    }

    /// The index of a position of the table.
    pub fn index(&self, pos: &Position<Chess>) -> Option<u32> {
        let index = *self.by_key.get(&pos.key())?;
        self.position(index).filter(|known| known.repetition_key() == pos.repetition_key()).map(|_| index)
    }

    /// The position of an index, by playing its line.
    pub fn position(&self, index: u32) -> Option<Position<Chess>> {
        let mut pos = Position::startpos();
        for bits in self.moves(index)? {
            let mv = pos.legal_moves().iter().copied().find(|&mv| move_bits(mv) == bits)?;
            pos = pos.after(mv);
        }
        Some(pos)
    }

    /// All named lines: opening and moves in the form of [`move_bits`].
    pub fn named(&self) -> impl Iterator<Item = (Opening<'_>, Vec<u16>)> {
        (0..self.len() as u32).filter_map(|i| Some((self.opening(i)?, self.moves(i)?)))
    }

    fn moves(&self, index: u32) -> Option<Vec<u16>> {
        self.table.lines.get(index as usize)?;
        let mut moves = Vec::new();
        let mut at = index;
        while at != u32::MAX {
            moves.push(self.table.lines.get(at as usize)?.mv);
            at = self.parents[at as usize];
        }
        moves.reverse();
        Some(moves)
    }

    fn opening(&self, index: u32) -> Option<Opening<'_>> {
        let (name, eco) = self.table.lines.get(index as usize)?.name?;
        let letter = char::from(b'A' + (eco / 100).min(25) as u8);
        Some(Opening { eco: (letter, (eco % 100) as u8), name: self.table.names.get(usize::from(name))? })
    }

    fn deepest(&self) -> usize {
        self.table.lines.iter().map(|l| usize::from(l.depth)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &str) -> Position<Chess> {
        moves.split_whitespace().fold(Position::startpos(), |pos, san| pos.after(pos.parse_san(san).unwrap()))
    }

    #[test]
    fn names_by_position() {
        let najdorf = openings().find(&after("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6")).unwrap();
        assert_eq!((najdorf.eco().as_str(), najdorf.name), ("B90", "Sicilian Defense: Najdorf Variation"));
        // By another road.
        assert_eq!(openings().find(&after("Nf3 c5 e4 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6")), Some(najdorf));
        assert_eq!(openings().find(&Position::startpos()), None);
        assert_eq!(openings().named().count(), 3807);
    }

    #[test]
    fn games_get_their_last_name() {
        let start = Position::startpos();
        let mut pos = start;
        let mut moves = Vec::new();
        for san in "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O h6".split_whitespace() {
            let mv = pos.parse_san(san).unwrap();
            moves.push(mv);
            pos = pos.after(mv);
        }
        assert!(openings().classify(&start, &moves).unwrap().name.starts_with("Ruy Lopez"));
        assert_eq!(openings().classify(&start, &[]), None);
    }

    #[test]
    fn index_and_position_are_inverse() {
        for index in (0..openings().len() as u32).step_by(7) {
            let pos = openings().position(index).unwrap();
            let canonical = openings().index(&pos).unwrap();
            assert_eq!(openings().position(canonical).unwrap().key(), pos.key());
        }
        assert_eq!(openings().position(u32::MAX), None);
        assert_eq!(openings().index(&after("h4 h5 Rh2")), None);
    }

    #[test]
    fn damaged_tables_are_refused() {
        assert!(unpack(&[]).is_err());
        for at in (0..PACKED.len()).step_by(7) {
            let mut bent = PACKED.to_vec();
            bent[at] ^= 0x10;
            assert!(unpack(&bent).is_err(), "byte {at}");
            assert!(unpack(&PACKED[..at]).is_err());
        }
        // Even with the right checksum nonsense is refused, or is a table, and never more than that.
        for seed in 0..40u32 {
            let code: Vec<u8> =
                (0..400).map(|i| (i * 7919 + seed * 104_729).wrapping_mul(2_654_435_761) as u8 ^ 0x5a).collect();
            let mut bytes = [&PACKED[..8], &crc32fast::hash(&code).to_le_bytes(), &code].concat();
            let _ = unpack(&bytes).map(|table| assert!(table.lines.len() < 0xffff));
            bytes.truncate(40);
            assert!(unpack(&bytes).is_err());
        }
    }
}
