//! Positions as sparse coefficients, the evaluation as a function of its weights, and Adam.

use rukh_eval::Terms;
use rukh_eval::layout::{Line, Role};
use rukh_eval::trace::{Coefficients, PHASE_MAX, SCALE_MAX};

use rukh_core::Color;
use rukh_core::rng::Rng;

use crate::LabError;

/// `index << 16 | n` of one coefficient.
type Packed = u32;

fn pack(index: usize, n: i32) -> Packed {
    (index as u32) << 16 | u32::from(n as i16 as u16)
}

#[inline(always)]
fn unpack(p: Packed) -> (usize, f32) {
    ((p >> 16) as usize, f32::from(p as u16 as i16))
}

/// One position: ranges of the coefficient array, the taper and the game's result.
struct Sample {
    start: usize,
    /// Ends of linear, White's danger, Black's danger and complexity coefficients, from `start`.
    ends: [u16; 4],
    mg: f32,
    eg: f32,
    target: f32,
    /// What a search thought, White's view.
    value: Option<f32>,
}

/// Positions of whole games, split in two.
#[derive(Default)]
pub struct Dataset {
    coefficients: Vec<Packed>,
    samples: Vec<Sample>,
    /// Positions to learn from.
    pub training: Vec<u32>,
    /// Positions to be judged by.
    pub validation: Vec<u32>,
    scratch: Vec<(usize, i32)>,
}

