//! The engine: a game, options and a pool of search threads behind an interface that any thread may call.

use crate::error::EngineError;
use crate::info::{GoResult, Info, MoveWriter, UciMove};
use crate::makruk::BareKhun;
use crate::memory::{self, Memo, Memory};
use crate::network;
use crate::options::{OPTIONS, OptionSpec, Options};
use crate::strength::{Level, random};
use crate::tables;
use rukh_core::{Chess, Game, Makruk, Move, Notation, Position, Rules, Variant};
use rukh_eval::nnue::Evaluation;
use rukh_eval::{Evaluator, Terms};
use rukh_search::{
    Bound, Control, Limits, Pool, RootMoveObserver, RootPosition, Score, ScoreBound, Tablebases, TranspositionTable,
};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The game on the board, of either kind.
enum AnyGame {
    Chess(Game<Chess>),
    Makruk(Game<Makruk>),
}

/// The threads of the game in use.
enum AnyPool {
    Chess(Pool<Chess, Evaluation<Chess>>),
    Makruk(Pool<Makruk, Evaluation<Makruk>>),
}

/// Runs the same code for either kind.
macro_rules! each {
    ($any:ident, $value:expr, $name:ident => $body:expr) => {
        match $value {
            $any::Chess($name) => $body,
            $any::Makruk($name) => $body,
        }
    };
}

impl AnyGame {
    fn new(variant: Variant, fen: Option<&str>) -> Result<AnyGame, EngineError> {
        fn game<R: Rules>(fen: Option<&str>) -> Result<Game<R>, EngineError> {
            Ok(Game::new(match fen {
                Some(fen) => Position::from_fen(fen)?,
                None => Position::startpos(),
            }))
        }
        Ok(match variant {
            Variant::Chess | Variant::Chess960 => AnyGame::Chess(game(fen)?),
            Variant::Makruk => AnyGame::Makruk(game(fen)?),
        })
    }

    fn play(&mut self, text: &str) -> Result<(), EngineError> {
        each!(AnyGame, self, game => match game.position().parse_uci(text.trim()) {
            Ok(mv) => {
                game.play(mv);
                Ok(())
            }
            Err(reason) => Err(EngineError::Move { text: text.chars().take(40).collect(), reason }),
        })
    }
}

/// Makes an evaluator for each thread; the network is read once and shared.
fn maker<R: Terms>(options: &Options) -> Result<impl Fn() -> Evaluation<R> + Send + Sync + 'static, EngineError> {
    let network = network::network_for::<R>(&options.eval_file)?;
    Ok(move || Evaluation::new(network.clone()))
}

impl AnyPool {
    fn new(options: &Options, control: &Arc<Control>, makruk: &Arc<BareKhun>) -> Result<AnyPool, EngineError> {
        let control = control.clone();
        let mut pool = match options.variant {
            Variant::Chess | Variant::Chess960 => AnyPool::Chess(Pool::new(1, control, maker::<Chess>(options)?)?),
            Variant::Makruk => AnyPool::Makruk(Pool::new(1, control, maker::<Makruk>(options)?)?),
        };
        each!(AnyPool, &mut pool, pool => {
            pool.resize(options.hash)?;
            if options.threads > 1 {
                pool.set_threads(options.threads)?;
            }
            pool.set_overhead(options.move_overhead);
        });
        match &mut pool {
            // They were fine when the path was set; should they have gone, one can play without.
            AnyPool::Chess(pool) if !options.syzygy_path.is_empty() => {
                if let Ok(tables) = tables::open(&options.syzygy_path) {
                    pool.set_tables(Some(tables))?;
                }
            }
            AnyPool::Chess(_) => {}
            AnyPool::Makruk(pool) => pool.set_tables(Some(makruk.clone()))?,
        }
        Ok(pool)
    }
}

/// The state that calls share.
struct Inner {
    control: Arc<Control>,
    options: Mutex<Options>,
    game: Mutex<AnyGame>,
    // Taken for the whole of a search.
    pool: Mutex<AnyPool>,
    busy: Mutex<bool>,
    idle: Condvar,
    info: Mutex<Option<Info>>,
    best: Mutex<Option<String>>,
    // Lines of the last complete iteration and its depth, for the choice of a weaker level.
    lines: Mutex<(u32, Vec<(Move, Score)>)>,
    dice: AtomicU64,
    on_root_move: Mutex<Option<RootMoveListener>>,
    makruk: Mutex<Arc<BareKhun>>,
    memories: Mutex<Memories>,
}

