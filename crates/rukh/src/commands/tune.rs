//! `rukh tune`: fits the weights of the classical evaluation to the results of games, and (`rukh tune search`) the numbers of
//! the search to games between their versions.

mod search;

use std::path::{Path, PathBuf};

use clap::Command;
use rukh_core::{Variant, dispatch};
use rukh_lab::tune::{Dataset, Fit, Game, Gather, SelfPlay, write};

use crate::cli::define::{self, choice, file, files, opt, threads};
use crate::cli::{Args, CliError, Progress, Result, counted, not_an_input};

pub fn command() -> Command {
    define::command("tune", "tune the evaluation weights or the search parameters")
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .arg(files("file", "games or positions"))
        .arg(choice("variant V", &["chess", "makruk"], "chess (default) or makruk"))
        .arg(opt("per-game N", "at most N positions per game (default 20)"))
        .arg(opt("max N", "at most N positions in total (default 4000000)"))
        .arg(opt("epochs N", "passes over the data (default 20)"))
        .arg(opt("rate X", "initial step size, in centipawns (default 1.0)"))
        .arg(opt("pull X", "regularisation towards the old weights (default 3e-9)"))
        .arg(opt("only LINES", "tune only these terms of 'rukh eval', such as 'material,placement,tempo'; all others are zero"))
        .arg(opt("mix X", "weight of the search score in the target; the rest is the game result (default 0.4)"))
        .arg(opt("self-play N", "play N games instead of tuning, and append their quiet positions to the file"))
        .arg(opt("nodes N", "nodes per move in these games (default 2000)"))
        .arg(threads())
        .arg(opt("seed N", "random seed for sampling and shuffling (default 1)"))
        .arg(file("out FILE", "where to write the weights (default crates/eval/src/weights/<variant>.rs; '-': nowhere)"))
        .subcommand(search::command())
        .after_help(
            "Fits the weights of the classical evaluation to game results and writes them as Rust source. Files are PGN\n\
             (plain or compressed), EPD with a result (`c9 \"1-0\";`, `[0.5]` or a trailing `1/2-1/2`) and optionally a\n\
             search score (`ce 35;`), or .games files from 'rukh datagen'.",
        )
}

pub fn run(args: Args) -> Result {
    if let Some((_, args)) = args.action() {
        return search::run(args);
    }
    let variant: Variant = args.or("--variant", Variant::Chess)?;
    let fit = Fit {
        only: Fit::lines(&args.list("--only")?)?,
        epochs: args.positive("--epochs")?.unwrap_or(20),
        rate: args.positive("--rate")?.unwrap_or(1.0),
        pull: args.within("--pull", 3e-9, 0.0..=1.0)?,
        mix: args.within("--mix", 0.4, 0.0..=1.0)?,
        threads: args.threads()?.min(256),
        seed: args.or("--seed", 1)?,
    };
    let files = args.paths("file");
    let nodes = args.positive("--nodes")?.unwrap_or(2000);
    if let Some(games) = args.positive("--self-play")? {
        let [file] = files.as_slice() else { return Err(CliError::usage("--self-play writes one file")) };
        let play = SelfPlay { games, nodes, threads: fit.threads, seed: fit.seed };
        let mut progress = Progress::new("games", Some(games as u64));
        let report = |done: u64, positions: usize| progress.set(done, &format!("{positions} positions"));
        let positions = dispatch!(type R of variant => play.run::<R>(file, report));
        progress.finish();
        outln!("{} added to {}", counted(positions? as u64, "position"), file.display());
        return Ok(());
    }
    let usual = || format!("crates/eval/src/weights/{}.rs", variant.rules().name()).into();
    let out = Some(args.path("--out").unwrap_or_else(usual)).filter(|out| out.as_os_str() != "-");
    if let Some(out) = &out {
        let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            let out = out.display();
            let advice = "run this at the top of the source tree, or use --out";
            return Err(CliError::new(format!("no folder for {out}: {advice}")));
        }
        not_an_input(out, &files)?;
    }
    dispatch!(type R of variant => tune::<R>(&args, &fit, &files, out.as_deref()))
}

fn tune<R: Game>(args: &Args, fit: &Fit, files: &[PathBuf], out: Option<&Path>) -> Result {
    let max = args.positive("--max")?.unwrap_or(4_000_000);
    let mut progress = Progress::new("positions", Some(max as u64));
    let mut gather = Gather::<R>::new(fit.seed, args.positive("--per-game")?.unwrap_or(20), max);
    for file in files {
        if let Some(said) = gather.file(file, |done| progress.set(done, ""))? {
            errln!("{}: {said}", file.display());
        }
    }
    let took = progress.elapsed().as_secs_f32();
    progress.finish();
    let gathered = gather.into_dataset();
    if gathered.data.training.is_empty() || gathered.data.validation.is_empty() {
        return Err(CliError::new("not enough positions with results to tune on"));
    }
    errln!(
        "{} games, {} positions for training, {} for validation, {} MB of coefficients, {took:.0} s",
        gathered.games,
        gathered.data.training.len(),
        gathered.data.validation.len(),
        gathered.data.bytes() >> 20
    );
    if gathered.broken > 0 {
        let (broken, first) = (gathered.broken, gathered.first_error);
        errln!("{broken} games or lines could not be read and were skipped; the first: {first}");
    }
    let mut data: Dataset = gathered.data;
    let start: Vec<[f32; 2]> = R::weights().iter().map(|w| [w.mg() as f32, w.eg() as f32]).collect();
    let mut progress = Progress::new("epochs", Some(fit.epochs as u64));
    let result = fit.run::<R>(&mut data, start, |epoch, note| progress.set(epoch, note));
    let took = progress.elapsed().as_secs_f32();
    progress.finish();
    if let Some(out) = out {
        write::<R>(out, &result.weights, result.validation)?;
    }
    outln!("scale K = {:.6}; {}, {took:.0} s", result.k, counted(result.epochs as u64, "epoch"));
    outln!("training loss   {:.6} -> {:.6}", result.training[0], result.training[1]);
    outln!("validation loss {:.6} -> {:.6}", result.validation[0], result.validation[1]);
    if let Some(out) = out {
        outln!("wrote {}", out.display());
    }
    Ok(())
}
