//! The weights of a network in floating point, and the way from and to the integers of its file.

use std::ops::Range;

use super::model::SLICE;
use rukh_core::rng::Rng;
use rukh_eval::nnue::{DeepLayers, INPUTS, Layers};

/// Neurons of the middle layer.
pub const MIDDLE: usize = Layers::MIDDLE;
/// Neurons of the upper layer.
pub const UPPER: usize = Layers::UPPER;

const FIRST_UNIT: f64 = Layers::FIRST_UNIT as f64;
const SECOND_UNIT: f64 = Layers::SECOND_UNIT as f64;
const MIDDLE_UNIT: f64 = Layers::MIDDLE_UNIT as f64;
const INNER_UNIT: f64 = Layers::INNER_UNIT as f64;
/// Unit of the direct output's bias: of an activation times that of a weight.
const SECOND_BIAS_UNIT: f64 = FIRST_UNIT * SECOND_UNIT;
/// Pawns stand on neither the first nor the last rank, and mirrored boards have the own king on the files a to d.
const NEVER: [Range<usize>; 4] = [0..8, 56..64, 6 * 64..6 * 64 + 8, 6 * 64 + 56..7 * 64];
const OWN_KING: usize = 5 * 64;

/// Where which weights are in the list of all. The last five are empty without inner layers.
pub struct Parts {
    /// `[slice][input][SLICE]`.
    pub first: Range<usize>,
    pub first_bias: Range<usize>,
    /// `[bucket][2 · hidden]`.
    pub second: Range<usize>,
    pub second_bias: Range<usize>,
    /// `[2 · hidden][MIDDLE]`.
    pub middle: Range<usize>,
    /// `[bucket][MIDDLE]`.
    pub middle_bias: Range<usize>,
    /// `[bucket][MIDDLE][UPPER]`.
    pub upper: Range<usize>,
    /// `[bucket][UPPER]`.
    pub upper_bias: Range<usize>,
    /// `[bucket][UPPER]`.
    pub last: Range<usize>,
}

impl Parts {
    fn new(hidden: usize, buckets: usize, inner: bool) -> Parts {
        let mut end = 0;
        let mut next = |count: usize| {
            let start = end;
            end += count;
            start..end
        };
        let inside = usize::from(inner);
        Parts {
            first: next(INPUTS * hidden),
            first_bias: next(hidden),
            second: next(buckets * 2 * hidden),
            second_bias: next(buckets),
            middle: next(inside * 2 * hidden * MIDDLE),
            middle_bias: next(inside * buckets * MIDDLE),
            upper: next(inside * buckets * MIDDLE * UPPER),
            upper_bias: next(inside * buckets * UPPER),
            last: next(inside * buckets * UPPER),
        }
    }
}

/// All weights, one after another in the order of [`Parts`].
#[derive(Clone)]
pub struct Weights {
    pub hidden: usize,
    pub buckets: usize,
    /// Whether there are layers beside the direct output.
    pub inner: bool,
    /// Whether the middle layer sees activations cut off to seven bits, as in the engine.
    pub exact: bool,
    pub all: Vec<f32>,
}

impl Weights {
    pub fn zeros(hidden: usize, buckets: usize, inner: bool) -> Weights {
        let count = Parts::new(hidden, buckets, inner).last.end;
        Weights { hidden, buckets, inner, exact: true, all: vec![0.0; count] }
    }

    /// Small random weights. About twenty inputs are on: the first sums begin inside the active range.
    pub fn random(hidden: usize, buckets: usize, inner: bool, seed: u64) -> Weights {
        let mut weights = Weights::zeros(hidden, buckets, inner);
        let mut rng = Rng::new(seed, 0x7765_6967);
        let parts = weights.parts();
        // The sum of twelve uniform numbers is near enough to a normal one.
        let mut normal = |part: Range<usize>, deviation: f32| {
            for w in &mut weights.all[part] {
                let sum: f32 = (0..12).map(|_| (rng.next_u64() >> 40) as f32 / (1u64 << 24) as f32).sum();
                *w = (sum - 6.0) * deviation;
            }
        };
        let wide = (1.0 / hidden as f32).sqrt();
        normal(parts.first, (2.0 / INPUTS as f32).sqrt());
        normal(parts.second, wide);
        normal(parts.middle, 1.5 * wide);
        normal(parts.upper, (2.0 / MIDDLE as f32).sqrt());
        normal(parts.last, 0.1);
        weights.all[parts.first_bias].fill(0.1);
        weights.all[parts.middle_bias].fill(0.2);
        weights.all[parts.upper_bias].fill(0.1);
        weights.clip();
        weights
    }

