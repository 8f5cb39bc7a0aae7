//! One search: who may start it, what it shares with other calls, and how its answer is made.
//!
//! A search that panics (a fault in the evaluation, in tables or in whoever listens) ends here: its caller gets the best
//! move known until then with an [error](GoResult::error), the threads are made anew, and the next search runs as ever.
//! Other engines of the process notice nothing.

use crate::error::EngineError;
use crate::info::{GoResult, Info, Line, MoveWriter, UciMove};
use crate::makruk::BareKhun;
use crate::memory::{self, Memo, Memory};
use crate::options::Options;
use crate::pool::AnyPool;
use crate::providers::{AnyMemory, Providers};
use crate::strength::{Level, random};
use rukh_core::any::Any;
use rukh_core::{AnyGame, Chess, Game, Makruk, Move, Rules, dispatch};
use rukh_eval::Evaluator;
use rukh_eval::nnue::Network;
use rukh_search::{Bound, Control, Limits, Pool, RootMoveObserver, RootPosition, Score, ScoreBound, lock};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

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
    // A network that is no file.
    pub(crate) given: Mutex<Option<Arc<Network>>>,
    pub(crate) memories: Mutex<Memories>,
    pub(crate) providers: Mutex<Providers>,
}

/// What was given to remember with, for each game.
#[derive(Clone, Default)]
pub(crate) struct Memories {
    pub(crate) chess: Option<Arc<dyn Memory<Chess>>>,
    pub(crate) makruk: Option<Arc<dyn Memory<Makruk>>>,
}

impl Memories {
    pub(crate) fn any(&self) -> bool {
        self.chess.is_some() || self.makruk.is_some()
    }
}

impl From<AnyMemory> for Memories {
    fn from(memory: AnyMemory) -> Memories {
        match memory {
            Any::Chess(memory) | Any::Chess960(memory) => Memories { chess: Some(memory), makruk: None },
            Any::Makruk(memory) => Memories { chess: None, makruk: Some(memory) },
        }
    }
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

/// Runs the search that was claimed. Whatever happens in it, there is an answer.
pub(crate) fn run(claim: &Claim, limits: &Limits, on_info: &mut dyn FnMut(&Info)) -> GoResult {
    let inner = &*claim.0;
    *lock(&inner.info) = None;
    *lock(&inner.best) = None;
    let result = catch_unwind(AssertUnwindSafe(|| search(inner, limits, on_info)))
        .unwrap_or_else(|panic| broken_down(inner, limits, on_info, &*panic));
    lock(&inner.best).clone_from(&result.best_move);
    result
}

/// The answer of a search that panicked: the best move known, or any legal one.
fn broken_down(
    inner: &Inner,
    limits: &Limits,
    on_info: &mut dyn FnMut(&Info),
    panic: &(dyn std::any::Any + Send),
) -> GoResult {
    dispatch!(&mut *lock(&inner.pool), pool => pool.recover());
    inner.control.wait_for_word(limits.infinite);
    let known = *lock(&inner.info);
    let info = known.or_else(|| dispatch!(&*lock(&inner.game), game => any_move(game, limits, &lock(&inner.options))));
    if known.is_none()
        && let Some(info) = &info
    {
        // The listener may be what is broken.
        let _ = catch_unwind(AssertUnwindSafe(|| on_info(info)));
    }
    let words = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    let mut line = info.iter().flat_map(|info| info.pv.uci()).map(|mv| mv.to_string());
    GoResult {
        best_move: line.next(),
        ponder: line.next(),
        score: info.map_or(Score::DRAW, |info| info.score),
        depth: info.map_or(0, |info| info.depth),
        nodes: info.map_or(0, |info| info.nodes),
        error: Some(format!("the search crashed: {}", words.unwrap_or("unknown reason"))),
        warnings: Vec::new(),
    }
}

/// A report of a legal move of which nothing is known.
fn any_move<R: Rules>(game: &Game<R>, limits: &Limits, options: &Options) -> Option<Info> {
    let pos = game.position();
    let legal = pos.legal_moves();
    let mv = *legal.iter().find(|mv| limits.searchmoves.contains(mv)).or(legal.iter().next())?;
    let report = rukh_search::Info {
        depth: 0,
        seldepth: 0,
        multipv: 1,
        score: Score::DRAW,
        bound: ScoreBound::Exact,
        nodes: 0,
        nps: 0,
        hashfull: 0,
        tbhits: 0,
        time_ms: 0,
        pv: &[mv],
    };
    Some(Info::new(&report, options.variant, pos.occupied().count(), writer(game, options)))
}

fn writer<R: Rules>(game: &Game<R>, options: &Options) -> MoveWriter {
    MoveWriter::new(game.position(), options.variant.notation())
}

fn search(inner: &Inner, limits: &Limits, on_info: &mut dyn FnMut(&Info)) -> GoResult {
    let options = lock(&inner.options).clone();
    let memories = if options.learn { lock(&inner.memories).clone() } else { Memories::default() };
    let mut pool = lock(&inner.pool);
    let game = lock(&inner.game).clone();
    let result = match (&mut *pool, &game) {
        (Any::Chess(pool) | Any::Chess960(pool), Any::Chess(game) | Any::Chess960(game)) => {
            Some(run_on(inner, pool, game, &options, memories.chess.as_deref(), limits, on_info))
        }
        (Any::Makruk(pool), Any::Makruk(game)) => {
            let tables = lock(&inner.makruk).clone();
            let (mut limits, full) = (limits.clone(), Level::of(&options).is_none());
            let news = tables.prepare(game.position(), &mut limits, full, &inner.control);
            let on_info = &mut |info: &Info| {
                if news {
                    on_info(info)
                }
            };
            Some(run_on(inner, pool, game, &options, memories.makruk.as_deref(), &limits, on_info))
        }
        _ => None,
    };
    const NONE: GoResult = GoResult {
        best_move: None,
        ponder: None,
        score: Score::DRAW,
        depth: 0,
        nodes: 0,
        error: None,
        warnings: Vec::new(),
    };
    let warnings = dispatch!(&*pool, pool => pool.tables().map(|tables| tables.complaints()).unwrap_or_default());
    GoResult { warnings, ..result.unwrap_or(NONE) }
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
    let writer = writer(game, options);
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
            // Who watches shall see the move that is played.
            let shown = *lock(&inner.info);
            if let Some(shown) = shown {
                let info = Info { score, pv: Line::new(&[lines[i].0], writer), ..shown };
                *lock(&inner.info) = Some(info);
                on_info(&info);
            }
        }
    }
    let text = |mv: Move| writer.uci(mv).to_string();
    let (best_move, ponder) = (best.map(text), ponder.map(text));
    GoResult { best_move, ponder, score, depth: result.depth, nodes: result.nodes, error: None, warnings: Vec::new() }
}
