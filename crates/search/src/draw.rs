//! Draws in the tree: by rule, by repetition, and by a repetition to come.
//!
//! Upcoming repetition after Marcel van Kervinck: a cuckoo hash table of all reversible moves, by the difference they make
//! to the key. If the keys of now and of an earlier position with the other side to move differ by one such move, and its
//! path is free, the side to move can repeat that position.

use crate::score::DRAW;
use crate::searcher::Searcher;
use rukh_core::{Bitboard, Color, Kind, Piece, Position, Rules, Square, Variant, attacks, piece_key, side_key};
use rukh_eval::Evaluator;
use std::sync::{Arc, OnceLock};

const SIZE: usize = 8192;
/// Material is only looked at when so few men are left.
const FEW_PIECES: u32 = 8;

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    a: u8,
    b: u8,
    filled: bool,
}

/// All reversible moves of one game's pieces, by key difference.
pub(crate) struct Cuckoo {
    slots: Box<[Slot]>,
}

#[inline]
fn h1(key: u64) -> usize {
    key as usize & (SIZE - 1)
}

#[inline]
fn h2(key: u64) -> usize {
    (key >> 16) as usize & (SIZE - 1)
}

impl Cuckoo {
    /// The table of a game, made once.
    pub(crate) fn shared<R: Rules>() -> Arc<Cuckoo> {
        static CHESS: OnceLock<Arc<Cuckoo>> = OnceLock::new();
        static MAKRUK: OnceLock<Arc<Cuckoo>> = OnceLock::new();
        let cell = match R::VARIANT {
            Variant::Chess | Variant::Chess960 => &CHESS,
            Variant::Makruk => &MAKRUK,
        };
        cell.get_or_init(|| Arc::new(Cuckoo::new::<R>())).clone()
    }

    fn new<R: Rules>() -> Cuckoo {
        let mut table = Cuckoo { slots: vec![Slot::default(); SIZE].into_boxed_slice() };
        for color in Color::ALL {
            for kind in [Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen, Kind::King] {
                let piece = Piece::new(color, kind);
                for a in Square::all() {
                    for b in Square::all().skip(a.index() + 1) {
                        let one_way = |x, y| R::attacks(kind, color, x, Bitboard::EMPTY).has(y);
                        // A Thon goes straight ahead but not back: one direction is enough, the probe checks which.
                        if one_way(a, b) || one_way(b, a) {
                            let key = piece_key(piece, a) ^ piece_key(piece, b) ^ side_key();
                            table.insert(Slot { key, a: a.index() as u8, b: b.index() as u8, filled: true });
                        }
                    }
                }
            }
        }
        table
    }

    fn insert(&mut self, mut slot: Slot) {
        let mut at = h1(slot.key);
        loop {
            core::mem::swap(&mut self.slots[at], &mut slot);
            if !slot.filled {
                return;
            }
            // The evicted move goes to its other place.
            at = if at == h1(slot.key) { h2(slot.key) } else { h1(slot.key) };
        }
    }

    /// Whether `difference` is a reversible move of the side to move that can be made on the board of `pos`.
    #[inline]
    pub(crate) fn has_move<R: Rules>(&self, pos: &Position<R>, difference: u64) -> bool {
        let mut slot = &self.slots[h1(difference)];
        if slot.key != difference {
            slot = &self.slots[h2(difference)];
            if slot.key != difference {
                return false;
            }
        }
        self.is_playable(pos, *slot)
    }

    #[cold]
    fn is_playable<R: Rules>(&self, pos: &Position<R>, slot: Slot) -> bool {
        let (Some(a), Some(b)) = (Square::from_index(slot.a), Square::from_index(slot.b)) else { return false };
        let occupied = pos.occupied();
        let (from, to) = if occupied.has(a) { (a, b) } else { (b, a) };
        if occupied.has(to) || (attacks::between(a, b) & occupied).any() {
            return false;
        }
        pos.piece_at(from)
            .is_some_and(|p| p.color() == pos.side_to_move() && R::attacks(p.kind(), p.color(), from, occupied).has(to))
    }
}

