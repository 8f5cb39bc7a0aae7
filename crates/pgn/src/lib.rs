#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod annotations;
mod append;
mod chunks;
mod date;
mod error;
mod input;
mod lex;
#[cfg(feature = "compression")]
mod packed;
mod position;
mod reader;
mod san;
pub mod select;
mod stream;
mod tags;
mod text;
mod totals;
mod tree;
mod writer;

pub use annotations::{Eval, clock_ms, eval};
pub use append::AppendFile;
pub use chunks::{Chunk, Chunks, MAX_GAME_BYTES};
pub use date::{date_and_clock, days_since_1970, parse_date, today};
pub use error::{PgnError, Reason, SanProblem};
pub use input::{Input, Packing};
pub use lex::{
    GameResult, LexError, MAX_DEPTH, MAX_TAG_BYTES, MAX_TAGS, RawValue, Visitor, parse_game, parse_game_noting,
};
#[cfg(feature = "compression")]
pub use packed::Packed;
pub use position::variant_named;
pub use reader::{MAX_PLIES, PgnGame, PgnReader, TagFilter, bad_move, read_game};
pub use rukh_core::AnyPosition;
pub use san::Resolve;
pub use stream::{GameVisitor, Stream};
pub use tags::Tags;
pub use text::decode;
pub use totals::Totals;
pub use tree::{GameTree, MAX_NODES, Node, NodeId, TreeReader, read_tree};
pub use writer::PgnWriter;
