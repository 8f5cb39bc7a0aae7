//! The run: threads that take block after block, and one file that they append to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rukh_code::Coded;
use rukh_core::rng::Rng;
use rukh_core::{Game, Move, Position, Rules, Variant};
use rukh_engine::network_for;
use rukh_eval::nnue::{Evaluation, Network};
use rukh_eval::{Evaluator, Terms};
use rukh_search::{Limits, RootPosition, SearchResult, Searcher, Shared, score as scores};
use rukh_store::learn::{DEFAULT_LIMIT, KnownBound, LearnStore, Learned};
use rukh_store::selfplay::{BlockEncoder, BlockHead, GamesWriter, Recipe, SelfPlay, score, start_position};

use crate::LabError;
use crate::codes::{LeftOut, each_game};
use crate::selfplay::{Adjudication, play, random_moves};

/// Games in a block. A block is played with fresh tables from its own seed: it depends on nothing before it.
const GAMES_PER_BLOCK: u32 = 64;

/// What was asked for.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The game.
    pub variant: Variant,
    /// Games at a time.
    pub threads: usize,
    /// The file of games; it is continued where there is one.
    pub out: PathBuf,
    /// Most games of this run.
    pub games: u64,
    /// Soft node limit of a move.
    pub soft: u32,
    /// Hard node limit of a move.
    pub hard: u32,
    /// The same seed gives the same blocks of games, whatever the number of threads.
    pub seed: u64,
    /// Megabytes of each thread's table.
    pub hash: usize,
    /// The network to play with, by the name of the engine's `EvalFile`.
    pub eval_file: String,
    /// Random plies that a game begins with; every second game has one more.
    pub random: usize,
    /// Games that are played on from somewhere in their opening or middle game, before any random plies; none: all
    /// games begin at the start.
    pub openings: Vec<Vec<Move>>,
    /// Openings whose first score is larger are thrown away; the game's own bound without it.
    pub opening: Option<i32>,
    /// A table of learned positions that the searches go into.
    pub learn_file: Option<PathBuf>,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, Default)]
pub struct Totals {
    /// Games played.
    pub games: u64,
    /// Moves with a score.
    pub plies: u64,
    /// Positions that the default filter keeps.
    pub kept: u64,
    /// Nodes of all searches.
    pub nodes: u64,
    /// How many searches.
    pub searches: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Since the run began.
    pub elapsed: Duration,
}

/// What the threads share.
struct State<'a, R: Rules> {
    plan: &'a Plan,
    stop: &'a AtomicBool,
    network: Option<Arc<Network>>,
    /// The next block's number, and how many games of this run are given out.
    next: Mutex<(u32, u64)>,
    done: BTreeSet<u32>,
    writer: Mutex<GamesWriter>,
    learn: Option<LearnStore<R>>,
    failure: Mutex<Option<LabError>>,
    games: AtomicU64,
    plies: AtomicU64,
    kept: AtomicU64,
    nodes: AtomicU64,
    searches: AtomicU64,
}

/// A file of games that is about to be continued.
pub struct Run<'a, R> {
    plan: &'a Plan,
    learn: Option<LearnStore<R>>,
    network: Option<Arc<Network>>,
    writer: GamesWriter,
    done: BTreeSet<u32>,
    before: u64,
}

impl<'a, R: Terms + Coded> Run<'a, R> {
    /// Opens the file, or makes it.
    pub fn open(plan: &'a Plan) -> Result<Self, LabError> {
        let network = network_for::<R>(&plan.eval_file).map_err(LabError::new)?;
        let name = network.as_ref().map_or(0, |n| n.checksum());
        let recipe = Recipe { soft_nodes: plan.soft, hard_nodes: plan.hard, network: name };
        if let Some(folder) = plan.out.parent().filter(|p| !p.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        let (writer, blocks) =
            GamesWriter::open(&plan.out, plan.variant, &recipe).map_err(|error| LabError::at(&plan.out, error))?;
        let before = blocks.values().flatten().map(|block| u64::from(block.games)).sum();
        let done = blocks.get(&plan.seed).into_iter().flatten().map(|block| block.number).collect();
        let learn = plan.learn_file.as_ref().map(|path| LearnStore::open(path, DEFAULT_LIMIT));
        let learn = learn.transpose().map_err(LabError::new)?;
        Ok(Run { plan, learn, network, writer, done, before })
    }

    /// Games that were in the file before.
    pub fn before(&self) -> u64 {
        self.before
    }

    /// Plays until the plan is fulfilled or `stop` is raised; `watch` is told now and then how it goes.
    pub fn play(self, stop: &AtomicBool, mut watch: impl FnMut(&Totals)) -> Result<Totals, LabError> {
        let state = State {
            plan: self.plan,
            stop,
            network: self.network,
            next: Mutex::new((0, 0)),
            done: self.done,
            writer: Mutex::new(self.writer),
            learn: self.learn,
            failure: Mutex::new(None),
            games: AtomicU64::new(0),
            plies: AtomicU64::new(0),
            kept: AtomicU64::new(0),
            nodes: AtomicU64::new(0),
            searches: AtomicU64::new(0),
        };
        let start = Instant::now();
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.plan.threads).map(|_| scope.spawn(|| work::<R>(&state))).collect();
            while workers.iter().any(|w| !w.is_finished()) {
                std::thread::sleep(Duration::from_millis(100));
                watch(&state.totals(start.elapsed()));
            }
        });
        if let Some(error) = state.failure.lock().ok().and_then(|mut f| f.take()) {
            return Err(error);
        }
        let bytes = state.writer.lock().map(|w| w.bytes()).unwrap_or(0);
        Ok(Totals { bytes, ..state.totals(start.elapsed()) })
    }
}

