//! A slow, simple, independent move generator: the second opinion for `rukh-core`'s tests.
//!
//! Where the core works on sets of squares, this crate works on one square at a time: a *mailbox* of 15 × 12 cells
//! with a border of "off the board" cells, and a list of men for each side. Moves are generated pseudo-legally and
//! tried: a move that leaves its own king attacked is taken back and dropped. Nothing here is shared with the core —
//! not a type, not a table, not a line — so that a mistake made in one is unlikely to be made in the other.
//!
//! It plays chess, Chess960 and Makruk (with both counting rules), reads and writes FEN, and speaks UCI moves.
//!
//! ```
//! use rukh_mailbox::{Game, Position};
//!
//! let mut pos = Position::startpos(Game::Chess);
//! assert_eq!(pos.perft(3), 8_902);
//! pos.play_uci("e2e4").unwrap();
//! assert_eq!(pos.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
//! ```
#![forbid(unsafe_code)]

mod fen;
mod grid;
mod man;
mod moves;
mod perft;
mod play;
mod position;

pub use fen::FenError;
pub use grid::Spot;
pub use man::{Man, Role, Side};
pub use moves::{Move, MoveKind};
pub use play::Undo;
pub use position::{Count, Game, Position};
