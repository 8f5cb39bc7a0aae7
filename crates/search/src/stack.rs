//! The search stack: one frame per ply, made before the search starts.

use crate::history::NO_MOVE;
use crate::score::{self, MAX_PLY};
use rukh_core::{Bitboard, Move};

/// Frames before the root, so that "four plies ago" always exists.
const BEFORE: usize = 8;

/// What a node leaves for its descendants and siblings to look at.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// The move being searched at this ply; `NONE` for a null move.
    pub mv: Move,
    /// Its row in the continuation tables.
    pub piece_to: u16,
    /// Corrected static evaluation, or `score::NONE` in check.
    pub static_eval: i32,
    /// The move left out by a singular search.
    pub excluded: Move,
    pub in_check: bool,
    pub tt_pv: bool,
    /// Squares the opponent attacks here.
    pub threats: Bitboard,
    /// Which move is being searched, from 1.
    pub move_count: usize,
    /// Fail-highs among this node's children so far: many mean that the opponent has answers to everything here.
    pub cutoffs: u32,
    /// Reduction of the move being searched, 1/1024 ply.
    pub reduction: i32,
    /// Plies since the last irreversible move or null move: how far a repetition can lie back.
    pub reversible: u32,
    /// The node belongs to quiescence.
    pub quiescence: bool,
}

impl Frame {
    const EMPTY: Frame = Frame {
        mv: Move::NONE,
        piece_to: NO_MOVE,
        static_eval: score::NONE,
        excluded: Move::NONE,
        in_check: false,
        tt_pv: false,
        threats: Bitboard::EMPTY,
        move_count: 0,
        cutoffs: 0,
        reduction: 0,
        reversible: 0,
        quiescence: false,
    };
}

/// Frames indexed by ply; `back` looks at earlier plies, before the root if need be.
pub(crate) struct Stack(Box<[Frame]>);

impl Stack {
    pub(crate) fn new() -> Self {
        Stack(vec![Frame::EMPTY; BEFORE + MAX_PLY + 8].into_boxed_slice())
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(Frame::EMPTY);
    }

    #[inline]
    pub(crate) fn at(&self, ply: usize) -> &Frame {
        &self.0[ply + BEFORE]
    }

    #[inline]
    pub(crate) fn at_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.0[ply + BEFORE]
    }

    /// The frame `n` plies before `ply`, `n` at most 8.
    #[inline]
    pub(crate) fn back(&self, ply: usize, n: usize) -> &Frame {
        &self.0[ply + BEFORE - n]
    }
}

/// Principal variations, one line per ply.
pub(crate) struct PvTable {
    lines: Box<[Move]>,
    lens: [u16; MAX_PLY + 2],
}

const WIDTH: usize = MAX_PLY + 2;

impl PvTable {
    pub(crate) fn new() -> Self {
        PvTable { lines: vec![Move::NONE; WIDTH * WIDTH].into_boxed_slice(), lens: [0; WIDTH] }
    }

    #[inline]
    pub(crate) fn clear(&mut self, ply: usize) {
        self.lens[ply] = 0;
    }

    /// The line at `ply` becomes `mv` and the line of the next ply.
    #[inline]
    pub(crate) fn update(&mut self, ply: usize, mv: Move) {
        let len = (self.lens[ply + 1] as usize).min(WIDTH - 1);
        let (here, next) = (ply * WIDTH, (ply + 1) * WIDTH);
        self.lines[here] = mv;
        self.lines.copy_within(next..next + len, here + 1);
        self.lens[ply] = len as u16 + 1;
    }

    pub(crate) fn line(&self, ply: usize) -> &[Move] {
        &self.lines[ply * WIDTH..][..self.lens[ply] as usize]
    }
}
