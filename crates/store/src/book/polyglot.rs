//! Polyglot books: 16-byte records, sorted by the position's key.
//!
//! Record, big endian: key u64, move u16, weight u16, learn u32. Move bits: target file 0–2, target rank 3–5, origin
//! file 6–8, origin rank 9–11, promotion 12–14 (1 knight … 4 queen or Met). Castling is written as the king taking its own
//! rook (e1h1).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Mutex;

use rukh_core::{Kind, Move, Position, Rules};

use super::{BookError, BookMove};

/// Bytes of one record.
pub const ENTRY_BYTES: usize = 16;

/// One record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Polyglot key of the position.
    pub key: u64,
    /// The move in Polyglot's encoding.
    pub mv: u16,
    /// How often to play it.
    pub weight: u16,
    /// Free for learning programs.
    pub learn: u32,
}

impl Entry {
    fn from_bytes(b: &[u8; ENTRY_BYTES]) -> Entry {
        Entry {
            key: u64::from_be_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]),
            mv: u16::from_be_bytes([b[8], b[9]]),
            weight: u16::from_be_bytes([b[10], b[11]]),
            learn: u32::from_be_bytes([b[12], b[13], b[14], b[15]]),
        }
    }

    fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let mut b = [0; ENTRY_BYTES];
        b[..8].copy_from_slice(&self.key.to_be_bytes());
        b[8..10].copy_from_slice(&self.mv.to_be_bytes());
        b[10..12].copy_from_slice(&self.weight.to_be_bytes());
        b[12..].copy_from_slice(&self.learn.to_be_bytes());
        b
    }
}

/// A move in Polyglot's 16 bits.
pub fn encode_move<R: Rules>(pos: &Position<R>, mv: Move) -> u16 {
    let to = if mv.is_castle() {
        pos.castle_rook(pos.side_to_move(), mv.is_king_castle()).unwrap_or(mv.to())
    } else {
        mv.to()
    };
    // Files and ranks are the low and high three bits of a square, so both squares fit as they are.
    let promotion = match mv.promotion() {
        Some(Kind::Knight) => 1,
        Some(Kind::Bishop) => 2,
        Some(Kind::Rook) => 3,
        Some(Kind::Queen) => 4,
        _ => 0,
    };
    to.index() as u16 | (mv.from().index() as u16) << 6 | promotion << 12
}

/// The legal move that a record means in `pos`. Some books write castling as e1g1: accepted too.
pub fn decode_move<R: Rules>(pos: &Position<R>, bits: u16) -> Option<Move> {
    let moves = pos.legal_moves();
    let plain = |mv: Move| mv.to().index() as u16 | (mv.from().index() as u16) << 6;
    moves
        .iter()
        .copied()
        .find(|&mv| encode_move(pos, mv) == bits)
        .or_else(|| moves.iter().copied().find(|&mv| mv.is_castle() && plain(mv) == bits))
}

/// A table of records in Polyglot's order, in memory or on disk.
pub struct Book {
    records: Records,
    len: usize,
    format: &'static str,
}

enum Records {
    Memory(Vec<Entry>),
    Disk(Mutex<File>),
}

impl Book {
    /// Reads a whole file. Bytes behind the last whole record (some files end in a line feed) are ignored.
    pub fn from_bytes(bytes: &[u8]) -> Result<Book, BookError> {
        let entries: Vec<Entry> = bytes.as_chunks().0.iter().map(Entry::from_bytes).collect();
        if let Some(i) = entries.windows(2).position(|w| w[0].key > w[1].key) {
            return Err(BookError::Unsorted(i + 1));
        }
        Ok(Book { len: entries.len(), records: Records::Memory(entries), format: "Polyglot" })
    }

