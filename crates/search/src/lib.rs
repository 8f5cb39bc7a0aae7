#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod correction;
mod draw;
mod history;
mod iterate;
mod limits;
#[allow(unsafe_code)]
mod mem;
mod node;
mod params;
mod picker;
mod pool;
mod prove;
mod quiescence;
mod root;
pub mod score;
mod search;
mod searcher;
mod shared;
mod stack;
mod tablebases;
mod time;
pub mod trace;
mod tt;
#[cfg(feature = "tune")]
pub mod tuning;

pub use limits::{Info, Limits, ScoreBound, SearchResult};
pub use picker::Turn;
#[cfg(target_arch = "wasm32")]
pub use pool::set_spawn;
pub use pool::{Pool, Work};
pub use root::Known;
pub use score::{MAX_PLY, Score, TB_WIN};
pub use searcher::{RootPosition, Searcher};
#[cfg(target_arch = "wasm32")]
pub use shared::set_stop;
pub use shared::{Control, RootMoveObserver, Shared, lock};
pub use tablebases::{RankedMove, TableResult, Tablebases};
#[cfg(target_arch = "wasm32")]
pub use time::set_clock;
pub use time::{Clock, Progress, TimePlan};
pub use tt::{Bound, Entry, OutOfMemory, Slot, TranspositionTable};
