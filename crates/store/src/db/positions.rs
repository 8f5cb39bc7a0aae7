//! The position index: keys as a compressed sorted set, the way back to a game, and the figures.
//!
//! With `m` buckets a key belongs to bucket ⌊key · m / 2⁶⁴⌋; the fraction that is left gives 8 check bits (`LOW`) and 16
//! more (`EXTRA`). Bucket sizes stand in unary in `UPPER` (Elias–Fano), so order, not storage, carries most of a key.

use std::borrow::Cow;
use std::sync::Arc;

use super::bits::{BitWriter, take_varint};
use super::container::{Container, ContainerWriter, PARAMS, Room, Seal, Spill};
use super::disk::{Folder, Handle};
use super::error::DbError;
use super::games::Games;
use super::parse::Filter;

pub const MAGIC: &[u8; 8] = b"RUKHPOS1";
/// Per bucket, as many ones as it has entries, then a zero.
const UPPER: usize = 0;
/// Bit of `UPPER` where every `SAMPLE`th bucket begins, u64.
const SAMPLES: usize = 1;
const LOW: usize = 2;
const EXTRA: usize = 3;
/// Ordinal of the position's first occurrence, `ord_bits` each.
const ORDINALS: usize = 4;
/// One bit per entry: more than one game.
const MULTI: usize = 5;
/// Ones in `MULTI` before every `RANK`th bit, u64.
const RANKS: usize = 6;
/// Records of entries with more than one game.
const STATS: usize = 7;
/// Offset of every `STRIDE`th record, u64.
const STAT_OFFSETS: usize = 8;

const SAMPLE: u64 = 256;
const RANK: u64 = 512;
const STRIDE: u64 = 16;

/// What an index is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scope {
    /// Ordinals and games are numbered over the whole database, not over the segment.
    pub global: bool,
    /// Only keys whose top `bits` bits are `prefix` are here.
    pub bits: u32,
    /// See `bits`.
    pub prefix: u64,
}

impl Scope {
    /// What tells the keys of this index apart, if it holds the key.
    #[inline]
    fn strip(&self, key: u64) -> Option<u64> {
        match self.bits {
            0 => Some(key),
            bits => (key >> (64 - bits) == self.prefix).then_some(key << bits),
        }
    }
}

/// Which positions an index has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    /// First half-move.
    pub min_ply: usize,
    /// Last half-move.
    pub max_ply: Option<usize>,
    /// Least games.
    pub min_games: u64,
}

impl Coverage {
    pub fn of(filter: &Filter) -> Coverage {
        // One game is what every position has.
        let min_games = if filter.min_games > 1 { filter.min_games } else { 0 };
        Coverage { min_ply: filter.min_ply, max_ply: filter.max_ply, min_games }
    }

    /// As files have them: first half-move, first behind the last (all ones if there is none), least games.
    pub fn params(&self) -> [u64; 3] {
        let ends = self.max_ply.map_or(u64::MAX, |most| (most as u64).saturating_add(1));
        [self.min_ply as u64, ends, self.min_games]
    }

    /// The last half-move, if the first behind it is this.
    pub fn last_ply(ends: u64) -> Option<usize> {
        (ends < u64::MAX).then(|| ends.saturating_sub(1) as usize)
    }

    /// Whether positions of this half-move are indexed.
    pub fn cover(&self, ply: usize) -> bool {
        ply >= self.min_ply && self.max_ply.is_none_or(|most| ply <= most)
    }
}

/// As the options that ask for them.
impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == Coverage::default() {
            return f.write_str("at all half-moves");
        }
        f.write_str("with")?;
        if self.min_ply > 0 {
            write!(f, " --min-ply {}", self.min_ply)?;
        }
        if let Some(most) = self.max_ply {
            write!(f, " --max-ply {most}")?;
        }
        if self.min_games > 0 {
            write!(f, " --min-games {}", self.min_games)?;
        }
        Ok(())
    }
}

#[inline]
fn place(key: u64, buckets: u64) -> (u64, u8, u16) {
    let t = u128::from(key) * u128::from(buckets);
    let fraction = t as u64;
    ((t >> 64) as u64, (fraction >> 56) as u8, (fraction >> 40) as u16)
}

/// Writes a position segment from keys in ascending order.
pub struct PositionWriter {
    scope: Scope,
    buckets: u64,
    ord_bits: u32,
    upper: BitWriter,
    samples: Spill,
    low: Spill,
    extra: Spill,
    ordinals: BitWriter,
    multi: BitWriter,
    ranks: Spill,
    stats: Spill,
    stat_offsets: Spill,
    bucket: u64,
    entries: u64,
    records: u64,
}

impl PositionWriter {
    /// `expected` entries, ordinals below `ordinals`.
    pub fn create(folder: &Folder, expected: u64, ordinals: u64, scope: Scope) -> Result<Self, DbError> {
        let spill = || Spill::create(folder);
        let mut samples = spill()?;
        samples.put(&0u64.to_le_bytes())?;
        Ok(PositionWriter {
            scope,
            buckets: expected.max(1),
            ord_bits: (64 - ordinals.leading_zeros()).clamp(1, 40),
            upper: BitWriter::new(spill()?),
            samples,
            low: spill()?,
            extra: spill()?,
            ordinals: BitWriter::new(spill()?),
            multi: BitWriter::new(spill()?),
            ranks: spill()?,
            stats: spill()?,
            stat_offsets: spill()?,
            bucket: 0,
            entries: 0,
            records: 0,
        })
    }

