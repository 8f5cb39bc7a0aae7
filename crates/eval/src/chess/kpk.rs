//! King and pawn against king, solved once by going back from the ends: 24 pawn squares × 64 × 64 × 2 to move.

use std::sync::OnceLock;

use rukh_core::{Bitboard, Chess, Color, Kind, Rules, Square};

/// Bit set: the side with the pawn wins. Index `[to move][pawn 24][strong king]`, bit = weak king.
type Table = Box<[u64]>;

/// Whether White wins with king `wk`, pawn `pawn` (on files a–d) against king `bk`.
pub(super) fn white_wins(wk: Square, pawn: Square, bk: Square, to_move: Color) -> bool {
    static TABLE: OnceLock<Table> = OnceLock::new();
    let table = TABLE.get_or_init(solve);
    table[slot(to_move, pawn.index(), wk.index())] >> bk.index() & 1 != 0
}

fn slot(to_move: Color, pawn: usize, wk: usize) -> usize {
    // Files a–d, ranks 2–7.
    let p = (pawn / 8 - 1) * 4 + pawn % 8;
    (to_move.index() * 24 + p) * 64 + wk
}

fn sq(i: usize) -> Square {
    Square::from_index(i as u8).expect("below 64")
}

fn king_moves(i: usize) -> Bitboard {
    Chess::attacks(Kind::King, Color::White, sq(i), Bitboard(0))
}

fn pawn_hits(i: usize) -> Bitboard {
    Chess::attacks(Kind::Pawn, Color::White, sq(i), Bitboard(0))
}

/// The squares beside those of a set.
fn beside(set: u64) -> u64 {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    let sides = (set & !(FILE_A << 7)) << 1 | (set & !FILE_A) >> 1;
    let rows = set | sides;
    sides | rows << 8 | rows >> 8
}

/// All squares of the weak king at once: this runs in the middle of a game, where a tenth of a second may be the last one.
fn solve() -> Table {
    let mut table = vec![0u64; 2 * 24 * 64].into_boxed_slice();
    // A pawn depends on those in front of it alone.
    for rank in (1..7).rev() {
        for file in 0..4 {
            let pawn = rank * 8 + file;
            while improve(&mut table, pawn) {}
        }
    }
    table
}

/// One round over the strong king's squares: adds what is won by what is known to be won, and says whether there was any.
fn improve(table: &mut [u64], pawn: usize) -> bool {
    let hits = pawn_hits(pawn).0;
    let mut changed = false;
    for wk in (0..64).filter(|&wk| wk != pawn) {
        let (white, black) = (slot(Color::White, pawn, wk), slot(Color::Black, pawn, wk));
        let guard = king_moves(wk).0;
        let legal = !(guard | 1 << wk | 1 << pawn);
        // The weak king loses if no move takes it to safety (which a capture is), unless it is stalemated.
        let open = !(guard | hits);
        let safe = open & !table[white];
        let lost = legal & !beside(safe) & (beside(open) | hits);

        let mut won = king_moves(wk)
            .into_iter()
            .map(|to| to.index())
            .filter(|&to| to != pawn)
            .fold(0, |won, to| won | table[slot(Color::Black, pawn, to)]);
        let step = pawn + 8;
        if step != wk {
            if pawn >= 48 {
                // A promotion that the weak king cannot answer at once.
                let held = guard >> step & 1 != 0;
                won |= !(1 << step) & if held { u64::MAX } else { !beside(1 << step) };
            } else {
                won |= table[slot(Color::Black, step, wk)];
                if pawn < 16 {
                    won |= table[slot(Color::Black, step + 8, wk)] & !(1 << step);
                }
            }
        }
        // Black is not in check when White is to move.
        won &= legal & !hits;
        changed |= table[white] != won || table[black] != lost;
        (table[white], table[black]) = (won, lost);
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_of_wins_is_the_known_one() {
        // 111,282 of the 331,352 legal positions in the half board are wins for the pawn, either side to move.
        let wins: u32 = solve().iter().map(|w| w.count_ones()).sum();
        assert_eq!(wins, 111_282);
    }
}
