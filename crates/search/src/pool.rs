//! Lazy SMP: threads that search the same root and help each other through the shared table alone.
//!
//! Helper threads live as long as the pool and sleep between searches. The main search runs in the caller's thread, so that
//! reports need not cross threads and a build without threads works unchanged.

use crate::limits::{Info, Limits, SearchResult};
use crate::node::Root;
use crate::root::{Known, root_moves, usable_score};
use crate::score::{self, is_decisive};
use crate::searcher::{RootPosition, Searcher};
use crate::shared::{Control, Shared, lock};
use crate::tablebases::Tablebases;
use crate::time::Lag;
use crate::tt::{Entry, OutOfMemory};
use rukh_core::{Move, Position, Rules};
use rukh_eval::Evaluator;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// What a thread does. Threads come from the system or, on WebAssembly, from the host.
pub type Work = Box<dyn FnOnce() + Send>;

#[cfg(target_arch = "wasm32")]
static HOST_SPAWN: std::sync::OnceLock<fn(Work) -> bool> = std::sync::OnceLock::new();

/// Says how to run something in another thread where the system has none; false means that it cannot be done. Only the
/// first call counts.
#[cfg(target_arch = "wasm32")]
pub fn set_spawn(spawn: fn(Work) -> bool) {
    let _ = HOST_SPAWN.set(spawn);
}

