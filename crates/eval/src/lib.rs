#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod chess;
mod geometry;
pub mod layout;
mod makruk;
pub mod nnue;
pub mod report;
pub mod score;
mod sum;
pub mod trace;
mod weights;

use rukh_core::{Move, Position, Rules};
use score::Pair;
use trace::{NoTrace, Trace};

/// No evaluation is as large as this; mate and table scores of the search lie beyond.
pub const EVAL_LIMIT: i32 = 10_000;

/// What the search asks of an evaluation. One evaluator belongs to one search thread.
///
/// The hooks let an incremental network follow the tree; a stateless evaluation ignores them.
pub trait Evaluator<R: Rules> {
    /// Value in about centipawns from the side to move's view, always below [`EVAL_LIMIT`] in size.
    /// Must not be called on a position in check if the evaluation is to be trusted.
    fn evaluate(&mut self, pos: &Position<R>) -> i32;

    /// The search starts a new line at `pos`.
    fn reset(&mut self, _pos: &Position<R>) {}

    /// The search is about to play `mv` in `before`.
    fn push(&mut self, _before: &Position<R>, _mv: Move) {}

    /// The search passes.
    fn push_null(&mut self) {}

    /// The search takes its last move or pass back.
    fn pop(&mut self) {}
}

/// A game that has a classical evaluation: its terms, its weights, and a cache for what depends on pawns alone.
pub trait Terms: Rules {
    /// Per-thread memory of pawn structures.
    type Cache: Default + Clone;

    /// Number of weights.
    const COUNT: usize;

    /// What the weights mean, in order.
    const GROUPS: &'static [layout::Group];

    /// The weights in use, [`Terms::COUNT`] of them.
    fn weights() -> &'static [Pair];

    /// Value of `pos` from White's view, before the clock damps it; reports every coefficient to `trace`.
    fn evaluate<T: Trace>(pos: &Position<Self>, cache: &mut Self::Cache, trace: &mut T) -> i32;

    /// Fades a value towards the draw that the clock or the count will bring.
    fn damp(pos: &Position<Self>, value: i32) -> i32;
}

/// The hand-written evaluation of game `R`.
#[derive(Clone, Default)]
pub struct Classical<R: Terms> {
    cache: R::Cache,
}

impl<R: Terms> Classical<R> {
    /// An evaluator with an empty pawn cache.
    pub fn new() -> Self {
        Self { cache: R::Cache::default() }
    }

    /// Evaluates from White's view and reports each coefficient; slower than play, and without the cache.
    pub fn trace<T: Trace>(&mut self, pos: &Position<R>, trace: &mut T) -> i32 {
        R::evaluate(pos, &mut self.cache, trace)
    }
}

impl<R: Terms> Evaluator<R> for Classical<R> {
    fn evaluate(&mut self, pos: &Position<R>) -> i32 {
        let white = R::damp(pos, R::evaluate(pos, &mut self.cache, &mut NoTrace));
        let value = if pos.side_to_move() == rukh_core::Color::White { white } else { -white };
        value.clamp(1 - EVAL_LIMIT, EVAL_LIMIT - 1)
    }
}
