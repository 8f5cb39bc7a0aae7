#![doc = include_str!("../README.md")]
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

pub use generate::{Found, Progress};
pub use material::{Material, MaterialError};
pub use probe::{Distance, Verdict};
pub use set::Tables;
pub use table::{MAX_DISTANCE, Table, TableError};
pub use verify::VerifyError;
