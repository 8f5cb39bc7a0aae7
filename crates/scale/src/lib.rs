#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "parquet")]
mod jobs;
#[cfg(feature = "parquet")]
mod known;
#[cfg(feature = "parquet")]
mod rows;
#[cfg(feature = "parquet")]
mod table;

#[cfg(feature = "parquet")]
pub use jobs::{ShardTable, build, map};
#[cfg(feature = "parquet")]
pub use known::{KnownReader, KnownRow, KnownWriter};
#[cfg(feature = "parquet")]
pub use rows::*;
#[cfg(feature = "parquet")]
pub use table::{Has, Kind, Part, TableWriter, Values};
