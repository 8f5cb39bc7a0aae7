//! `rukh train`: arguments and printing of the trainer ([`rukh_lab::train`]).

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rukh_core::Variant;
use rukh_lab::train::{Event, Plan, SLICE};

use crate::cli::{Args, CliError, Progress, not_an_input};
use crate::outln;

pub const SUMMARY: &str = "train a network on the CPU";
pub const HELP: &str = "\
usage: rukh train <chess|makruk> --out FILE.nnue [options] RECORDS...

Trains an evaluation network on the records of `rukh datagen expand`, without a GPU. The target of a position is
wdl · result + (1 - wdl) · sigmoid(score / scale). Twelve times during the run the validation loss is printed and the
network is written. Ctrl-C stops the training and writes the network as it is then.

options:
  --hidden N      neurons per side, a multiple of 64 (default 256, or as in --start)
  --buckets N     output buckets by number of pieces, 1 to 32 (default 8, or as in --start)
  --plain         direct output only (default: inner layers beside it, or as in --start)
  --inner         require inner layers: a --start without them is refused
  --start FILE    continue from this network; <embedded>: the built-in one (default: random weights)
  --epochs X      passes over the records (default 10)
  --batch N       positions per step (default 16384)
  --rate X        initial learning rate; cosine schedule (default 0.001)
  --wdl X         share of the game result in the target (default 0.1)
  --decay X       weight decay (default 0.01)
  --scale CP      centipawns per unit of log-odds (default: fitted to the records)
  --labels FILE   records of `rukh datagen label` to mix in; only their scores are the target
  --mix X         how many of them per ordinary position (default 0.1)
  --threads N     default: all cores
  --seed N        random seed for weights and order (default 1)
  --csv FILE      write the loss curve; training/nnue/plot.py draws it
  --note TEXT     a note stored in the network: which games, which engine
";

pub fn run(mut args: Args) -> Result<(), CliError> {
    let out: String = args.option("--out")?.ok_or_else(|| CliError::usage("--out FILE.nnue is missing"))?;
    let hidden: Option<usize> = args.parsed("--hidden")?;
    if let Some(hidden) = hidden
        && (hidden == 0 || hidden > 2048 || hidden % SLICE != 0)
    {
        return Err(CliError::usage(format!("--hidden: a multiple of {SLICE} up to 2048")));
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
    let stop = Arc::new(AtomicBool::new(false));
    let mut progress: Option<Progress> = None;
    let trained = plan.train(&stop, &mut |event| {
        if matches!(event, Event::Read { .. }) {
            let for_signal = Arc::clone(&stop);
            // A second handler cannot be set, and need not be: the file of the last mark is there.
            let _ = ctrlc::set_handler(move || for_signal.store(true, Relaxed));
        }
        tell(event, &mut progress)
    });
    drop(progress);
    let trained = trained?;
    let (millions, seconds) = (trained.seen as f64 / 1e6, trained.elapsed.as_secs_f64());
    outln!(
        "{}{} neurons{}, {millions:.1} M positions seen in {seconds:.0} s ({:.0} thousand a second)\n{}",
        if trained.complete { "" } else { "stopped: " },
        trained.layers.first_bias.len(),
        if trained.layers.deep.is_some() { " and inner layers" } else { "" },
        1e3 * millions / seconds.max(1e-9),
        plan.out.display()
    );
    Ok(())
}

/// A line for what stays, a line of progress for what passes.
fn tell(event: Event, progress: &mut Option<Progress>) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    match event {
        Event::Reading { done, total } => {
            progress.get_or_insert_with(|| Progress::new("records", Some(total))).set(done, "");
        }
        Event::Read { learn, held_out, labels, scale } => {
            *progress = None;
            writeln!(out, "{learn} positions, {held_out} held out, {labels} labels; scale {scale}")?;
        }
        Event::Trained { done, total, speed } => {
            let note = format!("{:.0} thousand positions/s", speed / 1e3);
            progress.get_or_insert_with(|| Progress::new("train", Some(total))).set(done, &note);
        }
        Event::Measured { seen, loss } => {
            if let Some(progress) = progress {
                progress.wipe();
            }
            writeln!(out, "{seen:9.1} M  loss {:.6}  score {:.6}  result {:.6}", loss[0], loss[1], loss[2])?;
        }
    }
    Ok(())
}
