//! Training of evaluation networks on this machine's cores, without a GPU and without Python: `rukh train`.
//!
//! The same network, aim, optimiser and file as `training/nnue/train.py`. That one is forty to seventy times as
//! fast on an H200; this one is always there.

mod inner;
mod model;
mod records;
#[cfg(test)]
mod tests;
mod weights;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rukh_core::{Variant, dispatch};
use rukh_engine::network_for;
use rukh_eval::nnue::{Layers, Network, Zones};

use crate::LabError;
use model::{Aim, Optimiser, Worker};
use records::{Order, Record, Records};
use weights::Weights;

pub use model::SLICE;

/// How many times the loss is measured and the file written.
const MARKS: usize = 12;
/// Held-out positions that are looked at.
const JUDGED: usize = 200_000;

/// What to train, on what and how.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The game.
    pub variant: Variant,
    /// The network's file, written at every mark.
    pub out: PathBuf,
    /// Neurons for each side, a multiple of [`SLICE`]; 256 or those of `start` without it.
    pub hidden: Option<usize>,
    /// Output weights by number of men; 8 or those of `start` without it.
    pub buckets: Option<usize>,
    /// The direct output alone.
    pub plain: bool,
    /// With inner layers: a `start` without them is refused.
    pub inner: bool,
    /// The network to go on from, by the name of the engine's `EvalFile`; random weights without it.
    pub start: Option<String>,
    /// Passes over the records.
    pub epochs: f64,
    /// Positions a step.
    pub batch: usize,
    /// Learning rate at the beginning; it falls along a cosine.
    pub rate: f32,
    /// Share of the game's result in the aim.
    pub wdl: f32,
    /// Pull of all weights towards zero.
    pub decay: f32,
    /// Centipawns per unit of log-odds; fitted to the records without it.
    pub scale: Option<u32>,
    /// Records whose scores alone are the aim, to mix in.
    pub labels: Option<PathBuf>,
    /// So many of them for each other position.
    pub mix: f64,
    /// Threads.
    pub threads: usize,
    /// Of weights and order.
    pub seed: u64,
    /// Where to write the loss curve.
    pub csv: Option<PathBuf>,
    /// Words for the recipe in the file.
    pub note: String,
    /// Files of records.
    pub files: Vec<PathBuf>,
}

/// What happens in a training.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// Records are being read.
    Reading {
        /// Records read.
        done: u64,
        /// Records in all files.
        total: u64,
    },
    /// All records are there.
    Read {
        /// Positions to learn from.
        learn: usize,
        /// Positions to judge by.
        held_out: usize,
        /// Labels to mix in.
        labels: usize,
        /// Centipawns per unit of log-odds.
        scale: u32,
    },
    /// A step was made.
    Trained {
        /// Positions seen.
        done: u64,
        /// Positions to be seen.
        total: u64,
        /// Positions a second.
        speed: f64,
    },
    /// The loss was measured.
    Measured {
        /// Millions of positions seen.
        seen: f64,
        /// Of the aim, of the scores alone, and of the results alone.
        loss: [f64; 3],
    },
}

/// Hears of events.
pub type Watch<'a> = dyn FnMut(Event) + 'a;

/// A finished training, or one that was stopped.
pub struct Trained {
    /// The network as its file holds it.
    pub layers: Layers,
    /// Positions seen.
    pub seen: u64,
    /// Not stopped before its end.
    pub complete: bool,
    /// From the first step to the last.
    pub elapsed: Duration,
}

