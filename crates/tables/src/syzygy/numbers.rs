//! The numbers of the format: how sets of men on squares are counted.
//!
//! Squares are a1 = 0 … h8 = 63, as everywhere in Rukh.

/// `BINOMIAL[k][n]`: ways to choose `k` of `n`. A group has at most six men (all but the kings are seven minus two).
const BINOMIAL: [[u64; 64]; 7] = {
    let mut table = [[0; 64]; 7];
    let mut n = 0;
    while n < 64 {
        table[0][n] = 1;
        let mut k = 1;
        while k < 7 && n > 0 {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

/// Ways to choose `k` of `n`; nought outside the table, which no valid layout asks for.
#[inline]
pub(super) fn choose(n: usize, k: usize) -> u64 {
    BINOMIAL.get(k).and_then(|row| row.get(n)).copied().unwrap_or(0)
}

/// Three different men, first one in the triangle a1–d1–d4.
pub(super) const THREE: u64 = 31_332;

/// Two kings, the first one in the triangle.
pub(super) const KINGS: u64 = 462;

/// Above the diagonal a1–h8: positive; below: negative; on it: nought.
#[inline]
pub(super) const fn off_diagonal(square: u8) -> i8 {
    (square >> 3) as i8 - (square & 7) as i8
}

/// Numbers the squares below the diagonal a1–h8 rank by rank: b1 = 0 … h7 = 27.
const BELOW: [u8; 64] = {
    let mut table = [0; 64];
    let (mut square, mut number) = (0, 0);
    while square < 64 {
        if off_diagonal(square) < 0 {
            table[square as usize] = number;
            number += 1;
        }
        square += 1;
    }
    table
};

/// The ten squares of the triangle: b1, c1, d1, c2, d2, d3 below the diagonal, then a1, b2, c3, d4 on it.
const TRIANGLE: [u8; 10] = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];

const IN_TRIANGLE: [u8; 64] = {
    let mut table = [0; 64];
    let mut number = 0;
    while number < 10 {
        table[TRIANGLE[number] as usize] = number as u8;
        number += 1;
    }
    table
};

/// `KING_PAIRS[first in the triangle][second]`. Pairs with both kings on the diagonal have the last numbers; kings that
/// touch, and pairs that a reflection brings elsewhere, have none.
const KING_PAIRS: [[u16; 64]; 10] = {
    let mut table = [[NO_PAIR; 64]; 10];
    let mut number = 0;
    let mut round = 0;
    while round < 2 {
        let both_on_diagonal = round == 1;
        let mut first = 0;
        while first < 10 {
            let a = TRIANGLE[first];
            let mut b = 0;
            while b < 64 {
                let (ranks, files) = ((a >> 3).abs_diff(b >> 3), (a & 7).abs_diff(b & 7));
                let (off_a, off_b) = (off_diagonal(a), off_diagonal(b));
                let apart = ranks > 1 || files > 1;
                let reflected = off_a == 0 && off_b > 0;
                if apart && !reflected && (off_a == 0 && off_b == 0) == both_on_diagonal {
                    table[first][b as usize] = number;
                    number += 1;
                }
                b += 1;
            }
            first += 1;
        }
        round += 1;
    }
    assert!(number as u64 == KINGS);
    table
};
const NO_PAIR: u16 = u16::MAX;

/// The number of two kings, the first in the triangle; none for kings that touch.
#[inline]
pub(super) fn kings(first: u8, second: u8) -> Option<u64> {
    let number = KING_PAIRS[usize::from(IN_TRIANGLE[usize::from(first & 63)])][usize::from(second & 63)];
    (number != NO_PAIR).then_some(u64::from(number))
}

/// The number of three different men, the first in the triangle, the first of them off the diagonal below it.
#[inline]
pub(super) fn three(a: u8, b: u8, c: u8) -> u64 {
    let number = |square: u8| u64::from(square);
    let below = |square: u8| u64::from(BELOW[usize::from(square & 63)]);
    let diagonal = |square: u8| u64::from(square >> 3);
    // A square that is taken leaves a gap that the later ones close.
    let gap_b = u64::from(b > a);
    let gap_c = u64::from(c > a) + u64::from(c > b);
    if off_diagonal(a) != 0 {
        return (u64::from(IN_TRIANGLE[usize::from(a & 63)]) * 63 + number(b) - gap_b) * 62 + number(c) - gap_c;
    }
    let mut start = 6 * 63 * 62;
    if off_diagonal(b) != 0 {
        return start + (diagonal(a) * 28 + below(b)) * 62 + number(c) - gap_c;
    }
    start += 4 * 28 * 62;
    if off_diagonal(c) != 0 {
        return start + (diagonal(a) * 7 + diagonal(b) - gap_b) * 28 + below(c);
    }
    start += 4 * 7 * 28;
    start + (diagonal(a) * 7 + diagonal(b) - gap_b) * 6 + diagonal(c) - gap_c
}

/// Distance from the nearer edge file, 0 to 3.
#[inline]
pub(super) const fn edge_file(square: u8) -> u8 {
    let file = square & 7;
    if file < 4 { file } else { 7 - file }
}

/// Pawns' squares from 47 down to 0, outer files first, upwards, left before right: a2, h2, a3, h3, … d7, e7.
/// The pawn with the greatest number leads.
#[inline]
pub(super) const fn pawn_number(square: u8) -> u8 {
    47 - 2 * (6 * edge_file(square) + (square >> 3) - 1) - (square & 7) / 4
}

/// `LEADING[pawns - 1][file][rank - 2]`: where the sets led from that square begin; the last entry is the size.
const LEADING: [[[u64; 7]; 4]; 5] = {
    let mut table = [[[0; 7]; 4]; 5];
    let mut pawns = 0;
    while pawns < 5 {
        let mut file = 0;
        while file < 4 {
            let mut rank = 0;
            while rank < 6 {
                let number = pawn_number((rank as u8 + 1) * 8 + file as u8) as usize;
                table[pawns][file][rank + 1] = table[pawns][file][rank] + BINOMIAL[pawns][number];
                rank += 1;
            }
            file += 1;
        }
        pawns += 1;
    }
    table
};

/// Sets of so many pawns of one colour whose leading pawn stands on this file.
#[inline]
pub(super) fn pawn_sets(pawns: usize, file: usize) -> u64 {
    LEADING.get(pawns.wrapping_sub(1)).and_then(|files| files.get(file)).map_or(0, |ranks| ranks[6])
}

/// Where the sets begin that are led from this square of the left half.
#[inline]
pub(super) fn pawn_sets_before(pawns: usize, leader: u8) -> u64 {
    let rank = usize::from(leader >> 3).wrapping_sub(1);
    let file = usize::from(leader & 7);
    LEADING.get(pawns.wrapping_sub(1)).and_then(|files| files.get(file)?.get(rank)).copied().unwrap_or(0)
}
