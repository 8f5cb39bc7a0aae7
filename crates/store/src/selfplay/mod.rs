//! Self-play games in about one byte a ply: blocks of range-coded games, each with a checksum.
//!
//! The page `docs/formats/games.md` describes the file byte by byte. A file is only ever appended to, one whole block at
//! a time; a torn block at the end (the machine was switched off) is dropped when the file is opened again. Readers go on
//! behind other damage and say what is lost; writers refuse it.

#[cfg(test)]
mod faults;
mod flat;
mod head;
mod model;
mod reader;
pub mod score;
mod writer;

pub use flat::{Filter, FlatRecord, HELD_OUT};
pub use head::{BlockHead, Recipe};
pub use model::{MAX_OPENING, MAX_PLIES};
pub use reader::{GamesReader, Gap, Losses};
pub use writer::GamesWriter;

use std::marker::PhantomData;

use model::Model;
use rukh_core::{Color, Move, Position, Rules, Variant, chess960_fen};
use rukh_range::{Decoder, Encoder};

/// What can be wrong with a games file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GamesError {
    /// The file cannot be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Not a games file at all.
    #[error("not a Rukh games file (its first bytes are not 'RUKHGAME')")]
    Foreign,
    /// A later format.
    #[error("games file version {0}; this program reads versions 1 and 2")]
    Version(u16),
    /// Another game.
    #[error("the file contains {found} games, not {wanted}")]
    Variant {
        /// In the file.
        found: &'static str,
        /// Asked for.
        wanted: &'static str,
    },
    /// Games made in another way must not be mixed in.
    #[error("the games in this file were made with different settings ({found}); choose another file")]
    Recipe {
        /// What the file says.
        found: Recipe,
    },
    /// The checksum or the contents are wrong.
    #[error("damaged games file: {0}")]
    Damaged(&'static str),
    /// A place in the middle is damaged; reading can go on behind it.
    #[error("{0}")]
    Lost(Gap),
    /// Nothing may be appended to a damaged file.
    #[error("{0}; nothing was changed. 'rukh datagen repair FILE --out NEW' keeps all good blocks")]
    Unsound(Losses),
    /// Two programs must not append at once.
    #[error("another program is writing to this file")]
    Busy,
    /// Without locks two writers could destroy each other's games.
    #[error("the file cannot be locked ({0}); use a file system that supports locks")]
    NoLock(std::io::Error),
    /// The writer was given a move that is not legal.
    #[error("a game contains an illegal move")]
    IllegalMove,
}

impl From<rukh_range::Error> for GamesError {
    fn from(error: rukh_range::Error) -> Self {
        GamesError::Damaged(match error {
            rukh_range::Error::Short => "a block ends in the middle of a game",
            _ => "a coded number is out of range",
        })
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelfPlayResult {
    /// 0-1.
    BlackWins,
    /// ½-½.
    Draw,
    /// 1-0.
    WhiteWins,
}

impl SelfPlayResult {
    /// 0, 1 or 2: lost, drawn, won for `color`.
    pub fn points(self, color: Color) -> u8 {
        let white = self as u8;
        if color == Color::White { white } else { 2 - white }
    }
}

/// One game: random opening moves without scores, then moves with the score of the search that chose each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfPlay {
    /// Number of the start array in Chess960; elsewhere there is only one.
    pub array: Option<u16>,
    /// How many moves were random.
    pub opening: usize,
    /// All moves from the start position.
    pub moves: Vec<Move>,
    /// Quantised scores ([`score::quantise`]) from White's view, one for each move after the opening.
    pub scores: Vec<i16>,
    /// Result.
    pub verdict: SelfPlayResult,
}

impl SelfPlay {
    /// Where the game begins.
    pub fn start<R: Rules>(&self) -> Position<R> {
        start_position(self.array)
    }

    fn empty() -> SelfPlay {
        SelfPlay { array: None, opening: 0, moves: Vec::new(), scores: Vec::new(), verdict: SelfPlayResult::Draw }
    }
}

/// The start position: of a Chess960 array, or the game's own.
pub fn start_position<R: Rules>(array: Option<u16>) -> Position<R> {
    let fen = array.and_then(|number| chess960_fen(number.into()));
    fen.and_then(|fen| Position::from_fen(&fen).ok()).unwrap_or_else(Position::startpos)
}

/// Games being packed into one block.
pub struct BlockEncoder<R> {
    variant: Variant,
    rules: PhantomData<R>,
    model: Model,
    coder: Encoder,
    games: u32,
    plies: u32,
}

impl<R: Rules> BlockEncoder<R> {
    /// An empty block for games of `variant`.
    pub fn new(variant: Variant) -> Self {
        BlockEncoder { variant, rules: PhantomData, model: Model::new(), coder: Encoder::new(), games: 0, plies: 0 }
    }

    /// Adds a game.
    pub fn push(&mut self, game: &SelfPlay) -> Result<(), GamesError> {
        if game.moves.len() > MAX_PLIES || game.opening > MAX_OPENING {
            return Err(GamesError::Damaged("a game is too long for the format"));
        }
        if game.scores.len() + game.opening != game.moves.len() {
            return Err(GamesError::Damaged("moves and scores do not match"));
        }
        self.model.game::<R, _>(&mut self.coder, self.variant, &mut game.clone(), false)?;
        self.games += 1;
        self.plies += game.scores.len() as u32;
        Ok(())
    }

    /// Games so far.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// Scored plies so far.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Bytes so far, about.
    pub fn bytes(&self) -> usize {
        self.coder.len()
    }

    /// The coded games.
    pub fn finish(self) -> Vec<u8> {
        self.coder.finish()
    }
}

/// Unpacks the games of a block.
pub fn decode_block<R: Rules>(head: &BlockHead, payload: &[u8]) -> Result<Vec<SelfPlay>, GamesError> {
    let mut model = Model::new();
    let mut coder = Decoder::new(payload);
    let mut list = Vec::new();
    for _ in 0..head.games {
        let mut game = SelfPlay::empty();
        model.game::<R, _>(&mut coder, head.variant, &mut game, true)?;
        list.push(game);
    }
    Ok(list)
}
