//! Small things the front ends need: dates, lots, starting positions.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today's date (UTC) as PGN writes it: `2026.11.15`.
pub fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86_400);
    let (year, month, day) = civil(days as i64);
    format!("{year:04}.{month:02}.{day:02}")
}

/// Days since 1970-01-01 as a date of the Gregorian calendar. Counting years from 1 March puts the leap day last.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Random bits, good enough for drawing lots: the seed of the standard library's hash tables.
pub fn random_u64() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0u8)
}

/// A number below `n`.
pub fn random_below(n: u32) -> u32 {
    (random_u64() % u64::from(n.max(1))) as u32
}

/// The Chess960 starting position of a number from 0 to 959 (Scharnagl's numbering; 518 is chess).
pub fn chess960_start(number: u32) -> Option<String> {
    if number >= 960 {
        return None;
    }
    let mut row = [b' '; 8];
    let (rest, light) = (number / 4, number % 4);
    row[(light * 2 + 1) as usize] = b'b';
    let (rest, dark) = (rest / 4, rest % 4);
    row[(dark * 2) as usize] = b'b';
    let (knights, queen) = (rest / 6, rest % 6);
    let mut place = |nth: u32, piece: u8| {
        let at = (0..8).filter(|&at| row[at] == b' ').nth(nth as usize).unwrap_or_default();
        row[at] = piece;
    };
    place(queen, b'q');
    // The ten ways to put two knights on five squares.
    let (first, second) =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)][knights as usize];
    place(first, b'n');
    place(second - 1, b'n');
    for piece in [b'r', b'k', b'r'] {
        place(0, piece);
    }
    let row: String = row.iter().map(|&piece| piece as char).collect();
    // Castling rights by the rooks' files, king's side first.
    let files: String = (0..8u8)
        .rev()
        .filter(|&at| &row[usize::from(at)..=usize::from(at)] == "r")
        .map(|at| (b'a' + at) as char)
        .collect();
    Some(format!("{row}/pppppppp/8/8/8/8/PPPPPPPP/{} w {}{files} - 0 1", row.to_uppercase(), files.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_772), (2026, 11, 15));
        assert_eq!(today().len(), 10);
    }

    #[test]
    fn starting_positions() {
        assert!(chess960_start(518).unwrap().starts_with("rnbqkbnr/"));
        assert!(chess960_start(0).unwrap().starts_with("bbqnnrkr/"));
        assert!(chess960_start(959).unwrap().starts_with("rkrnnqbb/"));
        assert_eq!(chess960_start(960), None);
        let all: std::collections::BTreeSet<String> = (0..960).filter_map(chess960_start).collect();
        assert_eq!(all.len(), 960);
        assert!(random_below(7) < 7 && random_below(0) == 0);
    }
}
