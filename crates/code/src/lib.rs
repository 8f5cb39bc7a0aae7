//! Reversible 64-bit position codes.
//!
//! A [`PositionCode`] *is* the position: board, side to move, castling rights, capturable en-passant file, and Makruk's
//! running count. Equality is one compare, a database key needs no board beside it, and a link is thirteen characters.
//!
//! - [`Codec`] makes direct codes (Format 2), which need no table: exact ranks for few men, a learned arithmetic code for
//!   the rest. Most positions of real games fit; [`CodeError::DoesNotFit`] says which do not.
//! - [`Codec::encode_any`] gives every legal position a text without tables: thirteen characters, or a [`LongCode`] of a few
//!   more. [`ExtendedCode`] adds the clocks.
//! - [`Selector`] gives every position a 64-bit code with the help of [`Tables`] (Format 1 and auxiliary records).
//!
//! - [`choose`], [`rank`] and [`unrank`] are the combinatorial building blocks.
//!
//! docs/formats/position-code.md describes the format for a second implementation.
//!
//! ```
//! use rukh_code::{Codec, PositionCode};
//! use rukh_core::{Chess, Position};
//! let pos = Position::<Chess>::from_fen("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1").unwrap();
//! let text = Codec::chess().encode(&pos).unwrap().to_string();
//! let code: PositionCode = text.parse().unwrap();
//! assert_eq!(Codec::chess().decode(code).unwrap(), pos);
//! ```
#![deny(unsafe_code)]

mod batch;
mod big;
mod codec;
mod coder;
mod combination;
mod error;
mod exact;
mod extended;
mod interval;
mod long;
mod memory;
mod model;
mod plain;
mod position_code;
mod possible;
mod select;
mod stamp;
mod text;
mod training;
mod whole;

pub use batch::in_parallel;
pub use codec::{Codec, Price, VERSION};
pub use combination::public::{choose, rank, unrank};
pub use error::CodeError;
pub use extended::ExtendedCode;
pub use long::{AnyCode, LongCode};
pub use memory::{MemoryTables, without_clocks};
pub use plain::Coded;
pub use position_code::{Format, PositionCode, Table};
pub use select::{NoTables, Selector, Tables};
pub use stamp::Stamp;
pub use training::{TRAINING_ROW, training_row};
