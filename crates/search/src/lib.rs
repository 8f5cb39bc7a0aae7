//! Search, ordering, transposition table and time of the Rukh engine.
//!
//! The search is generic over the rules and the evaluation: chess, Chess960 and Makruk share every line, and no node asks
//! which game it is. Between the start of a search and its answer nothing is allocated and nothing is locked.
//!
//! [`Searcher`] is one thread, enough for tools; [`Pool`] is Lazy SMP on top of it. Where to find what: `search.rs` is the
//! main search as numbered steps (TT, RFP, NMP, IIR, ProbCut, LMP, futility, SEE, singular extensions, LMR), `quiescence.rs`
//! the one of captures, `iterate.rs` iterative deepening and aspiration windows, `picker.rs` move ordering, `history.rs` and
//! `correction.rs` the histories, `draw.rs` repetition, `tt.rs` the transposition table, `time.rs` time management,
//! `prove.rs` mates for `go mate`, and `params.rs` every number that can be tuned.
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
