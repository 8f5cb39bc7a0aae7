//! The layers beside the direct output, in floating point: values and gradients.
//!
//! The middle layer is the heavy part, since it looks at every activation of the first. Two thirds of those are on:
//! to skip the others was tried and is slower. But half of the middle neurons are off or full in a position, and those
//! have no gradient to hand down.

use std::ops::Range;

use super::model::SLICE;
use super::weights::{MIDDLE, Parts, UPPER, Weights};

/// What a neuron says for the sum of its inputs.
#[inline(always)]
pub fn active(sum: f32) -> f32 {
    let v = sum.clamp(0.0, 1.0);
    v * v
}

/// The slope of [`active`].
#[inline(always)]
pub fn steep(sum: f32) -> f32 {
    if sum < 1.0 { 2.0 * sum.max(0.0) } else { 0.0 }
}

/// An activation as the middle layer of the engine sees it: 255² become 127, the rest is cut off. The small number
/// is less than the steps of the integers and more than the errors of the floats.
#[inline(always)]
pub fn cut(active: f32) -> f32 {
    const UNIT: f32 = 255.0 * 255.0 / 512.0;
    (active * UNIT + 5e-4).floor() * (1.0 / UNIT)
}

/// Adds what one slice of first-layer activations gives to a position's middle sums.
/// `rows`: the slice's weights, `[SLICE][MIDDLE]`.
#[inline]
pub fn add_slice(middle: &mut [f32; MIDDLE], squares: &[f32; SLICE], rows: &[[f32; MIDDLE]]) {
    // Four sums, none of which waits for another.
    let [mut a, mut b, mut c, mut d] = [[0.0f32; MIDDLE]; 4];
    for (squares, rows) in squares.as_chunks::<4>().0.iter().zip(rows.as_chunks::<4>().0) {
        add(&mut a, squares[0], &rows[0]);
        add(&mut b, squares[1], &rows[1]);
        add(&mut c, squares[2], &rows[2]);
        add(&mut d, squares[3], &rows[3]);
    }
    for j in 0..MIDDLE {
        middle[j] += (a[j] + b[j]) + (c[j] + d[j]);
    }
}

#[inline(always)]
fn add<const N: usize>(sum: &mut [f32; N], factor: f32, row: &[f32; N]) {
    for i in 0..N {
        sum[i] += factor * row[i];
    }
}

/// The upper layer's sums, and what they add to the direct output.
pub fn above(weights: &Weights, parts: &Parts, bucket: usize, middle: &[f32; MIDDLE]) -> ([f32; UPPER], f32) {
    let rows = |part: &Range<usize>| weights.all[part.clone()].as_chunks::<UPPER>().0;
    let mut upper = rows(&parts.upper_bias)[bucket];
    for (&sum, row) in middle.iter().zip(&rows(&parts.upper)[bucket * MIDDLE..]) {
        add(&mut upper, active(sum), row);
    }
    let last = &rows(&parts.last)[bucket];
    let value: [f32; UPPER] = std::array::from_fn(|k| active(upper[k]) * last[k]);
    (upper, total(&value))
}

/// Adds the gradients of everything above the middle layer's weights, where `slope` is that of the value and the pair
/// are the sums of both layers; returns the gradients of the middle sums.
pub fn back(
    weights: &Weights,
    parts: &Parts,
    gradient: &mut [f32],
    bucket: usize,
    (middle, upper): (&[f32; MIDDLE], &[f32; UPPER]),
    slope: f32,
) -> [f32; MIDDLE] {
    let last = parts.last.start + bucket * UPPER;
    let mut slopes = [0.0f32; UPPER];
    for (k, factor) in weights.all[last..last + UPPER].iter().enumerate() {
        slopes[k] = slope * factor * steep(upper[k]);
    }
    for (g, sum) in gradient[last..last + UPPER].iter_mut().zip(upper) {
        *g += slope * active(*sum);
    }
    let bias = parts.upper_bias.start + bucket * UPPER;
    gradient[bias..bias + UPPER].iter_mut().zip(slopes).for_each(|(g, s)| *g += s);
    let rows = parts.upper.start + bucket * MIDDLE * UPPER..parts.upper.start + (bucket + 1) * MIDDLE * UPPER;
    let (factors, _) = weights.all[rows.clone()].as_chunks::<UPPER>();
    let (gradients, _) = gradient[rows].as_chunks_mut::<UPPER>();
    let mut below = [0.0f32; MIDDLE];
    for (j, (factors, gradients)) in factors.iter().zip(gradients).enumerate() {
        let said = active(middle[j]);
        let mut products = [0.0f32; UPPER];
        for k in 0..UPPER {
            gradients[k] += said * slopes[k];
            products[k] = factors[k] * slopes[k];
        }
        below[j] = total(&products) * steep(middle[j]);
    }
    let bias = parts.middle_bias.start + bucket * MIDDLE;
    gradient[bias..bias + MIDDLE].iter_mut().zip(below).for_each(|(g, b)| *g += b);
    below
}

/// The sum, in lanes of a vector as long as possible. Not inlined: the compiler would take several rows at once, and
/// gather their numbers one by one.
#[inline(never)]
fn total(list: &[f32; UPPER]) -> f32 {
    let sixteen: [f32; 16] = std::array::from_fn(|i| list[i] + list[i + 16]);
    let eight: [f32; 8] = std::array::from_fn(|i| sixteen[i] + sixteen[i + 8]);
    let four: [f32; 4] = std::array::from_fn(|i| eight[i] + eight[i + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

/// The gradients of a position's middle sums that are not 0.
#[derive(Clone, Copy, Default)]
pub struct Slopes {
    list: [(usize, f32); MIDDLE],
    count: usize,
}

impl Slopes {
    pub fn new(below: &[f32; MIDDLE]) -> Slopes {
        let mut slopes = Slopes::default();
        for (j, &slope) in below.iter().enumerate() {
            slopes.list[slopes.count] = (j, slope);
            slopes.count += usize::from(slope != 0.0);
        }
        slopes
    }
}

/// The middle weights of one slice of first-layer neurons and their gradients, `[MIDDLE][SLICE]`.
pub struct Across {
    weights: [[f32; SLICE]; MIDDLE],
    gradient: [[f32; SLICE]; MIDDLE],
}

impl Across {
    /// `rows`: as they are kept, `[SLICE][MIDDLE]`.
    pub fn new(rows: &[f32]) -> Across {
        let weights = std::array::from_fn(|j| std::array::from_fn(|i| rows[i * MIDDLE + j]));
        Across { weights, gradient: [[0.0; SLICE]; MIDDLE] }
    }

    /// Hands the gradients of a position's middle sums down to its activations, and adds those of the weights.
    #[inline]
    pub fn pass(&mut self, slopes: &Slopes, squares: &[f32; SLICE], below: &mut [f32; SLICE]) {
        let mut sum = *below;
        for &(j, slope) in &slopes.list[..slopes.count] {
            let (weights, gradient) = (&self.weights[j], &mut self.gradient[j]);
            for i in 0..SLICE {
                sum[i] += slope * weights[i];
                gradient[i] += slope * squares[i];
            }
        }
        *below = sum;
    }

    /// Adds what was learned to the gradients as they are kept, `[SLICE][MIDDLE]`.
    pub fn add_to(&self, rows: &mut [f32]) {
        for (i, row) in rows.chunks_exact_mut(MIDDLE).enumerate() {
            row.iter_mut().zip(&self.gradient).for_each(|(g, learned)| *g += learned[i]);
        }
    }
}
