//! A new manifest for segments whose manifest was lost. Segments say where they belong; nothing is removed.

use std::path::Path;
use std::sync::Arc;

use rukh_core::Variant;

use super::ROOM;
use super::container::Room;
use super::disk::Folder;
use super::error::DbError;
use super::games::Games;
use super::manifest::{Files, Manifest, NAME, SegmentEntry, games_file, positions_file};
use super::positions::Positions;
use super::writing::{Writing, is_segment};
use crate::disk::random_id;

/// What a repair found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Segments that the new manifest names.
    pub segments: usize,
    /// Their games.
    pub games: u64,
    /// Files that are left alone: their games are in other segments, or they belong to none.
    pub left: Vec<String>,
}

/// Writes a new manifest for the segments of a folder that has lost it. Every segment must be whole.
pub fn repair(dir: &Path) -> Result<Repaired, DbError> {
    repair_on(&Folder::new(dir))
}

pub(super) fn repair_on(folder: &Folder) -> Result<Repaired, DbError> {
    let names = folder.names()?.unwrap_or_default();
    if names.iter().any(|name| name == NAME) {
        let problem = match Manifest::load(folder) {
            Ok(_) => "whole, so there is nothing to repair".to_owned(),
            Err(e) => format!("damaged ({e}): move it elsewhere, then repair"),
        };
        return Err(DbError::damaged(&folder.file(NAME), problem));
    }
    let room = Room::new(ROOM);
    let mut found = Vec::new();
    for name in names.iter().filter(|name| is_segment(name)) {
        if let Some(id) = name.strip_suffix(".games").and_then(|n| n.parse().ok())
            && games_file(id) == *name
            && names.contains(&positions_file(id))
        {
            found.push(Candidate::open(folder, id, &room)?);
        }
    }
    if found.is_empty() {
        return Err(DbError::NotADatabase(folder.path().to_owned()));
    }
    let chosen = chain(folder, found)?;
    let database = chosen.iter().map(|c| c.games.origin().database).find(|&id| id != 0);
    let mut manifest = Manifest { id: database.unwrap_or_else(random_id), ..Manifest::default() };
    for c in &chosen {
        let variant = *manifest.variant.get_or_insert(c.variant);
        if variant != c.variant {
            let problem = format!("games of {}, while the others are of {variant}", c.variant);
            return Err(DbError::damaged(c.games.file().path(), problem));
        }
        manifest.next_id = manifest.next_id.max(c.entry.id.saturating_add(1));
        manifest.segments.push(c.entry.clone());
    }
    let left = names.into_iter().filter(|name| is_segment(name) && !manifest.names(name)).collect();
    let report = Repaired { segments: chosen.len(), games: manifest.segments.iter().map(|s| s.games).sum(), left };
    Writing::restore(folder, manifest)?;
    Ok(report)
}

/// A segment that is whole.
struct Candidate {
    entry: SegmentEntry,
    games: Games,
    variant: Variant,
}

impl Candidate {
    fn open(folder: &Folder, id: u32, room: &Arc<Room>) -> Result<Candidate, DbError> {
        let games = Games::open(folder, &games_file(id), room)?;
        let positions = Positions::open(folder, &positions_file(id), room)?;
        positions.must_be_of(&games)?;
        if let Some(damage) = games.file().check_all().into_iter().chain(positions.file().check_all()).next() {
            let advice = format!("{damage}; to continue without its games, move both files of the segment elsewhere");
            return Err(DbError::damaged(folder.path(), advice));
        }
        let mut variant = Variant::Chess;
        if !games.is_empty()
            && let Some(name) = games.tags(0)?.get("Variant")
        {
            variant = rukh_pgn::variant_named(&name).unwrap_or(Variant::Chess);
        }
        let entry = SegmentEntry {
            id,
            games: u64::from(games.len()),
            positions: positions.len(),
            ordinals: games.ordinals(),
            files: Some(Files::of(&games, &positions)),
        };
        Ok(Candidate { entry, games, variant })
    }
}

/// Orders segments so that each begins where the one before ends. Of two that begin at one place the later was made of
/// the earlier. Segments of old versions do not say where they begin; they come in the order of their numbers.
fn chain(folder: &Folder, mut found: Vec<Candidate>) -> Result<Vec<Candidate>, DbError> {
    found.sort_by_key(|c| c.entry.id);
    let mut chosen: Vec<Candidate> = Vec::new();
    let mut at = 0u64;
    loop {
        let next = found.iter().rposition(|c| c.games.origin().known() && c.games.origin().base == at);
        let next = match next.or_else(|| found.iter().position(|c| !c.games.origin().known())) {
            Some(next) => found.remove(next),
            None => break,
        };
        at = at.saturating_add(next.entry.ordinals);
        chosen.push(next);
    }
    // What is left over lies within what was chosen, or there is a hole before it.
    match found.iter().find(|c| c.games.origin().base > at) {
        Some(lost) => {
            let problem = format!("games before segment {} are missing: put their segments back", lost.entry.id);
            Err(DbError::damaged(folder.path(), problem))
        }
        None => Ok(chosen),
    }
}
