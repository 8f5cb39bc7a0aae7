//! One search: who may start it, what it shares with other calls, and how its answer is made.

use crate::either::{AnyGame, AnyPool};
use crate::error::EngineError;
use crate::info::{GoResult, Info, MoveWriter, UciMove};
use crate::makruk::BareKhun;
use crate::memory::{self, Memo, Memory};
use crate::options::Options;
use crate::strength::{Level, random};
use rukh_core::{Chess, Game, Makruk, Move, Notation, Rules, Variant};
use rukh_eval::Evaluator;
use rukh_search::{Bound, Control, Limits, Pool, RootMoveObserver, RootPosition, Score, ScoreBound};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A panic elsewhere leaves these values whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state that calls share.
pub(crate) struct Inner {
    pub(crate) control: Arc<Control>,
    pub(crate) options: Mutex<Options>,
    pub(crate) game: Mutex<AnyGame>,
    // Taken for the whole of a search.
    pub(crate) pool: Mutex<AnyPool>,
    pub(crate) busy: Mutex<bool>,
    pub(crate) idle: Condvar,
    pub(crate) info: Mutex<Option<Info>>,
    pub(crate) best: Mutex<Option<String>>,
    // Lines of the last complete iteration and its depth, for the choice of a weaker level.
    pub(crate) lines: Mutex<(u32, Vec<(Move, Score)>)>,
    pub(crate) dice: AtomicU64,
    pub(crate) on_root_move: Mutex<Option<RootMoveListener>>,
    pub(crate) makruk: Mutex<Arc<BareKhun>>,
    pub(crate) memories: Mutex<Memories>,
}

/// What was given to remember with, for each game.
#[derive(Clone, Default)]
pub(crate) struct Memories {
    pub(crate) chess: Option<Arc<dyn Memory<Chess>>>,
    pub(crate) makruk: Option<Arc<dyn Memory<Makruk>>>,
}

/// Hears which root move a long search is at: depth, move, its number from 1.
pub(crate) type RootMoveListener = Arc<dyn Fn(u32, UciMove, usize) + Send + Sync>;

/// A claim on the one search that may run; ends when dropped.
pub(crate) struct Claim(pub(crate) Arc<Inner>);

impl Claim {
    /// Waits for a running search to end.
    pub(crate) fn wait(inner: &Arc<Inner>) -> Claim {
        let mut busy = lock(&inner.busy);
        while *busy {
            busy = inner.idle.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
        *busy = true;
        Claim(inner.clone())
    }

    pub(crate) fn try_now(inner: &Arc<Inner>) -> Result<Claim, EngineError> {
        let mut busy = lock(&inner.busy);
        if *busy {
            return Err(EngineError::Busy);
        }
        *busy = true;
        Ok(Claim(inner.clone()))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        *lock(&self.0.busy) = false;
        self.0.idle.notify_all();
    }
}

pub(crate) fn run(claim: &Claim, limits: &Limits, on_info: &mut dyn FnMut(&Info)) -> GoResult {
    let inner = &*claim.0;
    let options = lock(&inner.options).clone();
    let memories = if options.learn { lock(&inner.memories).clone() } else { Memories::default() };
    *lock(&inner.info) = None;
    *lock(&inner.best) = None;
    let mut pool = lock(&inner.pool);
    let result = match &mut *pool {
        AnyPool::Chess(pool) => {
            let game = match &*lock(&inner.game) {
                AnyGame::Chess(game) => Some(game.clone()),
                AnyGame::Makruk(_) => None,
            };
            game.map(|game| run_on(inner, pool, &game, &options, memories.chess.as_deref(), limits, on_info))
        }
        AnyPool::Makruk(pool) => {
            let game = match &*lock(&inner.game) {
                AnyGame::Makruk(game) => Some(game.clone()),
                AnyGame::Chess(_) => None,
            };
            game.map(|game| {
                let tables = lock(&inner.makruk).clone();
                let (mut limits, full) = (limits.clone(), Level::of(&options).is_none());
                let news = tables.prepare(game.position(), &mut limits, full, &inner.control);
                let on_info = &mut |info: &Info| {
                    if news {
                        on_info(info)
                    }
                };
                run_on(inner, pool, &game, &options, memories.makruk.as_deref(), &limits, on_info)
            })
        }
    };
    let result = result.unwrap_or(GoResult { best_move: None, ponder: None, score: Score::DRAW, depth: 0, nodes: 0 });
    lock(&inner.best).clone_from(&result.best_move);
    result
}

fn run_on<R: Rules, E: Evaluator<R> + Send + 'static>(
    inner: &Inner,
    pool: &mut Pool<R, E>,
    game: &Game<R>,
    options: &Options,
    memory: Option<&dyn Memory<R>>,
    limits: &Limits,
    on_info: &mut dyn FnMut(&Info),
) -> GoResult {
    let notation = if options.variant == Variant::Chess960 { Notation::Chess960 } else { Notation::Standard };
    let writer = MoveWriter::new(game.position(), notation);
    let men = game.position().occupied().count();
    let level = Level::of(options);
    // A weak level shall stay weak, and what it finds is not worth knowing. A search of some moves only says less than
    // it seems to.
    let memory = memory.filter(|_| level.is_none() && limits.searchmoves.is_empty());
    let mut limits = limits.clone();
    if limits.multipv == 0 {
        limits.multipv = options.multipv;
    }
    let shown = limits.multipv.max(1);
    if let Some(level) = level {
        limits = level.narrow(&limits);
    }
    let observer = lock(&inner.on_root_move).clone().map(|listener| -> RootMoveObserver {
        Box::new(move |depth, mv, number| listener(depth, writer.uci(mv), number))
    });
    inner.control.observe_root_moves(observer);
    let (depth, lines) = &mut *lock(&inner.lines);
    if !limits.resume {
        (*depth, _) = (0, lines.clear());
    }
    let root = RootPosition { position: game.position(), keys: game.keys() };
    if let Some(memory) = memory {
        let recalled = memory::recall(memory, game, &limits);
        pool.warm(recalled.entries, recalled.root);
    }
    let result = pool.search(root, &limits, &mut |report| {
        if report.bound == ScoreBound::Exact
            && let Some(&first) = report.pv.first()
        {
            if report.multipv == 1 {
                (*depth, _) = (report.depth, lines.clear());
            }
            if report.depth == *depth && lines.len() < 256 {
                lines.push((first, report.score));
            }
        }
        if report.multipv <= shown {
            let info = Info::new(report, options.variant, men, writer);
            if info.multipv == 1 {
                *lock(&inner.info) = Some(info);
            }
            on_info(&info);
        }
    });
    if let Some(memory) = memory
        && let Some(best) = result.best
        && result.depth > 0
    {
        let score = result.score.0;
        let memo = Memo { depth: result.depth as i32, score, bound: Bound::Exact, best: best.to_u16() };
        memory.record(memory::harvest(&pool.shared().tt, game.position(), memo, result.nodes));
    }
    let mut best = result.best;
    let mut ponder = result.ponder;
    let mut score = result.score;
    if let Some(level) = level
        && best.is_some()
    {
        let dice = random(inner.dice.fetch_add(1, Relaxed) ^ game.position().key());
        if let Some(i) = level.choose(lines, options.variant, dice)
            && Some(lines[i].0) != best
        {
            (best, ponder, score) = (Some(lines[i].0), None, lines[i].1);
        }
    }
    let text = |mv: Move| writer.uci(mv).to_string();
    GoResult { best_move: best.map(text), ponder: ponder.map(text), score, depth: result.depth, nodes: result.nodes }
}
