#![doc = include_str!("../README.md")]
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
mod phase;
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
pub use phase::Phase;
pub use providers::{AnyMemory, Book, MemoryFiles};
pub use rukh_core::{AnyGame, AnyPosition, Variant};
pub use rukh_search::{Bound, Control, Limits, RankedMove, Score, ScoreBound, TableResult, Tablebases, Work, lock};
pub use tables::{TablesError, TablesFound, tables_in};
pub use wdl::{Scale, Wdl, centipawns};