impl Plan {
    /// Trains, and tells `watch` on the way; `stop` ends with the network of that moment.
    pub fn train(&self, stop: &AtomicBool, watch: &mut Watch<'_>) -> Result<Trained, LabError> {
        let start = self.network()?;
        let records = Records::read(&self.files, watch)?;
        if records.learn.is_empty() || records.held_out.is_empty() {
            return Err(LabError::new("too few games: nothing to learn from, or nothing held out"));
        }
        let labels = match &self.labels {
            Some(path) => Records::read(std::slice::from_ref(path), watch)?.learn,
            None => Vec::new(),
        };
        let scale = self.scale.unwrap_or_else(|| records::fit_scale(&records.learn));
        let (learn, held_out) = (records.learn.len(), records.held_out.len());
        watch(Event::Read { learn, held_out, labels: labels.len(), scale });
        // A network that spoke in other centipawns keeps its meaning.
        let weights = match &start {
            Some(network) => {
                let mut weights = Weights::from_layers(&network.layers());
                weights.stretch(network.layers().scale as f32 / scale as f32);
                weights
            }
            None => Weights::random(self.hidden.unwrap_or(256), self.buckets.unwrap_or(8), !self.plain, self.seed),
        };
        let mut run = Run::new(self, weights, &records, &labels, scale);
        run.judge(watch)?;
        run.go(stop, watch)
    }

    /// The network to start from.
    fn network(&self) -> Result<Option<Arc<Network>>, LabError> {
        let Some(name) = &self.start else { return Ok(None) };
        let found = dispatch!(type R of self.variant => network_for::<R>(name));
        let network = found.map_err(LabError::new)?.ok_or_else(|| LabError::refused("--start: that is no network"))?;
        if network.hidden() % SLICE != 0 || self.hidden.is_some_and(|hidden| hidden != network.hidden()) {
            return Err(LabError::refused(format!("--start: that network has {} neurons", network.hidden())));
        }
        if self.buckets.is_some_and(|buckets| buckets != network.buckets()) {
            return Err(LabError::refused(format!("--start: that network has {} output buckets", network.buckets())));
        }
        if network.zones().count() > 1 {
            return Err(LabError::refused(
                "--start: that network has zones of the king, which training/nnue/train.py trains",
            ));
        }
        match network.layers().deep {
            Some(_) if self.plain => {
                Err(LabError::refused("--start: that network has inner layers; leave out --plain"))
            }
            None if self.inner => {
                Err(LabError::refused("--start: that network has no inner layers; leave out --inner"))
            }
            _ => Ok(Some(network)),
        }
    }
}

