//! The positions of a database by their place in the index: found by playing the games in order, sorted on disk.

use std::path::Path;

use super::disk::{Appender, Folder};
use super::error::DbError;
use super::movecode::move_bits;
use super::rows::plain_text;
use super::stats::NO_MOVE;
use super::{Database, Segment, Stored};

/// Bytes of a record before its text: place in the index, key, segment of the game, game, half-move, move, length of the text.
const HEAD: usize = 8 + 8 + 4 + 4 + 2 + 2 + 1;
/// Memory for the records that are being sorted.
const MEMORY: u64 = 64 << 20;
/// About what a record takes in memory.
const RECORD_BYTES: u64 = 110;
/// Most files at a time.
const MOST_FILES: u64 = 256;

/// A position: its place in the index, and where it was first met.
pub struct Found<'a> {
    pub entry: u64,
    pub key: u64,
    /// Index of the segment that has the game.
    pub home: usize,
    pub game: u32,
    pub ply: u16,
    /// The move that the game plays.
    pub mv: u16,
    /// The position.
    pub text: &'a str,
}

/// Files of one index, each for a range of entries.
struct Shelf {
    folder: Folder,
    segment: usize,
    per_file: u64,
    files: Vec<Option<Appender>>,
    /// The file that is being read: its bytes, and entry and offset of its records in order.
    bytes: Vec<u8>,
    order: std::vec::IntoIter<(u64, usize)>,
    next_file: usize,
    /// Key and offset of the next record.
    head: Option<(u64, usize)>,
}

impl Shelf {
    fn put(&mut self, entry: u64, record: &[u8]) -> Result<(), DbError> {
        let file = match &mut self.files[(entry / self.per_file) as usize] {
            Some(file) => file,
            none => none.insert(Appender::new(self.folder.scratch()?, 64 << 10)),
        };
        file.put(record)
    }

    /// Moves on to the next record.
    fn advance(&mut self) -> Result<(), DbError> {
        loop {
            if let Some((_, at)) = self.order.next() {
                self.head = Some((u64_at(&self.bytes, at + 8), at));
                return Ok(());
            }
            self.head = None;
            let Some(file) = self.files.get_mut(self.next_file) else { return Ok(()) };
            self.next_file += 1;
            let Some(file) = file.take() else { continue };
            let len = file.len() as usize;
            let file = file.finish()?;
            self.bytes.clear();
            self.bytes.resize(len, 0);
            file.read_exact_at(&mut self.bytes, 0)?;
            let (mut order, mut at) = (Vec::new(), 0);
            while at + HEAD <= self.bytes.len() {
                order.push((u64_at(&self.bytes, at), at));
                at += HEAD + usize::from(self.bytes[at + HEAD - 1]);
            }
            order.sort_unstable();
            self.order = order.into_iter();
        }
    }

    fn found(&self, at: usize) -> Option<Found<'_>> {
        let b = self.bytes.get(at..)?;
        let u32_at = |i: usize| u32::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]);
        let u16_at = |i: usize| u16::from_le_bytes([b[i], b[i + 1]]);
        let text = b.get(HEAD..HEAD + usize::from(b[HEAD - 1]))?;
        Some(Found {
            entry: u64_at(b, 0),
            key: u64_at(b, 8),
            home: u32_at(16) as usize,
            game: u32_at(20),
            ply: u16_at(24),
            mv: u16_at(26),
            text: std::str::from_utf8(text).ok()?,
        })
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// All positions of a database in the order of keys.
pub struct Places {
    shelves: Vec<Shelf>,
    /// The shelf whose record was given last.
    last: Option<usize>,
}

impl Places {
    /// Plays all games and notes every position where it is first met.
    pub fn collect<R: Stored>(database: &Database<R>, work: &Path) -> Result<Places, DbError> {
        let (segments, folder) = (database.segments(), Folder::new(work));
        let total: u64 = segments.iter().map(|s| s.positions.len()).sum();
        let share = MEMORY / RECORD_BYTES / segments.len().max(1) as u64;
        let per_file = share.max(total.div_ceil(MOST_FILES)).max(1);
        let shelf = |(segment, s): (usize, &Segment)| {
            let files = (0..s.positions.len().div_ceil(per_file)).map(|_| None).collect();
            let (folder, order) = (folder.clone(), Vec::new().into_iter());
            Shelf { folder, segment, per_file, files, bytes: Vec::new(), order, next_file: 0, head: None }
        };
        let mut shelves: Vec<Shelf> = segments.iter().enumerate().map(shelf).collect();
        let mut record = Vec::new();
        for (home, segment) in segments.iter().enumerate() {
            // Which indexes may have the positions of these games.
            let global = segment.positions.scope().global;
            let wide = |i: &usize| segments[*i].positions.scope().global;
            let indexes: Vec<usize> = if global { (0..segments.len()).filter(wide).collect() } else { vec![home] };
            for game in 0..segment.games.len() {
                let first = segment.base.saturating_add(segment.games.first_ordinal(game)?);
                let mut failed = None;
                segment.games.replay::<R>(game, |ply, pos, mv| {
                    let (key, code) = (pos.key(), first.saturating_add(ply as u64));
                    let mut note = || {
                        for &index in &indexes {
                            let mut hit = None;
                            segments[index].positions.find(key, true, |entry| {
                                hit = (segments[index].code(entry)? == code).then_some(entry);
                                Ok(hit.is_none())
                            })?;
                            let Some(entry) = hit else { continue };
                            let text = plain_text(pos);
                            record.clear();
                            record.extend(entry.to_le_bytes());
                            record.extend(key.to_le_bytes());
                            record.extend((home as u32).to_le_bytes());
                            record.extend(game.to_le_bytes());
                            record.extend((ply as u16).to_le_bytes());
                            record.extend(mv.map_or(NO_MOVE, move_bits).to_le_bytes());
                            // A FEN is never longer than 100 characters.
                            record.push(text.len() as u8);
                            record.extend(text.as_bytes());
                            return shelves[index].put(entry, &record);
                        }
                        Ok(())
                    };
                    failed = note().err();
                    failed.is_none()
                })?;
                if let Some(e) = failed {
                    return Err(e);
                }
            }
        }
        for shelf in &mut shelves {
            shelf.advance()?;
        }
        Ok(Places { shelves, last: None })
    }

    /// The next position and the segment whose index has it.
    pub fn next(&mut self) -> Result<Option<(usize, Found<'_>)>, DbError> {
        if let Some(last) = self.last.take() {
            self.shelves[last].advance()?;
        }
        let least =
            (0..self.shelves.len()).filter_map(|i| Some((self.shelves[i].head?, i))).min_by_key(|(h, i)| (h.0, *i));
        let Some(((_, at), i)) = least else { return Ok(None) };
        self.last = Some(i);
        let shelf = &self.shelves[i];
        let lost = || DbError::damaged(shelf.folder.path(), "a temporary file was changed");
        Ok(Some((shelf.segment, shelf.found(at).ok_or_else(lost)?)))
    }
}
