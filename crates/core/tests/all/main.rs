//! The rules. One binary for all files: linking is what takes time.

mod common;
mod fuzz_smoke;
mod makruk_count;
mod makruk_refusals;
mod perft;
mod polyglot;
mod random_walk;
mod see;
mod vectors;
