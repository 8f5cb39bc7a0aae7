#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod game;
mod input;
mod output;
pub mod terminal;
pub mod uci;
pub mod xboard;

pub use input::{Lines, MAX_LINE};
pub use output::Output;

/// Runs a command of a session: a fault of the program becomes a message, and the session goes on.
fn guarded<T>(command: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(command)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
        Err(format!("this command crashed: {}", words.unwrap_or("unknown reason")))
    })
}
