#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

pub mod any;
pub mod attacks;
mod bitboard;
mod chess960;
mod epd;
mod fen;
mod game;
mod generate;
mod moves;
mod perft;
mod polyglot;
mod position;
pub mod rng;
mod rules;
mod san;
mod see;
mod setup;
mod types;
mod uci;
#[allow(unsafe_code)]
mod unchecked;
#[cfg(feature = "serde")]
mod with_serde;
mod zobrist;

pub use any::{AnyGame, AnyPosition};
pub use bitboard::Bitboard;
pub use chess960::chess960_fen;
pub use epd::{Epd, EpdError};
pub use fen::{FenError, FenReason};
pub use game::{Decision, DrawReason, Game, Outcome};
pub use moves::{Move, MoveList, flag};
pub use perft::{divide, perft, perft_full, perft_list};
pub use position::{Observer, Position, Undo};
pub use rules::{BoardHonour, Chess, ChessState, Count, Makruk, MakrukState, Rules};
pub use san::{Alphabet, Writing};
pub use setup::Setup;
pub use types::{CastlingRights, Color, File, Kind, Piece, Rank, Square, SquareError, Variant, VariantError};
pub use uci::{MoveError, Notation};
pub use zobrist::{castling_key, count_key, en_passant_key, piece_key, side_key};

// The guide's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/crates.md")]
struct Guide;
