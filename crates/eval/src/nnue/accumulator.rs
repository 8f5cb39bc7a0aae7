//! The first layer along the search line: each ply notes what changed, and sums are made only when a value is asked for.
//!
//! When a king crosses the middle of the board its side's view is mirrored, and when it enters another zone the weights are others: the
//! sums must be made anew. Tables for each side keep the last board seen with each view and its sums, so that only the difference to it
//! is computed.

use super::feature::View;
use super::file::Network;
use super::simd::{Activation, Aligned, Backend};
use rukh_core::{Bitboard, Color, Kind, Move, Observer, Piece, Position, Rules, Square};
use std::sync::Arc;

/// Plies made room for in advance; longer lines grow the stack.
const PLIES: usize = 256;

/// What a move does to the pieces: at most two appear and two vanish (castling).
#[derive(Clone, Copy)]
struct Changes {
    added: [(Piece, Square); 2],
    removed: [(Piece, Square); 2],
    adds: u8,
    removes: u8,
}

const NOBODY: (Piece, Square) = (Piece::new(Color::White, Kind::Pawn), Square::A1);

impl Changes {
    const NONE: Changes = Changes { added: [NOBODY; 2], removed: [NOBODY; 2], adds: 0, removes: 0 };
}

impl Observer for Changes {
    #[inline]
    fn add(&mut self, piece: Piece, square: Square) {
        if let Some(slot) = self.added.get_mut(self.adds as usize) {
            *slot = (piece, square);
            self.adds += 1;
        }
    }

    #[inline]
    fn remove(&mut self, piece: Piece, square: Square) {
        if let Some(slot) = self.removed.get_mut(self.removes as usize) {
            *slot = (piece, square);
            self.removes += 1;
        }
    }

    #[inline]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.remove(piece, from);
        self.add(piece, to);
    }
}

#[derive(Clone, Copy)]
struct Frame {
    changes: Changes,
    /// Whether the sums of each side are there.
    ready: [bool; 2],
    /// How each side sees the board.
    views: [View; 2],
}

impl Frame {
    fn new(views: [View; 2]) -> Frame {
        Frame { changes: Changes::NONE, ready: [false; 2], views }
    }
}

/// The last board seen with one view, and its sums.
struct Refresh {
    boards: [Bitboard; 12],
    sums: Aligned,
}

/// The men of each colour and kind.
fn boards<R: Rules>(pos: &Position<R>) -> [Bitboard; 12] {
    core::array::from_fn(|at| pos.colored(Color::ALL[at / 6], Kind::ALL[at % 6]))
}

/// First-layer sums of both sides along a line of play.
pub struct Accumulators {
    network: Arc<Network>,
    backend: Backend,
    frames: Vec<Frame>,
    /// `[ply][side][neuron]`.
    sums: Aligned,
    top: usize,
    /// `[side][view]`.
    refresh: [Vec<Refresh>; 2],
    /// For the later layers to work in.
    room: Aligned<Activation>,
}

impl Accumulators {
    /// Sums for `network`, with the best back end of this machine.
    pub fn new(network: Arc<Network>) -> Accumulators {
        Accumulators::with_backend(network, Backend::detect())
    }

    /// The same with a chosen back end.
    pub fn with_backend(network: Arc<Network>, backend: Backend) -> Accumulators {
        let fresh = |_| Refresh { boards: [Bitboard::EMPTY; 12], sums: network.first_bias.clone() };
        let views = || (0..2 * network.zones().count()).map(fresh).collect();
        let none = Color::ALL.map(|side| network.zones().view(side, Square::A1));
        Accumulators {
            backend,
            frames: vec![Frame::new(none); PLIES],
            sums: Aligned::zeros(PLIES * 2 * network.hidden()),
            top: 0,
            refresh: [views(), views()],
            room: Aligned::zeros(network.room()),
            network,
        }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// A new line starts at `pos`.
    pub fn reset<R: Rules>(&mut self, pos: &Position<R>) {
        self.top = 0;
        let zones = self.network.zones();
        self.frames[0] = Frame::new(Color::ALL.map(|side| zones.view(side, pos.king(side))));
    }

    fn next(&mut self) -> &mut Frame {
        let next = Frame::new(self.frames[self.top].views);
        self.top += 1;
        if self.top == self.frames.len() {
            self.frames.resize(self.top + PLIES, next);
            self.sums.grow(self.frames.len() * 2 * self.network.hidden());
        }
        let frame = &mut self.frames[self.top];
        *frame = next;
        frame
    }

    /// `mv` is about to be played in `before`.
    #[inline]
    pub fn push<R: Rules>(&mut self, before: &Position<R>, mv: Move) {
        let zones = self.network.zones();
        let frame = self.next();
        before.observe(mv, &mut frame.changes);
        if mv.piece().kind() == Kind::King {
            let side = mv.piece().color();
            frame.views[side.index()] = zones.view(side, mv.to());
        }
    }

    /// A pass.
    #[inline]
    pub fn push_null(&mut self) {
        self.next();
    }

    /// The last move or pass is taken back.
    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(self.top > 0, "pop without push");
        self.top = self.top.saturating_sub(1);
    }