impl<R: Rules, E: Evaluator<R>> Searcher<R, E> {
    /// A draw, give or take a point: equal scores everywhere would blind the search to different ways to draw.
    #[inline]
    pub(crate) fn draw_score(&self) -> i32 {
        DRAW + (self.nodes & 2) as i32 - 1
    }

    /// Drawn by rule: repetition, fifty moves, too little material, or the Makruk count. Mate beats the last two.
    #[inline]
    pub(crate) fn is_draw(&self, pos: &Position<R>, ply: usize) -> bool {
        if self.stack.at(ply).reversible >= 4 && self.is_repetition(ply) {
            return true;
        }
        if (R::FIFTY_MOVES && pos.halfmove_clock() >= 100) || pos.is_count_draw() {
            return Self::is_not_mate(pos);
        }
        pos.occupied().count() <= FEW_PIECES && pos.is_insufficient_material()
    }

    // In a function of its own: with a generator inside, what is asked at every node would be large.
    #[cold]
    #[inline(never)]
    fn is_not_mate(pos: &Position<R>) -> bool {
        !pos.in_check() || pos.has_legal_move()
    }

    /// Repeated once since the root, or twice in all.
    fn is_repetition(&self, ply: usize) -> bool {
        let back = self.stack.at(ply).reversible as usize;
        if back < 4 {
            return false;
        }
        let now = self.keys.len() - 1;
        let key = self.keys[now];
        let mut seen = false;
        let mut i = 4;
        while i <= back {
            if self.keys[now - i] == key {
                if i < ply || seen {
                    return true;
                }
                seen = true;
            }
            i += 2;
        }
        false
    }

    /// Whether the side to move can bring about a position that has occurred, by one reversible move. See
    /// [`Cuckoo`].
    #[inline]
    pub(crate) fn can_repeat(&self, pos: &Position<R>, ply: usize) -> bool {
        let back = self.stack.at(ply).reversible as usize;
        if back < 3 {
            return false;
        }
        let now = self.keys.len() - 1;
        let key = self.keys[now];
        let mut i = 3;
        while i <= back {
            if i < ply && self.cuckoo.has_move(pos, key ^ self.keys[now - i]) {
                return true;
            }
            i += 2;
        }
        false
    }

    /// Plies until the fifty-move rule ends the game; a large number where there is no such rule.
    #[inline]
    pub(crate) fn rule_plies_left(&self, pos: &Position<R>) -> i32 {
        if R::FIFTY_MOVES { 100 - i32::from(pos.halfmove_clock()) } else { 1000 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::{Chess, Makruk};

    #[test]
    fn chess_has_the_known_number_of_reversible_moves() {
        let n = |t: &Cuckoo| t.slots.iter().filter(|s| s.filled).count();
        assert_eq!(n(&Cuckoo::new::<Chess>()), 3668);
        assert!(n(&Cuckoo::new::<Makruk>()) > 1000);
    }

    #[test]
    fn finds_the_move_back() {
        fn check<R: Rules>(start: Position<R>, line: &[&str], back: bool) {
            let mut pos = start;
            let mut keys = vec![pos.repetition_key()];
            for text in line {
                pos = pos.after(pos.parse_uci(text).unwrap());
                keys.push(pos.repetition_key());
            }
            let now = keys[keys.len() - 1];
            assert_eq!(Cuckoo::shared::<R>().has_move(&pos, now ^ keys[keys.len() - 4]), back, "{line:?}");
        }
        check(Position::<Chess>::startpos(), &["g1f3", "g8f6", "f3g1"], true);
        check(Position::<Chess>::startpos(), &["g1f3", "g8f6", "f3d4"], false);
        check(Position::<Makruk>::startpos(), &["b1d2", "b8d7", "d2b1"], true);
        // A Thon that stepped straight ahead cannot step back.
        check(Position::<Makruk>::startpos(), &["d1c2", "f8f7", "c2d1"], false);
    }
}
