#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod read;
mod write;

pub use read::{Json, JsonError};
pub use write::{Out, object};
