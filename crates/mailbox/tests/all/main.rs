//! The second move generator. One binary for all files: linking is what takes time.

mod counting;
mod perft;
mod rules;
#[path = "../../../core/tests/all/vectors.rs"]
mod vectors;
