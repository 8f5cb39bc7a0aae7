//! The network in floating point, its gradient and its optimiser, on the cores of this machine.
//!
//! The first layer is sparse: about twenty of its 768 inputs are on. Forward, their rows are added; backward, the
//! gradient is added to the same rows. Rows are cut into pieces of [`PIECE`] neurons that stay in registers, and all
//! positions of a chunk pass one piece before the next one's turn, so that its rows stay in the near caches.

use super::records::{Inputs, Record, result, score, sigmoid};
use crate::tournament::rng::Rng;
use rukh_eval::nnue::{INPUTS, Layers};

/// Neurons handled at a time.
pub const PIECE: usize = 64;
/// Positions handled at a time.
const CHUNK: usize = 256;

/// All weights, one after another: first layer `[piece][input][PIECE]`, its bias, second layer
/// `[bucket][2 · hidden]`, its bias.
#[derive(Clone)]
pub struct Weights {
    pub hidden: usize,
    pub buckets: usize,
    pub all: Vec<f32>,
}

impl Weights {
    pub fn zeros(hidden: usize, buckets: usize) -> Weights {
        let count = INPUTS * hidden + hidden + buckets * 2 * hidden + buckets;
        Weights { hidden, buckets, all: vec![0.0; count] }
    }

    /// Small random weights. About twenty inputs are on: the first sums begin inside the active range.
    pub fn random(hidden: usize, buckets: usize, seed: u64) -> Weights {
        let mut weights = Weights::zeros(hidden, buckets);
        let mut rng = Rng::new(seed, 0x7765_6967);
        let [bias, second, second_bias] = weights.starts();
        // The sum of twelve uniform numbers is near enough to a normal one.
        let mut normal = |deviation: f32| {
            let sum: f32 = (0..12).map(|_| (rng.next() >> 40) as f32 / (1u64 << 24) as f32).sum();
            (sum - 6.0) * deviation
        };
        let (small, large) = ((2.0 / INPUTS as f32).sqrt(), (1.0 / hidden as f32).sqrt());
        weights.all[..bias].iter_mut().for_each(|w| *w = normal(small));
        weights.all[bias..second].fill(0.1);
        weights.all[second..second_bias].iter_mut().for_each(|w| *w = normal(large));
        weights
    }

    pub fn from_layers(layers: &Layers) -> Weights {
        let (hidden, buckets) = (layers.first_bias.len(), layers.second_bias.len());
        let mut weights = Weights::zeros(hidden, buckets);
        let [bias, second, second_bias] = weights.starts();
        let (first_unit, second_unit) = (Layers::FIRST_UNIT as f32, Layers::SECOND_UNIT as f32);
        for (at, &w) in layers.first.iter().enumerate() {
            let place = weights.place(at / hidden, at % hidden);
            weights.all[place] = f32::from(w) / first_unit;
        }
        let mut put = |start: usize, list: &[i16], unit: f32| {
            weights.all[start..].iter_mut().zip(list).for_each(|(w, &n)| *w = f32::from(n) / unit);
        };
        put(bias, &layers.first_bias, first_unit);
        put(second, &layers.second, second_unit);
        let unit = first_unit * second_unit;
        weights.all[second_bias..].iter_mut().zip(&layers.second_bias).for_each(|(w, &n)| *w = n as f32 / unit);
        weights
    }

    /// Rounded into the integers of `layers`, whose head and words are kept.
    pub fn to_layers(&self, layers: Layers) -> Layers {
        let [bias, second, second_bias] = self.starts();
        let (first_unit, second_unit) = (Layers::FIRST_UNIT as f32, Layers::SECOND_UNIT as f32);
        let whole = |list: &[f32], unit: f32| -> Vec<i16> { list.iter().map(|w| (w * unit).round() as i16).collect() };
        let first = (0..INPUTS * self.hidden)
            .map(|at| (self.all[self.place(at / self.hidden, at % self.hidden)] * first_unit).round() as i16)
            .collect();
        let unit = first_unit * second_unit;
        Layers {
            first,
            first_bias: whole(&self.all[bias..second], first_unit),
            second: whole(&self.all[second..second_bias], second_unit),
            second_bias: self.all[second_bias..].iter().map(|w| (w * unit).round() as i32).collect(),
            ..layers
        }
    }

    /// Multiplies every value: for a network that goes on in other units.
    pub fn stretch(&mut self, factor: f32) {
        let [_, second, _] = self.starts();
        self.all[second..].iter_mut().for_each(|w| *w *= factor);
        self.clip();
    }

    /// Where the parts after the first layer begin.
    fn starts(&self) -> [usize; 3] {
        let bias = INPUTS * self.hidden;
        let second = bias + self.hidden;
        [bias, second, second + self.buckets * 2 * self.hidden]
    }

