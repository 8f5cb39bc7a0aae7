//! The weight tables, one per game.

mod chess;
mod makruk;

pub(crate) use chess::CHESS;
pub(crate) use makruk::MAKRUK;
