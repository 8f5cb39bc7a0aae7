//! Portable Game Notation: a streaming reader and a writer.
//!
//! | layer | what it does |
//! | --- | --- |
//! | [`Input`] | opens `.pgn`, `.zst`, `.gz`, `.bz2`, UTF-16, standard input; knows them by their first bytes |
//! | [`Chunks`] | cuts the bytes into games with bounded memory |
//! | [`parse_game`], [`Visitor`] | the grammar; allocates nothing, skips what is not wanted |
//! | [`Resolve`] | `Nbd7` to a legal move by bitboards |
//! | [`Stream`], [`GameVisitor`] | any visitor over a whole file |
//! | [`PgnReader`], [`PgnGame`] | iterator of games with tags, start position, main line, result |
//! | [`TreeReader`], [`GameTree`] | a game with its variations, comments, NAGs, clocks and evaluations |
//! | [`PgnWriter`], `Packed` | writes either, 80 columns; packed if the file is called so |
//!
//! A broken game is one [`PgnError`] with file, line and reason; the rest of the file is read.

mod annotations;
mod chunks;
mod error;
mod input;
mod lex;
#[cfg(feature = "compression")]
mod packed;
mod position;
mod reader;
mod san;
mod stream;
mod tags;
mod text;
mod tree;
mod writer;

pub use annotations::{Eval, clock_ms, eval};
pub use chunks::{Chunk, Chunks, MAX_GAME_BYTES};
pub use error::{PgnError, Reason, SanProblem};
pub use input::{Input, Packing};
#[cfg(feature = "database")]
pub(crate) use lex::parse_game_noting;
pub use lex::{GameResult, LexError, MAX_DEPTH, MAX_TAG_BYTES, MAX_TAGS, RawValue, Visitor, parse_game};
#[cfg(feature = "compression")]
pub use packed::Packed;
pub use position::{AnyPosition, variant_named};
#[cfg(feature = "database")]
pub(crate) use reader::bad_move;
pub use reader::{MAX_PLIES, PgnGame, PgnReader, TagFilter, read_game};
pub use san::Resolve;
pub use stream::{GameVisitor, Stream};
pub use tags::Tags;
pub use text::decode;
pub use tree::{GameTree, MAX_NODES, Node, NodeId, TreeReader, read_tree};
pub use writer::PgnWriter;