    fn place(&self, input: usize, neuron: usize) -> usize {
        (neuron / PIECE * INPUTS + input) * PIECE + neuron % PIECE
    }

    /// Back into the range in which the engine's arithmetic is exact.
    fn clip(&mut self) {
        let [_, second, second_bias] = self.starts();
        let first = Layers::FIRST_LIMIT as f32 / Layers::FIRST_UNIT as f32;
        self.all[..second].iter_mut().for_each(|w| *w = w.clamp(-first, first));
        let limit = Layers::SECOND_LIMIT as f32 / Layers::SECOND_UNIT as f32;
        self.all[second..second_bias].iter_mut().for_each(|w| *w = w.clamp(-limit, limit));
    }
}

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
    inputs: Vec<Inputs>,
    aims: Vec<f32>,
}

impl Worker {
    pub fn new(weights: &Weights) -> Worker {
        Worker {
            gradient: vec![0.0; weights.all.len()],
            sums: vec![0.0; CHUNK * 2 * weights.hidden],
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
            loss += self.second_layer(weights);
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

    fn take<'a>(&mut self, records: impl Iterator<Item = (&'a Record, Aim)>) {
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

    fn forward(&mut self, weights: &Weights) {
        let [bias, ..] = weights.starts();
        let hidden = weights.hidden;
        for piece in 0..hidden / PIECE {
            let rows = &weights.all[piece * INPUTS * PIECE..(piece + 1) * INPUTS * PIECE];
            let (rows, _) = rows.as_chunks::<PIECE>();
            let start: [f32; PIECE] = std::array::from_fn(|i| weights.all[bias + piece * PIECE + i]);
            for (inputs, sums) in self.inputs.iter().zip(self.sums.chunks_exact_mut(2 * hidden)) {
                for view in 0..2 {
                    let mut sum = start;
                    for &input in inputs.list(view) {
                        let row = &rows[usize::from(input)];
                        for i in 0..PIECE {
                            sum[i] += row[i];
                        }
                    }
                    let at = view * hidden + piece * PIECE;
                    sums[at..at + PIECE].copy_from_slice(&sum);
                }
            }
        }
    }

    fn bucket(weights: &Weights, men: usize) -> usize {
        (men.saturating_sub(2) * weights.buckets / 32).min(weights.buckets - 1)
    }

    /// The output of position `n` of the chunk, in log-odds.
    fn value(&self, weights: &Weights, n: usize) -> f32 {
        let [_, second, second_bias] = weights.starts();
        let row = 2 * weights.hidden;
        let bucket = Self::bucket(weights, self.inputs[n].men());
        let factors = &weights.all[second + bucket * row..second + (bucket + 1) * row];
        let sums = &self.sums[n * row..(n + 1) * row];
        // Sixteen partial sums, which the compiler keeps in one register.
        let mut parts = [0.0f32; 16];
        for (sums, factors) in sums.chunks_exact(16).zip(factors.chunks_exact(16)) {
            for i in 0..16 {
                let v = sums[i].clamp(0.0, 1.0);
                parts[i] += v * v * factors[i];
            }
        }
        parts.iter().sum::<f32>() + weights.all[second_bias + bucket]
    }

    /// Values, errors, gradients of the second layer; leaves the gradients of the first layer's sums in their place.
    fn second_layer(&mut self, weights: &Weights) -> f64 {
        let [_, second, second_bias] = weights.starts();
        let row = 2 * weights.hidden;
        let mut loss = 0.0;
        for n in 0..self.inputs.len() {
            let chance = sigmoid(self.value(weights, n));
            let error = chance - self.aims[n];
            loss += f64::from(error * error);
            let slope = 2.0 * error * chance * (1.0 - chance);
            let bucket = Self::bucket(weights, self.inputs[n].men());
            let (from, to) = (second + bucket * row, second + (bucket + 1) * row);
            let factors = weights.all[from..to].chunks_exact(16);
            let gradients = self.gradient[from..to].chunks_exact_mut(16);
            let sums = self.sums[n * row..(n + 1) * row].chunks_exact_mut(16);
            for ((sums, factors), gradients) in sums.zip(factors).zip(gradients) {
                for i in 0..16 {
                    let v = sums[i].clamp(0.0, 1.0);
                    gradients[i] += slope * v * v;
                    let inside = if sums[i] < 1.0 { v } else { 0.0 };
                    sums[i] = slope * factors[i] * 2.0 * inside;
                }
            }
            self.gradient[second_bias + bucket] += slope;
        }
        loss
    }

    fn backward(&mut self, weights: &Weights) {
        let [bias, ..] = weights.starts();
        let hidden = weights.hidden;
        for piece in 0..hidden / PIECE {
            let mut total = [0.0f32; PIECE];
            let rows = &mut self.gradient[piece * INPUTS * PIECE..(piece + 1) * INPUTS * PIECE];
            let (rows, _) = rows.as_chunks_mut::<PIECE>();
            for (inputs, sums) in self.inputs.iter().zip(self.sums.chunks_exact(2 * hidden)) {
                for view in 0..2 {
                    let at = view * hidden + piece * PIECE;
                    let slope: [f32; PIECE] = std::array::from_fn(|i| sums[at + i]);
                    for i in 0..PIECE {
                        total[i] += slope[i];
                    }
                    for &input in inputs.list(view) {
                        let row = &mut rows[usize::from(input)];
                        for i in 0..PIECE {
                            row[i] += slope[i];
                        }
                    }
                }
            }
            let start = bias + piece * PIECE;
            self.gradient[start..start + PIECE].iter_mut().zip(total).for_each(|(g, t)| *g += t);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::{Chess, Position};
    use rukh_eval::nnue::{Network, embedded};
    use rukh_store::selfplay::FlatRecord;

    const FENS: [&str; 4] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
        "6k1/5ppp/8/2n5/8/3P4/5PPP/3Q2K1 b - - 0 1",
    ];

    fn records() -> Vec<Record> {
        FENS.iter()
            .zip([80, -40, 10, -600])
            .map(|(fen, score)| FlatRecord::new(&Position::<Chess>::from_fen(fen).expect(fen), score, 1, false).0)
            .collect()
    }

    #[test]
    fn values_are_the_engines() {
        let network = embedded::<Chess>().expect("a network is embedded");
        let layers = network.layers();
        let weights = Weights::from_layers(&layers);
        assert!(weights.to_layers(layers.clone()) == layers, "there and back");
        let mut worker = Worker::new(&weights);
        let aim = Aim { scale: layers.scale as f32, wdl: 0.0 };
        let records = records();
        worker.take(records.iter().map(|record| (record, aim)));
        worker.forward(&weights);
        for (n, fen) in FENS.iter().enumerate() {
            let exact = network.reference(&Position::<Chess>::from_fen(fen).expect(fen));
            let value = worker.value(&weights, n) * layers.scale as f32;
            assert!((value - exact as f32).abs() < 3.0, "{fen}: {value} for {exact}");
        }
    }

    /// The gradient against differences of the loss itself.
    #[test]
    fn gradients_are_slopes() {
        let mut weights = Weights::random(64, 8, 3);
        let aim = Aim { scale: 200.0, wdl: 0.3 };
        let records = records();
        let mut worker = Worker::new(&weights);
        worker.learn(&weights, records.iter().map(|record| (record, aim)));
        let gradient = std::mem::take(&mut worker.gradient);
        let loss = |weights: &Weights| Worker::new(weights).judge(weights, &records, [aim; 3])[0];
        let [bias, second, second_bias] = weights.starts();
        let mut checked = 0;
        let places = (0..bias)
            .step_by(211)
            .chain((bias..second).step_by(7))
            .chain((second..second_bias).step_by(13))
            .chain(second_bias..weights.all.len());
        for at in places {
            let old = weights.all[at];
            const STEP: f32 = 1e-2;
            weights.all[at] = old + STEP;
            let up = loss(&weights);
            weights.all[at] = old - STEP;
            let down = loss(&weights);
            weights.all[at] = old;
            let slope = (up - down) / f64::from(2.0 * STEP);
            assert!(
                (slope - f64::from(gradient[at])).abs() < 2e-3 + 0.05 * slope.abs(),
                "weight {at}: {} for {slope}",
                gradient[at]
            );
            checked += usize::from(slope.abs() > 1e-3);
        }
        assert!(checked > 20, "only {checked} weights mattered");
    }

    #[test]
    fn steps_lower_the_loss_and_keep_the_bounds() {
        let mut weights = Weights::random(64, 8, 3);
        let mut workers = vec![Worker::new(&weights), Worker::new(&weights)];
        let aim = Aim { scale: 200.0, wdl: 0.0 };
        let records = records();
        let mut optimiser = Optimiser::new(&weights, 0.01, 0.9);
        let mut losses = Vec::new();
        for _ in 0..200 {
            let (one, two) = records.split_at(2);
            let loss = workers[0].learn(&weights, one.iter().map(|r| (r, aim)))
                + workers[1].learn(&weights, two.iter().map(|r| (r, aim)));
            losses.push(loss);
            optimiser.step(&mut weights, &mut workers, records.len(), 0.01);
        }
        assert!(losses[199] < losses[0] / 20.0, "{} to {}", losses[0], losses[199]);
        let network = optimiser.mean.to_layers(Layers {
            scale: 200,
            recipe: "test".into(),
            ..embedded::<Chess>().expect("embedded").layers()
        });
        assert!(Network::parse(&network.to_bytes().expect("within bounds")).is_ok());
    }
}