/// What was given to remember with, for each game.
#[derive(Clone, Default)]
struct Memories {
    chess: Option<Arc<dyn Memory<Chess>>>,
    makruk: Option<Arc<dyn Memory<Makruk>>>,
}

/// Hears which root move a long search is at: depth, move, its number from 1.
type RootMoveListener = Arc<dyn Fn(u32, UciMove, usize) + Send + Sync>;

/// A claim on the one search that may run; ends when dropped.
struct Claim(Arc<Inner>);

impl Claim {
    /// Waits for a running search to end.
    fn wait(inner: &Arc<Inner>) -> Claim {
        let mut busy = lock(&inner.busy);
        while *busy {
            busy = inner.idle.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
        *busy = true;
        Claim(inner.clone())
    }

    fn try_now(inner: &Arc<Inner>) -> Result<Claim, EngineError> {
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

/// A chess, Chess960 and Makruk engine. Cheap to clone: clones are handles of the same engine.
///
/// ```
/// use rukh_engine::{Engine, Limits, Options};
///
/// let engine = Engine::new(Options::default()).unwrap();
/// engine.set_position("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4").unwrap();
/// let answer = engine.go(Limits::depth(5), |_| {});
/// assert_eq!(answer.best_move.as_deref(), Some("h5f7"));
/// assert_eq!(answer.score.mate(), Some(1));
///
/// engine.make_move("h5f7").unwrap();
/// assert_eq!(engine.go(Limits::depth(5), |_| {}).best_move, None); // mated
/// ```
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

impl core::fmt::Debug for Engine {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Engine").field("options", &*lock(&self.inner.options)).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine at the start position of the options' variant.
    pub fn new(options: Options) -> Result<Engine, EngineError> {
        let control = Arc::new(Control::default());
        let makruk = BareKhun::open(&options.makruk_tables)?;
        let inner = Inner {
            game: Mutex::new(AnyGame::new(options.variant, None)?),
            pool: Mutex::new(AnyPool::new(&options, &control, &makruk)?),
            options: Mutex::new(options),
            control,
            busy: Mutex::new(false),
            idle: Condvar::new(),
            info: Mutex::new(None),
            best: Mutex::new(None),
            lines: Mutex::new((0, Vec::with_capacity(256))),
            dice: AtomicU64::new(0),
            on_root_move: Mutex::new(None),
            makruk: Mutex::new(makruk),
            memories: Mutex::default(),
        };
        Ok(Engine { inner: Arc::new(inner) })
    }

    /// All options with type, default and limits.
    pub fn option_list(&self) -> &'static [OptionSpec] {
        OPTIONS
    }

    /// The values in use.
    pub fn options(&self) -> Options {
        lock(&self.inner.options).clone()
    }

    /// Sets an option by its protocol name. A refused value changes nothing.
    ///
    /// ```
    /// use rukh_engine::{Engine, Options};
    /// let engine = Engine::new(Options::default()).unwrap();
    /// engine.set_option("UCI_Variant", "makruk").unwrap();
    /// assert!(engine.fen().starts_with("rnsmksnr/"));
    /// assert!(engine.set_option("Hash", "lots").is_err());
    /// ```
    pub fn set_option(&self, name: &str, value: &str) -> Result<(), EngineError> {
        let mut new = self.options();
        let spec = new.set(name, value)?;
        self.apply(new, spec)
    }

    fn apply(&self, new: Options, spec: &OptionSpec) -> Result<(), EngineError> {
        let old = self.options();
        let needs_pool = new.hash != old.hash
            || new.threads != old.threads
            || new.move_overhead != old.move_overhead
            || new.variant != old.variant
            || spec.name == "Clear Hash";
        if needs_pool {
            let _claim = Claim::try_now(&self.inner)?;
            let mut pool = lock(&self.inner.pool);
            let same_rules = (new.variant == Variant::Makruk) == (old.variant == Variant::Makruk);
            if same_rules {
                each!(AnyPool, &mut *pool, pool => {
                    if new.hash != old.hash {
                        pool.resize(new.hash)?;
                    }
                    if new.threads != old.threads {
                        pool.set_threads(new.threads)?;
                    }
                    pool.set_overhead(new.move_overhead);
                    if spec.name == "Clear Hash" {
                        pool.clear_hash();
                    }
                });
            } else {
                *pool = AnyPool::new(&new, &self.inner.control, &lock(&self.inner.makruk))?;
                *lock(&self.inner.game) = AnyGame::new(new.variant, None)?;
            }
        }
        if new.eval_file != old.eval_file {
            self.change_evaluation(&new)?;
        }
        if new.syzygy_path != old.syzygy_path {
            self.open_tables(&new.syzygy_path)?;
        }
        if new.makruk_tables != old.makruk_tables {
            let _claim = Claim::try_now(&self.inner)?;
            let tables = BareKhun::open(&new.makruk_tables)?;
            if let AnyPool::Makruk(pool) = &mut *lock(&self.inner.pool) {
                pool.set_tables(Some(tables.clone()))?;
            }
            *lock(&self.inner.makruk) = tables;
        }
        *lock(&self.inner.options) = new;
        Ok(())
    }

    fn change_evaluation(&self, new: &Options) -> Result<(), EngineError> {
        let _claim = Claim::try_now(&self.inner)?;
        network::check(&new.eval_file)?;
        match &mut *lock(&self.inner.pool) {
            AnyPool::Chess(pool) => pool.set_evaluator(maker(new)?),
            AnyPool::Makruk(pool) => pool.set_evaluator(maker(new)?),
        }
        Ok(())
    }

    fn open_tables(&self, path: &str) -> Result<(), EngineError> {
        let _claim = Claim::try_now(&self.inner)?;
        if !path.is_empty() {
            tables::tables_in(path)?;
        }
        if let AnyPool::Chess(pool) = &mut *lock(&self.inner.pool) {
            // A process has one set of tables: the old one goes first.
            pool.set_tables(None)?;
            if !path.is_empty() {
                pool.set_tables(Some(tables::open(path)?))?;
            }
        }
        Ok(())
    }

    /// Gives chess searches end-game tables (or takes them away with `None`). Ignored while Makruk is played.
    pub fn set_chess_tables(&self, tables: Option<Arc<dyn Tablebases<Chess>>>) -> Result<(), EngineError> {
        let _claim = Claim::try_now(&self.inner)?;
        if let AnyPool::Chess(pool) = &mut *lock(&self.inner.pool) {
            pool.set_tables(tables)?;
        }
        Ok(())
    }

    /// Gives Makruk searches end-game tables (or takes them away with `None`). Ignored while chess is played.
    pub fn set_makruk_tables(&self, tables: Option<Arc<dyn Tablebases<Makruk>>>) -> Result<(), EngineError> {
        let _claim = Claim::try_now(&self.inner)?;
        if let AnyPool::Makruk(pool) = &mut *lock(&self.inner.pool) {
            pool.set_tables(tables)?;
        }
        Ok(())
    }

    /// Lets someone look into the transposition table, between searches.
    pub fn with_table<T>(&self, look: impl FnOnce(&TranspositionTable) -> T) -> Result<T, EngineError> {
        let _claim = Claim::try_now(&self.inner)?;
        Ok(each!(AnyPool, &*lock(&self.inner.pool), pool => look(&pool.shared().tt)))
    }

    /// Gives chess a memory (or takes it away with `None`); it is used while the option `Learn` is on.
    pub fn set_chess_memory(&self, memory: Option<Arc<dyn Memory<Chess>>>) {
        lock(&self.inner.memories).chess = memory;
    }

    /// Gives Makruk a memory (or takes it away with `None`); it is used while the option `Learn` is on.
    pub fn set_makruk_memory(&self, memory: Option<Arc<dyn Memory<Makruk>>>) {
        lock(&self.inner.memories).makruk = memory;
    }

    /// Sets the position from a FEN, or from the word `startpos`.
    pub fn set_position(&self, fen: &str) -> Result<(), EngineError> {
        self.set_position_moves(fen, core::iter::empty::<&str>())
    }

    /// Sets the position and plays moves (UCI notation). If any is illegal nothing changes.
    pub fn set_position_moves<S: AsRef<str>>(
        &self,
        fen: &str,
        moves: impl IntoIterator<Item = S>,
    ) -> Result<(), EngineError> {
        let fen = fen.trim();
        let mut game = AnyGame::new(self.options().variant, (fen != "startpos").then_some(fen))?;
        for mv in moves {
            game.play(mv.as_ref())?;
        }
        *lock(&self.inner.game) = game;
        Ok(())
    }

    /// Plays a move (UCI notation).
    pub fn make_move(&self, uci: &str) -> Result<(), EngineError> {
        lock(&self.inner.game).play(uci)
    }

    /// The position as a FEN.
    pub fn fen(&self) -> String {
        each!(AnyGame, &*lock(&self.inner.game), game => game.position().fen())
    }

    /// Forgets the last game: table, histories, and sets the start position.
    pub fn new_game(&self) {
        let _claim = Claim::wait(&self.inner);
        each!(AnyPool, &mut *lock(&self.inner.pool), pool => pool.new_game());
        // Now, rather than in the middle of a game with a clock.
        if self.options().variant == Variant::Makruk {
            BareKhun::make_soon(&lock(&self.inner.makruk));
        }
        self.inner.dice.store(0, Relaxed);
        if let Ok(game) = AnyGame::new(self.options().variant, None) {
            *lock(&self.inner.game) = game;
        }
        *lock(&self.inner.info) = None;
        *lock(&self.inner.best) = None;
    }

    /// Searches in this thread until a limit is reached or [`stop`](Engine::stop) is called from another. Waits for a
    /// search that already runs.
    pub fn go(&self, limits: Limits, mut on_info: impl FnMut(&Info)) -> GoResult {
        let claim = Claim::wait(&self.inner);
        self.inner.control.arm(limits.ponder);
        run(&claim, &limits, &mut on_info)
    }

    /// Searches in a thread of its own and returns at once; `on_done` gets the answer. A stop after this call is never lost.
    pub fn go_async(
        &self,
        limits: Limits,
        mut on_info: impl FnMut(&Info) + Send + 'static,
        on_done: impl FnOnce(GoResult) + Send + 'static,
    ) -> Result<JoinHandle<()>, EngineError> {
        let claim = Claim::try_now(&self.inner)?;
        self.inner.control.arm(limits.ponder);
        let body = move || {
            let result = run(&claim, &limits, &mut on_info);
            // The answer may be followed at once by the next command: be ready for it.
            drop(claim);
            on_done(result);
        };
        std::thread::Builder::new()
            .name("search-0".into())
            .stack_size(8 << 20)
            .spawn(body)
            .map_err(|_| EngineError::Busy)
    }

    /// Calls `listener` for every root move (depth, move, number from 1) of searches that last longer than three seconds.
    pub fn on_root_move(&self, listener: impl Fn(u32, UciMove, usize) + Send + Sync + 'static) {
        *lock(&self.inner.on_root_move) = Some(Arc::new(listener));
    }

    /// Ends the running search; its answer comes within a few milliseconds. Without one, does nothing.
    pub fn stop(&self) {
        self.inner.control.stop();
    }

    /// The move pondered on was played: the clock runs.
    pub fn ponderhit(&self) {
        self.inner.control.ponderhit();
    }

    /// Whether a search runs.
    pub fn is_searching(&self) -> bool {
        *lock(&self.inner.busy)
    }

    /// Waits until no search runs.
    pub fn wait(&self) {
        drop(Claim::wait(&self.inner));
    }

    /// The answer of the last search, or the best move so far of a running one.
    pub fn best_move(&self) -> Option<String> {
        lock(&self.inner.best).clone()
    }

    /// The last report of the first line.
    pub fn info(&self) -> Option<Info> {
        *lock(&self.inner.info)
    }
}

fn run(claim: &Claim, limits: &Limits, on_info: &mut dyn FnMut(&Info)) -> GoResult {
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
            if let Some(game) = &game {
                lock(&inner.makruk).prepare(game.position(), limits, Level::of(&options).is_none());
            }
            game.map(|game| run_on(inner, pool, &game, &options, memories.makruk.as_deref(), limits, on_info))
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
            let info = Info::new(report, options.variant, writer);
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