/// A training under way.
struct Run<'a> {
    plan: &'a Plan,
    records: &'a Records,
    labels: &'a [Record],
    scale: u32,
    weights: Weights,
    /// The same as the file would hold them.
    rounded: Weights,
    optimiser: Optimiser,
    workers: Vec<Worker>,
    steps: usize,
    done: usize,
    began: Instant,
    curve: String,
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan, weights: Weights, records: &'a Records, labels: &'a [Record], scale: u32) -> Run<'a> {
        let steps = ((plan.epochs * records.learn.len() as f64 / plan.batch as f64) as usize).max(1);
        let keep = (1.0 - 20.0 / steps.max(21) as f32).min(0.999);
        Run {
            plan,
            records,
            labels,
            scale,
            optimiser: Optimiser::new(&weights, plan.decay, keep),
            workers: (0..plan.threads).map(|_| Worker::new(&weights)).collect(),
            rounded: weights.clone(),
            weights,
            steps,
            done: 0,
            began: Instant::now(),
            curve: "run,samples,loss,score_loss,result_loss\n".into(),
        }
    }

    fn go(&mut self, stop: &AtomicBool, watch: &mut Watch<'_>) -> Result<Trained, LabError> {
        let batch = self.plan.batch;
        let more = if self.labels.is_empty() { 0 } else { (self.plan.mix * batch as f64) as usize };
        let mut order = Order::new(self.records.learn.len(), self.plan.seed);
        let mut other = Order::new(self.labels.len(), self.plan.seed ^ 0x6c61_6265);
        let scale = self.scale as f32;
        let (aim, plain) = (Aim { scale, wdl: self.plan.wdl }, Aim { scale, wdl: 0.0 });
        let warm = (self.steps / 100).max(1);
        let marks = (self.steps / MARKS).max(1);
        let total = (self.steps * batch) as u64;
        self.began = Instant::now();
        while self.done < self.steps && !stop.load(Relaxed) {
            let mut samples: Vec<(&Record, Aim)> =
                (0..batch).map(|_| (&self.records.learn[order.next()], aim)).collect();
            samples.extend((0..more).map(|_| (&self.labels[other.next()], plain)));
            let share = samples.len().div_ceil(self.workers.len());
            self.rounded.round(&self.weights);
            let weights = &self.rounded;
            std::thread::scope(|scope| {
                for (worker, part) in self.workers.iter_mut().zip(samples.chunks(share)) {
                    scope.spawn(move || worker.learn(weights, part.iter().copied()));
                }
            });
            let fall = (std::f32::consts::PI * self.done as f32 / self.steps as f32).cos();
            let rate = (0.5 * (1.0 + fall) * 0.995 + 0.005) * ((self.done + 1) as f32 / warm as f32).min(1.0);
            self.optimiser.step(&mut self.weights, &mut self.workers, samples.len(), self.plan.rate * rate);
            self.done += 1;
            let speed = (self.done * samples.len()) as f64 / self.began.elapsed().as_secs_f64().max(1e-9);
            watch(Event::Trained { done: (self.done * batch) as u64, total, speed });
            if self.done.is_multiple_of(marks) && self.done < self.steps {
                self.judge(watch)?;
            }
        }
        let layers = self.judge(watch)?;
        let seen = (self.done * batch) as u64;
        Ok(Trained { layers, seen, complete: self.done == self.steps, elapsed: self.began.elapsed() })
    }

    /// Measures the averaged network as its file will hold it, tells, and writes file and curve.
    fn judge(&mut self, watch: &mut Watch<'_>) -> Result<Layers, LabError> {
        let plan = self.plan;
        let whole = self.optimiser.mean.to_layers(self.head());
        let rounded = Weights::from_layers(&whole);
        let scale = self.scale as f32;
        let aims = [plan.wdl, 0.0, 1.0].map(|wdl| Aim { scale, wdl });
        // From all files alike, whose labels may differ in depth.
        let apart = self.records.held_out.len().div_ceil(JUDGED).max(1);
        let held_out: Vec<Record> = self.records.held_out.iter().step_by(apart).copied().collect();
        let share = held_out.len().div_ceil(self.workers.len());
        let rounded = &rounded;
        let sums: Vec<[f64; 3]> = std::thread::scope(|scope| {
            let parts = self.workers.iter_mut().zip(held_out.chunks(share));
            let threads: Vec<_> = parts.map(|(w, part)| scope.spawn(move || w.judge(rounded, part, aims))).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        let loss: [f64; 3] = std::array::from_fn(|i| sums.iter().map(|s| s[i]).sum::<f64>() / held_out.len() as f64);
        let seen = (self.done * plan.batch) as f64 / 1e6;
        watch(Event::Measured { seen, loss });
        let name = plan.out.file_stem().unwrap_or_default().to_string_lossy().replace(',', " ");
        self.curve += &format!("{name},{seen:.3},{:.6},{:.6},{:.6}\n", loss[0], loss[1], loss[2]);
        if self.done == 0 {
            return Ok(whole);
        }
        let recipe = format!(
            "rukh train: {} positions, {seen:.1} M seen, {} labels mixed {}, start {}, batch {}, rate {}, wdl {}, decay {}, \
             scale {}, held-out loss {:.6}; {}",
            self.records.learn.len(),
            self.labels.len(),
            plan.mix,
            plan.start.as_deref().unwrap_or("random"),
            plan.batch,
            plan.rate,
            plan.wdl,
            plan.decay,
            self.scale,
            loss[0],
            plan.note
        );
        let layers = Layers { recipe, ..whole };
        let bytes = layers.to_bytes().map_err(|error| LabError::new(format!("cannot be written: {error}")))?;
        rukh_files::replace(&plan.out, &bytes)?;
        if let Some(csv) = &plan.csv {
            rukh_files::replace(csv, self.curve.as_bytes())?;
        }
        Ok(layers)
    }

    /// The head of the file, with no weights and no words yet.
    fn head(&self) -> Layers {
        Layers {
            variant: self.plan.variant,
            scale: self.scale,
            zones: Zones::default(),
            first: Vec::new(),
            first_bias: Vec::new(),
            second: Vec::new(),
            second_bias: Vec::new(),
            deep: None,
            recipe: String::new(),
        }
    }
}
