//! The network in floating point, its gradient and its optimiser, on the cores of this machine.
//!
//! The first layer is sparse: about twenty of its 768 inputs are on. Forward, their rows are added; backward, the
//! gradient is added to the same rows. Rows are cut into slices of [`SLICE`] neurons that stay in registers, and all
//! positions of a chunk pass one slice before the next one's turn, so that its rows stay in the near caches.

use super::inner::{self, Across, Slopes, active, cut, steep};
use super::records::{Inputs, Record, result, score, sigmoid};
use super::weights::{MIDDLE, Parts, UPPER, Weights};
use rukh_eval::nnue::INPUTS;

/// Neurons handled at a time.
pub const SLICE: usize = 64;
/// Positions handled at a time.
const CHUNK: usize = 256;

/// What a position should be worth: the score as a chance, blended with the result.
#[derive(Clone, Copy)]
pub struct Aim {
    pub scale: f32,
    pub wdl: f32,
}

impl Aim {
    fn of(&self, record: &Record) -> f32 {
        (1.0 - self.wdl) * sigmoid(score(record) / self.scale) + self.wdl * result(record)
    }
}

/// One thread's share of the work.
pub struct Worker {
    pub gradient: Vec<f32>,
    /// First-layer sums of a chunk, then their gradients: `[position][2 · hidden]`.
    sums: Vec<f32>,
    /// Sums of the middle layer, if there is one.
    middle: Vec<[f32; MIDDLE]>,
    /// Gradients of the value and of the middle sums.
    slopes: Vec<(f32, Slopes)>,
    inputs: Vec<Inputs>,
    aims: Vec<f32>,
}

impl Worker {
    pub fn new(weights: &Weights) -> Worker {
        Worker {
            gradient: vec![0.0; weights.all.len()],
            sums: vec![0.0; CHUNK * 2 * weights.hidden],
            middle: Vec::with_capacity(CHUNK),
            slopes: Vec::with_capacity(CHUNK),
            inputs: Vec::with_capacity(CHUNK),
            aims: Vec::with_capacity(CHUNK),
        }
    }