impl<R: Rules> State<'_, R> {
    /// A block that is not there yet and how many games it is to have; none when the plan's games are given out. Which
    /// games are played depends on neither the number of threads nor their speed.
    fn take(&self) -> Option<(u32, u32)> {
        let mut next = self.next.lock().ok()?;
        let games = self.plan.games.saturating_sub(next.1).min(u64::from(GAMES_PER_BLOCK)) as u32;
        while self.done.contains(&next.0) {
            next.0 = next.0.checked_add(1)?;
        }
        let number = next.0;
        *next = (number.checked_add(1)?, next.1 + u64::from(games));
        (games > 0).then_some((number, games))
    }

    fn totals(&self, elapsed: Duration) -> Totals {
        Totals {
            games: self.games.load(Relaxed),
            plies: self.plies.load(Relaxed),
            kept: self.kept.load(Relaxed),
            nodes: self.nodes.load(Relaxed),
            searches: self.searches.load(Relaxed),
            bytes: 0,
            elapsed,
        }
    }
}

impl std::fmt::Display for Totals {
    /// The rates, as progress shows them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} positions, {:.0} positions/s, {:.0} nodes a move",
            self.kept,
            self.kept as f64 / self.elapsed.as_secs_f64().max(0.001),
            self.nodes as f64 / self.searches.max(1) as f64
        )
    }
}

/// A worker: a failure stops the whole run and is reported once.
fn work<R: Terms + Coded>(state: &State<'_, R>) {
    if let Err(error) = blocks::<R>(state) {
        state.stop.store(true, Relaxed);
        if let Ok(mut failure) = state.failure.lock() {
            failure.get_or_insert(error);
        }
    }
}

