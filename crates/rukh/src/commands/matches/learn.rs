//! `--learn-file`: what the engines of a match found goes into a table of learned positions.

use std::path::Path;

use rukh_arena::game::Record;
use rukh_core::any::Any;
use rukh_core::{Chess, Makruk, Position, Variant, dispatch};
use rukh_engine::{Scale, Score};
use rukh_store::learn::{DEFAULT_LIMIT, KnownBound, LearnStore, Learned};

/// The table of the variant that is played.
pub struct Table(Any<LearnStore<Chess>, LearnStore<Makruk>>);

impl Table {
    pub fn open(variant: Variant, path: &Path) -> Result<Table, String> {
        let table: Any<_, _> = dispatch!(any R of variant => {
            LearnStore::<R>::open(path, DEFAULT_LIMIT).map_err(|error| error.to_string())?
        });
        Ok(Table(table))
    }

    /// Records every move of a game that an engine has thought about.
    pub fn add(&self, variant: Variant, record: &Record) -> Result<(), String> {
        dispatch!(&self.0, table => {
            let start = record.fen.as_deref().map(Position::from_fen).transpose();
            let mut pos = start.map_err(|error| error.to_string())?.unwrap_or_else(Position::startpos);
            let mut news = Vec::new();
            for ply in &record.plies {
                let mv = pos.parse_san(&ply.san).map_err(|error| error.to_string())?;
                if let Some((info, _)) = ply.search
                    && let (Some(depth), Some(score)) = (info.depth, info.score)
                {
                    let learned = Learned {
                        depth: depth.min(200) as i16,
                        score: value(variant, score, pos.occupied().count()),
                        bound: KnownBound::Exact,
                        best: mv.to_u16(),
                        visits: 1,
                    };
                    news.push((pos, learned));
                }
                pos = pos.after(mv);
            }
            table.record(&news).map_err(|error| error.to_string())
        })
    }
}

/// A score as an engine says it, in our engine's units.
fn value(variant: Variant, score: rukh_arena::Score, men: u32) -> i32 {
    match score {
        rukh_arena::Score::Cp(cp) => Scale::of(variant, men).score(cp).value(),
        rukh_arena::Score::Mate(moves) if moves > 0 => {
            Score::mate_in(2 * moves.unsigned_abs().min(100) as usize - 1).value()
        }
        rukh_arena::Score::Mate(moves) => Score::mated_in(2 * moves.unsigned_abs().min(100) as usize).value(),
    }
}