    /// Adds the gradient of the squared error of `records`; returns the error's sum.
    pub fn learn<'a>(&mut self, weights: &Weights, records: impl Iterator<Item = (&'a Record, Aim)>) -> f64 {
        let mut records = records.peekable();
        let mut loss = 0.0;
        while records.peek().is_some() {
            self.take(records.by_ref().take(CHUNK));
            self.forward(weights);
            loss += self.errors(weights);
            self.second_layer(weights);
            self.backward(weights);
        }
        loss
    }

    /// Sums of the squared errors against three aims.
    pub fn judge(&mut self, weights: &Weights, records: &[Record], aims: [Aim; 3]) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for chunk in records.chunks(CHUNK) {
            self.take(chunk.iter().map(|record| (record, aims[0])));
            self.forward(weights);
            for (n, record) in chunk.iter().enumerate() {
                let value = sigmoid(self.value(weights, n));
                sums.iter_mut().zip(aims).for_each(|(sum, aim)| *sum += f64::from((value - aim.of(record)).powi(2)));
            }
        }
        sums
    }

    pub(super) fn take<'a>(&mut self, records: impl Iterator<Item = (&'a Record, Aim)>) {
        self.inputs.clear();
        self.aims.clear();
        for (record, aim) in records {
            // All were read and checked before.
            if let Some(inputs) = Inputs::of(record) {
                self.inputs.push(inputs);
                self.aims.push(aim.of(record));
            }
        }
    }

    pub(super) fn forward(&mut self, weights: &Weights) {
        let bias = weights.parts().first_bias.start;
        let hidden = weights.hidden;
        for slice in 0..hidden / SLICE {
            let rows = &weights.all[slice * INPUTS * SLICE..(slice + 1) * INPUTS * SLICE];
            let (rows, _) = rows.as_chunks::<SLICE>();
            let start: [f32; SLICE] = std::array::from_fn(|i| weights.all[bias + slice * SLICE + i]);
            for (inputs, sums) in self.inputs.iter().zip(self.sums.chunks_exact_mut(2 * hidden)) {
                for view in 0..2 {
                    let at = view * hidden + slice * SLICE;
                    add_rows(&start, rows, inputs.list(view), &mut sums[at..at + SLICE]);
                }
            }
        }
        if weights.inner {
            self.forward_middle(weights);
        }
    }

    /// The sums of the middle layer, slice by slice as in the first.
    fn forward_middle(&mut self, weights: &Weights) {
        let parts = weights.parts();
        let (biases, _) = weights.all[parts.middle_bias].as_chunks::<MIDDLE>();
        self.middle.clear();
        self.middle.extend(self.inputs.iter().map(|inputs| biases[weights.bucket(inputs.men())]));
        let (rows, _) = weights.all[parts.middle].as_chunks::<MIDDLE>();
        let (sums, _) = self.sums.as_chunks::<SLICE>();
        let slices = 2 * weights.hidden / SLICE;
        for (slice, rows) in rows.chunks_exact(SLICE).enumerate() {
            for (n, middle) in self.middle.iter_mut().enumerate() {
                let squares = sums[n * slices + slice].map(active);
                inner::add_slice(middle, &if weights.exact { squares.map(cut) } else { squares }, rows);
            }
        }
    }

    /// The output of position `n` of the chunk, in log-odds.
    pub(super) fn value(&self, weights: &Weights, n: usize) -> f32 {
        let parts = weights.parts();
        let bucket = weights.bucket(self.inputs[n].men());
        let direct = self.direct(weights, &parts, bucket, n);
        if weights.inner { direct + inner::above(weights, &parts, bucket, &self.middle[n]).1 } else { direct }
    }

    /// Its direct part.
    fn direct(&self, weights: &Weights, parts: &Parts, bucket: usize, n: usize) -> f32 {
        let row = 2 * weights.hidden;
        let factors = &weights.all[parts.second.clone()][bucket * row..(bucket + 1) * row];
        let sums = &self.sums[n * row..(n + 1) * row];
        // Sixteen partial sums, which the compiler keeps in one register.
        let mut lanes = [0.0f32; 16];
        for (sums, factors) in sums.chunks_exact(16).zip(factors.chunks_exact(16)) {
            for i in 0..16 {
                lanes[i] += active(sums[i]) * factors[i];
            }
        }
        lanes.iter().sum::<f32>() + weights.all[parts.second_bias.start + bucket]
    }

    /// Values and errors, whose squares' sum is returned; gradients of all that is not looked at slice by slice.
    fn errors(&mut self, weights: &Weights) -> f64 {
        let parts = weights.parts();
        let mut loss = 0.0;
        self.slopes.clear();
        for n in 0..self.inputs.len() {
            let bucket = weights.bucket(self.inputs[n].men());
            let mut value = self.direct(weights, &parts, bucket, n);
            let mut upper = [0.0; UPPER];
            if weights.inner {
                let more;
                (upper, more) = inner::above(weights, &parts, bucket, &self.middle[n]);
                value += more;
            }
            let chance = sigmoid(value);
            let error = chance - self.aims[n];
            loss += f64::from(error * error);
            let slope = 2.0 * error * chance * (1.0 - chance);
            self.gradient[parts.second_bias.start + bucket] += slope;
            let mut slopes = Slopes::default();
            if weights.inner {
                let below = inner::back(weights, &parts, &mut self.gradient, bucket, (&self.middle[n], &upper), slope);
                slopes = Slopes::new(&below);
            }
            self.slopes.push((slope, slopes));
        }
        loss
    }

    /// Gradients of the second layer and of the middle one; leaves those of the first layer's sums in their place.
    fn second_layer(&mut self, weights: &Weights) {
        let parts = weights.parts();
        let slices = 2 * weights.hidden / SLICE;
        let (sums, _) = self.sums.as_chunks_mut::<SLICE>();
        let (direct, inner) = self.gradient.split_at_mut(parts.middle.start);
        let (factors, _) = weights.all[parts.second.clone()].as_chunks::<SLICE>();
        let (gradients, _) = direct[parts.second].as_chunks_mut::<SLICE>();
        for slice in 0..slices {
            let rows = slice * SLICE * MIDDLE..(slice + 1) * SLICE * MIDDLE;
            let mut across = weights.inner.then(|| Across::new(&weights.all[parts.middle.clone()][rows.clone()]));
            for (n, ((slope, slopes), inputs)) in self.slopes.iter().zip(&self.inputs).enumerate() {
                let at = weights.bucket(inputs.men()) * slices + slice;
                let (factors, gradients) = (&factors[at], &mut gradients[at]);
                let sums = &mut sums[n * slices + slice];
                let squares = sums.map(active);
                let mut below = factors.map(|factor| slope * factor);
                for i in 0..SLICE {
                    gradients[i] += slope * squares[i];
                }
                if let Some(across) = &mut across {
                    let seen = if weights.exact { squares.map(cut) } else { squares };
                    across.pass(slopes, &seen, &mut below);
                }
                for i in 0..SLICE {
                    sums[i] = below[i] * steep(sums[i]);
                }
            }
            if let Some(across) = across {
                across.add_to(&mut inner[rows]);
            }
        }
    }

    fn backward(&mut self, weights: &Weights) {
        let bias = weights.parts().first_bias.start;
        let hidden = weights.hidden;
        for slice in 0..hidden / SLICE {
            let mut total = [0.0f32; SLICE];
            let rows = &mut self.gradient[slice * INPUTS * SLICE..(slice + 1) * INPUTS * SLICE];
            let (rows, _) = rows.as_chunks_mut::<SLICE>();
            for (inputs, sums) in self.inputs.iter().zip(self.sums.chunks_exact(2 * hidden)) {
                for view in 0..2 {
                    let at = view * hidden + slice * SLICE;
                    let slope: [f32; SLICE] = std::array::from_fn(|i| sums[at + i]);
                    for i in 0..SLICE {
                        total[i] += slope[i];
                    }
                    for &input in inputs.list(view) {
                        let row = &mut rows[usize::from(input)];
                        for i in 0..SLICE {
                            row[i] += slope[i];
                        }
                    }
                }
            }
            let start = bias + slice * SLICE;
            self.gradient[start..start + SLICE].iter_mut().zip(total).for_each(|(g, t)| *g += t);
        }
    }
}

