//! Arena books (`.abk`): a tree of moves, read by walking it from the initial position.
//!
//! Layout, established from files: records of 28 bytes, little endian; `\x03ABK` at offset 0; the tree begins at
//! record 900. Record: origin u8, target u8, promotion i8, priority u8, games u32, won u32, lost u32, flags u32, index
//! of the first reply i32, index of the next alternative i32 (−1: none). Squares are 0 = a1 … 63 = h8, castling is the
//! king's two-square step.

use rukh_core::{Chess, Kind, Move, Position};

use super::polyglot::{Entry, encode_move};
use super::{BookError, make};

const RECORD: usize = 28;
const FIRST: usize = 900;

pub fn is_arena(head: &[u8]) -> bool {
    head.starts_with(b"\x03ABK")
}

struct Record {
    from: u8,
    to: u8,
    promotion: u8,
    priority: u8,
    games: u32,
    reply: i32,
    next: i32,
}

fn record(bytes: &[u8], index: usize) -> Option<Record> {
    let r: &[u8; RECORD] = bytes.get(index * RECORD..)?.first_chunk()?;
    let word = |i: usize| [r[i], r[i + 1], r[i + 2], r[i + 3]];
    Some(Record {
        from: r[0],
        to: r[1],
        promotion: r[2],
        priority: r[3],
        games: u32::from_le_bytes(word(4)),
        reply: i32::from_le_bytes(word(20)),
        next: i32::from_le_bytes(word(24)),
    })
}

pub fn read(bytes: &[u8]) -> Result<Vec<Entry>, BookError> {
    if record(bytes, FIRST).is_none() {
        return Err(BookError::Arena("it ends before the first move"));
    }
    let mut tally = make::Tally::default();
    // Each record is visited once, so a cycle in a damaged file ends.
    let mut seen = vec![false; bytes.len() / RECORD];
    let mut stack = vec![(FIRST, Position::<Chess>::startpos())];
    while let Some((index, pos)) = stack.pop() {
        let Some(visited) = seen.get_mut(index) else {
            return Err(BookError::Arena("a link points outside the file"));
        };
        if std::mem::replace(visited, true) {
            return Err(BookError::Arena("two links point to one record"));
        }
        let Some(r) = record(bytes, index) else {
            return Err(BookError::Arena("a link points outside the file"));
        };
        if let Ok(next) = usize::try_from(r.next) {
            stack.push((next, pos));
        }
        let Some(mv) = find(&pos, &r) else {
            return Err(BookError::Arena("it holds an illegal move"));
        };
        // Priority 0 is Arena's "do not play".
        let weight = if r.priority == 0 { 0 } else { u64::from(r.games.max(1)) };
        tally.add(pos.key(), encode_move(&pos, mv), weight);
        if let Ok(reply) = usize::try_from(r.reply) {
            stack.push((reply, pos.after(mv)));
        }
    }
    Ok(tally.entries(0, None))
}

fn find(pos: &Position<Chess>, r: &Record) -> Option<Move> {
    let kind = match r.promotion & 0x7f {
        0 => None,
        1 => Some(Kind::Rook),
        2 => Some(Kind::Knight),
        3 => Some(Kind::Bishop),
        _ => Some(Kind::Queen),
    };
    let squares = |mv: Move| (mv.from().index(), mv.to().index()) == (r.from.into(), r.to.into());
    let moves = pos.legal_moves();
    let fits = |kind: Option<Kind>| moves.iter().copied().find(|&mv| squares(mv) && mv.promotion() == kind);
    // The promotion codes are not certain: no file at hand has one. A queen is what openings promote to.
    fits(kind).or_else(|| fits(Some(Kind::Queen)))
}
