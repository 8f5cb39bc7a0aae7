//! Sources of games and positions behind one trait: files of several kinds, books, and services on the network.
//!
//! A source streams what it holds ([`Source::next`]) or answers questions about a position ([`Source::ask`]), or both.
//! [`open`] finds the adapter for a text such as `games.pgn.zst`, `suite.epd`, `book.bin` or `chessdb`.
//!
//! To add one, write a file with a type that implements [`Source`] and an [`Adapter`] that recognises it, and name the
//! adapter in [`ADAPTERS`]. Nothing else has to change.

mod book;
mod list;
mod pgn;
mod selfplay;

#[cfg(feature = "online")]
mod chessdb;
#[cfg(feature = "online")]
mod dump;
#[cfg(feature = "online")]
mod explorer;
#[cfg(feature = "online")]
mod http;
#[cfg(feature = "online")]
mod user;

#[cfg(feature = "online")]
pub use user::fetch_user;

use std::path::PathBuf;
use std::time::Duration;

use rukh_core::{Move, Variant};
use thiserror::Error;

use rukh_pgn::{AnyPosition, PgnGame};

/// What a source knows of one move.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownMove {
    /// The move; legal.
    pub mv: Move,
    /// Games with it, and their results, where the source counts games.
    pub games: u64,
    /// White won.
    pub white: u64,
    /// Draws.
    pub draws: u64,
    /// Black won.
    pub black: u64,
    /// How often to play it, relative to the others; the number of games where the source has no weights.
    pub weight: u64,
    /// Mean rating.
    pub rating: Option<u16>,
    /// Centipawns for the side to move.
    pub score: Option<i32>,
}

impl KnownMove {
    fn new(mv: Move) -> KnownMove {
        KnownMove { mv, games: 0, white: 0, draws: 0, black: 0, weight: 0, rating: None, score: None }
    }
}

/// A position and what the source says about it.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    /// The position.
    pub position: AnyPosition,
    /// Its name: the `id` of an EPD line, the opening of an explorer.
    pub name: Option<String>,
    /// Known moves, best first.
    pub moves: Vec<KnownMove>,
}

/// What a source streams.
#[derive(Debug, Clone)]
pub enum Item {
    /// A game.
    Game(Box<PgnGame>),
    /// A position.
    Position(Box<Entry>),
}

/// Why a source, or one of its items, could not be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// No adapter knows what this is.
    #[error("{0}: neither a file that I know nor a service ({1})")]
    Unknown(String, String),
    /// The file or the answer of a service is not what it should be; the text says where.
    #[error("{source_name}: {problem}")]
    Bad {
        /// The source.
        source_name: String,
        /// What is wrong.
        problem: String,
    },
    /// The network was not asked for.
    #[error("{0} is on the network: say --online to ask it")]
    Offline(String),
    /// The service wants a token, or another one.
    #[error("{0} wants a token (--token, or the variable LICHESS_TOKEN)")]
    Token(String),
    /// The service wants to be left alone for some time.
    #[error("{name} was asked too often: try again in {seconds} s")]
    TooOften {
        /// The service.
        name: String,
        /// Seconds to wait.
        seconds: u64,
    },
    /// The service does not have what was asked for.
    #[error("{0} does not have it")]
    Missing(String),
    /// The service could not be reached, or failed.
    #[error("{name} cannot be reached: {problem}")]
    Unreachable {
        /// The service.
        name: String,
        /// Why not.
        problem: String,
    },
}

impl SourceError {
    fn bad(source: &str, problem: impl std::fmt::Display) -> SourceError {
        SourceError::Bad { source_name: source.to_owned(), problem: problem.to_string() }
    }
}

/// A source of games or positions.
pub trait Source {
    /// What it is, for messages.
    fn name(&self) -> &str;

    /// The next thing it holds. A broken one comes as an error, and the stream goes on; `None` ends it. Services that
    /// only answer questions hold nothing.
    fn next(&mut self) -> Option<Result<Item, SourceError>> {
        None
    }

    /// What it knows of a position. Files of games know nothing until they are imported.
    fn ask(&mut self, _position: &AnyPosition) -> Result<Option<Entry>, SourceError> {
        Ok(None)
    }
}

/// What a source may use.
#[derive(Debug, Clone)]
pub struct Access {
    /// The network may be used.
    pub online: bool,
    /// A token for services that want one.
    pub token: Option<String>,
    /// A folder that keeps answers and downloads.
    pub cache: Option<PathBuf>,
    /// Least time between two questions to a service.
    pub pause: Duration,
    /// Longest wait when a service asks for patience; beyond it the error is returned.
    pub patience: Duration,
    /// The variant of files that do not say it.
    pub variant: Variant,
    /// A PEM file of certificates to trust, instead of those that are built in.
    pub certificates: Option<PathBuf>,
}

impl Default for Access {
    fn default() -> Access {
        Access {
            online: false,
            token: None,
            cache: None,
            pause: Duration::from_millis(1100),
            patience: Duration::from_secs(90),
            variant: Variant::Chess,
            certificates: None,
        }
    }
}

/// A source that could be opened, or why not.
pub type Opened = Result<Box<dyn Source>, SourceError>;

/// How to recognise and open one kind of source.
pub struct Adapter {
    /// Its name.
    pub name: &'static str,
    /// What to write to get it.
    pub usage: &'static str,
    /// Opens it; `None` when the text means something else.
    pub open: fn(&str, &Access) -> Option<Opened>,
}

/// All adapters, in the order in which they are asked. PGN comes last: it is what a text file is taken for.
pub const ADAPTERS: &[&Adapter] = &[
    #[cfg(feature = "online")]
    &explorer::ADAPTER,
    #[cfg(feature = "online")]
    &chessdb::ADAPTER,
    #[cfg(feature = "online")]
    &user::LICHESS,
    #[cfg(feature = "online")]
    &user::CHESSCOM,
    #[cfg(feature = "online")]
    &dump::ADAPTER,
    #[cfg(feature = "online")]
    &dump::ANYWHERE,
    &selfplay::ADAPTER,
    &list::ADAPTER,
    &book::ADAPTER,
    &pgn::ADAPTER,
];

/// Opens the source that a text means.
pub fn open(what: &str, access: &Access) -> Opened {
    ADAPTERS.iter().find_map(|adapter| (adapter.open)(what, access)).unwrap_or_else(|| {
        let names: Vec<&str> = ADAPTERS.iter().map(|adapter| adapter.usage).collect();
        Err(SourceError::Unknown(what.to_owned(), names.join(", ")))
    })
}

/// Whether a path ends so; case does not matter.
fn has_extension(what: &str, extensions: &[&str]) -> bool {
    let end = what.rsplit_once('.').map_or("", |(_, end)| end);
    extensions.iter().any(|extension| extension.eq_ignore_ascii_case(end))
}

/// Best first: by weight, then by score.
#[cfg(feature = "online")]
fn best_first(moves: &mut [KnownMove]) {
    moves.sort_by_key(|m| std::cmp::Reverse((m.weight, m.score.unwrap_or(i32::MIN))));
}