/// `start` and the rows of the inputs that are on. Arrays of their own for every 16 neurons: the compiler keeps those in
/// registers, but would keep a longer one in memory.
#[inline]
fn add_rows(start: &[f32; SLICE], rows: &[[f32; SLICE]], list: &[u16], to: &mut [f32]) {
    let part = |row: &[f32; SLICE], n: usize| -> [f32; 16] { std::array::from_fn(|i| row[16 * n + i]) };
    let add = |sum: &mut [f32; 16], row: [f32; 16]| {
        for i in 0..16 {
            sum[i] += row[i];
        }
    };
    let [mut a, mut b, mut c, mut d]: [[f32; 16]; SLICE / 16] = std::array::from_fn(|n| part(start, n));
    for &input in list {
        let row = &rows[usize::from(input)];
        add(&mut a, part(row, 0));
        add(&mut b, part(row, 1));
        add(&mut c, part(row, 2));
        add(&mut d, part(row, 3));
    }
    for (to, sum) in to.chunks_exact_mut(16).zip([a, b, c, d]) {
        to.copy_from_slice(&sum);
    }
}

/// AdamW, and the running mean of the weights that is the result.
pub struct Optimiser {
    first: Vec<f32>,
    second: Vec<f32>,
    pub mean: Weights,
    steps: i32,
    decay: f32,
    keep: f32,
}

impl Optimiser {
    /// `keep`: the share of the mean that a step leaves.
    pub fn new(weights: &Weights, decay: f32, keep: f32) -> Optimiser {
        let zeros = vec![0.0; weights.all.len()];
        Optimiser { first: zeros.clone(), second: zeros, mean: weights.clone(), steps: 0, decay, keep }
    }

    /// One step along the workers' gradients, which are then zero again.
    pub fn step(&mut self, weights: &mut Weights, workers: &mut [Worker], samples: usize, rate: f32) {
        const BETA: [f32; 2] = [0.9, 0.999];
        const EPSILON: f32 = 1e-8;
        self.steps = self.steps.saturating_add(1);
        let correct = BETA.map(|beta| 1.0 - beta.powi(self.steps));
        let share = 1.0 / samples as f32;
        let decay = 1.0 - rate * self.decay;
        let (one, others) = workers.split_at_mut(1);
        let gradient = &mut one[0].gradient;
        for worker in others {
            for (sum, g) in gradient.iter_mut().zip(&mut worker.gradient) {
                *sum += *g;
                *g = 0.0;
            }
        }
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((w, g), (m, v)) in weights.all.iter_mut().zip(gradient).zip(moments) {
            let slope = *g * share;
            *g = 0.0;
            *m = BETA[0] * *m + (1.0 - BETA[0]) * slope;
            *v = BETA[1] * *v + (1.0 - BETA[1]) * slope * slope;
            *w = *w * decay - rate * (*m / correct[0]) / ((*v / correct[1]).sqrt() + EPSILON);
        }
        weights.clip();
        let share = 1.0 - self.keep;
        self.mean.all.iter_mut().zip(&weights.all).for_each(|(mean, w)| *mean += share * (*w - *mean));
    }
}
