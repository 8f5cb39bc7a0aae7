//! What position codes make of games: which format each position needs (`rukh code stats`), and rows for the trainer of
//! the position models (`rukh code extract`).

mod extract;
mod games;
mod report;
mod tally;

pub use extract::Extract;
pub use games::{LeftOut, each_game};
pub use tally::{MAX_PLY, Tally};
