//! Exact end-game tables for Makruk: a bare Khun against up to three pieces. (Tables for chess: `syzygy`.)
//!
//! Without Bia a Makruk ending is small, and the bare Khun makes it smaller still: his square is one bit, so a `u64` holds
//! the answer for all his squares at once. [`Table::generate`] works on such sets only, and all 4-man endings are there in
//! about a second. A table keeps the moves to mate with the attacker to move; the other side follows from at most eight
//! look-ups in the same row. From the distance and the running count follows what a player wants to know: is it won
//! *within the count*?
//!
//! ```
//! use rukh_core::{Makruk, Position};
//! use rukh_tables::{Tables, Verdict};
//!
//! let tables = Tables::with_men(3, 1);
//! let pos = Position::<Makruk>::from_fen("8/8/8/8/1R6/8/8/K1k5 b - 32 6 1").unwrap();
//! assert_eq!(tables.verdict(&pos), Some(Verdict::Mated(26))); // thirteen moves: the last that the count allows
//! let pos = Position::<Makruk>::from_fen("8/8/8/2R5/8/8/8/K1k5 b - 32 6 1").unwrap();
//! assert_eq!(tables.verdict(&pos), Some(Verdict::Draw)); // fourteen are needed
//! ```
#![forbid(unsafe_code)]

mod board;
mod generate;
mod ground;
#[cfg(not(target_family = "wasm"))]
mod kept;
mod material;
mod pack;
#[cfg(not(target_family = "wasm"))]
mod positioned;
mod probe;
mod rows;
mod set;
#[cfg(not(target_family = "wasm"))]
pub mod syzygy;
mod table;
mod verify;
mod workshop;

pub use generate::Progress;
pub use material::{Material, MaterialError};
pub use probe::{Distance, Verdict};
pub use set::Tables;
pub use table::{MAX_DISTANCE, Table, TableError};
pub use verify::VerifyError;
