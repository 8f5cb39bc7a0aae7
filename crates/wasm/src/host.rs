//! What the module needs from JavaScript: a clock, a stop flag, someone to tell, and threads where it has any.

#[link(wasm_import_module = "rukh")]
unsafe extern "C" {
    /// Milliseconds from a point that is the same for all threads.
    safe fn now() -> f64;
    /// What the running search is to do: 0 go on, 1 end, 2 let messages in and go on. Asked every few hundred nodes.
    safe fn stopped() -> i32;
    /// Lets messages in: the search sleeps in the middle and JavaScript runs. Only where the browser can do that.
    safe fn breathe();
    /// The place in the module's table of the host's kernel for the network's middle layer ([`Kernel`]), or 0.
    #[cfg(target_feature = "simd128")]
    safe fn kernel() -> usize;
    /// A report of the running search, JSON.
    fn report(ptr: *const u8, len: usize);
    /// The message of a panic; a trap follows.
    fn panicked(ptr: *const u8, len: usize);
    /// Runs [`thread`](crate::host::threads::thread) with `work` in another worker on the same memory; 0 when there is none.
    #[cfg(target_feature = "atomics")]
    safe fn spawn(work: *mut core::ffi::c_void) -> i32;
}

#[cfg(target_feature = "simd128")]
use rukh_eval::nnue::simd::{Kernel, set_kernel};

const STOP: i32 = 1;
const BREATHE: i32 = 2;

fn told_to_stop() -> bool {
    let mut word = stopped();
    if word == BREATHE {
        breathe();
        word = stopped();
    }
    word == STOP
}

/// Fills the slider table, hands clock, stop flag and threads to the search and the panic message to JavaScript. Called before
/// every request; only the first call does anything.
pub fn connect() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        rukh_core::attacks::init();
        #[cfg(target_feature = "simd128")]
        if let place @ 1.. = kernel() {
            // SAFETY: a function is its place in the table, in which every instance on this memory has the kernel there before it runs
            // anything (`web/engine/src/instance.ts`). `web/engine/src/relaxed.ts` is what it does.
            unsafe { set_kernel(core::mem::transmute::<usize, Kernel>(place)) };
        }
        rukh_search::set_clock(|| now());
        rukh_search::set_stop(told_to_stop);
        #[cfg(target_feature = "atomics")]
        rukh_search::set_spawn(threads::start);
        std::panic::set_hook(Box::new(|info| {
            let text = info.to_string();
            // SAFETY: the import reads so many bytes there and keeps nothing.
            unsafe { panicked(text.as_ptr(), text.len()) }
        }));
    });
}

/// Tells JavaScript about the running search.
pub fn tell(json: &str) {
    // SAFETY: the import reads so many bytes there and keeps nothing.
    unsafe { report(json.as_ptr(), json.len()) }
}

/// Threads of the build with shared memory: other instances of this module on the same memory, each in a worker, each with a
/// stack and thread-local values of its own.
#[cfg(target_feature = "atomics")]
mod threads {
    use rukh_search::Work;

    pub fn start(work: Work) -> bool {
        let work = Box::into_raw(Box::new(work));
        // JavaScript passes the address on and does not look behind it.
        if super::spawn(work.cast()) != 0 {
            return true;
        }
        // SAFETY: nobody has taken it.
        drop(unsafe { Box::from_raw(work) });
        false
    }

    /// What a new thread does: everything. It ends when this returns.
    ///
    /// # Safety
    /// `work` must come from the import `spawn`, and be used once.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn thread(work: *mut core::ffi::c_void) {
        // SAFETY: `start` made it with `Box::into_raw` from a `Box<Work>`, and the caller uses it once.
        let work = unsafe { Box::from_raw(work.cast::<Work>()) };
        work();
    }
}
