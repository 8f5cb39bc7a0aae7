//! Between the start of a search and its answer the search threads allocate nothing.

use rukh_core::{Chess, Makruk, Position, Rules};
use rukh_eval::{Classical, Terms};
use rukh_search::{Control, Limits, Pool, RootPosition};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

/// Counts while armed, in whatever thread.
struct Counting;

static ARMED: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if ARMED.load(SeqCst) {
            COUNT.fetch_add(1, SeqCst);
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations<R: Rules + Terms>(threads: usize, fen: &str) -> u64
where
    Classical<R>: Send,
{
    let control = Arc::new(Control::default());
    let mut pool = Pool::new(4, control.clone(), Classical::<R>::default).unwrap();
    pool.set_threads(threads).unwrap();
    let position = Position::<R>::from_fen(fen).unwrap();
    let root = RootPosition { position: &position, keys: &[position.repetition_key()] };
    // A new thread allocates for itself when it first runs: let every helper run once.
    control.arm(false);
    pool.search(root, &Limits::depth(2), &mut |_| {});
    // The first report marks the start: setting up the root comes before "go" reaches the threads. The last report marks
    // the end, because the answer is put together after it.
    const DEPTH: u32 = 12;
    let limits = Limits { multipv: 3, ..Limits::depth(DEPTH) };
    control.arm(false);
    let mut inside = u64::MAX;
    pool.search(root, &limits, &mut |info| {
        if info.depth == 1 && info.multipv == 1 {
            COUNT.store(0, SeqCst);
            ARMED.store(true, SeqCst);
        }
        if info.depth == DEPTH && info.multipv == 3 {
            ARMED.store(false, SeqCst);
            inside = COUNT.load(SeqCst);
        }
    });
    inside
}

#[test]
fn searching_allocates_nothing() {
    for threads in [1, 2] {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        assert_eq!(allocations::<Chess>(threads, fen), 0, "chess, {threads} threads");
        assert_eq!(allocations::<Makruk>(threads, Makruk::START_FEN), 0, "Makruk, {threads} threads");
    }
}
