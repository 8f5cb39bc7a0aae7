//! `rukh train`: trains an evaluation network on this machine's cores, without a GPU and without Python.
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
use std::time::Instant;

use crate::cli::{Args, CliError, Progress, not_an_input};
use crate::outln;
use model::{Aim, Optimiser, PIECE, Worker};
use records::{Order, Record, Records};
use rukh_core::{Chess, Makruk, Variant};
use rukh_engine::network_for;
use rukh_eval::nnue::{Layers, Network};
use weights::Weights;

pub const SUMMARY: &str = "train a network on this machine's cores";
pub const HELP: &str = "\
usage: rukh train <chess|makruk> --out FILE.nnue [options] RECORDS...

Trains an evaluation network on the records of `rukh datagen expand`, without a GPU. The aim of a position is
wdl · result + (1 - wdl) · sigmoid(score / scale). After each twelfth of the way a line shows the loss on games held
out and the file is written, so that little is lost when you stop it (Ctrl-C ends with the network of that moment).

options:
  --hidden N      neurons for each side, a multiple of 64 (default 256, or those of --start)
  --buckets N     output weights by number of men, 1 to 32 (default 8, or those of --start)
  --plain         the direct output alone (default: inner layers beside it, or what --start has)
  --inner         with inner layers: a --start without them is refused
  --start FILE    go on from this network; <embedded>: the one in this program (default: random weights)
  --epochs X      passes over the records (default 10)
  --batch N       positions a step (default 16384)
  --rate X        learning rate at the beginning; it falls along a cosine (default 0.001)
  --wdl X         share of the game's result in the aim (default 0.1)
  --decay X       pull of all weights towards zero (default 0.01)
  --scale CP      centipawns per unit of log-odds (default: fitted to the records)
  --labels FILE   records of `rukh datagen label` to mix in, with their scores alone as aim
  --mix X         so many of them for each other position (default 0.1)
  --threads N     default: all
  --seed N        of weights and order (default 1)
  --csv FILE      the loss curve; training/nnue/plot.py draws it
  --note TEXT     words for the recipe in the file: which games, which engine
";

/// How many times the loss is measured and the file written.
const MARKS: usize = 12;
/// Held-out positions that are looked at.
const JUDGED: usize = 200_000;

struct Plan {
    variant: Variant,
    out: PathBuf,
    hidden: Option<usize>,
    buckets: Option<usize>,
    plain: bool,
    inner: bool,
    start: Option<String>,
    epochs: f64,
    batch: usize,
    rate: f32,
    wdl: f32,
    decay: f32,
    scale: Option<u32>,
    labels: Option<PathBuf>,
    mix: f64,
    threads: usize,
    seed: u64,
    csv: Option<PathBuf>,
    note: String,
    files: Vec<PathBuf>,
}

pub fn run(mut args: Args) -> Result<(), CliError> {
    let out: String = args.option("--out")?.ok_or_else(|| CliError::usage("--out FILE.nnue is missing"))?;
    let hidden: Option<usize> = args.parsed("--hidden")?;
    if let Some(hidden) = hidden
        && (hidden == 0 || hidden > 2048 || hidden % PIECE != 0)
    {
        return Err(CliError::usage(format!("--hidden: a multiple of {PIECE} up to 2048")));
    }
    let within = |name: &str, value: f64, least: f64, most: f64| {
        if (least..=most).contains(&value) {
            Ok(value)
        } else {
            Err(CliError::usage(format!("{name}: between {least} and {most}")))
        }
    };
    let buckets: Option<usize> = args.parsed("--buckets")?;
    if buckets.is_some_and(|buckets| !(1..=32).contains(&buckets)) {
        return Err(CliError::usage("--buckets: between 1 and 32"));
    }
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut plan = Plan {
        variant: Variant::Chess,
        out: out.into(),
        hidden,
        buckets,
        plain: args.flag("--plain"),
        inner: args.flag("--inner"),
        start: args.option("--start")?,
        epochs: within("--epochs", args.parsed("--epochs")?.unwrap_or(10.0), 0.001, 1e6)?,
        batch: args.parsed("--batch")?.unwrap_or(16_384usize).clamp(1, 1 << 24),
        rate: within("--rate", args.parsed("--rate")?.unwrap_or(0.001), 0.0, 1.0)? as f32,
        wdl: within("--wdl", args.parsed("--wdl")?.unwrap_or(0.1), 0.0, 1.0)? as f32,
        decay: within("--decay", args.parsed("--decay")?.unwrap_or(0.01), 0.0, 1.0)? as f32,
        scale: args.parsed::<u32>("--scale")?.map(|scale| scale.clamp(1, 10_000)),
        labels: args.option("--labels")?.map(PathBuf::from),
        mix: within("--mix", args.parsed("--mix")?.unwrap_or(0.1), 0.0, 10.0)?,
        threads: args.parsed("--threads")?.unwrap_or(cores).clamp(1, 256),
        seed: args.parsed("--seed")?.unwrap_or(1),
        csv: args.option("--csv")?.map(PathBuf::from),
        note: args.option("--note")?.unwrap_or_default(),
        files: Vec::new(),
    };
    let word: String = args.required("chess|makruk")?;
    plan.variant = word.parse().map_err(|error| CliError::input(error, &word))?;
    while let Some(file) = args.positional()? {
        plan.files.push(file.into());
    }
    args.finish()?;
    if plan.plain && plan.inner {
        return Err(CliError::usage("--plain and --inner: one or the other"));
    }
    if plan.files.is_empty() {
        return Err(CliError::usage("no records: name files of 'rukh datagen expand'"));
    }
    // The start may be the network that is to be trained further: it is read whole before anything is written.
    let outputs = [Some(&plan.out), plan.csv.as_ref()];
    for out in outputs.into_iter().flatten() {
        not_an_input(out, plan.files.iter().chain(&plan.labels))?;
    }
    if plan.csv.as_ref() == Some(&plan.out) {
        return Err(CliError::usage("--out and --csv name the same file"));
    }
    plan.train()
}

