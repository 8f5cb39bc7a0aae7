//! What commands print with `--json` and `rukh serve` answers under `/api/`: one object each.
//!
//! ```
//! assert_eq!(rukh_api::reports::problem("no such game"), r#"{"error":"no such game"}"#);
//! ```

mod database;
mod files;
#[cfg(feature = "matches")]
mod matches;
mod server;

pub use database::{explored, games, totals, verification};
pub use files::{book, codes, learned, pgn};
#[cfg(feature = "matches")]
pub use matches::result as match_result;
pub use server::{Status, health, opening, openings, position, problem, status};
