//! What the module needs from JavaScript: a clock, a stop flag, and someone to tell.

#[link(wasm_import_module = "rukh")]
unsafe extern "C" {
    /// Milliseconds from any fixed point.
    safe fn now() -> f64;
    /// Whether the running search is to end. Asked every few hundred nodes.
    safe fn stopped() -> i32;
    /// A report of the running search, JSON.
    fn report(ptr: *const u8, len: usize);
    /// The message of a panic; a trap follows.
    fn panicked(ptr: *const u8, len: usize);
}

/// Fills the slider table, hands the clock and the stop flag to the search and the panic message to JavaScript. Called before every request; only the
/// first call does anything.
pub fn connect() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        rukh_core::attacks::init();
        rukh_search::set_clock(|| now());
        rukh_search::set_stop(|| stopped() != 0);
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
