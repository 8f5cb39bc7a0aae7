//! The games that databases hold: chess, Chess960 and Makruk, one in each database.

use std::path::Path;

use rukh_code::Coded;
use rukh_core::any::Any;
use rukh_core::{Chess, Makruk, Position, Variant, dispatch};

use super::disk::Folder;
use super::manifest::Manifest;
use super::{Database, DbError};
use crate::openings::{Opening, openings};
use rukh_pgn::Resolve;

/// Games that a database can hold.
pub trait Stored: Resolve + Coded {
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

    fn opening(pos: &Position<Chess>) -> Option<Opening<'static>> {
        openings().find(pos)
    }
}

impl Stored for Makruk {}

/// A database of whatever variant it is.
pub type AnyDatabase = Any<Database<Chess>, Database<Makruk>>;

/// Opens the database in a folder, of whatever variant it is.
pub fn open_any(dir: &Path) -> Result<AnyDatabase, DbError> {
    let variant = Manifest::load(&Folder::new(dir))?.and_then(|manifest| manifest.variant);
    Ok(dispatch!(any R of variant.unwrap_or(Variant::Chess) => Database::<R>::open(dir)?))
}