    /// Closes buckets until `bucket` is open.
    fn advance(&mut self, bucket: u64) -> Result<(), DbError> {
        while self.bucket < bucket {
            self.upper.put(0, 1)?;
            self.bucket += 1;
            if self.bucket.is_multiple_of(SAMPLE) {
                self.sample()?;
            }
        }
        Ok(())
    }

    fn sample(&mut self) -> Result<(), DbError> {
        let bit = self.upper.bits();
        self.samples.put(&bit.to_le_bytes())
    }

    /// Adds a position; `stats` is its record with length, or empty for a single game.
    pub fn add(&mut self, key: u64, ordinal: u64, stats: &[u8]) -> Result<(), DbError> {
        let (bucket, low, extra) = place(key << self.scope.bits, self.buckets);
        self.advance(bucket)?;
        self.upper.put(1, 1)?;
        self.low.put(&[low])?;
        self.extra.put(&extra.to_le_bytes())?;
        self.ordinals.put(ordinal, self.ord_bits)?;
        if self.entries.is_multiple_of(RANK) {
            self.ranks.put(&self.records.to_le_bytes())?;
        }
        self.multi.put(u64::from(!stats.is_empty()), 1)?;
        self.entries += 1;
        if !stats.is_empty() {
            if self.records.is_multiple_of(STRIDE) {
                self.stat_offsets.put(&self.stats.len().to_le_bytes())?;
            }
            self.stats.put(stats)?;
            self.records += 1;
        }
        Ok(())
    }

    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Writes the segment; `games` is the file whose games it is about, if it is one file.
    pub fn finish(mut self, file: Handle, limits: &Coverage, games: Option<Seal>) -> Result<Seal, DbError> {
        self.advance(self.buckets)?;
        // Readers may look one rank past the end.
        self.ranks.put(&self.records.to_le_bytes())?;
        let mut params = [0; PARAMS];
        params[0] = self.entries;
        params[1] = self.buckets;
        params[2] = u64::from(self.ord_bits);
        params[3] = self.records;
        let [min_ply, ends, min_games] = limits.params();
        params[4] = ends;
        params[5] = min_games;
        params[6] = u64::from(self.scope.global);
        params[7] = u64::from(self.scope.bits);
        params[8] = self.scope.prefix;
        params[9] = min_ply;
        params[10] = games.map_or(0, |seal| seal.sum);
        let mut out = ContainerWriter::new(file)?;
        self.upper.finish()?.pour(UPPER, &mut out)?;
        self.samples.pour(SAMPLES, &mut out)?;
        self.low.pour(LOW, &mut out)?;
        self.extra.pour(EXTRA, &mut out)?;
        self.ordinals.finish()?.pour(ORDINALS, &mut out)?;
        self.multi.finish()?.pour(MULTI, &mut out)?;
        self.ranks.pour(RANKS, &mut out)?;
        self.stats.pour(STATS, &mut out)?;
        self.stat_offsets.pour(STAT_OFFSETS, &mut out)?;
        out.finish(MAGIC, &params)
    }
}

/// A position segment open for reading.
pub struct Positions {
    file: Container,
    scope: Scope,
    entries: u64,
    buckets: u64,
    ord_bits: u32,
    records: u64,
}

impl Positions {
    /// Opens a position file.
    pub(crate) fn open(folder: &Folder, name: &str, room: &Arc<Room>) -> Result<Positions, DbError> {
        let file = Container::open(folder, name, MAGIC, room)?;
        let (entries, buckets, records) = (file.param(0), file.param(1), file.param(3));
        let ord_bits = file.param(2) as u32;
        if file.section_len(LOW) as u64 != entries || records > entries || buckets == 0 || !(1..=40).contains(&ord_bits)
        {
            return Err(DbError::damaged(file.path(), "its header contradicts itself"));
        }
        let bits = file.param(7).min(32) as u32;
        let scope = Scope { global: file.param(6) != 0, bits, prefix: file.param(8) };
        Ok(Positions { file, scope, entries, buckets, ord_bits, records })
    }

    /// An error if this is the index of other games.
    pub(crate) fn must_be_of(&self, games: &Games) -> Result<(), DbError> {
        match self.file.param(10) {
            0 => Ok(()),
            sum if sum == games.file().seal().sum => Ok(()),
            _ => Err(DbError::damaged(self.file.path(), "the index of other games: another file took its place")),
        }
    }

    /// The file.
    pub(crate) fn file(&self) -> &Container {
        &self.file
    }

