//! `rukh tune search`: the numbers of the search, tuned by games (SPSA).

#[cfg(any(feature = "tune", test))]
mod drive;
#[cfg(feature = "tune")]
mod play;
#[cfg(any(feature = "tune", test))]
mod plot;
#[cfg(any(feature = "tune", test))]
mod spsa;

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

    use rukh_core::{Chess, Color, Game, Makruk, Position, Rules, Variant};
    use rukh_eval::Terms;
    use rukh_search::tuning::{self, Parameter};

    use super::drive::{Files, drive};
    use super::play::Player;
    use super::spsa::{Knob, Plan, State};
    use crate::cli::{Args, CliError};
    use crate::outln;
    use rukh_arena::openings::{arrange, parse_list};

    /// A parameter that moves in few steps is too coarse to follow.
    const LEAST_RANGE: i32 = 20;
    /// Times say nothing at fixed nodes; the others decide too rarely to be heard among sixty. `--only` brings them back.
    const LEFT_OUT: &[&str] = &[
        "time_",
        "aspiration_",
        "hindsight_",
        "eval_change_",
        "razor_",
        "small_probcut_margin",
        "rfp_min",
        "rfp_correction",
        "capture_futility_history_div",
        "see_capture_history_div",
        "singular_margin_pv",
        "double_pv",
        "triple_",
        "lmr_capture_history_div",
        "lmr_history_base",
        "shallower_margin",
        "order_check_see",
        "refuted_malus",
        "history_start_",
    ];
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
                knobs: knobs(tuning::parameters(), &only, &without)?,
                iterations: args.parsed::<u64>("--iterations")?.unwrap_or(1400).max(1),
                pairs: args.parsed::<usize>("--pairs")?.unwrap_or(8).clamp(1, 10_000),
                nodes: args.parsed::<u64>("--nodes")?.unwrap_or(10_000).max(1),
                seed: args.parsed("--seed")?.unwrap_or(1),
                rate: args.parsed("--rate")?.unwrap_or(0.002),
                perturbation: args.parsed("--perturb")?.unwrap_or(0.05),
            },
        };
        args.finish()?;
        match variant {
            Variant::Makruk => tune::<Makruk>(options, variant),
            _ => tune::<Chess>(options, variant),
        }
    }

    /// The parameters to tune.
    fn knobs(all: &[Parameter], only: &[String], without: &[String]) -> Result<Vec<Knob>, CliError> {
        if let Some(name) =
            only.iter().chain(without).find(|name| !all.iter().any(|p| p.name.starts_with(name.as_str())))
        {
            return Err(CliError::usage(format!("no parameter of the search begins with '{name}'")));
        }
        let named = |list: &[String], p: &Parameter| list.iter().any(|name| p.name.starts_with(name.as_str()));
        let usual =
            |p: &Parameter| p.max - p.min >= LEAST_RANGE && !LEFT_OUT.iter().any(|left| p.name.starts_with(left));
        let chosen = all.iter().filter(|p| if only.is_empty() { usual(p) } else { named(only, p) });
        let knobs: Vec<Knob> = chosen
            .filter(|p| !named(without, p))
            .map(|p| Knob { name: p.name.into(), start: p.default.into(), min: p.min.into(), max: p.max.into() })
            .collect();
        if knobs.is_empty() { Err(CliError::usage("no parameter is left to tune")) } else { Ok(knobs) }
    }

    fn tune<R: Rules + Terms>(options: Options, variant: Variant) -> Result<(), CliError> {
        let Options { openings, files, threads, minutes, hash, plan } = options;
        let state = resume(&files.state, plan)?;
        let plan = state.plan.clone();
        let starts = starts::<R>(&openings, variant, plan.seed)?;
        let index = |knob: &Knob| tuning::parameters().iter().position(|p| p.name == knob.name);
        let indices: Option<Vec<usize>> = plan.knobs.iter().map(index).collect();
        let Some(indices) = indices else {
            return Err(CliError::new(format!("{} has parameters that this build lacks", files.state.display())));
        };
        // One before the threads begin: a lack of memory is said once.
        Player::<R>::new(indices.clone(), plan.nodes, hash)?;

        let stop: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
        let _ = ctrlc::set_handler(move || stop.store(true, Relaxed));
        outln!(
            "{} parameters, iteration {} of {}, {} pairs each at {} nodes, {} openings, {threads} threads",
            plan.knobs.len(),
            state.done,
            plan.iterations,
            plan.pairs,
            plan.nodes,
            starts.len()
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
        let worker = || {
            let mut player = Player::<R>::new(indices.clone(), plan.nodes, hash).ok();
            let (plan, starts) = (&plan, &starts);
            move |job: super::spsa::Job, plus: &[i32], minus: &[i32]| {
                let start = &starts[(job.opening(plan) % starts.len() as u64) as usize];
                let first = if job.game.is_multiple_of(2) { Color::White } else { Color::Black };
                player.as_mut()?.play(start, first, [plus, minus], stop)
            }
        };
        let state = drive(state, &files, threads, stop, worker, tell)?;
        report(&state)
    }

    /// The run in the file, or a new one.
    fn resume(path: &Path, plan: Plan) -> Result<State, CliError> {
        match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(State::new(plan)),
            Err(error) => Err(CliError::new(format!("cannot read {}: {error}", path.display()))),
            Ok(text) => {
                let state = State::from_text(&text)
                    .map_err(|why| CliError::new(format!("cannot go on with {}: {why}", path.display())))?;
                if state.plan != plan {
                    return Err(CliError::new(format!(
                        "{} is a run with other settings or of another build; name another --state, or repeat its command",
                        path.display()
                    )));
                }
                Ok(state)
            }
        }
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
        let position = |opening: &rukh_arena::openings::Opening| {
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

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn parameters_are_chosen_by_name() {
            let names = |only: &[&str], without: &[&str]| -> Result<Vec<String>, CliError> {
                let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
                Ok(knobs(tuning::parameters(), &own(only), &own(without))?.into_iter().map(|k| k.name).collect())
            };
            let usual = names(&[], &[]).unwrap();
            assert!(
                (40..=64).contains(&usual.len()) && !usual.iter().any(|n| n.starts_with("time_") || n == "nmp_base"),
                "{usual:?}"
            );
            assert_eq!(names(&["rfp_"], &["rfp_depth"]).unwrap().len(), 6);
            assert!(names(&["no_such"], &[]).unwrap_err().line().contains("'no_such'"));
            assert!(names(&["rfp_depth"], &["rfp_"]).is_err());
        }
    }
}
