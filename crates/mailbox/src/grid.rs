//! The 15 × 12 grid: where the 64 squares lie in it, and which man can reach which neighbour.
//!
//! The board is 8 wide in rows of 15, so that the difference of two cells names the step between them uniquely
//! (−7..=7 files need 15 values), and one table indexed by that difference answers "could this kind of man go from
//! here to there on an empty board?". Two border rows above and below stop knights; the seven border columns between
//! the right edge of one row and the left edge of the next stop everything else.

use std::fmt;

use crate::man::{Role, Side};

pub(crate) const WIDTH: usize = 15;
const HEIGHT: usize = 12;
/// Number of cells in the grid.
pub(crate) const CELLS: usize = WIDTH * HEIGHT;
const LEFT: usize = 3;
const BOTTOM: usize = 2;

/// Steps on the grid, as differences of cell numbers, seen from White.
pub(crate) const N: i16 = WIDTH as i16;
pub(crate) const S: i16 = -N;
pub(crate) const E: i16 = 1;
pub(crate) const W: i16 = -1;

pub(crate) const STRAIGHT: [i16; 4] = [N, E, S, W];
pub(crate) const DIAGONAL: [i16; 4] = [N + E, S + E, S + W, N + W];
pub(crate) const ALL_EIGHT: [i16; 8] = [N, N + E, E, S + E, S, S + W, W, N + W];
pub(crate) const LEAPS: [i16; 8] =
    [N + N + E, N + E + E, S + E + E, S + S + E, S + S + W, S + W + W, N + W + W, N + N + W];

/// A square of the board, kept as its cell number in the grid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot(u8);

impl Spot {
    /// The square on `file` 0..8 (a..h) and `rank` 0..8 (1..8).
    ///
    /// # Panics
    /// If either number is not below 8.
    pub fn new(file: usize, rank: usize) -> Spot {
        assert!(file < 8 && rank < 8, "no such square");
        Spot(((rank + BOTTOM) * WIDTH + LEFT + file) as u8)
    }

    /// File 0..8.
    pub fn file(self) -> usize {
        self.0 as usize % WIDTH - LEFT
    }

    /// Rank 0..8.
    pub fn rank(self) -> usize {
        self.0 as usize / WIDTH - BOTTOM
    }

    /// Rank as `side` sees it: 0 is its own back rank.
    pub(crate) fn rank_for(self, side: Side) -> usize {
        match side {
            Side::White => self.rank(),
            Side::Black => 7 - self.rank(),
        }
    }

    pub(crate) fn cell(self) -> usize {
        self.0 as usize
    }

    /// The cell `step` away, which may lie off the board but never off the grid.
    pub(crate) fn cell_at(self, step: i16) -> usize {
        (i16::from(self.0) + step) as usize
    }

    /// The square with this cell number; the caller knows that it is on the board.
    pub(crate) fn from_cell(cell: usize) -> Spot {
        Spot(cell as u8)
    }

    /// All 64 squares, a1 first, h8 last.
    pub fn all() -> impl Iterator<Item = Spot> {
        (0..64).map(|i| Spot::new(i % 8, i / 8))
    }

    /// Reads `e4`.
    pub fn parse(text: &str) -> Option<Spot> {
        match *text.as_bytes() {
            [f @ b'a'..=b'h', r @ b'1'..=b'8'] => Some(Spot::new((f - b'a') as usize, (r - b'1') as usize)),
            _ => None,
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file() as u8) as char, self.rank() + 1)
    }
}

impl fmt::Debug for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a difference of two cells means.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    /// Which men could cover it, one bit for each side and role, on an empty board.
    men: u16,
    /// One step of the ray, for men that slide.
    pub(crate) step: i8,
}

/// The largest difference between two squares: a1 to h8.
const FAR: usize = 7 * WIDTH + 7;

static LINES: [Line; 2 * FAR + 1] = build_lines();

const fn bit(side: usize, role: Role) -> u16 {
    1 << (side * 8 + role as usize)
}

const fn build_lines() -> [Line; 2 * FAR + 1] {
    let mut lines = [Line { men: 0, step: 0 }; 2 * FAR + 1];
    let mut side = 0;
    while side < 2 {
        let ahead = if side == 0 { N } else { S };
        let mut i = 0;
        while i < 4 {
            slide(&mut lines, STRAIGHT[i], bit(side, Role::Rook) | bit(side, Role::Queen));
            slide(&mut lines, DIAGONAL[i], bit(side, Role::Bishop) | bit(side, Role::Queen));
            hop(&mut lines, DIAGONAL[i], bit(side, Role::Met) | bit(side, Role::Thon));
            i += 1;
        }
        let mut i = 0;
        while i < 8 {
            hop(&mut lines, LEAPS[i], bit(side, Role::Knight));
            hop(&mut lines, ALL_EIGHT[i], bit(side, Role::King));
            i += 1;
        }
        hop(&mut lines, ahead + E, bit(side, Role::Pawn));
        hop(&mut lines, ahead + W, bit(side, Role::Pawn));
        hop(&mut lines, ahead, bit(side, Role::Thon));
        side += 1;
    }
    lines
}

const fn hop(lines: &mut [Line; 2 * FAR + 1], step: i16, men: u16) {
    lines[(FAR as i16 + step) as usize].men |= men;
}

const fn slide(lines: &mut [Line; 2 * FAR + 1], step: i16, men: u16) {
    let mut n = 1;
    while n < 8 {
        let at = (FAR as i16 + n * step) as usize;
        lines[at].men |= men;
        lines[at].step = step as i8;
        n += 1;
    }
}

/// The line from one square to another, if a man of this side and role could cover it on an empty board.
pub(crate) fn line(side: Side, role: Role, from: Spot, to: Spot) -> Option<Line> {
    let line = LINES[FAR + to.cell() - from.cell()];
    (line.men & bit(side as usize, role) != 0).then_some(line)
}
