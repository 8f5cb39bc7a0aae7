//! Matches between UCI engines: `rukh match`.
//!
//! The command line makes a [`runner::Plan`]; [`runner::run`] plays it on a few threads, each with its own engine
//! processes ([`process`]); every finished game goes into [`results::Results`], whose numbers come from [`stats`] and
//! whose words from [`report`]. Whatever an engine does wrong costs it the game and nothing else.

pub mod adjudicate;
pub mod fake;
pub mod game;
pub mod json;
pub mod limits;
pub mod log;
pub mod openings;
pub mod pgn;
pub mod process;
pub mod report;
pub mod results;
pub mod rng;
pub mod roster;
pub mod runner;
pub mod schedule;
pub mod selftest;
pub mod spec;
pub mod stats;
mod uci;
