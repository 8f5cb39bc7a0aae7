//! Amundsen books (`.bok`): text, one line of play per line of text, moves as bare squares without blanks
//! (`e2e4e7e5g1f3`). A move's weight is the number of lines that play it.

use rukh_core::{Chess, Position};

use super::polyglot::{Entry, encode_move};
use super::{BookError, make};

/// Whether the file begins with two moves in coordinates.
pub fn is_lines(head: &[u8]) -> bool {
    head.len() >= 8 && head[..8].chunks_exact(2).all(|b| matches!(b[0], b'a'..=b'h') && matches!(b[1], b'1'..=b'8'))
}

pub fn read(bytes: &[u8]) -> Result<Vec<Entry>, BookError> {
    let mut tally = make::Tally::default();
    for (i, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let problem = |problem: String| BookError::Line { line: i + 1, problem };
        let line = std::str::from_utf8(line).map_err(|_| problem("not text".into()))?.trim();
        let mut pos = Position::<Chess>::startpos();
        let mut rest = line;
        while !rest.is_empty() {
            let squares = rest.get(..4).ok_or_else(|| problem(format!("{rest:?} is not a move")))?;
            // A fifth letter is a promotion unless it begins the next move: `b` can be both, then a digit decides.
            let promotes = match rest.as_bytes().get(4..6) {
                Some([b'q' | b'r' | b'n', _]) => true,
                Some([b'b', after]) => !after.is_ascii_digit(),
                _ => rest.len() == 5,
            };
            let mv = rest.get(..if promotes { 5 } else { 4 }).unwrap_or(squares);
            let parsed = pos.parse_uci(mv).map_err(|e| problem(format!("{mv}: {e}")))?;
            tally.add(pos.key(), encode_move(&pos, parsed), 1);
            pos = pos.after(parsed);
            rest = &rest[mv.len()..];
        }
    }
    Ok(tally.entries(0, None))
}
