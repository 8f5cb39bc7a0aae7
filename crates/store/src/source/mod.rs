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
pub use user::{fetch_user, fetch_user_while};

use std::fmt::Display;
use std::path::{Path, PathBuf};
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

impl Entry {
    /// A line of EPD: the position, its best move and its name.
    pub fn epd(&self) -> String {
        let mut line = board_of(&self.position.fen());
        if let Some(best) = self.moves.first() {
            line += &format!(" bm {};", self.position.san(best.mv));
        }
        if let Some(name) = &self.name {
            line += &format!(" id \"{}\";", name.replace('"', "'"));
        }
        line
    }
}

/// The first four fields of a FEN.
fn board_of(fen: &str) -> String {
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

/// What a source streams.
#[derive(Debug, Clone)]
pub enum Item {
    /// A game.
    Game(Box<PgnGame>),
    /// A position.
    Position(Box<Entry>),
}

impl Item {
    /// Its positions as lines of EPD; of a game its start and the position after each of its moves.
    pub fn epd(&self) -> Vec<String> {
        match self {
            Item::Position(entry) => vec![entry.epd()],
            Item::Game(game) => {
                let mut pos = game.start.clone();
                let mut list = vec![board_of(&pos.fen())];
                for &mv in &game.moves {
                    pos.play(mv);
                    list.push(board_of(&pos.fen()));
                }
                list
            }
        }
    }
}

/// Why a source, or one of its items, could not be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// No adapter knows what this is.
    #[error("{0}: neither a known kind of file nor a service ({1})")]
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
    #[error("{0} is an online source: add --online to use it")]
    Offline(String),
    /// The service wants a token, or another one.
    #[error("{0} needs a token (--token, or the environment variable LICHESS_TOKEN)")]
    Token(String),
    /// The service wants to be left alone for some time.
    #[error("{name}: too many requests, try again in {seconds} s")]
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
    fn bad(source: impl Display, problem: impl Display) -> SourceError {
        SourceError::Bad { source_name: source.to_string(), problem: problem.to_string() }
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
    /// Longest wait when a service asks for patience, or falls silent in the middle of an answer; beyond it the error is returned.
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
    /// Opens it.
    pub open: Opener,
}

/// What an adapter looks at; its answer is `None` when something else is meant.
pub enum Opener {
    /// The name of a service.
    #[cfg(feature = "online")]
    Service(fn(&str, &Access) -> Option<Opened>),
    /// A file, whatever the system lets it be called.
    File(fn(&Path, &Access) -> Option<Opened>),
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

/// Opens the source that a text or a path means.
pub fn open(what: &(impl AsRef<Path> + ?Sized), access: &Access) -> Opened {
    let what = what.as_ref();
    let by = |adapter: &&Adapter| match adapter.open {
        #[cfg(feature = "online")]
        Opener::Service(open) => open(what.to_str()?, access),
        Opener::File(_) if what.is_dir() => None,
        Opener::File(open) => open(what, access),
    };
    ADAPTERS.iter().find_map(by).unwrap_or_else(|| {
        if what.is_dir() {
            return Err(SourceError::bad(what.display(), folder(what)));
        }
        let names: Vec<&str> = ADAPTERS.iter().map(|adapter| adapter.usage).collect();
        Err(SourceError::Unknown(what.display().to_string(), names.join(", ")))
    })
}

/// What to do with a folder instead.
fn folder(what: &Path) -> String {
    match what.join("MANIFEST").is_file() {
        true => format!("this is a database: use 'rukh db explore --db {}'", what.display()),
        false => "this is a folder; sources are files and services".into(),
    }
}

/// Whether a path ends so; case does not matter.
fn has_extension(what: &Path, extensions: &[&str]) -> bool {
    what.extension().is_some_and(|end| extensions.iter().any(|extension| end.eq_ignore_ascii_case(extension)))
}

/// Best first: by weight, then by score.
#[cfg(feature = "online")]
fn best_first(moves: &mut [KnownMove]) {
    moves.sort_by_key(|m| std::cmp::Reverse((m.weight, m.score.unwrap_or(i32::MIN))));
}
