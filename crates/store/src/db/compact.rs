//! Merging segments: many small imports become one fast segment. Games keep their order and so their codes.

use std::path::Path;

use rukh_core::{Position, Variant, dispatch};

use super::disk::Folder;
use super::error::DbError;
use super::games::{GameWriter, Origin, write_head};
use super::import::{ImportObserver, ImportOptions, ImportReport, Open, build_at, sort_record};
use super::manifest::{Files, SegmentEntry};
use super::movecode::move_bits;
use super::parse::Recent;
use super::sort::Sorter;
use super::stats::NO_MOVE;
use super::writing::{New, Writing};
use super::{Database, Segment, Stored};

/// Merges neighbouring segments as far as the memory of `options` allows. Returns the number of segments before and after.
///
/// Segments whose index leaves out rare positions cannot be merged, as nobody knows what was left out; they stay as they are, and so do
/// those of a cluster's build, whose index is one for all.
pub fn compact(
    dir: &Path,
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<(usize, usize), DbError> {
    compact_on(&Folder::new(dir), options, observer)
}

pub(super) fn compact_on(
    folder: &Folder,
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<(usize, usize), DbError> {
    let writing = Writing::begin(folder, New::Nothing)?;
    let variant = writing.manifest.variant.unwrap_or(Variant::Chess);
    dispatch!(type R of variant => compact_of::<R>(writing, options, observer))
}

fn compact_of<R: Stored>(
    mut writing: Writing,
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<(usize, usize), DbError> {
    let folder = writing.folder().clone();
    let before = writing.manifest.segments.len();
    let mut at = 0;
    while at < writing.manifest.segments.len() {
        let database = Database::<R>::of(&folder, &writing.manifest)?;
        if let Some(damage) = database.damaged().first() {
            return Err(DbError::damaged(folder.path(), format!("not touched while a segment is damaged: {damage}")));
        }
        // A manifest of the first kind learns what its files are.
        for (entry, segment) in writing.manifest.segments.iter_mut().zip(database.segments()) {
            entry.files = Some(Files::of(&segment.games, &segment.positions));
        }
        let group = group(&database.segments()[at..], options);
        if group.len() > 1 {
            let entry = merge::<R>(&mut writing, group, options, observer)?;
            let old: Vec<SegmentEntry> = writing.manifest.segments.splice(at..at + group.len(), [entry]).collect();
            let names: Vec<String> = old.iter().flat_map(|s| [s.games_file(), s.positions_file()]).collect();
            writing.own(&names)?;
            writing.commit()?;
            drop(database);
            writing.tidy()?;
        }
        at += 1;
    }
    Ok((before, writing.manifest.segments.len()))
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
    writing: &mut Writing,
    group: &[Segment],
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<SegmentEntry, DbError> {
    let (limits, base) = (group[0].positions.limits(), group[0].base);
    let folder = writing.folder().clone();
    let sorter = Sorter::new(&folder, options.sort_memory());
    let mut open = Open { games: GameWriter::create(&folder)?, sorter, facts: Vec::new() };
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
                open.games.add(&facts, segment.games.plies(game)?, &head, &segment.games.packed_moves(game)?)?;
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
    observer.progress(&report, "sorting");
    let (id, games, positions) = writing.segment()?;
    let origin = Origin { database: writing.manifest.id, base };
    build_at(&folder, open, &limits, id, (games, positions), origin)
}