fn blocks<R: Terms + Coded>(state: &State<'_, R>) -> Result<(), LabError> {
    let plan = state.plan;
    let shared = Arc::new(Shared::<R>::new(plan.hash, 1).map_err(LabError::new)?);
    let mut searcher = Searcher::new(0, Arc::clone(&shared), Evaluation::<R>::new(state.network.clone()));
    let limits = Limits { nodes: Some(plan.hard.into()), soft_nodes: Some(plan.soft.into()), ..Limits::default() };
    while !state.stop.load(Relaxed) {
        let Some((number, wanted)) = state.take() else { break };
        // Fresh memory, own random numbers: a block can be made again anywhere.
        shared.tt.clear(1);
        searcher.new_game();
        let mut rng = Rng::new(plan.seed, u64::from(number));
        let mut block = BlockEncoder::<R>::new(plan.variant);
        while block.games() < wanted && !state.stop.load(Relaxed) {
            let mut cost = Cost::default();
            let mut found = Vec::new();
            let game = game(plan, &mut searcher, &limits, &mut rng, &mut cost, |pos, result| {
                if let (Some(_), Some(best)) = (&state.learn, result.best) {
                    found.push((*pos, learned(result, best)));
                }
            });
            if let Some(table) = &state.learn {
                table.record(&found).map_err(LabError::new)?;
            }
            block.push(&game).map_err(LabError::new)?;
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
        let head =
            BlockHead { variant: plan.variant, seed: plan.seed, number, games, plies, bytes: payload.len() as u32 };
        let mut writer = state.writer.lock().map_err(|_| LabError::new("another thread failed while writing"))?;
        writer.append(&head, &payload).map_err(|error| LabError::at(&plan.out, error))?;
    }
    Ok(())
}

/// What a table keeps of a search.
fn learned(result: &SearchResult, best: Move) -> Learned {
    let depth = result.depth.min(200) as i16;
    Learned { depth, score: result.score.value(), bound: KnownBound::Exact, best: best.to_u16(), visits: 1 }
}

/// What a game cost.
#[derive(Default, Clone, Copy)]
struct Cost {
    nodes: u64,
    searches: u64,
    kept: u64,
}

/// Openings whose first score is larger are thrown away.
const OPENING_SCORE: i32 = 500;

/// A game that is played on is left after this many plies at least, and at most (a file of games has room for
/// [`MAX_OPENING`] plies before the first score).
const LEFT_AFTER: std::ops::RangeInclusive<usize> = 8..=48;

/// The beginnings of the games of `path` (PGN or `.games`) that a plan's [`openings`](Plan::openings) are taken from, and how many
/// games could not be read.
pub fn openings<R: Rules>(path: &Path, variant: Variant) -> Result<(Vec<Vec<Move>>, usize), LabError> {
    let (mut openings, mut left_out) = (Vec::new(), LeftOut::default());
    each_game::<R>(path, variant, &mut left_out, |_, start, moves| {
        if *start == Position::startpos() && moves.len() > *LEFT_AFTER.start() {
            openings.push(moves[..moves.len().min(*LEFT_AFTER.end())].to_vec());
        }
        true
    })?;
    if openings.is_empty() {
        return Err(LabError::at(path, format!("no game of {variant} from the starting position")));
    }
    Ok((openings, left_out.broken + left_out.other))
}

/// How a game begins: with the plan's openings or at the start, and then so many random plies. `None` if it ends in them.
fn beginning<R: Rules>(plan: &Plan, rng: &mut Rng) -> Option<(Option<u16>, Game<R>)> {
    // An array of Chess960 is random by itself.
    let array = (plan.variant == Variant::Chess960).then(|| rng.below(960) as u16);
    let mut game = Game::new(start_position(array));
    if !plan.openings.is_empty() {
        let moves = &plan.openings[rng.below(plan.openings.len())];
        let least = *LEFT_AFTER.start();
        moves[..least + rng.below(moves.len() - least)].iter().for_each(|&mv| game.play(mv));
    }
    // One ply more in every second game.
    let plies = plan.random + if plan.random > 0 { rng.below(2) } else { 0 };
    Some((array, random_moves(rng, game, plies)?))
}

/// When a game is called off.
fn adjudication<R: Rules>() -> Adjudication {
    let chess = Adjudication {
        win_score: 1000,
        win_plies: 4,
        draw_score: 10,
        draw_plies: 12,
        draw_from: 80,
        max_plies: 400,
        proven: true,
    };
    if R::VARIANT != Variant::Makruk {
        return chess;
    }
    // Makruk: won material is not yet a won game (the count), so the bars are higher.
    Adjudication { win_score: 2500, win_plies: 8, draw_score: 6, draw_plies: 24, draw_from: 160, ..chess }
}

/// Plays one game from a random opening that is not yet decided.
fn game<R: Rules, E: Evaluator<R>>(
    plan: &Plan,
    searcher: &mut Searcher<R, E>,
    limits: &Limits,
    rng: &mut Rng,
    cost: &mut Cost,
    mut watch: impl FnMut(&Position<R>, &SearchResult),
) -> SelfPlay {
    let rules = adjudication::<R>();
    let opening_score = plan.opening.unwrap_or(OPENING_SCORE);
    loop {
        let Some((array, mut game)) = beginning::<R>(plan, rng) else { continue };
        let opening = game.moves().len();
        let mut list: Vec<i16> = Vec::with_capacity(160);
        let (nodes, searches, kept) = (&mut cost.nodes, &mut cost.searches, &mut cost.kept);
        let verdict = play(
            &mut game,
            &rules,
            |game| {
                let root = RootPosition { position: game.position(), keys: game.keys() };
                let found = searcher.search(root, limits, &mut |_| {});
                *nodes += found.nodes;
                *searches += 1;
                watch(game.position(), &found);
                Some(found)
            },
            |game, ply| {
                if list.is_empty() && ply.value.abs() > opening_score {
                    return false;
                }
                if scores::is_decisive(ply.value) {
                    // A proven result: the rest of the game teaches nothing.
                    list.push(if ply.value > 0 { score::DECIDED as i16 } else { -score::DECIDED as i16 });
                } else {
                    list.push(score::quantise(ply.value));
                    *kept += u64::from(ply.mv.is_quiet() && !game.position().in_check());
                }
                true
            },
        );
        if let Some(verdict) = verdict {
            return SelfPlay { array, opening, moves: game.moves().to_vec(), scores: list, verdict };
        }
    }
}
