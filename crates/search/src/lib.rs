//! Search, ordering, transposition table and time of the Rukh engine.
//!
//! The search is generic over the rules and the evaluation: chess, Chess960 and Makruk share every line, and no node asks
//! which game it is. Between the start of a search and its answer nothing is allocated and nothing is locked.
//!
//! [`Searcher`] is one thread, enough for tools; [`Pool`] is Lazy SMP on top of it. The main search is in `search.rs` as
//! numbered steps, some of them in `prune.rs` and `extend.rs`; iterative deepening, quiescence, move
//! picking, histories, time and the table have a file each.
//!
//! ```
//! use rukh_core::{Chess, Position};
//! use rukh_eval::Classical;
//! use rukh_search::{Limits, RootPosition, Score, Searcher, Shared};
//! use std::sync::Arc;
//!
//! let shared = Arc::new(Shared::new(1, 1).unwrap());
//! let mut searcher = Searcher::new(0, shared, Classical::<Chess>::default());
//! let position = Position::<Chess>::from_fen("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1").unwrap();
//! let root = RootPosition { position: &position, keys: &[] };
//! let result = searcher.search(root, &Limits::depth(4), &mut |_| {});
//! assert_eq!(result.best.unwrap().to_string(), "a1a8");
//! assert_eq!(result.score, Score::mate_in(1));
//! ```
#![deny(unsafe_code)]

mod extend;
mod history;
mod iterate;
mod learn;
mod limits;
#[allow(unsafe_code)]
mod mem;
mod node;
mod node_util;
mod params;
mod picker;
mod pool;
mod prove;
mod prune;
mod qsearch;
mod repetition;
mod root;
pub mod score;
mod search;
mod searcher;
mod shared;
mod stack;
mod tables;
mod threads;
mod time;
pub mod trace;
mod tt;

pub use limits::{Info, Limits, ScoreBound, SearchResult};
pub use pool::Pool;
pub use root::Known;
pub use score::{MAX_PLY, Score, TB_WIN};
pub use searcher::{RootPosition, Searcher};
#[cfg(target_arch = "wasm32")]
pub use shared::set_stop;
pub use shared::{Control, RootMoveObserver, Shared};
pub use tables::{RankedMove, TableResult, Tablebases};
#[cfg(target_arch = "wasm32")]
pub use threads::{Work, set_spawn};
#[cfg(target_arch = "wasm32")]
pub use time::set_clock;
pub use time::{Clock, Progress, TimePlan};
pub use tt::{Bound, Entry, OutOfMemory, Slot, TranspositionTable};