impl Dataset {
    /// Adds a traced position with its result for White (0, ½, 1) and, where there is one, a search value.
    pub fn push(&mut self, c: &Coefficients, target: f32, value: Option<f32>, validation: bool) {
        let start = self.coefficients.len();
        let mut ends = [0u16; 4];
        let end = |list: &Vec<Packed>| (list.len() - start) as u16;
        self.scratch.clear();
        self.scratch.extend(c.terms.iter().map(|&(color, i, n)| (i, if color == Color::White { n } else { -n })));
        merge(&mut self.scratch, &mut self.coefficients);
        ends[0] = end(&self.coefficients);
        for (slot, king) in [(1, Color::White), (2, Color::Black)] {
            self.scratch.clear();
            self.scratch.extend(c.danger.iter().filter(|d| d.0 == king).map(|&(_, i, n)| (i, n)));
            merge(&mut self.scratch, &mut self.coefficients);
            ends[slot] = end(&self.coefficients);
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(&c.complexity);
        merge(&mut self.scratch, &mut self.coefficients);
        ends[3] = end(&self.coefficients);
        let mg = c.phase as f32 / PHASE_MAX as f32;
        let eg = (1.0 - mg) * c.scale as f32 / SCALE_MAX as f32;
        let id = self.samples.len() as u32;
        self.samples.push(Sample { start, ends, mg, eg, target, value });
        if validation { self.validation.push(id) } else { self.training.push(id) }
    }

    /// Mixes the search values into the results. A result is one noisy bit; a value says less about the end of the
    /// game but more about the position.
    fn mix(&mut self, k: f32, share: f32) {
        for s in &mut self.samples {
            if let Some(value) = s.value {
                s.target += share * (sigmoid(k * value) - s.target);
            }
        }
    }

    /// Positions so far.
    pub(super) fn len(&self) -> usize {
        self.samples.len()
    }

    /// Memory of the coefficients.
    pub fn bytes(&self) -> usize {
        self.coefficients.len() * size_of::<Packed>() + self.samples.len() * size_of::<Sample>()
    }

    fn parts(&self, s: &Sample) -> [&[Packed]; 4] {
        let c = &self.coefficients[s.start..s.start + s.ends[3] as usize];
        let [a, b, d, e] = s.ends.map(usize::from);
        [&c[..a], &c[a..b], &c[b..d], &c[d..e]]
    }
}

/// Sums equal indices and drops those that cancel.
fn merge(list: &mut [(usize, i32)], out: &mut Vec<Packed>) {
    list.sort_unstable_by_key(|c| c.0);
    for run in list.chunk_by(|a, b| a.0 == b.0) {
        let n: i32 = run.iter().map(|c| c.1).sum();
        if n != 0 {
            out.push(pack(run[0].0, n));
        }
    }
}

/// The danger of one king and its slope: middle-game price, end-game price, and their derivatives.
#[inline(always)]
fn danger(units: f32) -> [f32; 4] {
    if units <= 0.0 {
        [0.0; 4]
    } else {
        let d = units.min(3000.0);
        let open = if units < 3000.0 { 1.0 } else { 0.0 };
        [d * d / 4096.0, d / 16.0, open * d / 2048.0, open / 16.0]
    }
}

/// Value of one position and what is needed to go back.
struct Forward {
    value: f32,
    king: [[f32; 4]; 2],
    /// Derivative of the end-game half to its linear part, and to complexity.
    eg_slope: f32,
    complexity_slope: f32,
}

#[inline(always)]
fn forward(parts: &[&[Packed]; 4], s: &Sample, w: &[[f32; 2]]) -> Forward {
    let (mut mg, mut eg) = (0.0f32, 0.0f32);
    for &p in parts[0] {
        let (i, n) = unpack(p);
        mg += n * w[i][0];
        eg += n * w[i][1];
    }
    let units = |part: &[Packed]| part.iter().map(|&p| unpack(p)).map(|(i, n)| n * w[i][0]).sum::<f32>();
    let king = [danger(units(parts[1])), danger(units(parts[2]))];
    mg += king[1][0] - king[0][0];
    eg += king[1][1] - king[0][1];
    let size: f32 = parts[3].iter().map(|&p| unpack(p)).map(|(i, n)| n * w[i][1]).sum();
    let clipped = size < -eg.abs();
    let (eg_slope, complexity_slope) = if clipped { (0.0, 0.0) } else { (1.0, eg.signum()) };
    let eg = if clipped { 0.0 } else { eg + eg.signum() * size };
    Forward { value: mg * s.mg + eg * s.eg, king, eg_slope, complexity_slope }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// How to fit.
pub struct Fit {
    /// Lines to fit, in lower case; none means all.
    pub only: Vec<String>,
    /// Passes over the data.
    pub epochs: usize,
    /// First step of a weight, in hundredths of a pawn.
    pub rate: f32,
    /// Pull towards the old weights.
    pub pull: f32,
    /// Share of the search value in the aim; the rest is the result.
    pub mix: f32,
    /// Threads.
    pub threads: usize,
    /// Of shuffling.
    pub seed: u64,
}

/// The outcome of a fit; losses are `[before, after]`.
pub struct Fitted {
    /// Middle and end game, rounded.
    pub weights: Vec<[f32; 2]>,
    /// Slope of the logistic curve.
    pub k: f32,
    /// After which pass they were best.
    pub epochs: usize,
    /// Loss on what was learned from.
    pub training: [f64; 2],
    /// Loss on the other games.
    pub validation: [f64; 2],
}

const BATCH: usize = 16_384;

impl Fit {
    /// The names of lines as they are kept here; one that is none is refused.
    pub fn lines(names: &[String]) -> Result<Vec<String>, LabError> {
        let names: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        let known = |name: &String| Line::ALL.iter().any(|line| format!("{line:?}").to_lowercase() == *name);
        match names.iter().find(|name| !known(name)) {
            Some(name) => Err(LabError::refused(format!("--only: no line '{name}'; the lines are {:?}", Line::ALL))),
            None => Ok(names),
        }
    }

    /// Fits from `start`; `report` hears the epoch and the losses.
    pub fn run<R: Terms>(
        &self,
        data: &mut Dataset,
        mut start: Vec<[f32; 2]>,
        mut report: impl FnMut(u64, &str),
    ) -> Fitted {
        let mut rates = vec![self.rate; start.len()];
        for g in R::GROUPS {
            let range = g.start..g.start + g.len;
            if !self.only.is_empty() && !self.only.contains(&format!("{:?}", g.line).to_lowercase()) {
                start[range.clone()].fill([0.0; 2]);
                rates[range].fill(0.0);
            } else if g.role == Role::Danger {
                // Danger units are many to a centipawn: larger steps.
                rates[range].fill(self.rate * 5.0);
            }
        }
        let k = self.fit_k(data, &start);
        data.mix(k, self.mix);
        let data = &*data;
        let before = [self.loss(data, &data.training, &start, k), self.loss(data, &data.validation, &start, k)];
        let mut pulls = vec![self.pull; start.len()];
        // Two thousand squares share the data: hold them closer, or their noise adds up over the pieces.
        for g in R::GROUPS.iter().filter(|g| g.line == Line::Placement) {
            pulls[g.start..g.start + g.len].fill(self.pull * 5.0);
        }
        for g in R::GROUPS.iter().filter(|g| g.role == Role::Danger) {
            pulls[g.start..g.start + g.len].fill(self.pull / 25.0);
        }
        let mut w = start.clone();
        let mut best = (before[1], w.clone(), 0);
        let mut m = vec![[0.0f32; 2]; w.len()];
        let mut v = vec![[0.0f32; 2]; w.len()];
        let mut order = data.training.clone();
        let mut rng = Rng::plain(self.seed ^ 0x5DEE_CE66);
        let (mut b1, mut b2) = (1.0f32, 1.0f32);
        for epoch in 0..self.epochs {
            rng.shuffle(&mut order);
            let decay = 0.5 * (1.0 + (std::f32::consts::PI * epoch as f32 / self.epochs as f32).cos());
            for batch in order.chunks(BATCH) {
                let gradient = self.gradient(data, batch, &w, k);
                b1 *= 0.9;
                b2 *= 0.999;
                for i in 0..w.len() {
                    for h in 0..2 {
                        let g = gradient[i][h] / batch.len() as f32 + pulls[i] * (w[i][h] - start[i][h]);
                        m[i][h] = 0.9 * m[i][h] + 0.1 * g;
                        v[i][h] = 0.999 * v[i][h] + 0.001 * g * g;
                        let step = (m[i][h] / (1.0 - b1)) / ((v[i][h] / (1.0 - b2)).sqrt() + 1e-10);
                        w[i][h] -= rates[i] * decay.max(0.02) * step;
                    }
                }
            }
            let loss = self.loss(data, &data.validation, &w, k);
            if loss < best.0 {
                best = (loss, w.clone(), epoch + 1);
            }
            report(epoch as u64 + 1, &format!("validation {loss:.6}, best {:.6}", best.0));
        }
        let (_, weights, epochs) = best;
        // What counts is the rounded table that will be played with.
        let weights: Vec<[f32; 2]> = weights.into_iter().map(|p| p.map(f32::round)).collect();
        let after = [self.loss(data, &data.training, &weights, k), self.loss(data, &data.validation, &weights, k)];
        Fitted { weights, k, epochs, training: [before[0], after[0]], validation: [before[1], after[1]] }
    }

    /// The slope of the logistic curve that suits the present scale of values.
    fn fit_k(&self, data: &Dataset, w: &[[f32; 2]]) -> f32 {
        let sample: Vec<u32> = data.training.iter().copied().step_by(data.training.len() / 200_000 + 1).collect();
        let (mut low, mut high) = (0.0005f32, 0.02f32);
        for _ in 0..24 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if self.loss(data, &sample, w, a) < self.loss(data, &sample, w, b) { high = b } else { low = a }
        }
        (low + high) / 2.0
    }

    fn loss(&self, data: &Dataset, ids: &[u32], w: &[[f32; 2]], k: f32) -> f64 {
        let sums = self.split(ids, |ids| {
            let mut sum = 0.0f64;
            for &id in ids {
                let s = &data.samples[id as usize];
                let e = sigmoid(k * forward(&data.parts(s), s, w).value) - s.target;
                sum += f64::from(e * e);
            }
            sum
        });
        sums.into_iter().sum::<f64>() / ids.len() as f64
    }

    fn gradient(&self, data: &Dataset, ids: &[u32], w: &[[f32; 2]], k: f32) -> Vec<[f32; 2]> {
        let mut parts = self.split(ids, |ids| {
            let mut grad = vec![[0.0f32; 2]; w.len()];
            for &id in ids {
                let s = &data.samples[id as usize];
                let parts = data.parts(s);
                let f = forward(&parts, s, w);
                let p = sigmoid(k * f.value);
                let slope = 2.0 * (p - s.target) * p * (1.0 - p) * k;
                let (gm, ge) = (slope * s.mg, slope * s.eg);
                let gl = ge * f.eg_slope;
                for &c in parts[0] {
                    let (i, n) = unpack(c);
                    grad[i][0] += gm * n;
                    grad[i][1] += gl * n;
                }
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    let g = sign * (gm * f.king[side][2] + gl * f.king[side][3]);
                    for &c in parts[1 + side] {
                        let (i, n) = unpack(c);
                        grad[i][0] += g * n;
                    }
                }
                for &c in parts[3] {
                    let (i, n) = unpack(c);
                    grad[i][1] += ge * f.complexity_slope * n;
                }
            }
            grad
        });
        let mut total = parts.pop().unwrap_or_default();
        for part in parts {
            for (t, p) in total.iter_mut().zip(part) {
                t[0] += p[0];
                t[1] += p[1];
            }
        }
        total
    }

