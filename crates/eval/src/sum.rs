//! The running total of an evaluation.

use rukh_core::Color;

use crate::score::Pair;
use crate::trace::{PHASE_MAX, SCALE_MAX, Trace};

/// Danger units beyond this add nothing.
pub const DANGER_MAX: i32 = 3000;

/// Adds up weights and tells the trace. `N` is the number of weights.
pub(crate) struct Sum<'t, T: Trace, const N: usize> {
    weights: &'static [Pair; N],
    /// Linear terms, White's view.
    pub score: Pair,
    /// Danger units of each side's king.
    pub danger: [i32; 2],
    pub trace: &'t mut T,
}

impl<'t, T: Trace, const N: usize> Sum<'t, T, N> {
    #[inline(always)]
    pub fn new(weights: &'static [Pair; N], trace: &'t mut T) -> Self {
        Self { weights, score: Pair::ZERO, danger: [0; 2], trace }
    }

    /// Gives `us` the term at `index`, `n` times.
    #[inline(always)]
    pub fn add(&mut self, us: Color, index: usize, n: i32) {
        let value = self.weights[index] * n;
        match us {
            Color::White => self.score += value,
            Color::Black => self.score -= value,
        }
        self.trace.term(us, index, n);
    }

    /// Gives `us` the term at `index` once.
    #[inline(always)]
    pub fn one(&mut self, us: Color, index: usize) {
        let value = self.weights[index];
        match us {
            Color::White => self.score += value,
            Color::Black => self.score -= value,
        }
        self.trace.term(us, index, 1);
    }

    /// Puts the king of `us` in danger.
    #[inline(always)]
    pub fn endanger(&mut self, us: Color, index: usize, n: i32) {
        self.danger[us.index()] += self.weights[index].mg() * n;
        self.trace.danger(us, index, n);
    }

    /// Turns danger units into a price for each side. Squared: two attackers are worth more than twice one.
    #[inline(always)]
    pub fn settle_danger(&mut self) {
        self.score += danger_value(self.danger[0]);
        self.score -= danger_value(self.danger[1]);
    }

    /// The end-game half with `terms` added to its size, never beyond zero.
    #[inline(always)]
    pub fn complex_eg(&mut self, terms: &[(usize, i32)]) -> i32 {
        let eg = self.score.eg();
        let mut size = 0;
        for &(index, n) in terms {
            size += self.weights[index].eg() * n;
            self.trace.complexity(index, n);
        }
        complexity_value(eg, size)
    }
}

/// The price of `units` of danger.
#[inline(always)]
pub fn danger_value(units: i32) -> Pair {
    let d = units.clamp(0, DANGER_MAX);
    Pair::new(-(d * d / 4096), -(d / 16))
}

/// `eg` with its size changed by `size`, without changing its sign.
#[inline(always)]
pub fn complexity_value(eg: i32, size: i32) -> i32 {
    eg + eg.signum() * size.max(-eg.abs())
}

/// Blends the halves: `phase` of the middle game, the rest of the end game, scaled.
#[inline(always)]
pub fn blend(mg: i32, eg: i32, phase: i32, scale: i32) -> i32 {
    (mg * phase * SCALE_MAX + eg * (PHASE_MAX - phase) * scale) / (PHASE_MAX * SCALE_MAX)
}
