//! Books, opening and game tables.
#![forbid(unsafe_code)]

pub mod book;
#[cfg(feature = "database")]
pub mod db;
#[cfg(feature = "database")]
pub mod learn;
pub mod openings;
pub mod selfplay;
pub mod source;
#[cfg(feature = "database")]
pub mod tables;
