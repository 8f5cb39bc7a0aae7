//! `rukh tune search`: the numbers of the search, tuned by games (SPSA).

#[cfg(feature = "tune")]
pub use on::run;

/// An ordinary build has its numbers fixed.
#[cfg(not(feature = "tune"))]
pub fn run(_: crate::cli::Args) -> Result<(), crate::cli::CliError> {
    Err(crate::cli::CliError::new(
        "in this build the numbers of the search are fixed; build one with `cargo build --release -p rukh --features tune`",
    ))
}

#[cfg(feature = "tune")]
mod on {
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::time::{Duration, Instant};

    use rukh_arena::openings::{Opening, arrange, parse_list};
    use rukh_core::{Game, Position, Rules, Variant, dispatch};
    use rukh_eval::Terms;
    use rukh_lab::spsa::{Files, Plan, State, Table, knobs};

    use crate::cli::{Args, CliError};
    use crate::outln;

    const TELL_EVERY: Duration = Duration::from_secs(10);

    struct Options {
        openings: PathBuf,
        files: Files,
        threads: usize,
        minutes: Option<f64>,
        hash: usize,
        plan: Plan,
    }

    pub fn run(mut args: Args) -> Result<(), CliError> {
        let variant: Variant = args.parsed("--variant")?.unwrap_or(Variant::Chess);
        let list = |text: Option<String>| -> Vec<String> {
            text.unwrap_or_default().split(',').filter(|s| !s.is_empty()).map(str::to_owned).collect()
        };
        let (only, without) = (list(args.option("--only")?), list(args.option("--without")?));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let plot = args.option("--plot")?.unwrap_or_else(|| "spsa.html".into());
        let options = Options {
            openings: args.option("--openings")?.ok_or_else(|| CliError::usage("--openings <file> is missing"))?.into(),
            files: Files {
                state: args.option("--state")?.unwrap_or_else(|| "spsa.state".into()).into(),
                plot: (plot != "-").then(|| plot.into()),
            },
            threads: args.parsed::<usize>("--threads")?.unwrap_or(cores).clamp(1, 1024),
            minutes: args.parsed("--minutes")?,
            hash: args.parsed::<usize>("--hash")?.unwrap_or(8).clamp(1, 1024),
            plan: Plan {
                knobs: knobs(&only, &without)?,
                iterations: args.parsed::<u64>("--iterations")?.unwrap_or(1400).max(1),
                pairs: args.parsed::<usize>("--pairs")?.unwrap_or(8).clamp(1, 10_000),
                nodes: args.parsed::<u64>("--nodes")?.unwrap_or(10_000).max(1),
                seed: args.parsed("--seed")?.unwrap_or(1),
                rate: args.parsed("--rate")?.unwrap_or(0.002),
                perturbation: args.parsed("--perturb")?.unwrap_or(0.05),
            },
        };
        args.finish()?;
        dispatch!(type R of variant => tune::<R>(options, variant))
    }

    fn tune<R: Rules + Terms>(options: Options, variant: Variant) -> Result<(), CliError> {
        let Options { openings, files, threads, minutes, hash, plan } = options;
        let state = State::resume(&files.state, plan)?;
        let plan = state.plan.clone();
        let table = Table { starts: starts::<R>(&openings, variant, plan.seed)?, threads, hash };
        let stop: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
        let _ = ctrlc::set_handler(move || stop.store(true, Relaxed));
        outln!(
            "{} parameters, iteration {} of {}, {} pairs each at {} nodes, {} openings, {threads} threads",
            plan.knobs.len(),
            state.done,
            plan.iterations,
            plan.pairs,
            plan.nodes,
            table.starts.len()
        );
        let (begin, before) = (Instant::now(), state.games());
        let told = Mutex::new(begin);
        let tell = |state: &State| {
            if minutes.is_some_and(|minutes| begin.elapsed().as_secs_f64() >= 60.0 * minutes) {
                stop.store(true, Relaxed);
            }
            let Ok(mut told) = told.lock() else { return };
            if told.elapsed() >= TELL_EVERY {
                *told = Instant::now();
                let rate = (state.games() - before) as f64 / begin.elapsed().as_secs_f64();
                let left = (plan.iterations - state.done) as f64 * 2.0 * plan.pairs as f64 / rate.max(1e-9);
                eprintln!(
                    "iteration {} of {}, {} games, {rate:.1} a second, {:.0} minutes left",
                    state.done,
                    plan.iterations,
                    state.games(),
                    left / 60.0
                );
            }
        };
        report(&table.run(state, &files, stop, tell)?)
    }

    /// The openings in the order of play.
    fn starts<R: Rules>(path: &Path, variant: Variant, seed: u64) -> Result<Vec<Position<R>>, CliError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| CliError::new(format!("cannot read {}: {error}", path.display())))?;
        let (mut list, complaints) = parse_list::<R>(&text, variant);
        if let Some(first) = complaints.first() {
            return Err(CliError::new(format!("{}: {first}", path.display())));
        }
        arrange(&mut list, true, seed, 1);
        let position = |opening: &Opening| {
            let start = opening.fen.as_ref().map_or(Some(Position::startpos()), |fen| Position::from_fen(fen).ok())?;
            let mut game = Game::new(start);
            for text in &opening.moves {
                let mv = game.position().parse_uci(text).ok()?;
                game.play(mv);
            }
            game.outcome().is_none().then(|| *game.position())
        };
        let starts: Vec<Position<R>> = list.iter().filter_map(position).collect();
        if starts.is_empty() {
            return Err(CliError::new(format!("{} has no opening to play from", path.display())));
        }
        Ok(starts)
    }

    /// The new lines of params.rs, and the same for the environment of a build with the feature.
    fn report(state: &State) -> Result<(), CliError> {
        let [won, drawn, lost] = state.score;
        outln!(
            "\niteration {} of {}, {} games (raised values +{won} ={drawn} -{lost}); lines for crates/search/src/params.rs:",
            state.done,
            state.plan.iterations,
            state.games()
        );
        let mut changed = Vec::new();
        for (knob, value) in state.plan.knobs.iter().zip(state.values()) {
            let value = value.round();
            outln!("    {} = {value}, {}..={}; // was {}", knob.name, knob.min, knob.max, knob.start);
            if value != knob.start {
                changed.push(format!("{}={value}", knob.name));
            }
        }
        outln!("\nto try them in a match with a build of this kind:\nRUKH_PARAMS={}", changed.join(","));
        Ok(())
    }
}