    /// The network's value of `pos`, which must be the end of the line, for the side to move.
    #[inline]
    pub fn evaluate<R: Rules>(&mut self, pos: &Position<R>) -> i32 {
        for side in Color::ALL {
            if let Some(view) = self.catch_up(side) {
                self.renew(&boards(pos), view);
            }
        }
        self.value(pos.side_to_move(), pos.occupied().count())
    }

    // What follows is the same code for all games: one of it in a module that is downloaded.

    /// The value for a side with so many men on the board, from sums that are ready.
    fn value(&mut self, us: Color, men: u32) -> i32 {
        let n = self.network.hidden();
        let at = |side: Color| (self.top * 2 + side.index()) * n;
        let (own, other) = (&self.sums[at(us)..][..n], &self.sums[at(!us)..][..n]);
        self.network.output(self.backend, own, other, men, &mut self.room)
    }

    /// Makes the sums of `side` at the top ready, from the nearest ply that has them; the view to [`renew`](Self::renew) where there is none.
    fn catch_up(&mut self, side: Color) -> Option<View> {
        let s = side.index();
        if self.frames[self.top].ready[s] {
            return None;
        }
        let view = self.frames[self.top].views[s];
        let mut from = self.top;
        loop {
            if from == 0 || self.frames[from - 1].views[s] != view {
                return Some(view);
            }
            from -= 1;
            if self.frames[from].ready[s] {
                break;
            }
        }
        for ply in from + 1..=self.top {
            self.step(ply, view);
        }
        None
    }

    /// Sums of `ply` from those of the ply before.
    fn step(&mut self, ply: usize, view: View) {
        let n = self.network.hidden();
        let s = view.side.index();
        let changes = &self.frames[ply].changes;
        let (a, r) = (changes.adds as usize, changes.removes as usize);
        let adds = changes.added.map(|(piece, square)| view.index(piece, square));
        let removes = changes.removed.map(|(piece, square)| view.index(piece, square));
        let (before, here) = self.sums.split_at_mut(ply * 2 * n);
        let source = &before[((ply - 1) * 2 + s) * n..][..n];
        let target = &mut here[s * n..][..n];
        self.backend.update(target, source, &self.network.first, &adds[..a], &removes[..r]);
        self.frames[ply].ready[s] = true;
    }

    /// Sums of one side at the top, by the difference to the last board seen with this view.
    #[cold]
    fn renew(&mut self, boards: &[Bitboard; 12], view: View) {
        let n = self.network.hidden();
        let s = view.side.index();
        let table = &mut self.refresh[s][view.number()];
        let (mut adds, mut removes) = ([0u16; 64], [0u16; 64]);
        let (mut a, mut r) = (0, 0);
        for color in Color::ALL {
            for kind in Kind::ALL {
                let at = color.index() * 6 + kind.index();
                let board = boards[at];
                let last = core::mem::replace(&mut table.boards[at], board);
                let piece = Piece::new(color, kind);
                for square in board - last {
                    adds[a] = view.index(piece, square);
                    a += 1;
                }
                for square in last - board {
                    removes[r] = view.index(piece, square);
                    r += 1;
                }
            }
        }
        let target = &mut self.sums[(self.top * 2 + s) * n..][..n];
        self.backend.update(target, &table.sums, &self.network.first, &adds[..a], &removes[..r]);
        table.sums.copy_from_slice(target);
        self.frames[self.top].ready[s] = true;
    }
}