/// A thread under way.
struct Thread(#[cfg(not(target_arch = "wasm32"))] std::thread::JoinHandle<()>);

impl Thread {
    /// Starts a thread; `None` when there is none to be had.
    #[cfg(not(target_arch = "wasm32"))]
    fn start(name: String, stack_bytes: usize, work: Work) -> Option<Thread> {
        std::thread::Builder::new().name(name).stack_size(stack_bytes).spawn(work).ok().map(Thread)
    }

    /// Starts a thread; `None` when there is none to be had.
    #[cfg(target_arch = "wasm32")]
    fn start(_name: String, _stack_bytes: usize, work: Work) -> Option<Thread> {
        HOST_SPAWN.get().is_some_and(|spawn| spawn(work)).then_some(Thread())
    }

    /// Waits for its end. (A host's thread ends by itself, and holds nothing but what it shares.)
    fn join(self) {
        #[cfg(not(target_arch = "wasm32"))]
        let _ = self.0.join();
    }
}

/// What a helper is to do.
enum Order<R: Rules> {
    Idle,
    Search(Position<R>),
    Quit,
}

struct Slot<R: Rules, E: Evaluator<R>> {
    order: Mutex<Order<R>>,
    changed: Condvar,
    // Held by the helper while it searches, by the pool between searches: never contended, never in the hot path.
    searcher: Mutex<Searcher<R, E>>,
    /// What the helper panicked with; told by the main thread when the search has ended.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl<R: Rules, E: Evaluator<R>> Slot<R, E> {
    fn run(&self) {
        let mut order = lock(&self.order);
        loop {
            match *order {
                Order::Idle => order = self.changed.wait(order).unwrap_or_else(PoisonError::into_inner),
                Order::Quit => return,
                Order::Search(pos) => {
                    drop(order);
                    {
                        let mut searcher = lock(&self.searcher);
                        let search = AssertUnwindSafe(|| {
                            searcher.iterate::<Root>(&pos, &Limits::default(), &mut |_| {});
                            searcher.publish();
                        });
                        *lock(&self.panic) = catch_unwind(search).err();
                    }
                    order = lock(&self.order);
                    if matches!(*order, Order::Search(_)) {
                        *order = Order::Idle;
                    }
                    self.changed.notify_all();
                }
            }
        }
    }

    fn give(&self, order: Order<R>) {
        *lock(&self.order) = order;
        self.changed.notify_all();
    }

    fn wait_idle(&self) {
        let mut order = lock(&self.order);
        while matches!(*order, Order::Search(_)) {
            order = self.changed.wait(order).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

struct Helper<R: Rules, E: Evaluator<R>> {
    slot: Arc<Slot<R, E>>,
    thread: Option<Thread>,
}

impl<R: Rules, E: Evaluator<R>> Drop for Helper<R, E> {
    fn drop(&mut self) {
        self.slot.give(Order::Quit);
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

/// Deep lines need room: about 250 nested nodes, and as many again in quiescence.
const STACK_BYTES: usize = 8 << 20;

/// All threads of one engine.
pub struct Pool<R: Rules, E: Evaluator<R>> {
    shared: Arc<Shared<R>>,
    main: Searcher<R, E>,
    helpers: Vec<Helper<R, E>>,
    make_evaluator: Box<dyn Fn() -> E + Send + Sync>,
    overhead_ms: u64,
    lag: Lag,
    /// What the next search shall find in its table, and what is known of its root.
    warmth: (Vec<(u64, Entry)>, Option<Known>),
    /// The first move of the last report, of the first line.
    told: Option<Move>,
}

impl<R: Rules, E: Evaluator<R> + Send + 'static> Pool<R, E> {
    /// A pool of one thread with a table of `mib` mebibytes; `make_evaluator` is called once per thread.
    pub fn new(
        mib: usize,
        control: Arc<Control>,
        make_evaluator: impl Fn() -> E + Send + Sync + 'static,
    ) -> Result<Self, OutOfMemory> {
        let shared = Arc::new(Shared::with(mib, 1, control, None)?);
        let main = Searcher::new(0, shared.clone(), make_evaluator());
        let make_evaluator = Box::new(make_evaluator);
        Ok(Pool {
            shared,
            main,
            helpers: Vec::new(),
            make_evaluator,
            overhead_ms: 10,
            lag: Lag::default(),
            warmth: (Vec::new(), None),
            told: None,
        })
    }

    fn rebuild(
        &mut self,
        mib: usize,
        threads: usize,
        tables: Option<Arc<dyn Tablebases<R>>>,
    ) -> Result<(), OutOfMemory> {
        let threads = threads.max(1);
        let shared = Arc::new(Shared::with(mib, threads, self.shared.control.clone(), tables)?);
        self.helpers.truncate(threads - 1);
        self.main.set_shared(shared.clone());
        for helper in &self.helpers {
            lock(&helper.slot.searcher).set_shared(shared.clone());
        }
        self.shared = shared;
        while self.helpers.len() + 1 < threads {
            let searcher = Searcher::new(self.helpers.len() + 1, self.shared.clone(), (self.make_evaluator)());
            let slot = Arc::new(Slot {
                order: Mutex::new(Order::Idle),
                changed: Condvar::new(),
                searcher: Mutex::new(searcher),
                panic: Mutex::default(),
            });
            let runner = slot.clone();
            let name = format!("search-{}", self.helpers.len() + 1);
            let thread = Thread::start(name, STACK_BYTES, Box::new(move || runner.run()));
            // Fewer threads than asked for are better than none.
            let Some(thread) = thread else { break };
            self.helpers.push(Helper { slot, thread: Some(thread) });
        }
        Ok(())
    }

    /// Makes a new table of `mib` mebibytes. The old one stays when memory is short.
    pub fn resize(&mut self, mib: usize) -> Result<(), OutOfMemory> {
        self.rebuild(mib, self.threads(), self.shared.tables.clone())
    }

    /// Sets the number of threads. The table is made anew.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), OutOfMemory> {
        self.rebuild(self.shared.tt.mib(), threads, self.shared.tables.clone())
    }

    /// The end-game tables of the search.
    pub fn tables(&self) -> Option<&Arc<dyn Tablebases<R>>> {
        self.shared.tables.as_ref()
    }

    /// Gives the search end-game tables, or takes them away.
    pub fn set_tables(&mut self, tables: Option<Arc<dyn Tablebases<R>>>) -> Result<(), OutOfMemory> {
        self.rebuild(self.shared.tt.mib(), self.threads(), tables)
    }

    /// Replaces every thread's evaluator: from now on made by `make_evaluator`. What was learnt with the one before is forgotten,
    /// the table and where that one erred.
    pub fn set_evaluator(&mut self, make_evaluator: impl Fn() -> E + Send + Sync + 'static) {
        *self.main.evaluator_mut() = make_evaluator();
        for helper in &self.helpers {
            *lock(&helper.slot.searcher).evaluator_mut() = make_evaluator();
        }
        self.make_evaluator = Box::new(make_evaluator);
        self.new_game();
    }

    /// Time lost per move between engine and clock, milliseconds.
    pub fn set_overhead(&mut self, ms: u64) {
        self.overhead_ms = ms;
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.helpers.len() + 1
    }

    /// The shared part: table, control, counters.
    pub fn shared(&self) -> &Arc<Shared<R>> {
        &self.shared
    }

    /// Puts entries of an earlier time into the table when the next search begins; what is known of its root counts as
    /// an iteration, and the search goes on with the next.
    pub fn warm(&mut self, entries: Vec<(u64, Entry)>, root: Option<Known>) {
        self.warmth = (entries, root);
    }

    /// Empties the transposition table.
    pub fn clear_hash(&self) {
        self.shared.tt.clear(self.threads());
    }

    /// Forgets everything: table and histories.
    pub fn new_game(&mut self) {
        self.clear_hash();
        self.main.new_game();
        for helper in &self.helpers {
            lock(&helper.slot.searcher).new_game();
        }
    }

    /// After a panic came out of [`search`](Pool::search): ends what still runs and gives every thread a searcher without a
    /// past. The table stays: its entries are checked whenever they are read.
    pub fn recover(&mut self) {
        self.shared.control.raise_stop();
        for (at, helper) in self.helpers.iter().enumerate() {
            helper.slot.wait_idle();
            *lock(&helper.slot.searcher) = Searcher::new(at + 1, self.shared.clone(), (self.make_evaluator)());
            *lock(&helper.slot.panic) = None;
        }
        self.main = Searcher::new(0, self.shared.clone(), (self.make_evaluator)());
        self.warmth = (Vec::new(), None);
    }

    /// Searches until a limit is reached or the control says stop; with `infinite` or `ponder`, not before it does. The
    /// caller must have armed the control. The last report of the first line begins with the move of the answer. A panic in
    /// any thread comes out here, when all have ended or by [`recover`](Pool::recover).
    pub fn search(
        &mut self,
        root: RootPosition<'_, R>,
        limits: &Limits,
        on_info: &mut dyn FnMut(&Info<'_>),
    ) -> SearchResult {
        let clock = self.shared.control.clock();
        let (us, ply) = (root.position.side_to_move(), root.position.ply());
        self.lag.begin(limits, us, ply);
        let trimmed = self.lag.trim(limits, us);
        let (asked, limits) = (limits, &trimmed);
        let moves = root_moves(root.position, limits);
        if !limits.resume {
            self.shared.reset_counters();
            self.shared.tt.new_search();
            self.told = None;
        }
        let told = Cell::new(self.told);
        let on_info = &mut |info: &Info<'_>| {
            if info.multipv == 1 {
                told.set(info.pv.first().copied());
            }
            on_info(info);
        };
        // Now, so that they count as this search's own: its first shallow iterations must not erase them.
        for (key, entry) in self.warmth.0.drain(..) {
            self.shared.tt.store(key, entry);
        }
        self.main.set_overhead(self.lag.overhead(self.overhead_ms), self.lag.stall());
        self.main.prepare(root, limits, &moves, clock);
        if !limits.resume
            && !self.main.rank_root(root.position)
            && let Some(known) = self.warmth.1.take()
            && self.main.resume(&known)
        {
            self.main.report(0, on_info);
        }
        let moves: Vec<Move> = self.main.root_moves.iter().map(|m| m.mv).collect();
        for helper in &self.helpers {
            lock(&helper.slot.searcher).prepare(root, limits, &moves, clock);
        }
        for helper in &self.helpers {
            helper.slot.give(Order::Search(*root.position));
        }
        self.main.iterate::<Root>(root.position, limits, on_info);
        self.main.publish();

        self.shared.control.wait_for_word(limits.infinite);
        self.shared.control.raise_stop();
        for helper in &self.helpers {
            helper.slot.wait_idle();
        }
        for helper in &self.helpers {
            if let Some(panic) = lock(&helper.slot.panic).take() {
                resume_unwind(panic);
            }
        }
        self.lag.end(asked, us, ply, clock.elapsed_ms());
        let winner = self.elect(limits);
        let guard = winner.checked_sub(1).map(|at| lock(&self.helpers[at].slot.searcher));
        let searcher = guard.as_deref().unwrap_or(&self.main);
        let result = SearchResult { nodes: self.shared.nodes(), ..searcher.result() };
        if result.best.is_some() && told.get() != result.best {
            searcher.report_all(on_info);
        }
        drop(guard);
        self.told = told.get();
        result
    }

    /// The threads vote: each for its best move, with a weight that grows with score and depth. The number of the winner's
    /// thread.
    fn elect(&self, limits: &Limits) -> usize {
        if self.helpers.is_empty() || limits.multipv > 1 || self.main.root_moves.is_empty() {
            return 0;
        }
        let guards: Vec<_> = self.helpers.iter().map(|h| lock(&h.slot.searcher)).collect();
        let all: Vec<&Searcher<R, E>> = core::iter::once(&self.main).chain(guards.iter().map(|g| &**g)).collect();
        let score = |s: &Searcher<R, E>| usable_score(&s.root_moves[0]);
        let worst = all.iter().map(|s| score(s)).min().unwrap_or(0);
        let weight = |s: &Searcher<R, E>| i64::from(score(s) - worst + 14) * i64::from(s.completed_depth);
        let votes = |mv: Move| all.iter().filter(|s| s.root_moves[0].mv == mv).map(|s| weight(s)).sum::<i64>();
        let mut best = 0;
        for i in 1..all.len() {
            let (a, b) = (all[i], all[best]);
            if a.completed_depth == 0 {
                continue;
            }
            let better = if is_decisive(score(b)) {
                // A proven result is not outvoted; the shorter win or the longer loss is better.
                score(a) > score(b) && score::is_decisive(score(a))
            } else if score::is_win(score(a)) {
                true
            } else {
                !score::is_loss(score(a)) && votes(a.root_moves[0].mv) > votes(b.root_moves[0].mv)
            };
            if better {
                best = i;
            }
        }
        best
    }
}
