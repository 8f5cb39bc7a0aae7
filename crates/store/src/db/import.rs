//! From game files to segments: read in order, parse on all cores, sort on disk, commit.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use rukh_core::Variant;

use super::Segment;
use super::container::Room;
use super::disk::{Folder, Handle};
use super::error::DbError;
use super::games::{Facts, GameWriter, Games, Origin};
use super::manifest::{Files, Manifest, SegmentEntry, SourceEntry, games_file};
use super::parse::{AnyParser, Batch, Filter, Parsed, hash_bytes, variant_of};
use super::positions::{Coverage, PositionWriter, Scope};
use super::sort::Sorter;
use super::stats::Collector;
use super::writing::{New, Writing};
use rukh_pgn::{Chunk, Chunks, Input, MAX_GAME_BYTES, PgnError, Reason};

/// How to import.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// Which games and positions to take.
    pub filter: Filter,
    /// Bytes of memory for sorting and buffers.
    pub memory: usize,
    /// Parsing threads; 0 for one per core.
    pub threads: usize,
    /// Positions after which a segment is committed.
    pub commit_every: u64,
    /// Most bytes of a segment: its two files together.
    pub segment_bytes: u64,
    /// What a new database holds; without it, what the first game is. An old one keeps its variant.
    pub variant: Option<Variant>,
    /// A new database is only for this process; see [`remove_scratch`](super::remove_scratch).
    pub scratch: bool,
}

/// Most bytes of a segment, if nothing else is said.
pub const SEGMENT_BYTES: u64 = 5_000_000_000;
/// A position in the index never takes more, whatever its figures: 9 bytes to be found, 7 for a game of a move.
const ENTRY_BYTES: u64 = 16;

/// Memory that batches in flight, buffers, the program itself and the hashes of a million committed games take, measured.
const FIXED_MEMORY: usize = 36 << 20;
/// Of that, for the blocks of committed segments.
const COMMITTED_ROOM: usize = 8 << 20;
/// Bytes that a game of the segment at hand takes in memory: facts, hash, place in the set of hashes, first ordinal.
const GAME_MEMORY: usize = 64;

impl ImportOptions {
    /// Of the memory that is not fixed, three quarters sort and one quarter is for the games of a segment.
    pub(super) fn sort_memory(&self) -> usize {
        (self.memory.saturating_sub(FIXED_MEMORY) / 4 * 3).max(2 << 20)
    }

    /// Games after which a segment must be committed to stay within the memory.
    pub(super) fn games_limit(&self) -> u32 {
        let games = (self.memory.saturating_sub(FIXED_MEMORY) / 4).max(1 << 20) / GAME_MEMORY;
        u32::try_from(games).unwrap_or(u32::MAX)
    }
}

impl Default for ImportOptions {
    fn default() -> Self {
        ImportOptions {
            filter: Filter::default(),
            memory: 512 << 20,
            threads: 0,
            commit_every: 256 << 20,
            segment_bytes: SEGMENT_BYTES,
            variant: None,
            scratch: false,
        }
    }
}

/// What an import did so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Games added.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Games that were there already.
    pub duplicates: u64,
    /// Games that the filter refused.
    pub filtered: u64,
    /// Broken games.
    pub problems: u64,
    /// Games of an earlier, interrupted run of the same job that were not read again.
    pub resumed: u64,
    /// Bytes of text read, unpacked.
    pub bytes: u64,
    /// Bytes of the files taken so far, as they are; files of an earlier run count whole.
    pub taken: u64,
}

/// Told about broken games and progress while an import runs.
pub trait ImportObserver {
    /// A broken game.
    fn problem(&mut self, _error: &PgnError) {}
    /// Called now and then.
    fn progress(&mut self, _report: &ImportReport, _doing: &str) {}
    /// Whether to go on; asked now and then. `false` ends the import with [`DbError::Stopped`], after what was read is committed.
    fn goes_on(&mut self) -> bool {
        true
    }
}

impl ImportObserver for () {}

/// Keys and hashes are random already: hashing them again would be waste.
#[derive(Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(b);
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// A set of game hashes.
type HashesSeen = HashSet<u64, BuildHasherDefault<Identity>>;

/// Text of about this size is parsed in one go; some dozen such pieces, with what they become, are in memory at a time.
const BATCH_BYTES: usize = 256 << 10;

