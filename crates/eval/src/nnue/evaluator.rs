//! The evaluator that the engine uses: a network where there is one, the classical terms otherwise.

use super::accumulator::Accumulators;
use super::file::Network;
use crate::{Classical, EVAL_LIMIT, Evaluator, Terms};
use rukh_core::{Color, Move, Position};
use std::sync::Arc;

/// A network with the classical terms beside it, or these alone.
pub struct Evaluation<R: Terms> {
    classical: Classical<R>,
    network: Option<Accumulators>,
}

impl<R: Terms> Evaluation<R> {
    /// The classical terms alone.
    pub fn classical() -> Self {
        Evaluation { classical: Classical::new(), network: None }
    }

    /// With a network.
    pub fn with_network(network: Arc<Network>) -> Self {
        Evaluation { classical: Classical::new(), network: Some(Accumulators::new(network)) }
    }

    /// With a network if there is one.
    pub fn new(network: Option<Arc<Network>>) -> Self {
        network.map_or_else(Self::classical, Self::with_network)
    }

    /// The network in use.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref().map(Accumulators::network)
    }
}

impl<R: Terms> Default for Evaluation<R> {
    /// As the program ships: the embedded network of the game, if it has one.
    fn default() -> Self {
        Self::new(super::embedded::<R>())
    }
}

impl<R: Terms> Evaluator<R> for Evaluation<R> {
    fn evaluate(&mut self, pos: &Position<R>) -> i32 {
        let Some(network) = &mut self.network else { return self.classical.evaluate(pos) };
        // Against a bare king the classical terms know the way to mate, and Makruk's count; the network has seen neither.
        if Color::ALL.iter().any(|&side| !pos.colors(side).more_than_one()) {
            return self.classical.evaluate(pos);
        }
        let value = network.evaluate(pos);
        let sign = if pos.side_to_move() == Color::White { 1 } else { -1 };
        let value = sign * R::damp(pos, sign * value);
        value.clamp(1 - EVAL_LIMIT, EVAL_LIMIT - 1)
    }

    fn reset(&mut self, pos: &Position<R>) {
        if let Some(network) = &mut self.network {
            network.reset(pos);
        }
    }

    #[inline]
    fn push(&mut self, before: &Position<R>, mv: Move) {
        if let Some(network) = &mut self.network {
            network.push(before, mv);
        }
    }

    #[inline]
    fn push_null(&mut self) {
        if let Some(network) = &mut self.network {
            network.push_null();
        }
    }

    #[inline]
    fn pop(&mut self) {
        if let Some(network) = &mut self.network {
            network.pop();
        }
    }
}
