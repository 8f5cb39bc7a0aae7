#![doc = include_str!("../README.md")]
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
mod marked;
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
pub use codec::{Codec, Price};
pub use combination::public::{choose, rank, unrank};
pub use error::CodeError;
pub use extended::ExtendedCode;
pub use long::{AnyCode, LongCode};
pub use memory::{MemoryTables, without_clocks};
pub use plain::Coded;
pub use position_code::{Format, PositionCode, Table};
pub use select::{FormatCounts, NoTables, Selector, Tables};
pub use stamp::Stamp;
pub use training::{TRAINING_ROW, training_row};
