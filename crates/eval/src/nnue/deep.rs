//! The layers between the first sums and the value, in networks that have them (version 2 of the file).
//!
//! Sixteen neurons look at the squares of all first-layer activations with the same weights whatever the number of men (only their
//! bias differs by bucket), 32 more look at those with weights by bucket, and what these say is added to the direct output. Every
//! activation is clamped and squared.

use super::NetworkError;
use super::simd::{Activation, Aligned, Backend, GROUP, MIDDLE, UPPER, Weight, grouped};

/// Quantisation of the middle layer's weights.
pub(super) const QM: i32 = 64;
/// Quantisation of the upper and last layer's.
pub(super) const QC: i32 = 256;
/// Largest weight of the middle layer: two products of it and an activation stay within sixteen bits.
pub(super) const MAX_MIDDLE: i32 = 127;
/// Largest weight of the upper and last layer.
pub(super) const MAX_INNER: i32 = 508;
/// Largest bias.
const MAX_BIAS: u32 = 1 << 26;
/// The output is Σ f·w with f up to 15,878.5 and w in 1/256: divided by this and multiplied by 255 it is in the units of the direct
/// output, 1/(255·64).
const UNIT: i64 = 63_514;

/// The weights as plain integers, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeepLayers {
    /// `[input][neuron]`: the side to move's inputs, then the other's, for each the 16 middle neurons; in units of 1/64.
    pub middle: Vec<i8>,
    /// `[bucket][neuron]`, in units of 1/8,128.125.
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

    /// The bounds under which no product leaves sixteen bits and no sum thirty-two.
    fn check(&self) -> Result<(), NetworkError> {
        let large = |w: i16, limit: i32| i32::from(w).abs() > limit;
        if self.middle.iter().any(|w| large(i16::from(*w), MAX_MIDDLE))
            || [&self.upper, &self.last].into_iter().flatten().any(|w| large(*w, MAX_INNER))
        {
            return Err(NetworkError::Range("a weight of the inner layers"));
        }
        if [&self.middle_bias, &self.upper_bias].into_iter().flatten().any(|bias| bias.unsigned_abs() > MAX_BIAS) {
            return Err(NetworkError::Range("a bias of the inner layers"));
        }
        Ok(())
    }
}

/// The same, laid out for the kernels.
#[derive(Clone, Debug)]
pub(super) struct Deep {
    /// `[group of inputs][neuron][GROUP]`.
    middle: Aligned<Weight>,
    /// The same for hosts that multiply bytes.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    bytes: Option<super::simd::Bytes>,
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
            middle: grouped::<_, _, GROUP>(&layers.middle, MIDDLE),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            bytes: super::simd::Bytes::new(&layers.middle),
            middle_bias: rows(&layers.middle_bias),
            upper: grouped::<_, _, 2>(&layers.upper, UPPER),
            upper_bias: rows(&layers.upper_bias),
            last: rows(&layers.last),
        })
    }

    #[allow(clippy::unnecessary_cast)] // WebAssembly's weights are wider
    pub(super) fn layers(&self) -> DeepLayers {
        DeepLayers {
            middle: ungrouped::<_, GROUP>(&self.middle, MIDDLE).into_iter().map(|w| w as i8).collect(),
            middle_bias: self.middle_bias.concat(),
            upper: ungrouped::<_, 2>(&self.upper, UPPER),
            upper_bias: self.upper_bias.concat(),
            last: self.last.concat(),
        }
    }

    /// The sums of the middle layer.
    #[inline]
    fn middle(
        &self,
        backend: Backend,
        us: &[i16],
        them: &[i16],
        bucket: usize,
        squares: &mut [Activation],
    ) -> [i32; MIDDLE] {
        let bias = &self.middle_bias[bucket];
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if let Some(bytes) = &self.bytes
            && backend.has_bytes()
        {
            return bytes.middle(us, them, bias);
        }
        backend.squares(us, them, squares);
        backend.middle(squares, &self.middle, bias)
    }

    /// What these layers add to the direct output. `squares` is room for as many numbers as `us` and `them` have together.
    #[inline]
    pub(super) fn value(
        &self,
        backend: Backend,
        us: &[i16],
        them: &[i16],
        bucket: usize,
        squares: &mut [Activation],
    ) -> i64 {
        let sums = self.middle(backend, us, them, bucket, squares);
        // Units of 1/8,128.125 become 1/16,129.5 by the square.
        let middle = backend.squared::<_, 0, 8_128, 12>(&sums);
        let row = MIDDLE * UPPER;
        let sums = backend.upper(&middle, &self.upper[bucket * row..][..row], &self.upper_bias[bucket]);
        // Units of 1/4,129,152 become 1/15,878.5.
        let upper = backend.squared::<_, 8, 16_129, 14>(&sums);
        let total: i32 = upper.iter().zip(&self.last[bucket]).map(|(f, w)| i32::from(*f) * i32::from(*w)).sum();
        i64::from(total) * 255 / UNIT
    }
}

fn rows<T: Copy, const N: usize>(list: &[T]) -> Vec<[T; N]> {
    list.as_chunks::<N>().0.to_vec()
}

/// `[group of inputs][neuron][G]` as `[input][neuron]`.
fn ungrouped<T: Copy + Default, const G: usize>(groups: &[T], neurons: usize) -> Vec<T> {
    let mut list = vec![T::default(); groups.len()];
    for (to, from) in list.chunks_exact_mut(G * neurons).zip(groups.chunks_exact(G * neurons)) {
        for (at, from) in from.iter().enumerate() {
            to[at % G * neurons + at / G] = *from;
        }
    }
    list
}
