//! The games that databases hold: chess, Chess960 and Makruk, one in each database.

use std::path::Path;

use rukh_code::Coded;
use rukh_core::{Chess, Makruk, Position, Variant};

use super::disk::Folder;
use super::manifest::Manifest;
use super::{Database, DbError};
use crate::openings::{Opening, openings};
use rukh_pgn::{AnyPosition, Resolve};

/// Games that a database can hold.
pub trait Stored: Resolve + Coded {
    /// The position, if it is of this game.
    fn of(any: &AnyPosition) -> Option<&Position<Self>>;

    /// The position as one of any game.
    fn any(pos: Position<Self>) -> AnyPosition;

    /// Its index in the table of openings.
    fn opening_index(_: &Position<Self>) -> Option<u32> {
        None
    }

    /// The name of the position's opening.
    fn opening(_: &Position<Self>) -> Option<Opening<'static>> {
        None
    }
}

impl Stored for Chess {
    fn opening_index(pos: &Position<Chess>) -> Option<u32> {
        openings().index(pos)
    }

    fn of(any: &AnyPosition) -> Option<&Position<Chess>> {
        any.chess()
    }

    fn any(pos: Position<Chess>) -> AnyPosition {
        pos.into()
    }

    fn opening(pos: &Position<Chess>) -> Option<Opening<'static>> {
        openings().find(pos)
    }
}

impl Stored for Makruk {
    fn of(any: &AnyPosition) -> Option<&Position<Makruk>> {
        any.makruk()
    }

    fn any(pos: Position<Makruk>) -> AnyPosition {
        pos.into()
    }
}

/// A database of whatever variant it is.
pub enum AnyDatabase {
    /// Of chess or Chess960.
    Chess(Database<Chess>),
    /// Of Makruk.
    Makruk(Database<Makruk>),
}

/// Does the same with a database of either kind.
///
/// ```ignore
/// with_database!(any, db => db.totals())
/// ```
#[macro_export]
macro_rules! with_database {
    ($any:expr, $db:ident => $body:expr) => {
        match $any {
            $crate::db::AnyDatabase::Chess($db) => $body,
            $crate::db::AnyDatabase::Makruk($db) => $body,
        }
    };
}

impl AnyDatabase {
    /// Opens the database in a folder.
    pub fn open(dir: &Path) -> Result<AnyDatabase, DbError> {
        Ok(match Manifest::load(&Folder::new(dir))?.and_then(|manifest| manifest.variant) {
            Some(Variant::Makruk) => AnyDatabase::Makruk(Database::open(dir)?),
            _ => AnyDatabase::Chess(Database::open(dir)?),
        })
    }

    /// What its games are.
    pub fn variant(&self) -> Variant {
        with_database!(self, db => db.variant())
    }
}
