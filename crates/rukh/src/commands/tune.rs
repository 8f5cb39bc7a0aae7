//! `rukh tune`: fits the weights of the classical evaluation to the results of games, and (`rukh tune search`) the numbers of
//! the search to games between their versions.

mod search;

use std::path::{Path, PathBuf};

use clap::Command;
use rukh_core::{Variant, dispatch};
use rukh_eval::layout::Line;
use rukh_lab::tune::{Dataset, Fit, Game, Gather, SelfPlay, write};

use crate::cli::define::{self, choice, file, files, opt, threads};
use crate::cli::{Args, CliError, Progress, not_an_input};
use crate::outln;

pub fn command() -> Command {
    define::command("tune", "tune the evaluation's weights or the search's parameters")
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .arg(files("file", "games or positions"))
        .arg(choice("variant", "V", &["chess", "makruk"], "chess (default) or makruk"))
        .arg(opt("per-game", "N", "at most N positions per game (default 20)"))
        .arg(opt("max", "N", "at most N positions in total (default 4000000)"))
        .arg(opt("epochs", "N", "passes over the data (default 20)"))
        .arg(opt("rate", "X", "initial step of a weight, in centipawns (default 1.0)"))
        .arg(opt("pull", "X", "regularisation towards the old weights (default 3e-9)"))
        .arg(opt("only", "LINES", "fit only these lines of 'rukh eval', as 'material,placement,tempo'; all others are zero"))
        .arg(opt("mix", "X", "share of the search score in the target, the rest is the result (default 0.4)"))
        .arg(opt("self-play", "N", "play N games instead of fitting, and append their quiet positions to the file"))
        .arg(opt("nodes", "N", "nodes per move in these games (default 2000)"))
        .arg(threads())
        .arg(opt("seed", "N", "random seed for sampling and shuffling (default 1)"))
        .arg(file("out", "FILE", "default crates/eval/src/weights/<variant>.rs; '-' writes nothing"))
        .subcommand(search::command())
        .after_help(
            "Fits the weights of the classical evaluation to game results and writes them as Rust source. Files are PGN\n\
             (plain or compressed), EPD with a result (`c9 \"1-0\";`, `[0.5]` or a last word `1/2-1/2`) and optionally a\n\
             search score (`ce 35;`), or .games files of 'rukh datagen'.",
        )
}

/// What the user asked for.
struct Options {
    per_game: usize,
    max: usize,
    fit: Fit,
    seed: u64,
    out: Option<PathBuf>,
    files: Vec<PathBuf>,
}

pub fn run(args: Args) -> Result<(), CliError> {
    if let Some((_, args)) = args.action() {
        return search::run(args);
    }
    let variant: Variant = args.parsed("--variant")?.unwrap_or(Variant::Chess);
    let seed = args.parsed("--seed")?.unwrap_or(1);
    let only = args.option("--only")?.unwrap_or_default();
    let only: Vec<String> = only.split(',').filter(|s| !s.is_empty()).map(str::to_lowercase).collect();
    let known = |name: &String| Line::ALL.iter().any(|line| format!("{line:?}").to_lowercase() == *name);
    if let Some(name) = only.iter().find(|name| !known(name)) {
        return Err(CliError::usage(format!("--only: no line '{name}'; the lines are {:?}", Line::ALL)));
    }
    let fit = Fit {
        only,
        epochs: args.parsed("--epochs")?.unwrap_or(20),
        rate: args.parsed("--rate")?.unwrap_or(1.0),
        pull: args.parsed("--pull")?.unwrap_or(3e-9),
        mix: args.parsed::<f32>("--mix")?.unwrap_or(0.4).clamp(0.0, 1.0),
        threads: args.threads()?.min(256),
        seed,
    };
    let games: Option<usize> = args.parsed("--self-play")?;
    let nodes = args.parsed("--nodes")?.unwrap_or(2000);
    let name = variant.rules().name();
    let out = args.path("--out").unwrap_or_else(|| format!("crates/eval/src/weights/{name}.rs").into());
    let options = Options {
        per_game: args.parsed("--per-game")?.unwrap_or(20),
        max: args.parsed("--max")?.unwrap_or(4_000_000),
        fit,
        seed,
        out: (out.as_os_str() != "-").then_some(out),
        files: args.paths("file"),
    };
    if let Some(games) = games {
        let [file] = options.files.as_slice() else { return Err(CliError::usage("--self-play writes one file")) };
        let play = SelfPlay { games, nodes, threads: options.fit.threads, seed };
        let mut progress = Progress::new("games", Some(games as u64));
        let report = |done: u64, positions: usize| progress.set(done, &format!("{positions} positions"));
        let positions = dispatch!(type R of variant => play.run::<R>(file, report));
        progress.finish();
        let positions = positions?;
        outln!("{positions} positions added to {}", file.display());
        return Ok(());
    }
    if let Some(out) = &options.out
        && !out.parent().unwrap_or(Path::new("")).as_os_str().is_empty()
        && !out.parent().is_some_and(Path::is_dir)
    {
        return Err(CliError::new(format!(
            "no folder for {}: run this at the top of the source tree, or use --out",
            out.display()
        )));
    }
    if let Some(out) = &options.out {
        not_an_input(out, &options.files)?;
    }
    dispatch!(type R of variant => tune::<R>(&options))
}

fn tune<R: Game>(options: &Options) -> Result<(), CliError> {
    let mut progress = Progress::new("positions", Some(options.max as u64));
    let mut gather = Gather::<R>::new(options.seed, options.per_game, options.max);
    for file in &options.files {
        if let Some(said) = gather.file(file, |done| progress.set(done, ""))? {
            eprintln!("{}: {said}", file.display());
        }
    }
    let took = progress.elapsed().as_secs_f32();
    progress.finish();
    let gathered = gather.into_dataset();
    if gathered.data.training.is_empty() || gathered.data.validation.is_empty() {
        return Err(CliError::new("not enough positions with results to tune on"));
    }
    outln!(
        "{} games, {} positions for training, {} for validation, {} MB of coefficients, {took:.0} s",
        gathered.games,
        gathered.data.training.len(),
        gathered.data.validation.len(),
        gathered.data.bytes() >> 20
    );
    if gathered.broken > 0 {
        outln!(
            "{} games or lines could not be read and were left out; the first: {}",
            gathered.broken,
            gathered.first_error
        );
    }
    let mut data: Dataset = gathered.data;
    let start: Vec<[f32; 2]> = R::weights().iter().map(|w| [w.mg() as f32, w.eg() as f32]).collect();
    let mut progress = Progress::new("epochs", Some(options.fit.epochs as u64));
    let result = options.fit.run::<R>(&mut data, start, |epoch, note| progress.set(epoch, note));
    let took = progress.elapsed().as_secs_f32();
    progress.finish();
    outln!("scale K = {:.6}; {} epochs, {took:.0} s", result.k, result.epochs);
    outln!("training loss   {:.6} -> {:.6}", result.training[0], result.training[1]);
    outln!("validation loss {:.6} -> {:.6}", result.validation[0], result.validation[1]);
    if let Some(out) = &options.out {
        write::<R>(out, &result.weights, result.validation)?;
        outln!("wrote {}", out.display());
    }
    Ok(())
}
