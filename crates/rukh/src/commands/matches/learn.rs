//! `--learn-file`: what the engines of a match found goes into a table of learned positions.

use std::path::Path;

use rukh_arena::Score as Said;
use rukh_arena::game::Record;
use rukh_core::any::Any;
use rukh_core::{Chess, Makruk, Variant, dispatch};
use rukh_engine::{Scale, Score};
use rukh_store::learn::{DEFAULT_LIMIT, KnownBound, LearnError, LearnStore, Learned};

/// The table of the variant that is played.
pub struct Table(Any<LearnStore<Chess>, LearnStore<Makruk>>);

impl Table {
    pub fn open(variant: Variant, path: &Path) -> Result<Table, LearnError> {
        let table: Any<_, _> = dispatch!(any R of variant => LearnStore::<R>::open(path, DEFAULT_LIMIT)?);
        Ok(Table(table))
    }

    /// Records every move of a game that an engine has thought about.
    pub fn add(&self, variant: Variant, record: &Record) -> Result<(), String> {
        dispatch!(&self.0, table => {
            let (mut pos, moves) = record.replay()?;
            let mut news = Vec::new();
            for (ply, mv) in record.plies.iter().zip(moves) {
                if let Some((info, _)) = ply.search
                    && let (Some(depth), Some(score)) = (info.depth, info.score)
                {
                    let (depth, score) = (depth.min(200) as i16, value(variant, score, pos.occupied().count()));
                    news.push((pos, Learned { depth, score, bound: KnownBound::Exact, best: mv.to_u16(), visits: 1 }));
                }
                pos = pos.after(mv);
            }
            table.record(&news).map_err(|error| error.to_string())
        })
    }
}

/// A score as an engine says it, in our engine's units.
fn value(variant: Variant, score: Said, men: u32) -> i32 {
    let plies = |moves: i32| 2 * moves.unsigned_abs().min(100) as usize;
    match score {
        Said::Cp(cp) => Scale::of(variant, men).score(cp),
        Said::Mate(moves) if moves > 0 => Score::mate_in(plies(moves) - 1),
        Said::Mate(moves) => Score::mated_in(plies(moves)),
    }
    .value()
}
