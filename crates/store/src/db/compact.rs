//! Merging segments: many small imports become one fast segment. Games keep their order and so their codes.

use std::path::Path;

use rukh_core::{Chess, Makruk, Position, Variant};

use super::error::DbError;
use super::games::{GameWriter, write_head};
use super::import::{ImportObserver, ImportOptions, ImportReport, Open, build, remove_strays, sort_record};
use super::manifest::{Manifest, SegmentEntry};
use super::movecode::move_bits;
use super::parse::{Filter, Recent};
use super::positions::Limits;
use super::sort::Sorter;
use super::stats::NO_MOVE;
use super::{Database, Lock, Segment, Stored};

/// Merges neighbouring segments as far as the memory of `options` allows. Returns the number of segments before and after.
///
/// Segments whose index leaves out rare positions cannot be merged, as nobody knows what was left out; they stay as they are, and so do
/// those of a cluster's build, whose index is one for all.
pub fn compact(
    dir: &Path,
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<(usize, usize), DbError> {
    let _lock = Lock::take(dir)?;
    let manifest = Manifest::load(dir)?.ok_or_else(|| DbError::NotADatabase(dir.to_owned()))?;
    remove_strays(dir, &manifest)?;
    match manifest.variant {
        Some(Variant::Makruk) => compact_of::<Makruk>(dir, manifest, options, observer),
        _ => compact_of::<Chess>(dir, manifest, options, observer),
    }
}

fn compact_of<R: Stored>(
    dir: &Path,
    mut manifest: Manifest,
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<(usize, usize), DbError> {
    let before = manifest.segments.len();
    let mut at = 0;
    while at < manifest.segments.len() {
        let database = Database::<R>::open(dir)?;
        if let Some(damage) = database.damaged().first() {
            return Err(DbError::damaged(dir, format!("not touched while a segment is damaged: {damage}")));
        }
        let group = group(&database.segments()[at..], options);
        if group.len() > 1 {
            let entry = merge::<R>(dir, group, manifest.next_id, options, observer)?;
            manifest.next_id += 1;
            manifest.segments.splice(at..at + group.len(), [entry]);
            manifest.commit(dir)?;
        }
        at += 1;
        drop(database);
        remove_strays(dir, &manifest)?;
    }
    Ok((before, manifest.segments.len()))
}

/// The longest run of segments from the first on that may become one.
fn group<'a>(segments: &'a [Segment], options: &ImportOptions) -> &'a [Segment] {
    let Some(first) = segments.first() else { return segments };
    let limits = first.positions.limits();
    let (mut games, mut bytes) = (0u64, 0u64);
    let fits = |s: &&Segment| {
        games += u64::from(s.games.len());
        bytes += s.games.file().size() + s.positions.file().size();
        // Together they are not larger than apart.
        s.positions.limits() == limits
            && limits.min_games <= 1
            && !s.positions.scope().global
            && games <= u64::from(options.games_limit())
            && bytes <= options.segment_bytes
    };
    let len = segments.iter().take_while(fits).count();
    &segments[..len.max(1)]
}

fn merge<R: Stored>(
    dir: &Path,
    group: &[Segment],
    id: u32,
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<SegmentEntry, DbError> {
    let limits = group[0].positions.limits();
    let mut open =
        Open { games: GameWriter::create(dir)?, sorter: Sorter::new(dir, options.sort_memory()), facts: Vec::new() };
    let mut report = ImportReport::default();
    let (mut head, mut recent) = (Vec::new(), Recent::default());
    for segment in group {
        for hash in segment.games.hashes() {
            open.games.add_hash(hash?);
        }
        for game in 0..segment.games.len() {
            let facts = segment.games.facts(game)?;
            head.clear();
            write_head(&segment.games.tags(game)?, &mut head);
            let number =
                open.games.add(&facts, segment.games.plies(game)?, &head, segment.games.packed_moves(game)?)?;
            open.facts.push(facts);
            recent.clear();
            let mut failed = None;
            segment.games.replay(game, |ply, pos: &Position<R>, mv| {
                if limits.cover(ply) && recent.is_new(pos) {
                    let mv = mv.map_or(NO_MOVE, move_bits);
                    failed = open.sorter.push(sort_record(pos.key(), number, ply as u16, mv)).err();
                    report.positions += 1;
                }
                failed.is_none()
            })?;
            if let Some(e) = failed {
                return Err(e);
            }
            report.games += 1;
            if report.games.is_multiple_of(256) {
                observer.progress(&report, "merging");
            }
        }
    }
    let (games, ordinals) = (u64::from(open.games.games()), open.games.positions());
    let entry = SegmentEntry { id, games, positions: 0, ordinals };
    let Limits { min_ply, max_ply, min_games } = limits;
    let filter = Filter { min_ply, max_ply, min_games, ..Filter::default() };
    observer.progress(&report, "sorting");
    let positions = build(dir, open, &filter, &dir.join(entry.games_file()), &dir.join(entry.positions_file()))?;
    Ok(SegmentEntry { positions, ..entry })
}
