//! The layers between the first sums and the value, in networks that have them (version 2 of the file).
//!
//! Sixteen neurons look at the squares of all first-layer activations with the same weights whatever the number of men (only their
//! bias differs by bucket), 32 more look at those with weights by bucket, and what these say is added to the direct output. Every
//! activation is clamped and squared. Weights are sixteen-bit, so that one kernel, [`Backend::layer`], serves both layers
//! with the same instructions on every machine.

use super::NetworkError;
use super::simd::{Aligned, Backend};

/// Neurons of the middle layer.
pub(super) const MIDDLE: usize = 16;
/// Neurons of the upper layer.
pub(super) const UPPER: usize = 32;
/// Quantisation of the weights of these layers.
pub(super) const QC: i32 = 256;
/// Largest weight.
pub(super) const MAX_WEIGHT: i32 = 508;
/// Largest bias.
const MAX_BIAS: i32 = 1 << 26;
/// Largest square of a first-layer activation, as the middle layer sees it: 255² / 64.
const MAX_SQUARE: i64 = 1016;
/// The output is Σ f·w with f up to 15,878.5 and w in 1/256: divided by this and multiplied by 255 it is in the units of the direct
/// output, 1/(255·64).
const UNIT: i64 = 63_514;

/// The weights as plain integers, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeepLayers {
    /// `[input][neuron]`: the side to move's inputs, then the other's, for each the 16 middle neurons; in units of 1/256.
    pub middle: Vec<i16>,
    /// `[bucket][neuron]`, in units of 1/(256·1016.0…) = 1/260,100.
    pub middle_bias: Vec<i32>,
    /// `[bucket][middle neuron][neuron]`, in units of 1/256.
    pub upper: Vec<i16>,
    /// `[bucket][neuron]`, in units of 1/4,129,152.
    pub upper_bias: Vec<i32>,
    /// `[bucket][upper neuron]`, in units of 1/256.
    pub last: Vec<i16>,
}

impl DeepLayers {
    /// Numbers of weights and biases for so many first-layer neurons and buckets, in the order of the fields.
    pub(super) const fn counts(hidden: usize, buckets: usize) -> [usize; 5] {
        [2 * hidden * MIDDLE, buckets * MIDDLE, buckets * MIDDLE * UPPER, buckets * UPPER, buckets * UPPER]
    }

    pub(super) fn fits(&self, hidden: usize, buckets: usize) -> bool {
        let found =
            [self.middle.len(), self.middle_bias.len(), self.upper.len(), self.upper_bias.len(), self.last.len()];
        found == DeepLayers::counts(hidden, buckets)
    }

    /// The bounds under which no sum leaves 32 bits.
    fn check(&self) -> Result<(), NetworkError> {
        if [&self.middle, &self.upper, &self.last].into_iter().flatten().any(|w| i32::from(*w).abs() > MAX_WEIGHT) {
            return Err(NetworkError::Range("a weight of the inner layers"));
        }
        if [&self.middle_bias, &self.upper_bias].into_iter().flatten().any(|bias| bias.unsigned_abs() > MAX_BIAS as u32)
        {
            return Err(NetworkError::Range("a bias of the inner layers"));
        }
        let heaviest = (0..MIDDLE)
            .map(|neuron| self.middle.iter().skip(neuron).step_by(MIDDLE).map(|w| i64::from(*w).abs()).sum::<i64>())
            .max();
        if heaviest.unwrap_or(0) * MAX_SQUARE + i64::from(MAX_BIAS) >= 1 << 31 {
            return Err(NetworkError::Range("the sum of a neuron's weights"));
        }
        Ok(())
    }
}

/// The same, laid out for the kernels.
#[derive(Clone, Debug)]
pub(super) struct Deep {
    /// `[pair of inputs][neuron][2]`.
    middle: Aligned,
    middle_bias: Vec<[i32; MIDDLE]>,
    /// `[bucket][pair of inputs][neuron][2]`.
    upper: Aligned,
    upper_bias: Vec<[i32; UPPER]>,
    last: Vec<[i16; UPPER]>,
}

impl Deep {
    pub(super) fn new(layers: &DeepLayers) -> Result<Deep, NetworkError> {
        layers.check()?;
        Ok(Deep {
            middle: paired::<MIDDLE>(&layers.middle),
            middle_bias: rows(&layers.middle_bias),
            upper: paired::<UPPER>(&layers.upper),
            upper_bias: rows(&layers.upper_bias),
            last: rows(&layers.last),
        })
    }

    pub(super) fn layers(&self) -> DeepLayers {
        DeepLayers {
            middle: unpaired::<MIDDLE>(&self.middle),
            middle_bias: self.middle_bias.concat(),
            upper: unpaired::<UPPER>(&self.upper),
            upper_bias: self.upper_bias.concat(),
            last: self.last.concat(),
        }
    }

    /// What these layers add to the direct output. `squares` is room for as many numbers as `us` and `them` have together.
    #[inline]
    pub(super) fn value(&self, backend: Backend, us: &[i16], them: &[i16], bucket: usize, squares: &mut [i16]) -> i64 {
        backend.squares(us, them, squares);
        let mut sums = self.middle_bias[bucket];
        backend.layer(squares, &self.middle, &mut sums);
        // Units of 1/260,100 become 1/16,129.5 by the square.
        let middle = sums.map(|sum| {
            let v = (sum >> 4).clamp(0, 16_256);
            ((v * v) >> 14) as i16
        });
        let mut sums = self.upper_bias[bucket];
        let row = MIDDLE * UPPER;
        backend.layer(&middle, &self.upper[bucket * row..][..row], &mut sums);
        // Units of 1/4,129,152 become 1/15,878.5.
        let upper = sums.map(|sum| {
            let v = (sum >> 8).clamp(0, 16_129);
            ((v * v) >> 14) as i16
        });
        let total: i32 = upper.iter().zip(&self.last[bucket]).map(|(f, w)| i32::from(*f) * i32::from(*w)).sum();
        i64::from(total) * 255 / UNIT
    }
}

fn rows<T: Copy, const N: usize>(list: &[T]) -> Vec<[T; N]> {
    list.as_chunks::<N>().0.to_vec()
}

/// `[input][neuron]` as `[pair of inputs][neuron][2]`.
fn paired<const OUT: usize>(list: &[i16]) -> Aligned {
    let mut pairs = Aligned::zeros(list.len());
    for (to, from) in pairs.chunks_exact_mut(2 * OUT).zip(list.chunks_exact(2 * OUT)) {
        for neuron in 0..OUT {
            to[2 * neuron] = from[neuron];
            to[2 * neuron + 1] = from[OUT + neuron];
        }
    }
    pairs
}

fn unpaired<const OUT: usize>(pairs: &[i16]) -> Vec<i16> {
    let mut list = vec![0; pairs.len()];
    for (to, from) in list.chunks_exact_mut(2 * OUT).zip(pairs.chunks_exact(2 * OUT)) {
        for neuron in 0..OUT {
            to[neuron] = from[2 * neuron];
            to[OUT + neuron] = from[2 * neuron + 1];
        }
    }
    list
}