impl Plan {
    fn train(&self) -> Result<(), CliError> {
        let start = self.network()?;
        let records = Records::read(&self.files)?;
        if records.learn.is_empty() || records.held_out.is_empty() {
            return Err(CliError::new("too few games: nothing to learn from, or nothing held out"));
        }
        let labels = match &self.labels {
            Some(path) => Records::read(std::slice::from_ref(path))?.learn,
            None => Vec::new(),
        };
        let scale = self.scale.unwrap_or_else(|| records::fit_scale(&records.learn));
        outln!(
            "{} positions, {} held out, {} labels; scale {scale}",
            records.learn.len(),
            records.held_out.len(),
            labels.len()
        );
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
        run.judge()?;
        run.go()
    }

    /// The network to start from.
    fn network(&self) -> Result<Option<Arc<Network>>, CliError> {
        let Some(name) = &self.start else { return Ok(None) };
        let found = match self.variant {
            Variant::Makruk => network_for::<Makruk>(name),
            _ => network_for::<Chess>(name),
        };
        let network = found.map_err(CliError::new)?.ok_or_else(|| CliError::usage("--start: that is no network"))?;
        if network.hidden() % PIECE != 0 || self.hidden.is_some_and(|hidden| hidden != network.hidden()) {
            return Err(CliError::usage(format!("--start: that network has {} neurons", network.hidden())));
        }
        if self.buckets.is_some_and(|buckets| buckets != network.buckets()) {
            return Err(CliError::usage(format!("--start: that network has {} output buckets", network.buckets())));
        }
        match network.layers().deep {
            Some(_) if self.plain => Err(CliError::usage("--start: that network has inner layers; leave out --plain")),
            None if self.inner => Err(CliError::usage("--start: that network has no inner layers; leave out --inner")),
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

    fn go(&mut self) -> Result<(), CliError> {
        let stop = Arc::new(AtomicBool::new(false));
        let for_signal = Arc::clone(&stop);
        // A second handler cannot be set, and need not be: the file of the last mark is there.
        let _ = ctrlc::set_handler(move || for_signal.store(true, Relaxed));
        let batch = self.plan.batch;
        let more = if self.labels.is_empty() { 0 } else { (self.plan.mix * batch as f64) as usize };
        let mut order = Order::new(self.records.learn.len(), self.plan.seed);
        let mut other = Order::new(self.labels.len(), self.plan.seed ^ 0x6c61_6265);
        let scale = self.scale as f32;
        let (aim, plain) = (Aim { scale, wdl: self.plan.wdl }, Aim { scale, wdl: 0.0 });
        let warm = (self.steps / 100).max(1);
        let marks = (self.steps / MARKS).max(1);
        let mut progress = Progress::new("train", Some((self.steps * batch) as u64));
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
            progress.set((self.done * batch) as u64, &format!("{:.0} thousand positions/s", speed / 1e3));
            if self.done.is_multiple_of(marks) && self.done < self.steps {
                self.judge()?;
            }
        }
        progress.finish();
        let layers = self.judge()?;
        let speed = (self.done * batch) as f64 / self.began.elapsed().as_secs_f64().max(1e-9);
        outln!(
            "{}{} neurons{}, {:.1} M positions seen in {:.0} s ({:.0} thousand a second)\n{}",
            if self.done < self.steps { "stopped: " } else { "" },
            layers.first_bias.len(),
            if layers.deep.is_some() { " and inner layers" } else { "" },
            (self.done * batch) as f64 / 1e6,
            self.began.elapsed().as_secs_f64(),
            speed / 1e3,
            self.plan.out.display()
        );
        Ok(())
    }

    /// Measures the averaged network as its file will hold it, prints, and writes file and curve.
    fn judge(&mut self) -> Result<Layers, CliError> {
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
        outln!("{seen:9.1} M  loss {:.6}  score {:.6}  result {:.6}", loss[0], loss[1], loss[2]);
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
        let bytes = layers.to_bytes().map_err(|error| CliError::new(format!("cannot be written: {error}")))?;
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
            first: Vec::new(),
            first_bias: Vec::new(),
            second: Vec::new(),
            second_bias: Vec::new(),
            deep: None,
            recipe: String::new(),
        }
    }
}
