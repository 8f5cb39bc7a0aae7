//! `rukh tune search`: the numbers of the search, tuned by games (SPSA).

use clap::Command;

use crate::cli::define::{self, choice, file, opt};

#[cfg(feature = "tune")]
pub use on::run;

pub fn command() -> Command {
    define::command("search", "tune the parameters of the search with games of the engine against itself (SPSA)")
        .arg(file("openings", "FILE", "opening positions, one per line (EPD, FEN or moves)").required(true))
        .arg(opt("iterations", "N", "default 1400"))
        .arg(opt("pairs", "N", "game pairs per iteration (default 8)"))
        .arg(opt("nodes", "N", "nodes per move (default 10000)"))
        .arg(opt("threads", "N", "games played at the same time (default: all cores)"))
        .arg(opt("only", "NAMES", "only these parameters, by name or prefix: 'lmr_,rfp_margin' (default: about sixty)"))
        .arg(opt("without", "NAMES", "all but these"))
        .arg(opt("rate", "X", "final step for a game won, relative to the perturbation (default 0.002)"))
        .arg(opt("perturb", "X", "final perturbation, relative to a parameter's range (default 0.05)"))
        .arg(opt("minutes", "N", "stop after N minutes, as Ctrl-C would"))
        .arg(opt("seed", "N", "default 1"))
        .arg(opt("hash", "MB", "hash table of each engine (default 8)"))
        .arg(choice("variant", "V", &["chess", "makruk"], "chess (default) or makruk"))
        .arg(file("state", "FILE", "state of the run, to resume from (default spsa.state)"))
        .arg(file("plot", "FILE", "HTML page with the curves, updated while it runs (default spsa.html; '-' for none)"))
        .after_help(
            "Every iteration raises or lowers all parameters (crates/search/src/params.rs) at random, the two versions play\n\
             pairs of games, and the values move a little towards the better one. Needs a build with --features tune. Ctrl-C\n\
             stops; the same command resumes. At the end it prints the new lines of params.rs; verify them in a match before\n\
             you keep them.",
        )
}

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

    pub fn run(args: Args) -> Result<(), CliError> {
        let variant: Variant = args.parsed("--variant")?.unwrap_or(Variant::Chess);
        let list = |text: Option<String>| -> Vec<String> {
            text.unwrap_or_default().split(',').filter(|s| !s.is_empty()).map(str::to_owned).collect()
        };
        let (only, without) = (list(args.option("--only")?), list(args.option("--without")?));
        let plot = args.path("--plot").unwrap_or_else(|| "spsa.html".into());
        let options = Options {
            openings: args.path("--openings").unwrap_or_default(),
            files: Files {
                state: args.path("--state").unwrap_or_else(|| "spsa.state".into()),
                plot: (plot.as_os_str() != "-").then_some(plot),
            },
            threads: args.threads()?,
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
