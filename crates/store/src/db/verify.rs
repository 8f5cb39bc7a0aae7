//! Checking a database from end to end.

use super::error::DbError;
use super::{Database, same_position};

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

/// A damaged block touches many games; the first few tell enough.
const MOST: usize = 50;

impl Database {
    /// Tests all checksums, replays every game, and, with `deep`, looks up every position of every game.
    /// `progress` is told how many games are done.
    pub fn verify(&self, deep: bool, mut progress: impl FnMut(u64)) -> Verification {
        let mut v = Verification::default();
        for e in &self.damaged {
            v.problems.push(DbError::damaged(&self.dir, e.to_string()));
        }
        for segment in &self.segments {
            v.problems.extend(segment.games.file().check_all());
            v.problems.extend(segment.positions.file().check_all());
            for game in 0..segment.games.len() {
                if v.problems.len() >= MOST {
                    return v;
                }
                let mut path = Vec::new();
                if let Err(e) = segment.games.replay(game, |ply, pos, _| {
                    if deep && segment.positions.is_complete_at(ply) {
                        path.push(*pos);
                    }
                    true
                }) {
                    v.problems.push(e);
                    continue;
                }
                for pos in &path {
                    v.positions += 1;
                    let mut known = false;
                    let result = segment.positions.find(pos.key(), true, |entry| {
                        let ordinal = segment.positions.ordinal(entry)?;
                        // The first occurrence must not be later than this one.
                        let first = segment.games.locate(ordinal)?.is_some_and(|(g, _)| g <= game);
                        known |= first;
                        segment.positions.stats(entry)?;
                        Ok(!known)
                    });
                    if let Err(e) = result {
                        v.problems.push(e);
                        break;
                    }
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

    /// Code and position must be inverse: tried on entries spread over the index.
    fn verify_sample(&self, segment: &super::Segment, v: &mut Verification) {
        let step = (segment.positions.len() / 1000).max(1);
        for entry in (0..segment.positions.len()).step_by(step as usize) {
            let round_trip = || {
                let ordinal = segment.positions.ordinal(entry)?;
                let Some((game, ply)) = segment.games.locate(ordinal)? else { return Ok(false) };
                let Some(pos) = segment.games.position(game, ply)? else { return Ok(false) };
                let Some(code) = self.code(&pos)? else { return Ok(false) };
                Ok::<_, DbError>(self.position(code)?.is_some_and(|back| same_position(&back, &pos)))
            };
            match round_trip() {
                Ok(true) => {}
                Ok(false) => {
                    let path = segment.positions.file().path();
                    v.problems.push(DbError::damaged(path, format!("entry {entry} does not lead back to itself")));
                }
                Err(e) => v.problems.push(e),
            }
            if v.problems.len() >= MOST {
                return;
            }
        }
    }
}
