//! `rukh train`: arguments and printing of the trainer ([`rukh_lab::train`]).

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use clap::Command;
use rukh_core::Variant;
use rukh_lab::train::{Event, Plan, SLICE};

use crate::cli::define::{self, choice, file, files, flag, opt, threads};
use crate::cli::{Args, CliError, Progress, Result, each_its_own, not_an_input};

pub fn command() -> Command {
    define::command("train", "train a network on the CPU")
        .arg(files("records", "files made by 'rukh datagen expand'"))
        .arg(choice("variant V", &["chess", "makruk"], "chess (default; Chess960 too) or makruk"))
        .arg(file("out FILE.nnue", "the network to write").required(true))
        .arg(opt("hidden N", "neurons per side, a multiple of 64 (default 256, or as in --start)"))
        .arg(opt("buckets N", "output buckets by number of pieces, 1 to 32 (default 8, or as in --start)"))
        .arg(flag("plain", "no inner layers (default: with them, or as in --start)"))
        .arg(flag("inner", "require inner layers: rejects a --start without them").conflicts_with("plain"))
        .arg(file("start FILE", "continue from this network; <embedded>: the built-in one (default: random weights)"))
        .arg(opt("epochs X", "passes over the records (default 10)"))
        .arg(opt("batch N", "positions per step (default 16384)"))
        .arg(opt("rate X", "initial learning rate; cosine schedule (default 0.001)"))
        .arg(opt("wdl X", "weight of the game result in the target (default 0.1)"))
        .arg(opt("decay X", "weight decay (default 0.01)"))
        .arg(opt("scale CP", "centipawns per unit of log-odds (default: fitted to the records)"))
        .arg(file("labels FILE", "records from 'rukh datagen label' to mix in, trained on their scores only"))
        .arg(opt("mix X", "how many of these per ordinary position (default 0.1)"))
        .arg(threads())
        .arg(opt("seed N", "random seed for weights and order (default 1)"))
        .arg(file("csv FILE", "write the loss curve, which training/nnue/plot.py can plot"))
        .arg(opt("note TEXT", "note to store in the network file: which games, which engine"))
        .after_help(
            "Trains an evaluation network without a GPU. The target for a position is\n\
             wdl · result + (1 - wdl) · sigmoid(score / scale). The validation loss is printed and the network saved twelve\n\
             times during the run. Ctrl-C stops the training and saves the network.",
        )
}

pub fn run(args: Args) -> Result {
    let hidden: Option<usize> = args.parsed("--hidden")?;
    if let Some(hidden) = hidden
        && (hidden == 0 || hidden > 2048 || hidden % SLICE != 0)
    {
        return Err(CliError::usage(format!("--hidden: a multiple of {SLICE} up to 2048")));
    }
    let buckets = args.parsed::<usize>("--buckets")?.map(|_| args.within("--buckets", 8, 1..=32)).transpose()?;
    let (variant, records) = args.variant_and_words("records")?;
    if records.is_empty() {
        return Err(CliError::usage("<records> is missing"));
    }
    let plan = Plan {
        variant: variant.unwrap_or(Variant::Chess),
        out: args.path("--out").unwrap_or_default(),
        hidden,
        buckets,
        plain: args.flag("--plain"),
        inner: args.flag("--inner"),
        start: args.option("--start")?,
        epochs: args.within("--epochs", 10.0, 0.001..=1e6)?,
        batch: args.within("--batch", 16_384, 1..=1 << 24)?,
        rate: args.within("--rate", 0.001, 1e-9..=1.0)? as f32,
        wdl: args.within("--wdl", 0.1, 0.0..=1.0)? as f32,
        decay: args.within("--decay", 0.01, 0.0..=1.0)? as f32,
        scale: args.parsed::<u32>("--scale")?.map(|_| args.within("--scale", 1, 1..=10_000)).transpose()?,
        labels: args.path("--labels"),
        mix: args.within("--mix", 0.1, 0.0..=10.0)?,
        threads: args.threads()?.min(256),
        seed: args.or("--seed", 1)?,
        csv: args.path("--csv"),
        note: args.option("--note")?.unwrap_or_default(),
        files: records.into_iter().map(PathBuf::from).collect(),
    };
    // The start may be the network that is to be trained further: it is read whole before anything is written.
    let outputs = [Some(&plan.out), plan.csv.as_ref()];
    for out in outputs.into_iter().flatten() {
        not_an_input(out, plan.files.iter().chain(&plan.labels))?;
    }
    each_its_own(&args, &["--out", "--csv"])?;
    each_its_own(&args, &["--start", "--csv"])?;
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

/// A line for what stays, a line of progress for what passes. Nobody has to read them: what counts is the file.
fn tell(event: Event, progress: &mut Option<Progress>) {
    let mut out = std::io::stdout();
    match event {
        Event::Reading { done, total } => {
            progress.get_or_insert_with(|| Progress::new("records", Some(total))).set(done, "");
        }
        Event::Read { learn, held_out, labels, scale } => {
            *progress = None;
            let _ = writeln!(out, "{learn} positions, {held_out} held out, {labels} labels; scale {scale}");
        }
        Event::Trained { done, total, speed } => {
            let note = format!("{:.0} thousand positions/s", speed / 1e3);
            progress.get_or_insert_with(|| Progress::new("train", Some(total))).set(done, &note);
        }
        Event::Measured { seen, loss } => {
            if let Some(progress) = progress {
                progress.wipe();
            }
            let _ = writeln!(out, "{seen:9.1} M  loss {:.6}  score {:.6}  result {:.6}", loss[0], loss[1], loss[2]);
        }
    }
}
