//! Position codes. One binary for all files: linking is what takes time.

mod common;
mod long;
mod round_trip;
mod second;
mod vectors;
