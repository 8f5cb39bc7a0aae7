//! What the threads of one search share: the table, the stop flag, node counters, end-game tables.

use crate::tablebases::Tablebases;
use crate::time::Clock;
use crate::tt::{OutOfMemory, TranspositionTable};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use rukh_core::{Move, Rules};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The value behind a lock, also after a panic of another thread: what is locked in these crates is whole at every moment.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(target_arch = "wasm32")]
static HOST_STOP: std::sync::OnceLock<fn() -> bool> = std::sync::OnceLock::new();

/// Without threads nobody can call [`Control::stop`] during a search: the search asks the host instead, every few hundred
/// nodes. Only the first call counts.
#[cfg(target_arch = "wasm32")]
pub fn set_stop(told_to_stop: fn() -> bool) {
    let _ = HOST_STOP.set(told_to_stop);
}

/// Stop and ponder switches: outlive tables and pools, so that any thread can hold one.
#[derive(Default)]
pub struct Control {
    stop: AtomicBool,
    /// Somebody asked for the stop; a limit that was reached raises only the flag above.
    asked: AtomicBool,
    /// No search shall run any more.
    over: AtomicBool,
    pondering: AtomicBool,
    started: Mutex<Option<Clock>>,
    on_root_move: Mutex<Option<RootMoveObserver>>,
}

/// Hears of the root move being searched, once a search has lasted a while: depth, move, its number from 1.
pub type RootMoveObserver = Box<dyn FnMut(u32, Move, usize) + Send>;

impl core::fmt::Debug for Control {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Control").field("stop", &self.stop).field("pondering", &self.pondering).finish_non_exhaustive()
    }
}

impl Control {
    /// Ends the running search as soon as every thread looks (within a millisecond or so).
    pub fn stop(&self) {
        self.pondering.store(false, Relaxed);
        self.asked.store(true, Relaxed);
        self.stop.store(true, SeqCst);
    }

    /// Ends the running search and every later one: for a series of searches.
    pub fn end(&self) {
        self.over.store(true, SeqCst);
        self.stop();
    }

    /// Whether [`end`](Control::end) was called.
    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// The expected move was played: the clock runs from now on.
    pub fn ponderhit(&self) {
        self.pondering.store(false, Relaxed);
    }

    /// Whether the search has been told to stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        #[cfg(target_arch = "wasm32")]
        if HOST_STOP.get().is_some_and(|told_to_stop| told_to_stop()) {
            self.stop();
        }
        self.stop.load(Relaxed)
    }

    /// Whether the search runs on the opponent's time.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// Makes ready for a search. Call before the search is visible to others, so that no stop is lost.
    pub fn arm(&self, ponder: bool) {
        self.pondering.store(ponder, Relaxed);
        self.asked.store(false, Relaxed);
        self.stop.store(false, SeqCst);
        // Looked at after the flag above was lowered: an end that comes meanwhile raises it again.
        if self.over.load(SeqCst) {
            self.stop();
        }
        *lock(&self.started) = Some(Clock::start());
    }

    /// "infinite" and "ponder" promise silence until told otherwise, whatever limit was reached: waits for that word.
    pub fn wait_for_word(&self, infinite: bool) {
        let waits = || !self.asked.load(Relaxed) && (infinite || self.is_pondering());
        while cfg!(not(target_arch = "wasm32")) && waits() {
            std::thread::sleep(core::time::Duration::from_millis(1));
        }
    }

    /// Milliseconds since [`arm`](Control::arm), before the search itself has begun.
    pub fn elapsed_ms(&self) -> u64 {
        lock(&self.started).as_ref().map_or(0, Clock::elapsed_ms)
    }

    /// The clock of the search: it runs since [`arm`](Control::arm), so that a thread that wakes late does not think for
    /// longer.
    pub(crate) fn clock(&self) -> Clock {
        lock(&self.started).take().unwrap_or_else(Clock::start)
    }

    /// Whom to tell about root moves in the next searches, or nobody.
    pub fn observe_root_moves(&self, observer: Option<RootMoveObserver>) {
        *lock(&self.on_root_move) = observer;
    }

    #[cold]
    pub(crate) fn tell_root_move(&self, depth: u32, mv: Move, number: usize) {
        if let Some(observer) = &mut *lock(&self.on_root_move) {
            observer(depth, mv, number);
        }
    }

    pub(crate) fn raise_stop(&self) {
        self.stop.store(true, Relaxed);
    }
}

/// A thread's counters on a cache line of their own.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Counter {
    pub nodes: AtomicU64,
    pub tbhits: AtomicU64,
}

/// Everything threads share. Make one with [`Shared::new`] and hand it to each [`Searcher`](crate::Searcher).
pub struct Shared<R: Rules> {
    /// The transposition table.
    pub tt: TranspositionTable,
    /// Stop and ponder switches.
    pub control: Arc<Control>,
    pub(crate) counters: Box<[Counter]>,
    pub(crate) tables: Option<Arc<dyn Tablebases<R>>>,
}

impl<R: Rules> Shared<R> {
    /// A table of `mib` mebibytes and room for `threads` threads.
    pub fn new(mib: usize, threads: usize) -> Result<Shared<R>, OutOfMemory> {
        Shared::with(mib, threads, Arc::default(), None)
    }

    pub(crate) fn with(
        mib: usize,
        threads: usize,
        control: Arc<Control>,
        tables: Option<Arc<dyn Tablebases<R>>>,
    ) -> Result<Shared<R>, OutOfMemory> {
        let counters = (0..threads.max(1)).map(|_| Counter::default()).collect();
        Ok(Shared { tt: TranspositionTable::new(mib)?, control, counters, tables })
    }

    /// Nodes of all threads, as last published.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|c| c.nodes.load(Relaxed)).sum()
    }

    /// Successful table probes of all threads.
    pub fn tbhits(&self) -> u64 {
        self.counters.iter().map(|c| c.tbhits.load(Relaxed)).sum()
    }

    pub(crate) fn reset_counters(&self) {
        for c in &self.counters {
            c.nodes.store(0, Relaxed);
            c.tbhits.store(0, Relaxed);
        }
    }
}
