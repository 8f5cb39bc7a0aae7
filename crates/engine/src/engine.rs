//! The engine: a game, options and a pool of search threads behind an interface that any thread may call.

use crate::either::{AnyGame, AnyPool, each, maker};
use crate::error::EngineError;
use crate::info::{GoResult, Info, UciMove};
use crate::makruk::BareKhun;
use crate::memory::Memory;
use crate::network;
use crate::options::{OPTIONS, OptionSpec, Options};
use crate::run::{Claim, Inner, lock, run};
use crate::tables;
use rukh_core::{Chess, Makruk, Variant};
use rukh_search::{Control, Limits, Tablebases, TranspositionTable, Work};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

/// Stack of a thread that searches: deep lines need room.
pub const SEARCH_STACK: usize = 8 << 20;

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
        let tables = if path.is_empty() { None } else { Some(tables::open(path)?) };
        if let AnyPool::Chess(pool) = &mut *lock(&self.inner.pool) {
            pool.set_tables(tables)?;
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

    /// Forgets the last game: table, histories, and sets the start position. A running search is stopped.
    pub fn new_game(&self) {
        self.stop();
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
    /// search that already runs. Never panics: see [`GoResult::error`].
    pub fn go(&self, limits: Limits, mut on_info: impl FnMut(&Info)) -> GoResult {
        let claim = Claim::wait(&self.inner);
        self.inner.control.arm(limits.ponder);
        run(&claim, &limits, &mut on_info)
    }

    /// Searches in a thread of its own and returns at once; `on_done` gets the answer. A stop after this call is never lost.
    pub fn go_async(
        &self,
        limits: Limits,
        on_info: impl FnMut(&Info) + Send + 'static,
        on_done: impl FnOnce(GoResult) + Send + 'static,
    ) -> Result<JoinHandle<()>, EngineError> {
        let body = self.go_ready(limits, on_info, on_done)?;
        std::thread::Builder::new()
            .name("search-0".into())
            .stack_size(SEARCH_STACK)
            .spawn(body)
            .map_err(|_| EngineError::Busy)
    }

    /// A search that has been begun, clock and all, for a thread that the caller has at hand: on a busy machine every
    /// change of threads may cost milliseconds. It needs [a deep stack](SEARCH_STACK). A stop after this call is never
    /// lost; until it is run (or dropped), no other search can begin.
    pub fn go_ready(
        &self,
        limits: Limits,
        mut on_info: impl FnMut(&Info) + Send + 'static,
        on_done: impl FnOnce(GoResult) + Send + 'static,
    ) -> Result<Work, EngineError> {
        let claim = Claim::try_now(&self.inner)?;
        self.inner.control.arm(limits.ponder);
        Ok(Box::new(move || {
            let result = run(&claim, &limits, &mut on_info);
            // The answer may be followed at once by the next command: be ready for it.
            drop(claim);
            on_done(result);
        }))
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
