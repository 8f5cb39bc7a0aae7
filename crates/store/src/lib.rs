//! PGN, books, opening and game tables.
#![deny(unsafe_code)]

pub mod book;
#[cfg(feature = "compression")]
pub mod db;
pub mod openings;
pub mod pgn;
#[cfg(feature = "compression")]
pub mod tables;
