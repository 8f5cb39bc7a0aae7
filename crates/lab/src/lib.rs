#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod codes;
pub mod datagen;
mod error;
pub mod perft;
pub mod scaling;
pub mod selfplay;
pub mod spsa;
pub mod suite;
pub mod train;
pub mod tune;

pub use error::LabError;
