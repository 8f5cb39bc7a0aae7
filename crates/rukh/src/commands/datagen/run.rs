//! The run: threads that take block after block, one file that they append to, and a line of progress.

use super::play::{Adjudication, Cost, play};
use crate::cli::{Args, CliError, Progress};
use crate::outln;
use rukh_core::rng::Rng;
use rukh_engine::network_for;
use rukh_eval::Terms;
use rukh_eval::nnue::{Evaluation, Network};
use rukh_search::{Limits, Searcher, Shared};
use rukh_store::selfplay::{BlockEncoder, BlockHead, GamesWriter, Recipe};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Games in a block. A block is played with fresh tables from its own seed: it depends on nothing before it.
const GAMES_PER_BLOCK: u32 = 64;

/// What was asked for.
pub struct Plan {
    threads: usize,
    out: PathBuf,
    games: u64,
    minutes: Option<f64>,
    soft: u32,
    hard: u32,
    seed: u64,
    hash: usize,
    eval_file: String,
    opening: Option<i32>,
}

impl Plan {
    pub fn parse(threads: usize, args: &mut Args) -> Result<Plan, CliError> {
        let out = args.option("--out")?.ok_or_else(|| CliError::usage("--out FILE is missing"))?;
        let soft = args.parsed("--soft")?.unwrap_or(600u32).max(1);
        let hard = args.parsed("--hard")?.unwrap_or(soft.saturating_mul(5) / 2).max(soft);
        Ok(Plan {
            threads,
            out: out.into(),
            games: args.parsed("--games")?.unwrap_or(u64::MAX),
            minutes: args.parsed("--minutes")?,
            soft,
            hard,
            seed: args.parsed("--seed")?.unwrap_or(1),
            eval_file: args.option("--eval-file")?.unwrap_or_default(),
            opening: args.parsed::<u16>("--opening")?.map(i32::from),
            hash: args.parsed("--hash")?.unwrap_or(2usize).clamp(1, 1024),
        })
    }
}

/// What the threads share.
struct State {
    stop: AtomicBool,
    /// The next block's number, and how many games of this run are given out.
    next: Mutex<(u32, u64)>,
    done: BTreeSet<u32>,
    writer: Mutex<GamesWriter>,
    failure: Mutex<Option<CliError>>,
    games: AtomicU64,
    plies: AtomicU64,
    kept: AtomicU64,
    nodes: AtomicU64,
    searches: AtomicU64,
}

/// Plays until the plan is fulfilled or the user stops it.
pub fn run<R: Terms>(plan: &Plan) -> Result<(), CliError> {
    let network = network_for::<R>(&plan.eval_file).map_err(CliError::new)?;
    let name = network.as_ref().map_or(0, |n| n.checksum());
    let recipe = Recipe { soft_nodes: plan.soft, hard_nodes: plan.hard, network: name };
    if let Some(folder) = plan.out.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let (writer, blocks) = GamesWriter::open::<R>(&plan.out, &recipe)
        .map_err(|error| CliError::new(format!("{}: {error}", plan.out.display())))?;
    let before: u64 = blocks.values().flatten().map(|block| u64::from(block.games)).sum();
    if before > 0 {
        eprintln!("{}: {before} games are there, going on", plan.out.display());
    }
    let state = Arc::new(State {
        stop: AtomicBool::new(false),
        next: Mutex::new((0, 0)),
        done: blocks.get(&plan.seed).into_iter().flatten().map(|block| block.number).collect(),
        writer: Mutex::new(writer),
        failure: Mutex::new(None),
        games: AtomicU64::new(0),
        plies: AtomicU64::new(0),
        kept: AtomicU64::new(0),
        nodes: AtomicU64::new(0),
        searches: AtomicU64::new(0),
    });
    let for_signal = Arc::clone(&state);
    // A second handler cannot be set, and need not be: the run then ends without a last partial block.
    let _ = ctrlc::set_handler(move || for_signal.stop.store(true, Relaxed));

    let start = Instant::now();
    let mut progress = Progress::new("datagen", (plan.games != u64::MAX).then_some(plan.games));
    std::thread::scope(|scope| -> Result<(), CliError> {
        let workers: Vec<_> = (0..plan.threads).map(|_| scope.spawn(|| work::<R>(plan, &state, &network))).collect();
        while workers.iter().any(|w| !w.is_finished()) {
            std::thread::sleep(Duration::from_millis(100));
            if plan.minutes.is_some_and(|m| start.elapsed().as_secs_f64() > 60.0 * m) {
                state.stop.store(true, Relaxed);
            }
            progress.set(state.games.load(Relaxed), &state.rates(start.elapsed()));
        }
        Ok(())
    })?;
    progress.finish();
    if let Some(error) = state.failure.lock().ok().and_then(|mut f| f.take()) {
        return Err(error);
    }
    let bytes = state.writer.lock().map(|w| w.bytes()).unwrap_or(0);
    outln!(
        "{} games, {} plies, {} kept positions; {}; file {:.2} MB",
        state.games.load(Relaxed),
        state.plies.load(Relaxed),
        state.kept.load(Relaxed),
        state.rates(start.elapsed()),
        bytes as f64 / 1e6
    );
    Ok(())
}

