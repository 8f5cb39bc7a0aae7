//! A review by questions: what must be searched next, for hosts whose engine is elsewhere.

use rukh_core::{AnyPosition, Move};

use crate::error::CoachError;
use crate::games::PlayerGame;
use crate::journal::{Journal, key};
use crate::review::{Reviewed, review_with};

/// A search that is wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What it is kept under in a journal.
    pub key: String,
    /// The position, without clocks.
    pub position: AnyPosition,
    /// Nodes to search.
    pub nodes: u64,
    /// The only move to search.
    pub only: Option<Move>,
}

/// How far a review is.
#[derive(Clone, Debug)]
pub enum Step {
    /// These are wanted first; more may be wanted when they are known.
    Search(Vec<Wanted>),
    /// Everything is known.
    Done(Box<Reviewed>),
}

/// Goes as far as the journal knows.
pub fn step(game: &PlayerGame, nodes: u64, journal: &Journal) -> Result<Step, CoachError> {
    let mut wanted: Vec<Wanted> = Vec::new();
    let done = review_with(game, nodes.max(1), &mut |spot, nodes, only| {
        let seen = journal.known(spot, only, nodes);
        if seen.is_none() {
            let key = key(spot, only);
            // A position that is repeated is searched once.
            if wanted.iter().all(|other| other.key != key) {
                wanted.push(Wanted { key, position: spot.position.clone(), nodes, only });
            }
        }
        Ok(seen)
    })?;
    Ok(done.map_or(Step::Search(wanted), |done| Step::Done(Box::new(done))))
}
