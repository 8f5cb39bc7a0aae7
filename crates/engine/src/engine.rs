//! The engine: a game, options and a pool of search threads behind an interface that any thread may call.

use crate::error::EngineError;
use crate::info::{GoResult, Info, UciMove};
use crate::makruk::BareKhun;
use crate::memory::Memory;
use crate::network;
use crate::options::{Needs, OPTIONS, OptionError, OptionSpec, Options};
use crate::pool::{maker, new_pool};
use crate::providers::{Book, MemoryFiles};
use crate::run::{Claim, Inner, Memories, run};
use crate::tables;
use rukh_core::{AnyGame, AnyPosition, Chess, Makruk, Move, Variant, dispatch};
use rukh_eval::nnue::Network;
use rukh_search::{Control, Limits, Tablebases, TranspositionTable, Work, lock};
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
    pub(crate) inner: Arc<Inner>,
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
            game: Mutex::new(AnyGame::new(options.variant)),
            pool: Mutex::new(new_pool(&options, None, &control, &makruk)?),
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
            given: Mutex::new(None),
            memories: Mutex::default(),
            providers: Mutex::default(),
        };
        Ok(Engine { inner: Arc::new(inner) })
    }

    /// The options that have an effect here, with type, default and limits.
    pub fn option_list(&self) -> Vec<&'static OptionSpec> {
        OPTIONS.iter().filter(|spec| self.offers(spec)).collect()
    }

    fn offers(&self, spec: &OptionSpec) -> bool {
        let providers = lock(&self.inner.providers);
        match spec.needs {
            Needs::Nothing => true,
            Needs::Book => providers.book.is_some(),
            Needs::MemoryFiles => providers.files.is_some(),
            Needs::Memory => providers.files.is_some() || lock(&self.inner.memories).any(),
        }
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
        self.configure(name, value).map(drop)
    }

    /// Sets an option as [`set_option`](Engine::set_option) does, and tells what a person may want to know: which book,
    /// tables or memory were found.
    pub fn configure(&self, name: &str, value: &str) -> Result<Vec<String>, EngineError> {
        let mut new = self.options();
        let spec = new.set(name, value)?;
        if !self.offers(spec) {
            return Err(OptionError::NotOffered(spec.name).into());
        }
        let mut said = Vec::new();
        let own = spec.name == "OwnBook" && new.own_book && new.book_file.is_empty();
        if let Some(book) = &mut lock(&self.inner.providers).book
            && (own || spec.name == "BookFile")
        {
            said.push(book.open(&new.book_file).map_err(EngineError::Book)?);
        }
        self.apply(&new, spec.name == "Clear Hash")?;
        if spec.name == "SyzygyPath"
            && let Ok(found) = tables::tables_in(&new.syzygy_path)
            && !new.syzygy_path.is_empty()
        {
            let (results, distances) = (found.results, found.distances);
            said.push(format!("found {results} tables of results, {distances} of distances, up to {} men", found.men));
        }
        said.extend(self.follow_memory());
        Ok(said)
    }

    fn apply(&self, new: &Options, clear_hash: bool) -> Result<(), EngineError> {
        let old = self.options();
        let needs_pool = new.hash != old.hash
            || new.threads != old.threads
            || new.move_overhead != old.move_overhead
            || new.variant != old.variant
            || clear_hash;
        if needs_pool {
            let _claim = Claim::try_now(&self.inner)?;
            let mut pool = lock(&self.inner.pool);
            let same_rules = new.variant.rules() == old.variant.rules();
            if same_rules {
                dispatch!(&mut *pool, pool => {
                    if new.hash != old.hash {
                        pool.resize(new.hash)?;
                    }
                    if new.threads != old.threads {
                        pool.set_threads(new.threads)?;
                    }
                    pool.set_overhead(new.move_overhead);
                    if clear_hash {
                        pool.clear_hash();
                    }
                });
            } else {
                let given = lock(&self.inner.given).clone();
                *pool = new_pool(new, given.as_ref(), &self.inner.control, &lock(&self.inner.makruk))?;
            }
            let mut game = lock(&self.inner.game);
            if game.variant() != new.variant {
                *game = game.noted_as(new.variant).unwrap_or_else(|| AnyGame::new(new.variant));
            }
        }
        if new.eval_file != old.eval_file {
            self.change_evaluation(new)?;
        }
        if new.syzygy_path != old.syzygy_path {
            self.open_tables(&new.syzygy_path)?;
        }
        if new.makruk_tables != old.makruk_tables {
            let _claim = Claim::try_now(&self.inner)?;
            let tables = BareKhun::open(&new.makruk_tables)?;
            if let Some(pool) = lock(&self.inner.pool).makruk_mut() {
                pool.set_tables(Some(tables.clone()))?;
            }
            *lock(&self.inner.makruk) = tables;
        }
        *lock(&self.inner.options) = new.clone();
        Ok(())
    }

    fn change_evaluation(&self, new: &Options) -> Result<(), EngineError> {
        let _claim = Claim::try_now(&self.inner)?;
        network::check(&new.eval_file)?;
        self.evaluate_by(new, None)
    }

    /// One place for it: it is compiled for every game.
    #[inline(never)]
    fn evaluate_by(&self, new: &Options, given: Option<Arc<Network>>) -> Result<(), EngineError> {
        dispatch!(&mut *lock(&self.inner.pool), pool => pool.set_evaluator(maker(new, given.as_ref())?));
        *lock(&self.inner.given) = given;
        Ok(())
    }

    /// Plays with a network from the bytes of its file, for hosts without files, until the option `EvalFile` names another.
    /// The other game keeps its own.
    pub fn set_network(&self, bytes: &[u8]) -> Result<(), EngineError> {
        let _claim = Claim::try_now(&self.inner)?;
        let given = Some(network::parse(bytes)?);
        let mut options = lock(&self.inner.options);
        let new = Options { eval_file: network::GIVEN.into(), ..options.clone() };
        self.evaluate_by(&new, given)?;
        *options = new;
        Ok(())
    }

    fn open_tables(&self, path: &str) -> Result<(), EngineError> {
        let _claim = Claim::try_now(&self.inner)?;
        let tables = if path.is_empty() { None } else { Some(tables::open(path)?) };
        if let Some(pool) = lock(&self.inner.pool).chess_mut() {
            pool.set_tables(tables)?;
        }
        Ok(())
    }

    /// Gives chess searches end-game tables (or takes them away with `None`). Ignored while Makruk is played.
    pub fn set_chess_tables(&self, tables: Option<Arc<dyn Tablebases<Chess>>>) -> Result<(), EngineError> {
        let _claim = Claim::try_now(&self.inner)?;
        if let Some(pool) = lock(&self.inner.pool).chess_mut() {
            pool.set_tables(tables)?;
        }
        Ok(())
    }

    /// Gives Makruk searches end-game tables (or takes them away with `None`). Ignored while chess is played.
    pub fn set_makruk_tables(&self, tables: Option<Arc<dyn Tablebases<Makruk>>>) -> Result<(), EngineError> {
        let _claim = Claim::try_now(&self.inner)?;
        if let Some(pool) = lock(&self.inner.pool).makruk_mut() {
            pool.set_tables(tables)?;
        }
        Ok(())
    }

    /// Lets someone look into the transposition table, between searches.
    pub fn with_table<T>(&self, look: impl FnOnce(&TranspositionTable) -> T) -> Result<T, EngineError> {
        let _claim = Claim::try_now(&self.inner)?;
        Ok(dispatch!(&*lock(&self.inner.pool), pool => look(&pool.shared().tt)))
    }

    /// Gives chess a memory (or takes it away with `None`); it is used while the option `Learn` is on.
    pub fn set_chess_memory(&self, memory: Option<Arc<dyn Memory<Chess>>>) {
        lock(&self.inner.memories).chess = memory;
    }

    /// Gives Makruk a memory (or takes it away with `None`); it is used while the option `Learn` is on.
    pub fn set_makruk_memory(&self, memory: Option<Arc<dyn Memory<Makruk>>>) {
        lock(&self.inner.memories).makruk = memory;
    }

    /// Attaches an opening book: the options `OwnBook`, `BookFile`, `BestBookMove` and `BookDepth` are offered.
    pub fn attach_book(&self, book: impl Book + 'static) {
        lock(&self.inner.providers).book = Some(Box::new(book));
    }

    /// Attaches files to remember in: the options `Learn` and `LearnFile` are offered.
    pub fn attach_memory_files(&self, files: impl MemoryFiles + 'static) {
        lock(&self.inner.providers).files = Some(Box::new(files));
    }

    /// Opens the memory that the options name, if it is another one. What is open is closed first: it may be the same file
    /// by another name.
    fn follow_memory(&self) -> Option<String> {
        let options = self.options();
        let providers = &mut *lock(&self.inner.providers);
        let files = providers.files.as_mut()?;
        let wanted = options.learn.then(|| (options.variant.rules(), options.learn_file.clone(), options.learn_mb));
        if providers.open == wanted {
            return None;
        }
        providers.open = None;
        *lock(&self.inner.memories) = Memories::default();
        if !options.learn {
            return None;
        }
        match files.open(options.variant, &options.learn_file, options.learn_mb << 20) {
            Ok((memory, said)) => {
                *lock(&self.inner.memories) = memory.into();
                providers.open = wanted;
                Some(said)
            }
            // Better to play without a memory than not at all.
            Err(error) => {
                lock(&self.inner.options).learn = false;
                Some(format!("Learn is off: {error}"))
            }
        }
    }

    /// Closes the memory; what was recorded is written first.
    pub fn close_memory(&self) {
        lock(&self.inner.providers).open = None;
        *lock(&self.inner.memories) = Memories::default();
    }

    /// The move to play from the book for such a search, if the options want one. Books are for games: whoever analyses,
    /// ponders or names moves wants a search.
    pub fn book_move(&self, limits: &Limits) -> Option<Move> {
        let options = self.options();
        let searches = limits.infinite || limits.ponder || !limits.searchmoves.is_empty();
        let game = lock(&self.inner.game);
        if !options.own_book || searches || game.moves().len() >= options.book_depth {
            return None;
        }
        lock(&self.inner.providers).book.as_ref()?.choose(&game, options.best_book_move)
    }

    /// What the book that was named knows of a position, with weights, heaviest first.
    pub fn book_moves(&self, game: &AnyGame) -> Vec<(Move, u16)> {
        lock(&self.inner.providers).book.as_ref().map(|book| book.moves(game)).unwrap_or_default()
    }

    /// Sets the game to play on; its variant becomes the engine's.
    ///
    /// ```
    /// use rukh_core::{AnyGame, Variant};
    /// use rukh_engine::{Engine, Limits, Options};
    /// let mut game = AnyGame::new(Variant::Makruk);
    /// game.play(game.parse_move("d4").unwrap());
    /// let engine = Engine::new(Options::default()).unwrap();
    /// engine.set_game(game).unwrap();
    /// assert!(engine.go(Limits::depth(1), |_| {}).best_move.is_some());
    /// ```
    pub fn set_game(&self, game: AnyGame) -> Result<(), EngineError> {
        let mut new = self.options();
        if new.variant != game.variant() {
            new.variant = game.variant();
            self.apply(&new, false)?;
            self.follow_memory();
        }
        *lock(&self.inner.game) = game;
        Ok(())
    }

    /// The position on the board.
    pub fn position(&self) -> AnyPosition {
        lock(&self.inner.game).position()
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
        let game = read_game(self.options().variant, fen, moves)?;
        *lock(&self.inner.game) = game;
        Ok(())
    }

    /// Plays a move (UCI notation).
    pub fn make_move(&self, uci: &str) -> Result<(), EngineError> {
        play(&mut lock(&self.inner.game), uci)
    }

    /// The position as a FEN.
    pub fn fen(&self) -> String {
        lock(&self.inner.game).fen()
    }

    /// Forgets the last game: table, histories, and sets the start position. A running search is stopped.
    pub fn new_game(&self) {
        self.stop();
        let _claim = Claim::wait(&self.inner);
        dispatch!(&mut *lock(&self.inner.pool), pool => pool.new_game());
        // Now, rather than in the middle of a game with a clock.
        if self.options().variant == Variant::Makruk {
            BareKhun::make_soon(&lock(&self.inner.makruk));
        }
        self.inner.dice.store(0, Relaxed);
        *lock(&self.inner.game) = AnyGame::new(self.options().variant);
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

/// Plays a move in UCI notation.
/// A game from text: a FEN or the word `startpos`, and the moves played since in UCI notation.
pub fn read_game<S: AsRef<str>>(
    variant: Variant,
    fen: &str,
    moves: impl IntoIterator<Item = S>,
) -> Result<AnyGame, EngineError> {
    let fen = fen.trim();
    let mut game = if fen == "startpos" { AnyGame::new(variant) } else { AnyGame::from_fen(variant, fen)? };
    for mv in moves {
        play(&mut game, mv.as_ref())?;
    }
    Ok(game)
}

fn play(game: &mut AnyGame, text: &str) -> Result<(), EngineError> {
    let illegal = |reason| EngineError::Move { text: text.chars().take(40).collect(), reason };
    let mv = game.parse_uci(text.trim()).map_err(illegal)?;
    game.play(mv);
    Ok(())
}