    /// Runs `work` on equal shares, one per thread. The shares are summed in order, so the result is repeatable.
    fn split<T: Send>(&self, ids: &[u32], work: impl Fn(&[u32]) -> T + Sync) -> Vec<T> {
        let share = ids.len().div_ceil(self.threads).max(1);
        std::thread::scope(|scope| {
            let work = &work;
            let handles: Vec<_> = ids.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
            handles.into_iter().map(|h| h.join().expect("a tuning thread does not panic")).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::{Chess, Position};
    use rukh_eval::Classical;

    /// Positions of random games with the value that the present weights give as their result.
    fn dataset(k: f32) -> Dataset {
        let mut data = Dataset::default();
        let (mut eval, mut trace, mut rng) = (Classical::<Chess>::new(), Coefficients::default(), Rng::plain(7));
        for game in 0..40 {
            let mut pos = Position::<Chess>::startpos();
            for _ in 0..80 {
                let moves = pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                pos = pos.after(moves[rng.below(moves.len())]);
                trace.clear();
                let value = eval.trace(&pos, &mut trace);
                if trace.special.is_none() {
                    data.push(&trace, sigmoid(k * value as f32), None, game % 5 == 0);
                }
            }
        }
        data
    }

    #[test]
    fn finds_its_way_back_to_the_weights() {
        let mut data = dataset(0.005);
        let mut start: Vec<[f32; 2]> = Chess::weights().iter().map(|w| [w.mg() as f32, w.eg() as f32]).collect();
        for w in &mut start[..5] {
            *w = w.map(|x| x * 0.7);
        }
        let fit = Fit { only: Vec::new(), epochs: 300, rate: 0.5, pull: 0.0, mix: 0.0, threads: 2, seed: 3 };
        let result = fit.run::<Chess>(&mut data, start, |_, _| {});
        assert!(result.training[1] < result.training[0] / 4.0, "{:?}", result.training);
        assert!(result.validation[1] < result.validation[0] / 2.0, "{:?}", result.validation);
    }

    #[test]
    fn lines_that_are_left_out_stay_zero() {
        let mut data = dataset(0.005);
        let start = vec![[10.0; 2]; Chess::COUNT];
        let only = vec!["material".to_string()];
        let fit = Fit { only, epochs: 2, rate: 1.0, pull: 0.0, mix: 0.0, threads: 1, seed: 3 };
        let result = fit.run::<Chess>(&mut data, start, |_, _| {});
        for group in Chess::GROUPS {
            let weights = &result.weights[group.start..group.start + group.len];
            assert_eq!(weights.iter().any(|w| *w != [0.0; 2]), group.line == Line::Material, "{}", group.name);
        }
    }
}
