//! `rukh tune search`: the numbers of the search, tuned by games (SPSA).

use clap::Command;

use crate::cli::define::{self, choice, file, opt};
#[cfg(not(feature = "tune"))]
use crate::cli::{Args, CliError, Result};

#[cfg(feature = "tune")]
pub use on::run;

pub fn command() -> Command {
    define::command("search", "tune the search parameters with self-play games (SPSA)")
        .arg(file("openings FILE", "opening positions, one per line (EPD, FEN or moves)").required(true))
        .arg(opt("iterations N", "number of iterations (default 1400)"))
        .arg(opt("pairs N", "game pairs per iteration (default 8)"))
        .arg(opt("nodes N", "nodes per move (default 10000)"))
        .arg(opt("clock B+I", "clocks that count nodes: B thousand a game and I a move, e.g. 200+2 (for --only time_)"))
        .arg(opt("threads N", "games played at the same time (default: all cores)"))
        .arg(opt("only NAMES", "only these parameters, by name or prefix: 'lmr_,rfp_margin' (default: about sixty)"))
        .arg(opt("without NAMES", "all parameters except these"))
        .arg(opt("rate X", "final step per game won, relative to the perturbation (default 0.002)"))
        .arg(opt("perturb X", "final perturbation, relative to a parameter's range (default 0.05)"))
        .arg(opt("minutes N", "stop after N minutes, like Ctrl-C"))
        .arg(opt("seed N", "random seed (default 1)"))
        .arg(opt("hash MB", "hash table of each engine (default 8)"))
        .arg(choice("variant V", &["chess", "makruk"], "chess (default) or makruk"))
        .arg(file("state FILE", "state of the run, to resume from (default spsa.state)"))
        .arg(file("plot FILE", "web page with the curves, updated during the run (default spsa.html; '-': none)"))
        .after_help(
            "Every iteration perturbs all parameters (crates/search/src/params.rs) at random, plays game pairs between the two\n\
             versions, and moves the values a little towards the winner. Needs a build with --features tune. Ctrl-C stops;\n\
             the same command resumes. At the end it prints the new lines for params.rs; verify them in a match before you\n\
             keep them.",
        )
}

/// An ordinary build has its numbers fixed.
#[cfg(not(feature = "tune"))]
pub fn run(_: Args) -> Result {
    Err(CliError::new(
        "in this build the search parameters are fixed; build one with `cargo build --release -p rukh --features tune`",
    ))
}

#[cfg(feature = "tune")]
mod on {
    use std::sync::Mutex;
    use std::sync::atomic::Ordering::Relaxed;
    use std::time::{Duration, Instant};

    use rukh_arena::openings::read_positions;
    use rukh_core::{Rules, Variant, dispatch};
    use rukh_eval::Terms;
    use rukh_lab::spsa::{Files, Plan, State, Table, is_plot, knobs};

    use crate::cli::{Args, CliError, Result, not_an_input, stop_signal};

    const TELL_EVERY: Duration = Duration::from_secs(10);

    pub fn run(args: Args) -> Result {
        let variant = args.or("--variant", Variant::Chess)?;
        let plan = Plan {
            knobs: knobs(&args.list("--only")?, &args.list("--without")?)?,
            iterations: args.positive("--iterations")?.unwrap_or(1400),
            pairs: args.within("--pairs", 8, 1..=10_000)?,
            nodes: args.positive("--nodes")?.unwrap_or(10_000),
            clock: args.parsed("--clock")?,
            seed: args.or("--seed", 1)?,
            rate: args.positive("--rate")?.unwrap_or(0.002),
            perturbation: args.positive("--perturb")?.unwrap_or(0.05),
        };
        dispatch!(type R of variant => tune::<R>(&args, plan, variant))
    }

    fn tune<R: Rules + Terms>(args: &Args, plan: Plan, variant: Variant) -> Result {
        let plot = args.path("--plot").unwrap_or_else(|| "spsa.html".into());
        let files = Files {
            state: args.path("--state").unwrap_or_else(|| "spsa.state".into()),
            plot: (plot.as_os_str() != "-").then_some(plot),
        };
        if let Some(plot) = &files.plot {
            not_an_input(plot, [&files.state].into_iter().chain(&args.path("--openings")))?;
            // Nobody has named this file: only an earlier plot may be there.
            if args.path("--plot").is_none() && plot.exists() && !is_plot(plot)? {
                let name = plot.display();
                return Err(CliError::usage(format!(
                    "{name} exists and is not a plot: choose another file with --plot"
                )));
            }
        }
        let (threads, hash) = (args.threads()?, args.within("--hash", 8, 1..=1024)?);
        let minutes: Option<f64> = args.positive("--minutes")?;
        let state = State::resume(&files.state, plan)?;
        let plan = state.plan.clone();
        let openings = args.path("--openings").unwrap_or_default();
        let starts = read_positions::<R>(&openings, variant, plan.seed).map_err(CliError::new)?;
        let table = Table { starts, threads, hash };
        let stop = stop_signal();
        outln!(
            "{} parameters, iteration {} of {}, {} pairs each {}, {} openings, {threads} threads",
            plan.knobs.len(),
            state.done,
            plan.iterations,
            plan.pairs,
            plan.clock.map_or(format!("at {} nodes", plan.nodes), |clock| format!(
                "with {}+{} thousand nodes",
                clock.base, clock.increment
            )),
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
                errln!(
                    "iteration {} of {}, {} games, {rate:.1} a second, {:.0} minutes left",
                    state.done,
                    plan.iterations,
                    state.games(),
                    left / 60.0
                );
            }
        };
        report(&table.run(state, &files, &stop, tell)?)
    }

    /// The new lines of params.rs, and the same for the environment of a build with the feature.
    fn report(state: &State) -> Result {
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