    pub fn from_layers(layers: &Layers) -> Weights {
        let (hidden, buckets) = (layers.first_bias.len(), layers.second_bias.len());
        let mut weights = Weights::zeros(hidden, buckets, layers.deep.is_some());
        let parts = weights.parts();
        for (at, &w) in layers.first.iter().enumerate() {
            let place = weights.place(at / hidden, at % hidden);
            weights.all[place] = (f64::from(w) / FIRST_UNIT) as f32;
        }
        fn put<N: Copy + Into<f64>>(to: &mut [f32], list: &[N], unit: f64) {
            to.iter_mut().zip(list).for_each(|(w, &n)| *w = (n.into() / unit) as f32);
        }
        let all = &mut weights.all;
        put(&mut all[parts.first_bias], &layers.first_bias, FIRST_UNIT);
        put(&mut all[parts.second], &layers.second, SECOND_UNIT);
        put(&mut all[parts.second_bias], &layers.second_bias, SECOND_BIAS_UNIT);
        if let Some(deep) = &layers.deep {
            put(&mut all[parts.middle], &deep.middle, MIDDLE_UNIT);
            put(&mut all[parts.middle_bias], &deep.middle_bias, Layers::MIDDLE_SUM);
            put(&mut all[parts.upper], &deep.upper, INNER_UNIT);
            put(&mut all[parts.upper_bias], &deep.upper_bias, Layers::UPPER_SUM);
            put(&mut all[parts.last], &deep.last, INNER_UNIT);
        }
        weights
    }

    /// Rounded into the integers of `layers`, whose head and words are kept.
    pub fn to_layers(&self, layers: Layers) -> Layers {
        let parts = self.parts();
        let near = |w: f32, unit: f64| (f64::from(w) * unit).round_ties_even();
        let small = |part: Range<usize>, unit| self.all[part].iter().map(|&w| near(w, unit) as i16).collect();
        let large = |part: Range<usize>, unit| self.all[part].iter().map(|&w| near(w, unit) as i32).collect();
        let first = (0..INPUTS * self.hidden)
            .map(|at| near(self.all[self.place(at / self.hidden, at % self.hidden)], FIRST_UNIT) as i16)
            .collect();
        Layers {
            first,
            first_bias: small(parts.first_bias, FIRST_UNIT),
            second: small(parts.second, SECOND_UNIT),
            second_bias: large(parts.second_bias, SECOND_BIAS_UNIT),
            deep: self.inner.then(|| DeepLayers {
                middle: self.all[parts.middle].iter().map(|&w| near(w, MIDDLE_UNIT) as i8).collect(),
                middle_bias: large(parts.middle_bias, Layers::MIDDLE_SUM),
                upper: small(parts.upper, INNER_UNIT),
                upper_bias: large(parts.upper_bias, Layers::UPPER_SUM),
                last: small(parts.last, INNER_UNIT),
            }),
            ..layers
        }
    }

    /// Multiplies every value: for a network that goes on in other units.
    pub fn stretch(&mut self, factor: f32) {
        let parts = self.parts();
        for part in [parts.second, parts.second_bias, parts.last] {
            self.all[part].iter_mut().for_each(|w| *w *= factor);
        }
        self.clip();
    }

    pub fn parts(&self) -> Parts {
        Parts::new(self.hidden, self.buckets, self.inner)
    }

    /// Which weights count with so many men on the board.
    pub fn bucket(&self, men: usize) -> usize {
        (men.saturating_sub(2) * self.buckets / 32).min(self.buckets - 1)
    }

    fn place(&self, input: usize, neuron: usize) -> usize {
        (neuron / SLICE * INPUTS + input) * SLICE + neuron % SLICE
    }

    /// The nearest weights to `other` that the integers can hold: with these a step finds its gradient, so that the network
    /// learns to do well as its file will have it. Biases are fine enough as they are.
    pub fn round(&mut self, other: &Weights) {
        self.all.copy_from_slice(&other.all);
        let parts = self.parts();
        let mut near = |part: Range<usize>, unit: f64| {
            let unit = unit as f32;
            self.all[part].iter_mut().for_each(|w| *w = (*w * unit).round_ties_even() / unit);
        };
        near(parts.first.start..parts.first_bias.end, FIRST_UNIT);
        near(parts.second, SECOND_UNIT);
        near(parts.middle, MIDDLE_UNIT);
        near(parts.upper, INNER_UNIT);
        near(parts.last, INNER_UNIT);
    }

    /// Back into the range in which the engine's arithmetic is exact. Weights that no position uses are zero, which packs
    /// well.
    pub fn clip(&mut self) {
        let parts = self.parts();
        let mut bound = |part: Range<usize>, limit: i32, unit: f64| {
            let limit = (f64::from(limit) / unit) as f32;
            self.all[part].iter_mut().for_each(|w| *w = w.clamp(-limit, limit));
        };
        bound(parts.first.start..parts.first_bias.end, Layers::FIRST_LIMIT, FIRST_UNIT);
        bound(parts.second, Layers::SECOND_LIMIT, SECOND_UNIT);
        bound(parts.middle, Layers::MIDDLE_LIMIT, MIDDLE_UNIT);
        bound(parts.upper, Layers::INNER_LIMIT, INNER_UNIT);
        bound(parts.last, Layers::INNER_LIMIT, INNER_UNIT);
        let king = (0..8).map(|rank| OWN_KING + 8 * rank + 4..OWN_KING + 8 * rank + 8);
        for inputs in NEVER.into_iter().chain(king) {
            for slice in 0..self.hidden / SLICE {
                let start = self.place(inputs.start, slice * SLICE);
                self.all[start..start + inputs.len() * SLICE].fill(0.0);
            }
        }
    }
}