/// Imports files into the database at `dir`, which is made if it is not there. A folder with anything else in it is refused.
pub fn import(
    dir: &Path,
    files: &[PathBuf],
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<ImportReport, DbError> {
    import_on(&Folder::new(dir), files, options, observer)
}

pub(super) fn import_on(
    folder: &Folder,
    files: &[PathBuf],
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<ImportReport, DbError> {
    let mut writing = Writing::begin(folder, if options.scratch { New::Scratch } else { New::Database })?;
    fill(&mut writing, files, options, observer, false)
}

/// Adds games to a database that is open for writing; with `hold` nothing is committed yet.
pub(super) fn fill(
    writing: &mut Writing,
    files: &[PathBuf],
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
    hold: bool,
) -> Result<ImportReport, DbError> {
    let path = writing.folder().path().to_owned();
    if let (Some(found), Some(wanted)) = (writing.manifest.variant, options.variant)
        && found != wanted
    {
        return Err(DbError::OtherVariant { path, found, wanted });
    }
    let room = Room::new(COMMITTED_ROOM);
    let committed = committed(writing, &room)?;
    let options = ImportOptions { filter: same_limits(&writing.manifest, &options.filter, &path)?, ..options.clone() };
    writing.manifest.variant = writing.manifest.variant.or(options.variant);
    let (seen, report) = (HashesSeen::default(), ImportReport::default());
    let mut import =
        Import { writing, options: &options, committed, room, seen, segment: None, report, hold, observer };
    for file in files {
        import.file(file)?;
    }
    import.commit()?;
    Ok(import.report)
}

/// The games of the committed segments. A manifest of the first kind learns what its files are.
fn committed(writing: &mut Writing, room: &Arc<Room>) -> Result<Vec<Games>, DbError> {
    let folder = writing.folder().clone();
    let mut committed = Vec::new();
    for entry in &mut writing.manifest.segments {
        let Segment { games, positions, .. } = Segment::open(&folder, entry, room, 0, 0).map_err(|damage| {
            DbError::damaged(folder.path(), format!("not touched while a segment is damaged: {damage}"))
        })?;
        entry.files = Some(Files::of(&games, &positions));
        committed.push(games);
    }
    Ok(committed)
}

/// The filter with the limits of the index that the database has: figures over segments with different ones would be wrong.
fn same_limits(manifest: &Manifest, filter: &Filter, path: &Path) -> Result<Filter, DbError> {
    let Some(files) = manifest.segments.last().and_then(|s| s.files) else { return Ok(filter.clone()) };
    let (found, wanted) = (files.limits, Coverage::of(filter));
    if wanted != found && wanted != Coverage::default() {
        return Err(DbError::OtherLimits { path: path.to_owned(), found: found.to_string() });
    }
    let Coverage { min_ply, max_ply, min_games } = found;
    Ok(Filter { min_ply, max_ply, min_games, ..filter.clone() })
}

/// The segment being filled.
pub(super) struct Open {
    pub games: GameWriter,
    pub sorter: Sorter,
    /// Facts of its games, for the figures.
    pub facts: Vec<Facts>,
}

/// What the sorter orders: by key, then game, then half-move.
#[inline]
pub(super) fn sort_record(key: u64, game: u32, ply: u16, mv: u16) -> u128 {
    let low = u64::from(game) << 32 | u64::from(ply) << 16 | u64::from(mv);
    u128::from(key) << 64 | u128::from(low)
}

struct Import<'a> {
    writing: &'a mut Writing,
    options: &'a ImportOptions,
    /// Games of earlier commits, to know them again.
    committed: Vec<Games>,
    room: Arc<Room>,
    /// Hashes of the segment at hand.
    seen: HashesSeen,
    segment: Option<Open>,
    report: ImportReport,
    /// Segments are written, but not committed.
    hold: bool,
    observer: &'a mut dyn ImportObserver,
}

impl Import<'_> {
    fn file(&mut self, path: &Path) -> Result<(), DbError> {
        let name = path.to_string_lossy().into_owned();
        let identity = identity(path, &self.options.filter);
        let known = identity.and_then(|id| self.writing.manifest.sources.iter().position(|s| s.identity == id));
        let skip = known.map_or(0, |i| self.writing.manifest.sources[i].chunks);
        if known.is_some_and(|i| self.writing.manifest.sources[i].done) {
            self.report.resumed += skip;
            self.report.taken += std::fs::metadata(path).map_or(0, |m| m.len());
            return Ok(());
        }
        let source = known.or_else(|| {
            let identity = identity?;
            self.writing.manifest.sources.push(SourceEntry { identity, chunks: 0, done: false, name: name.clone() });
            Some(self.writing.manifest.sources.len() - 1)
        });
        let (input, read_so_far) = Input::open_counted(path).map_err(DbError::io(path))?;
        let before = self.report.taken;
        let packing = input.packing;
        let file: Arc<str> = name.into();
        let threads = match self.options.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        };
        let (work_in, work_out) = sync_channel::<Batch>(2 * threads);
        let (done_in, done_out) = sync_channel::<Parsed>(2 * threads);
        // Shared by the workers only: when the last one leaves, the reader's channel closes and it ends too.
        let work_out = Arc::new(Mutex::new(work_out));
        let filter = &self.options.filter;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let done_in = done_in.clone();
                let (work_out, file) = (work_out.clone(), file.clone());
                scope.spawn(move || work(&work_out, &done_in, AnyParser::new(filter.clone(), file)));
            }
            drop((done_in, work_out));
            let variant = self.writing.manifest.variant;
            let reader = scope.spawn({
                let file = file.clone();
                move || read(Chunks::new(input.reader, MAX_GAME_BYTES), &work_in, skip, &file, variant)
            });
            let taken = self.collect(&done_out, source, skip, |report| {
                report.taken = before + read_so_far.load(Ordering::Relaxed);
            });
            // On an error here the channels close and the threads end by themselves.
            drop(done_out);
            let end = match reader.join() {
                Ok(end) => end,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            taken?;
            match end.failed {
                Some((line, e)) => {
                    let reason = Reason::from_read(packing, e);
                    let error = PgnError { file: file.clone(), line, reason };
                    self.report.problems += 1;
                    self.observer.problem(&error);
                }
                None => {
                    if let Some(i) = source {
                        self.writing.manifest.sources[i].done = true;
                    }
                }
            }
            Ok(())
        })
    }

    /// Takes parsed batches in the order of the file.
    fn collect(
        &mut self,
        from: &Receiver<Parsed>,
        source: Option<usize>,
        skip: u64,
        note: impl Fn(&mut ImportReport),
    ) -> Result<(), DbError> {
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        self.report.resumed += skip;
        for parsed in from {
            waiting.insert(parsed.number, parsed);
            while let Some(parsed) = waiting.remove(&next) {
                next += 1;
                self.take(&parsed)?;
                if let Some(i) = source {
                    self.writing.manifest.sources[i].chunks += parsed.chunks;
                }
                note(&mut self.report);
                self.observer.progress(&self.report, "reading");
                let limit = self.options.games_limit();
                let full = |s: &Open| {
                    s.sorter.len() >= self.options.commit_every
                        || s.games.games() >= limit
                        || s.games.bytes() + ENTRY_BYTES * s.sorter.len() >= self.options.segment_bytes
                };
                if self.segment.as_ref().is_some_and(full) {
                    self.commit()?;
                }
                if !self.hold && !self.observer.goes_on() {
                    self.commit()?;
                    return Err(DbError::Stopped(self.writing.folder().path().to_owned()));
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, parsed: &Parsed) -> Result<(), DbError> {
        self.report.bytes += parsed.bytes;
        self.report.filtered += parsed.filtered;
        self.report.problems += parsed.problems.len() as u64;
        for error in &parsed.problems {
            self.observer.problem(error);
        }
        let segment = match &mut self.segment {
            Some(open) => open,
            none => {
                let folder = self.writing.folder();
                let sorter = Sorter::new(folder, self.options.sort_memory());
                none.insert(Open { games: GameWriter::create(folder)?, sorter, facts: Vec::new() })
            }
        };
        if !parsed.games.is_empty() {
            self.writing.manifest.variant.get_or_insert(parsed.variant.unwrap_or(Variant::Chess));
        }
        for game in &parsed.games {
            let mut known = !self.seen.insert(game.hash);
            for games in &self.committed {
                known = known || games.has_hash(game.hash)?;
            }
            if known {
                self.report.duplicates += 1;
                continue;
            }
            let head = &parsed.heads[game.head.clone()];
            let moves = &parsed.moves[game.moves.clone()];
            segment.games.add_hash(game.hash);
            let id = segment.games.add(&game.facts, game.plies, head, moves)?;
            segment.facts.push(game.facts);
            for &(key, ply, mv) in &parsed.positions[game.positions.clone()] {
                segment.sorter.push(sort_record(key, id, ply, mv))?;
            }
            self.report.games += 1;
            self.report.positions += game.positions.len() as u64;
        }
        Ok(())
    }

    /// Writes the segment at hand and makes it part of the database.
    fn commit(&mut self) -> Result<(), DbError> {
        if let Some(open) = self.segment.take().filter(|open| open.games.games() > 0) {
            self.observer.progress(&self.report, "sorting");
            let entry = build(self.writing, open, &Coverage::of(&self.options.filter))?;
            self.committed.push(Games::open(self.writing.folder(), &entry.games_file(), &self.room)?);
            self.seen = HashesSeen::default();
            self.writing.manifest.segments.push(entry);
        }
        if self.hold { Ok(()) } else { self.writing.commit() }
    }
}

/// Turns sorted records into the next segment.
pub(super) fn build(writing: &mut Writing, open: Open, limits: &Coverage) -> Result<SegmentEntry, DbError> {
    let origin = writing.origin();
    let (id, games, positions) = writing.segment()?;
    build_at(writing.folder(), open, limits, id, (games, positions), origin)
}

/// The same for a segment whose files were made already.
pub(super) fn build_at(
    folder: &Folder,
    open: Open,
    limits: &Coverage,
    id: u32,
    files: (Handle, Handle),
    origin: Origin,
) -> Result<SegmentEntry, DbError> {
    let Open { games: writer, sorter, facts } = open;
    let ordinals = writer.positions();
    let count = sorter.len();
    let games = writer.finish(files.0, origin)?;
    let stored = Games::open(folder, &games_file(id), &Room::new(1 << 20))?;
    let mut firsts = Vec::with_capacity(facts.len());
    for game in 0..stored.len() {
        firsts.push(stored.first_ordinal(game)?);
    }
    // Four of five positions of real games are unique; as many buckets as entries is the best.
    let mut out = PositionWriter::create(folder, count - count / 5, ordinals, Scope::default())?;
    let mut sorted = sorter.finish()?;
    let (mut stats, mut scratch, mut collector) = (Vec::new(), Vec::new(), Collector::default());
    let mut next = sorted.next()?;
    while let Some(first) = next {
        let key = (first >> 64) as u64;
        let split = |r: u128| ((r >> 32) as u32, (r >> 16) as u16, r as u16);
        let (game, ply, mv) = split(first);
        let ordinal = firsts[game as usize] + u64::from(ply);
        next = sorted.next()?;
        stats.clear();
        let mut met = 1;
        if next.is_some_and(|r| (r >> 64) as u64 == key) {
            collector.clear();
            collector.add(mv, game, &facts[game as usize]);
            while let Some(r) = next.filter(|r| (r >> 64) as u64 == key) {
                let (game, _, mv) = split(r);
                collector.add(mv, game, &facts[game as usize]);
                next = sorted.next()?;
            }
            met = collector.games();
            collector.write(&mut stats, &mut scratch);
        }
        if met >= limits.min_games {
            out.add(key, ordinal, &stats)?;
        }
    }
    let entries = out.entries();
    let scope = Scope::default();
    let files = Files { games, positions: out.finish(files.1, limits, Some(games))?, limits: *limits, scope };
    Ok(SegmentEntry { id, games: u64::from(stored.len()), positions: entries, ordinals, files: Some(files) })
}

fn work(from: &Mutex<Receiver<Batch>>, to: &SyncSender<Parsed>, mut parser: AnyParser) {
    loop {
        let batch = match from.lock() {
            Ok(receiver) => receiver.recv(),
            Err(_) => return,
        };
        let Ok(batch) = batch else { return };
        if to.send(parser.parse(&batch)).is_err() {
            return;
        }
    }
}

struct ReadEnd {
    failed: Option<(u64, std::io::Error)>,
}

/// Cuts the source into batches of whole games, without the first `skip` chunks.
fn read<R: std::io::Read>(
    mut chunks: Chunks<R>,
    to: &SyncSender<Batch>,
    skip: u64,
    file: &Arc<str>,
    variant: Option<Variant>,
) -> ReadEnd {
    let mut end = ReadEnd { failed: None };
    let mut batch = Batch::numbered(0, variant);
    let mut number = 0;
    let mut seen = 0;
    loop {
        match chunks.next() {
            Ok(Some(chunk)) => {
                seen += 1;
                if seen <= skip {
                    continue;
                }
                match chunk {
                    Chunk::Game(bytes, line) => {
                        batch.variant = batch.variant.or_else(|| variant_of(bytes));
                        batch.push(bytes, line);
                    }
                    Chunk::TooLarge(line, binary) => {
                        let reason = if binary { Reason::Binary } else { Reason::TooLarge { limit: MAX_GAME_BYTES } };
                        batch.problem(PgnError { file: file.clone(), line, reason });
                    }
                }
                if batch.len() >= BATCH_BYTES {
                    let next = Batch::numbered(number + 1, batch.variant);
                    let full = std::mem::replace(&mut batch, next);
                    number += 1;
                    if to.send(full).is_err() {
                        return end;
                    }
                }
            }
            Ok(None) => break,
            Err(e) => {
                end.failed = Some((chunks.line_number(), e));
                chunks.finish_early();
            }
        }
    }
    let _ = to.send(batch);
    end
}

/// What makes a job the same job: the file's name, size and content, and the filters. `None` for standard input, and for
/// what cannot be read, which will be told when it is opened.
fn identity(path: &Path, filter: &Filter) -> Option<u64> {
    let size = std::fs::metadata(path).ok().filter(|m| m.is_file())?.len();
    let mut file = File::open(path).ok()?;
    let (mut piece, mut crc) = (vec![0; 1 << 20], crc32fast::Hasher::new());
    loop {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => crc.update(&piece[..n]),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    let text = format!("{} {size} {:08x} {filter:?} ", path.file_name()?.to_string_lossy(), crc.finalize());
    Some(hash_bytes(0, text.as_bytes()))
}
