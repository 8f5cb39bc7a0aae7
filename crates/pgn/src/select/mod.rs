//! Choosing among games: by tags, by what stood on the board, without duplicates, a sample, in order.

mod board;
mod filter;
mod order;
#[cfg(feature = "compression")]
mod sift;
mod split;

pub use board::{Material, Pattern};
pub use filter::{EcoRange, Filter};
pub use order::{Same, Selection, Selector, SortKey};
#[cfg(feature = "compression")]
pub use sift::{Shown, Sift, Sifted, Target, Told, each_game};
pub use split::{SplitBy, SplitNames};

use rukh_core::{AnyPosition, Move};

use crate::{GameResult, GameTree, PgnGame, Tags};

/// What a choice is made by: a game without its comments and variations.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    /// The tag pairs.
    pub tags: &'a Tags,
    /// The position before the first move.
    pub start: &'a AnyPosition,
    /// The main line.
    pub moves: Vec<Move>,
    /// The result.
    pub result: GameResult,
}

impl<'a> From<&'a GameTree> for Facts<'a> {
    fn from(tree: &'a GameTree) -> Facts<'a> {
        let moves = tree.main_line().map(|id| tree.node(id).mv).collect();
        Facts { tags: &tree.tags, start: &tree.start, moves, result: tree.result }
    }
}

impl<'a> From<&'a PgnGame> for Facts<'a> {
    fn from(game: &'a PgnGame) -> Facts<'a> {
        Facts { tags: &game.tags, start: &game.start, moves: game.moves.clone(), result: game.result }
    }
}
