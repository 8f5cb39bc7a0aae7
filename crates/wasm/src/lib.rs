//! The engine as a WebAssembly module: plain exports, JSON in and out.
//!
//! JavaScript writes a request into memory from [`alloc`], calls [`call`] with it and reads the answer of the returned length at
//! [`answer`]. While a search runs the module calls back: `host` has the imports. One instance is one engine (made by `hello`),
//! or, without `hello`, just the rules.

#[cfg(target_arch = "wasm32")]
mod host;
mod requests;
mod selftest;

use std::cell::RefCell;

thread_local! {
    /// The last answer, kept until the next call.
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Memory for a request of `len` bytes. The next [`call`] with it takes it back.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(len: usize) -> *mut u8 {
    let mut bytes = Vec::<u8>::with_capacity(len.max(1));
    let ptr = bytes.as_mut_ptr();
    core::mem::forget(bytes);
    ptr
}

/// Answers the request at `ptr`, which came from [`alloc`] with the same `len` and is freed here. Returns the length of the
/// answer, an object with `done` or `error`.
///
/// # Safety
/// `ptr` must come from `alloc(len)`, be filled, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call(ptr: *mut u8, len: usize) -> usize {
    // SAFETY: the caller got `ptr` from `alloc(len)`, which reserved `len.max(1)` bytes, and filled `len` of them.
    let bytes = unsafe { Vec::from_raw_parts(ptr, len, len.max(1)) };
    let text = String::from_utf8_lossy(&bytes);
    reply(requests::handle(&text))
}

/// Plays with a network, whose file is the bytes at `ptr`; otherwise as [`call`]. After `hello`.
///
/// # Safety
/// As for [`call`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn network(ptr: *mut u8, len: usize) -> usize {
    // SAFETY: as in `call`.
    let bytes = unsafe { Vec::from_raw_parts(ptr, len, len.max(1)) };
    reply(requests::network(&bytes))
}

/// Keeps an answer; returns its length.
fn reply(answer: Result<String, String>) -> usize {
    let answer = rukh_api::message::reply(answer);
    let len = answer.len();
    ANSWER.with(|slot| *slot.borrow_mut() = answer);
    len
}

/// Where the last answer stands.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with(|slot| slot.borrow().as_ptr())
}
