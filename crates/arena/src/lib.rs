#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod adjudicate;
pub mod course;
pub mod fake;
pub mod game;
pub mod journal;
pub mod limits;
pub mod log;
pub mod openings;
pub mod page;
pub mod pgn;
pub mod process;
pub mod report;
pub mod results;
pub mod roster;
pub mod runner;
pub mod schedule;
pub mod selftest;
pub mod spec;
pub mod spelling;
pub mod stats;
mod uci;

pub use uci::{Score, UciOption};