    /// Searches a file too large for memory where it lies.
    pub fn on_disk(file: File) -> Result<Book, BookError> {
        let len = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX) / ENTRY_BYTES;
        Ok(Book { len, records: Records::Disk(Mutex::new(file)), format: "Polyglot" })
    }

    /// Takes entries in any order.
    pub(super) fn from_entries(mut entries: Vec<Entry>, format: &'static str) -> Book {
        sort(&mut entries);
        Book { len: entries.len(), records: Records::Memory(entries), format }
    }

    /// All records in order, if they are in memory.
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.records {
            Records::Memory(entries) => Some(entries),
            Records::Disk(_) => None,
        }
    }

    fn with_key(&self, key: u64) -> io::Result<Vec<Entry>> {
        match &self.records {
            Records::Memory(entries) => {
                let from = entries.partition_point(|e| e.key < key);
                Ok(entries[from..].iter().take_while(|e| e.key == key).copied().collect())
            }
            Records::Disk(file) => {
                let mut file = file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                let mut read = |i: usize| -> io::Result<Entry> {
                    let mut b = [0; ENTRY_BYTES];
                    file.seek(SeekFrom::Start((i * ENTRY_BYTES) as u64))?;
                    file.read_exact(&mut b)?;
                    Ok(Entry::from_bytes(&b))
                };
                let (mut low, mut high) = (0, self.len);
                while low < high {
                    let middle = low.midpoint(high);
                    if read(middle)?.key < key { low = middle + 1 } else { high = middle }
                }
                let mut found = Vec::new();
                while low < self.len {
                    let entry = read(low)?;
                    if entry.key != key {
                        break;
                    }
                    found.push(entry);
                    low += 1;
                }
                Ok(found)
            }
        }
    }

    /// The moves known in `pos` that have at least `least` thousandths of the position's weight: with weight and share of it in per cent.
    pub fn main_moves<R: Rules>(&self, pos: &Position<R>, least: u64) -> Vec<(Move, u64, f64)> {
        let moves = self.probe(pos);
        let total = moves.iter().map(|m| u64::from(m.weight)).sum::<u64>().max(1);
        let shares = moves.iter().map(|m| (m.mv, u64::from(m.weight), 100.0 * f64::from(m.weight) / total as f64));
        shares.filter(|&(_, weight, _)| weight * 1000 >= least.saturating_mul(total)).collect()
    }

    /// The moves known in `pos`, heaviest first; all are legal. None when the book does not know the position.
    pub fn probe<R: Rules>(&self, pos: &Position<R>) -> Vec<BookMove> {
        // A book that can no longer be read (a drive removed) is a book that knows nothing.
        let entries = self.with_key(pos.key()).unwrap_or_default();
        // Keys collide and files lie: only moves that are legal here come out.
        let mut moves: Vec<BookMove> = Vec::with_capacity(entries.len());
        for e in entries {
            if let Some(mv) = decode_move(pos, e.mv) {
                match moves.iter_mut().find(|m| m.mv == mv) {
                    Some(known) => known.weight = known.weight.saturating_add(e.weight),
                    None => moves.push(BookMove { mv, weight: e.weight }),
                }
            }
        }
        moves.sort_by_key(|m| std::cmp::Reverse(m.weight));
        moves
    }

    /// The move to play: the heaviest, or one drawn by weight with `random` (any 64 random bits). Moves of weight 0 are
    /// only for the book's author and are never chosen.
    pub fn choose<R: Rules>(&self, pos: &Position<R>, best: bool, random: u64) -> Option<Move> {
        let moves = self.probe(pos);
        let total: u64 = moves.iter().map(|m| u64::from(m.weight)).sum();
        if total == 0 {
            return None;
        }
        if best {
            return moves.first().map(|m| m.mv);
        }
        // Multiply-shift maps 64 random bits onto 0..total without the bias of a remainder.
        let mut ticket = (u128::from(random) * u128::from(total) >> 64) as u64;
        for m in &moves {
            match ticket.checked_sub(u64::from(m.weight)) {
                Some(rest) => ticket = rest,
                None => return Some(m.mv),
            }
        }
        None
    }

    /// Name of the file format.
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// Number of (position, move) entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// By key, then heaviest first, then by move: one order for one content.
pub(super) fn sort(entries: &mut [Entry]) {
    entries.sort_unstable_by_key(|e| (e.key, std::cmp::Reverse(e.weight), e.mv));
}

/// Writes a Polyglot file: sorted, each (position, move) once.
pub fn write_entries(entries: &[Entry], out: &mut impl Write) -> io::Result<()> {
    let mut merged: Vec<Entry> = entries.to_vec();
    merged.sort_unstable_by_key(|e| (e.key, e.mv));
    merged.dedup_by(|b, a| {
        let same = (a.key, a.mv) == (b.key, b.mv);
        if same {
            a.weight = a.weight.saturating_add(b.weight);
        }
        same
    });
    sort(&mut merged);
    for e in &merged {
        out.write_all(&e.to_bytes())?;
    }
    Ok(())
}
