//! Threads for the pool: from the system or, on WebAssembly, from the host.

/// What a thread does.
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
pub(crate) struct Thread(#[cfg(not(target_arch = "wasm32"))] std::thread::JoinHandle<()>);

impl Thread {
    /// Starts a thread; `None` when there is none to be had.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn start(name: String, stack_bytes: usize, work: Work) -> Option<Thread> {
        std::thread::Builder::new().name(name).stack_size(stack_bytes).spawn(work).ok().map(Thread)
    }

    /// Starts a thread; `None` when there is none to be had.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn start(_name: String, _stack_bytes: usize, work: Work) -> Option<Thread> {
        HOST_SPAWN.get().is_some_and(|spawn| spawn(work)).then_some(Thread())
    }

    /// Waits for its end. (A host's thread ends by itself, and holds nothing but what it shares.)
    pub(crate) fn join(self) {
        #[cfg(not(target_arch = "wasm32"))]
        let _ = self.0.join();
    }
}
