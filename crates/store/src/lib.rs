//! PGN, books, opening and game tables.
#![forbid(unsafe_code)]

pub mod book;
pub mod openings;
pub mod pgn;
