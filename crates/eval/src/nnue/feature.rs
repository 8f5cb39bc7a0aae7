//! Which input of the network a piece on a square is.

use rukh_core::{Color, File, Piece, Square};

/// Inputs of one zone: 2 sides × 6 kinds × 64 squares.
pub const INPUTS: usize = 768;

/// How one side sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Whose eyes.
    pub side: Color,
    /// Left and right are exchanged.
    pub mirrored: bool,
    /// The zone its king stands in.
    pub zone: u8,
}

impl View {
    /// Index of `piece` on `square`: (zone, own 0 or 1, kind, square).
    #[inline]
    pub fn index(self, piece: Piece, square: Square) -> u16 {
        let theirs = usize::from(piece.color() != self.side);
        let square = square.relative(self.side).index() ^ if self.mirrored { 7 } else { 0 };
        (usize::from(self.zone) * INPUTS + (theirs * 6 + piece.kind().index()) * 64 + square) as u16
    }

    /// Its place among the views of one side.
    #[inline]
    pub(super) fn number(self) -> usize {
        usize::from(self.zone) * 2 + usize::from(self.mirrored)
    }
}

/// Where a king stands, as far as the first layer has weights of its own for it: up to four zones, two bits for each square of
/// the files a–d as the king's side sees them, a1 first. (Kings on e–h see the board mirrored.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zones(pub u64);

impl Zones {
    /// The most zones there can be.
    pub const MOST: usize = 4;

    /// How many zones there are.
    pub fn count(self) -> usize {
        1 + (0..32).map(|at| self.at(at)).max().map_or(0, usize::from)
    }

    #[inline]
    fn at(self, place: usize) -> u8 {
        (self.0 >> (2 * place) & 3) as u8
    }

    /// The view of `side` whose king stands on `king`.
    #[inline]
    pub fn view(self, side: Color, king: Square) -> View {
        let mirrored = king.file() > File::D;
        let square = king.relative(side).index() ^ if mirrored { 7 } else { 0 };
        View { side, mirrored, zone: self.at(square / 8 * 4 + square % 8) }
    }
}