impl State {
    /// A block that is not there yet and how many games it is to have; none when the plan's games are given out. Which
    /// games are played depends on neither the number of threads nor their speed.
    fn take(&self, plan: &Plan) -> Option<(u32, u32)> {
        let mut next = self.next.lock().ok()?;
        let games = plan.games.saturating_sub(next.1).min(u64::from(GAMES_PER_BLOCK)) as u32;
        while self.done.contains(&next.0) {
            next.0 = next.0.checked_add(1)?;
        }
        let number = next.0;
        *next = (number.checked_add(1)?, next.1 + u64::from(games));
        (games > 0).then_some((number, games))
    }

    fn rates(&self, elapsed: Duration) -> String {
        let kept = self.kept.load(Relaxed);
        format!(
            "{} positions, {:.0} positions/s, {:.0} nodes a move",
            kept,
            kept as f64 / elapsed.as_secs_f64().max(0.001),
            self.nodes.load(Relaxed) as f64 / self.searches.load(Relaxed).max(1) as f64
        )
    }
}

/// A worker: a failure stops the whole run and is reported once.
fn work<R: Terms>(plan: &Plan, state: &State, network: &Option<Arc<Network>>) {
    if let Err(error) = blocks::<R>(plan, state, network) {
        state.stop.store(true, Relaxed);
        if let Ok(mut failure) = state.failure.lock() {
            failure.get_or_insert(error);
        }
    }
}

fn blocks<R: Terms>(plan: &Plan, state: &State, network: &Option<Arc<Network>>) -> Result<(), CliError> {
    let shared = Arc::new(Shared::<R>::new(plan.hash, 1).map_err(CliError::new)?);
    let mut searcher = Searcher::new(0, Arc::clone(&shared), Evaluation::<R>::new(network.clone()));
    let limits = Limits { nodes: Some(plan.hard.into()), soft_nodes: Some(plan.soft.into()), ..Limits::default() };
    let mut rules = Adjudication::of::<R>();
    rules.opening_score = plan.opening.unwrap_or(rules.opening_score);
    while !state.stop.load(Relaxed) {
        let Some((number, wanted)) = state.take(plan) else { break };
        // Fresh memory, own random numbers: a block can be made again anywhere.
        shared.tt.clear(1);
        searcher.new_game();
        let mut rng = Rng::new(plan.seed, u64::from(number));
        let mut block = BlockEncoder::<R>::default();
        while block.games() < wanted && !state.stop.load(Relaxed) {
            let mut cost = Cost::default();
            let game = play(&mut searcher, &limits, &rules, &mut rng, &mut cost);
            block.push(&game).map_err(CliError::new)?;
            state.games.fetch_add(1, Relaxed);
            state.plies.fetch_add(game.scores.len() as u64, Relaxed);
            state.kept.fetch_add(cost.kept, Relaxed);
            state.nodes.fetch_add(cost.nodes, Relaxed);
            state.searches.fetch_add(cost.searches, Relaxed);
        }
        if block.games() == 0 {
            continue;
        }
        let (games, plies) = (block.games(), block.plies());
        let payload = block.finish();
        let head = BlockHead { seed: plan.seed, number, games, plies, bytes: payload.len() as u32 };
        let mut writer = state.writer.lock().map_err(|_| CliError::new("another thread failed while writing"))?;
        writer.append(&head, &payload).map_err(CliError::new)?;
    }
    Ok(())
}
