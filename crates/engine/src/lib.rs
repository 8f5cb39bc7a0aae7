//! The public API of the Rukh engine: chess, Chess960 and Makruk.
//!
//! [`Engine`] holds a game and a pool of search threads; every method takes `&self` and may be called from any thread.
//!
//! ```
//! use rukh_engine::{Engine, Limits, Options};
//!
//! let engine = Engine::new(Options::default()).unwrap();
//! engine.set_position_moves("startpos", ["e2e4", "e7e5"]).unwrap();
//! let answer = engine.go(Limits::nodes(2_000), |info| {
//!     println!("depth {} score {} cp {} pv {}", info.depth, info.centipawns(), info.wdl().win, info.pv);
//! });
//! let best = answer.best_move.expect("the game is not over");
//! engine.make_move(&best).unwrap();
//! ```
//!
//! A search can run beside its caller, and be stopped at any time:
//!
//! ```
//! use rukh_engine::{Engine, Limits, Options};
//! use std::sync::mpsc;
//!
//! let engine = Engine::new(Options::default()).unwrap();
//! let (send, receive) = mpsc::channel();
//! let infinite = Limits { infinite: true, ..Limits::default() };
//! engine.go_async(infinite, |_| {}, move |answer| send.send(answer).unwrap()).unwrap();
//! engine.stop();
//! assert!(receive.recv().unwrap().best_move.is_some());
//! ```
#![forbid(unsafe_code)]

mod bench;
mod engine;
mod error;
mod hash;
mod info;
mod judgement;
mod makruk;
mod manners;
mod memory;
mod network;
mod options;
mod pool;
mod providers;
mod run;
mod strength;
#[cfg(not(target_family = "wasm"))]
mod syzygy;
mod tables;
mod wdl;

pub use bench::{BENCH_DEPTH, BenchResult, bench, bench_classical, bench_page, bench_until, bench_with};
pub use engine::{Engine, SEARCH_STACK, read_game};
pub use error::EngineError;
pub use info::{GoResult, Info, Line, MoveWriter, UciMove};
pub use judgement::{Judgement, accuracy};
pub use manners::{Counting, Manners};
pub use memory::{Memo, Memory};
pub use network::{CLASSICAL, EMBEDDED, PAGE, network_for};
pub use options::{ELO_RANGE, Needs, OPTIONS, OptionError, OptionKind, OptionSpec, Options};
pub use providers::{AnyMemory, Book, MemoryFiles};
pub use rukh_core::{AnyGame, AnyPosition, Variant};
pub use rukh_search::{Bound, Control, Limits, RankedMove, Score, ScoreBound, TableResult, Tablebases, Work};
pub use tables::{TablesError, TablesFound, tables_in};
pub use wdl::{Scale, Wdl, centipawns};
