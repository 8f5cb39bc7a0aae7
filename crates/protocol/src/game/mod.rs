//! What front ends show and play with: the board as text, the opening book, the memory, dates and lots.

mod board;
mod book;
mod evaluation;
mod memory;
mod misc;

pub use board::{BoardStyle, draw_board};
pub use book::OwnBook;
pub use evaluation::evaluation;
pub use memory::{OwnMemory, TableMemory, default_file, file_for, learned, memo};
pub use misc::{random_below, random_u64};
pub use rukh_core::AnyGame;
