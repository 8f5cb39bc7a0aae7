//! The 960 start arrays.

use alloc::format;
use alloc::string::String;

/// The FEN of a Chess960 start position by its usual (Scharnagl) number: bishops, queen, knights, then rook, king, rook.
/// 518 is the array of chess; `None` from 960 on.
///
/// ```
/// use rukh_core::{Chess, Position, chess960_fen};
/// assert_eq!(chess960_fen(518).unwrap(), Position::<Chess>::startpos().fen());
/// assert!(chess960_fen(960).is_none());
/// ```
pub fn chess960_fen(number: usize) -> Option<String> {
    // Two of the five squares left: 01 02 03 04 12 …
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let &(first, second) = KNIGHTS.get(number / 96)?;
    let mut row = [' '; 8];
    row[2 * (number % 4) + 1] = 'b';
    row[2 * (number / 4 % 4)] = 'b';
    // After the first knight one square fewer is empty.
    let rest = [(number / 16 % 6, 'q'), (first, 'n'), (second - 1, 'n'), (0, 'r'), (0, 'k'), (0, 'r')];
    for (nth, piece) in rest {
        if let Some(square) = row.iter_mut().filter(|square| **square == ' ').nth(nth) {
            *square = piece;
        }
    }
    let black: String = row.iter().collect();
    let white = black.to_ascii_uppercase();
    Some(format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chess, Position};
    use alloc::collections::BTreeSet;

    #[test]
    fn all_arrays_differ_and_are_legal() {
        assert!(chess960_fen(0).unwrap().starts_with("bbqnnrkr/"));
        assert!(chess960_fen(959).unwrap().starts_with("rkrnnqbb/"));
        let all: BTreeSet<String> = (0..960).filter_map(chess960_fen).collect();
        assert_eq!(all.len(), 960);
        assert!(all.iter().all(|fen| Position::<Chess>::from_fen(fen).is_ok()));
        assert!(chess960_fen(960).is_none() && chess960_fen(usize::MAX).is_none());
    }
}