    /// Number of entries.
    pub fn len(&self) -> u64 {
        self.entries
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Whether a position of this half-move must be in the index whatever its number of games.
    pub(crate) fn is_complete_at(&self, ply: usize) -> bool {
        let limits = self.limits();
        limits.cover(ply) && limits.min_games <= 1
    }

    /// Which positions are indexed.
    pub(crate) fn limits(&self) -> Coverage {
        Coverage {
            min_ply: self.file.param(9) as usize,
            max_ply: Coverage::last_ply(self.file.param(4)),
            min_games: if self.file.param(5) > 1 { self.file.param(5) } else { 0 },
        }
    }

    /// What the index is about.
    pub(crate) fn scope(&self) -> Scope {
        self.scope
    }

    /// Entries with more than one game.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Bytes that finding a code by position needs, and those of statistics.
    pub fn split(&self) -> (usize, usize) {
        let sum = |sections: &[usize]| sections.iter().map(|&s| self.file.section_len(s)).sum();
        (sum(&[UPPER, SAMPLES, LOW, ORDINALS]), sum(&[EXTRA, MULTI, RANKS, STATS, STAT_OFFSETS]))
    }

    /// The entries whose check bits fit `key`; with `strict` the 16 further bits too.
    pub fn find(&self, key: u64, strict: bool, mut f: impl FnMut(u64) -> Result<bool, DbError>) -> Result<(), DbError> {
        let Some(key) = self.scope.strip(key) else { return Ok(()) };
        let (bucket, low, extra) = place(key, self.buckets);
        let mut bit = self.bucket_start(bucket)?;
        // Before the bucket's entries stand one zero per earlier bucket.
        let mut entry = bit.checked_sub(bucket).ok_or_else(|| self.bad())?;
        while self.word(bit / 64)? >> (bit % 64) & 1 == 1 {
            if entry >= self.entries {
                return Err(self.bad());
            }
            if self.file.array(LOW, entry as usize)? == [low] && (!strict || self.extra(entry)? == extra) && !f(entry)?
            {
                return Ok(());
            }
            bit += 1;
            entry += 1;
        }
        Ok(())
    }

    /// The bit of `UPPER` where a bucket begins.
    fn bucket_start(&self, bucket: u64) -> Result<u64, DbError> {
        let mut bit = self.file.u64(SAMPLES, (bucket / SAMPLE) as usize)?;
        let mut zeros = bucket % SAMPLE;
        while zeros > 0 {
            let (word, offset) = (bit / 64, bit % 64);
            // Zeros of the word from `offset` on, as ones.
            let mut open = !self.word(word)? & (u64::MAX << offset);
            let count = u64::from(open.count_ones());
            if count < zeros {
                zeros -= count;
                bit = (word + 1) * 64;
            } else {
                for _ in 1..zeros {
                    open &= open - 1;
                }
                bit = word * 64 + u64::from(open.trailing_zeros()) + 1;
                zeros = 0;
            }
        }
        Ok(bit)
    }

    #[inline]
    fn word(&self, index: u64) -> Result<u64, DbError> {
        self.file.u64(UPPER, index as usize)
    }

    fn extra(&self, entry: u64) -> Result<u16, DbError> {
        Ok(u16::from_le_bytes(self.file.array(EXTRA, 2 * entry as usize)?))
    }

    #[cold]
    fn bad(&self) -> DbError {
        DbError::damaged(self.file.path(), "index contradicts itself")
    }

    /// The ordinal of an entry's first occurrence.
    pub fn ordinal(&self, entry: u64) -> Result<u64, DbError> {
        if entry >= self.entries {
            return Err(self.bad());
        }
        let bit = entry * u64::from(self.ord_bits);
        let word = u64::from_le_bytes(self.file.array(ORDINALS, (bit / 8) as usize)?);
        Ok(word >> (bit % 8) & ((1 << self.ord_bits) - 1))
    }

    /// The record of an entry with several games; `None` for a single game.
    pub fn stats(&self, entry: u64) -> Result<Option<Cow<'_, [u8]>>, DbError> {
        let word = |i: u64| self.file.u64(MULTI, i as usize);
        if word(entry / 64)? >> (entry % 64) & 1 == 0 {
            return Ok(None);
        }
        let mut record = self.file.u64(RANKS, (entry / RANK) as usize)?;
        for i in (entry / RANK) * (RANK / 64)..entry / 64 {
            record = record.saturating_add(u64::from(word(i)?.count_ones()));
        }
        let below = (1u64 << (entry % 64)) - 1;
        record = record.saturating_add(u64::from((word(entry / 64)? & below).count_ones()));
        let mut at = self.file.u64(STAT_OFFSETS, (record / STRIDE) as usize)? as usize;
        let end = self.file.section_len(STATS);
        for skip in (0..=record % STRIDE).rev() {
            let bytes = self.file.bytes(STATS, at..at.saturating_add(10).min(end))?;
            let mut rest = &*bytes;
            let len = take_varint(&mut rest).ok_or_else(|| self.bad())? as usize;
            let start = at + bytes.len() - rest.len();
            at = start.checked_add(len).ok_or_else(|| self.bad())?;
            if skip == 0 {
                return self.file.bytes(STATS, start..at).map(Some);
            }
        }
        Err(self.bad())
    }
}
