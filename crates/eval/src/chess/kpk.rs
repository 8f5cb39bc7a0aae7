//! King and pawn against king, solved once by going back from the ends: 24 pawn squares × 64 × 64 × 2 to move.

use std::sync::OnceLock;

use rukh_core::{Bitboard, Chess, Color, Kind, Rules, Square};

/// Bit set: the side with the pawn wins. Index `[to move][pawn 24][strong king]`, bit = weak king.
type Table = Box<[u64]>;

const UNKNOWN: u8 = 0;
const DRAW: u8 = 1;
const WIN: u8 = 2;
const INVALID: u8 = 3;

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

fn solve() -> Table {
    // Black's view of index: [to move][pawn][wk][bk] as bytes first.
    let at = |stm: usize, p: usize, wk: usize, bk: usize| ((stm * 24 + p) * 64 + wk) * 64 + bk;
    let pawn_square = |p: usize| (p / 4 + 1) * 8 + p % 4;
    let mut state = vec![UNKNOWN; 2 * 24 * 64 * 64];
    for p in 0..24 {
        let pawn = pawn_square(p);
        for wk in 0..64 {
            for bk in 0..64 {
                let clash = wk == pawn || bk == pawn || wk == bk || king_moves(wk).has(sq(bk));
                // White to move may not already give check with the pawn.
                state[at(0, p, wk, bk)] = if clash || pawn_hits(pawn).has(sq(bk)) { INVALID } else { UNKNOWN };
                state[at(1, p, wk, bk)] = if clash { INVALID } else { UNKNOWN };
                if state[at(0, p, wk, bk)] == UNKNOWN && pawn >= 48 {
                    // Promotion that the weak king cannot answer at once.
                    let goal = pawn + 8;
                    let free = goal != wk && goal != bk;
                    let safe = !king_moves(bk).has(sq(goal)) || king_moves(wk).has(sq(goal));
                    if free && safe {
                        state[at(0, p, wk, bk)] = WIN;
                    }
                }
            }
        }
    }
    loop {
        let mut changed = false;
        for p in 0..24 {
            let pawn = pawn_square(p);
            for wk in 0..64 {
                for bk in 0..64 {
                    if state[at(1, p, wk, bk)] == UNKNOWN {
                        // Black escapes if one move draws; loses if all moves lose and there is one (or he is mated).
                        let barred = king_moves(wk) | pawn_hits(pawn);
                        let mut moves = 0;
                        let mut draws = false;
                        let mut all_lose = true;
                        for to in king_moves(bk) - barred {
                            moves += 1;
                            if to.index() == pawn {
                                draws = true;
                                continue;
                            }
                            match state[at(0, p, wk, to.index())] {
                                DRAW => draws = true,
                                WIN => {}
                                _ => all_lose = false,
                            }
                        }
                        let in_check = pawn_hits(pawn).has(sq(bk));
                        let verdict = if draws || (moves == 0 && !in_check) {
                            DRAW
                        } else if all_lose {
                            WIN
                        } else {
                            UNKNOWN
                        };
                        if verdict != UNKNOWN {
                            state[at(1, p, wk, bk)] = verdict;
                            changed = true;
                        }
                    }
                    if state[at(0, p, wk, bk)] == UNKNOWN {
                        let mut wins = false;
                        let mut all_draw = true;
                        let mut look = |verdict: u8| match verdict {
                            WIN => wins = true,
                            UNKNOWN => all_draw = false,
                            _ => {}
                        };
                        for to in king_moves(wk) - king_moves(bk) {
                            if to.index() != pawn && to.index() != bk {
                                look(state[at(1, p, to.index(), bk)]);
                            }
                        }
                        let step = pawn + 8;
                        if pawn < 48 && step != wk && step != bk {
                            look(state[at(1, p + 4, wk, bk)]);
                            let two = step + 8;
                            if pawn < 16 && two != wk && two != bk {
                                look(state[at(1, p + 8, wk, bk)]);
                            }
                        }
                        if wins || all_draw {
                            state[at(0, p, wk, bk)] = if wins { WIN } else { DRAW };
                            changed = true;
                        }
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    let mut table = vec![0u64; 2 * 24 * 64].into_boxed_slice();
    for (i, &s) in state.iter().enumerate() {
        if s == WIN {
            table[i / 64] |= 1 << (i % 64);
        }
    }
    table
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
