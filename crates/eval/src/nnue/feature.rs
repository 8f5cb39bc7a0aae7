//! Which input of the network a piece on a square is.

use rukh_core::{Color, File, Piece, Square};

/// Inputs: 2 sides × 6 kinds × 64 squares.
pub const INPUTS: usize = 768;

/// How one side sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Whose eyes.
    pub side: Color,
    /// Left and right are exchanged.
    pub mirrored: bool,
}

impl View {
    /// The view of `side` whose king stands on `king`.
    #[inline]
    pub fn new(side: Color, king: Square) -> View {
        View { side, mirrored: mirrors(king) }
    }

    /// Index of `piece` on `square`: (own 0 or 1, kind, square).
    #[inline]
    pub fn index(self, piece: Piece, square: Square) -> u16 {
        let theirs = usize::from(piece.color() != self.side);
        let square = square.relative(self.side).index() ^ if self.mirrored { 7 } else { 0 };
        ((theirs * 6 + piece.kind().index()) * 64 + square) as u16
    }
}

/// Whether a king on this square sees the board mirrored.
#[inline]
pub(super) fn mirrors(king: Square) -> bool {
    king.file() > File::D
}
