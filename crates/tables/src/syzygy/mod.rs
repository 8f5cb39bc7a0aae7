//! Syzygy end-game tables for chess: win, draw and loss (`.rtbw`) and distances to a zeroing move (`.rtbz`), up to seven
//! men.
//!
//! Files come from elsewhere and may be damaged. Everything that a head says is checked when it is read, everything that
//! is looked up later is looked up with a check: a damaged table may give wrong values (as any may whose values are
//! wrong), but it costs a bounded time, and it never takes the process down. There is no `unsafe` here and no memory map.
//!
//! ```no_run
//! use rukh_core::{Chess, Position};
//! use rukh_tables::syzygy::{Tables, Wdl};
//!
//! let tables = Tables::open(["/data/syzygy"]).unwrap();
//! let pos = Position::<Chess>::from_fen("8/8/8/3k4/8/3K4/8/4NB2 w - - 0 1").unwrap();
//! assert_eq!(tables.wdl(&pos), Ok(Wdl::Win));
//! println!("zeroing or mate in {} plies", tables.dtz(&pos).unwrap());
//! ```
#![forbid(unsafe_code)]

mod codes;
mod layout;
mod material;
mod numbers;
mod pairs;
mod probe;
mod reader;
mod set;
mod source;
mod symbols;
mod table;
#[cfg(test)]
mod tests;

use std::ops::Neg;

use thiserror::Error;

pub use probe::RootMove;
use reader::Reader;
pub use set::{Found, Tables};

/// A result for the side to move, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wdl {
    /// Lost.
    Loss,
    /// Lost, but the fifty-move rule saves it.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but the fifty-move rule spoils it.
    CursedWin,
    /// Won.
    Win,
}

impl Neg for Wdl {
    type Output = Self;

    /// The same for the other side.
    #[inline]
    fn neg(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::BlessedLoss => Self::CursedWin,
            Self::Draw => Self::Draw,
            Self::CursedWin => Self::BlessedLoss,
            Self::Win => Self::Loss,
        }
    }
}

/// Why the tables do not know a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Miss {
    /// Too many men, castling rights, or a table that is not there.
    #[error("the position is not in the tables")]
    Unknown,
    /// A table that is needed is damaged; [`Tables::complaints`] says which and how.
    #[error("the position's table is damaged")]
    Damaged,
}

/// Why tables could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A folder that cannot be read.
    #[error("cannot read the table folder '{0}': {1}")]
    Folder(String, String),
    /// Not one table of results.
    #[error("no Syzygy table (*.rtbw)")]
    Empty,
    /// A file that is no table, or not a whole one.
    #[error("'{0}' is not a complete Syzygy table: {1}")]
    Damaged(String, &'static str),
}

/// What is wrong with a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Damage(&'static str);
