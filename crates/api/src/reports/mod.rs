//! What commands print with `--json` and `rukh serve` answers under `/api/`: one object each.
//!
//! ```
//! assert_eq!(rukh_api::reports::problem("no such game"), r#"{"error":"no such game"}"#);
//! ```

mod database;
mod files;
#[cfg(feature = "matches")]
mod matches;
mod positions;
mod server;

pub use database::{explored, games, totals, verification};
pub use files::{book, book_tree, checked, codes, learned, learned_position, pgn, source};
#[cfg(feature = "matches")]
pub use matches::result as match_result;
pub use positions::{Solved, bench, decoded, evaluation, named, perft, position, suite};
pub use server::{Status, fetched, health, opening, openings, problem, status};
