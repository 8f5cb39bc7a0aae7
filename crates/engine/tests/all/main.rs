//! The engine's API. One binary for all files: linking is what takes time; `no_alloc` counts allocations and stays alone.

mod answers;
mod engine;
mod faults;
mod makruk_endings;
mod memory;
mod options;
