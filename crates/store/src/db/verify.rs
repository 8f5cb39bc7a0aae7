//! Checking a database from end to end.

use rukh_core::Position;

use super::error::DbError;
use super::parse::is_past_count;
use super::{Database, Segment, Stored, same_position};

/// What a check found.
#[derive(Debug, Default)]
pub struct Verification {
    /// Games replayed.
    pub games: u64,
    /// Positions looked up.
    pub positions: u64,
    /// Everything that is wrong, each with its file.
    pub problems: Vec<DbError>,
}

/// Where much is damaged, the first few problems tell enough.
const MOST: usize = 50;

impl Verification {
    /// A damaged block touches many games: it is one problem.
    fn add(&mut self, problem: DbError) {
        let words = problem.to_string();
        if self.problems.iter().all(|known| known.to_string() != words) {
            self.problems.push(problem);
        }
    }
}

impl<R: Stored> Database<R> {
    /// Tests all checksums, replays every game, and, with `deep`, looks up every position of every game.
    /// `progress` is told how many games are done.
    pub fn verify(&self, deep: bool, mut progress: impl FnMut(u64)) -> Verification {
        let mut v = Verification::default();
        for e in &self.damaged {
            v.problems.push(DbError::damaged(self.dir(), e.to_string()));
        }
        for segment in &self.segments {
            v.problems.extend(segment.games.file().check_all());
            v.problems.extend(segment.positions.file().check_all());
            for game in 0..segment.games.len() {
                if v.problems.len() >= MOST {
                    return v;
                }
                let first = segment.base.saturating_add(segment.games.first_ordinal(game).unwrap_or(0));
                let mut path = Vec::new();
                if let Err(e) = segment.games.replay(game, |ply, pos: &Position<R>, _| {
                    if deep && segment.positions.is_complete_at(ply) && !is_past_count(pos) {
                        path.push(*pos);
                    }
                    true
                }) {
                    v.add(e);
                    continue;
                }
                let last = first.saturating_add(segment.games.plies(game).unwrap_or(0) as u64);
                for pos in &path {
                    v.positions += 1;
                    // The first occurrence must not be later than this game.
                    let known = match self.is_indexed(segment, pos.key(), last) {
                        Ok(known) => known,
                        Err(e) => {
                            v.add(e);
                            break;
                        }
                    };
                    if !known {
                        let path = segment.positions.file().path();
                        v.problems
                            .push(DbError::damaged(path, format!("a position of game {game} is not in the index")));
                        break;
                    }
                }
                v.games += 1;
                if v.games.is_multiple_of(256) {
                    progress(v.games);
                }
            }
            self.verify_sample(segment, &mut v);
        }
        v
    }

    /// Whether an index that is about the games of `segment` has a position of this key, first met at a code up to `last`.
    fn is_indexed(&self, segment: &Segment, key: u64, last: u64) -> Result<bool, DbError> {
        let global = segment.positions.scope().global;
        let mut known = false;
        for index in &self.segments {
            if if global { !index.positions.scope().global } else { index.id != segment.id } {
                continue;
            }
            index.positions.find(key, true, |entry| {
                known |= index.code(entry)? <= last;
                index.positions.stats(entry)?;
                Ok(!known)
            })?;
        }
        Ok(known)
    }

    /// Code and position must be inverse: tried on entries spread over the index.
    fn verify_sample(&self, segment: &Segment, v: &mut Verification) {
        let step = (segment.positions.len() / 1000).max(1);
        for entry in (0..segment.positions.len()).step_by(step as usize) {
            let round_trip = || {
                let Some(pos) = self.position(segment.code(entry)?)? else { return Ok(false) };
                let Some(code) = self.code(&pos)? else { return Ok(false) };
                Ok::<_, DbError>(self.position(code)?.is_some_and(|back| same_position(&back, &pos)))
            };
            match round_trip() {
                Ok(true) => {}
                Ok(false) => {
                    let path = segment.positions.file().path();
                    v.problems.push(DbError::damaged(path, format!("entry {entry} does not lead back to itself")));
                }
                Err(e) => v.add(e),
            }
            if v.problems.len() >= MOST {
                return;
            }
        }
    }
}
