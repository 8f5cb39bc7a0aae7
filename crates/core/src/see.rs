//! Static exchange evaluation (SEE): what a capture sequence on one square is worth if both sides take with their cheapest piece.

use crate::attacks;
use crate::moves::Move;
use crate::position::{Position, ep_victim};
use crate::rules::Rules;
use crate::types::{Kind, Square};

impl<R: Rules> Position<R> {
    /// Whether the exchange that `mv` begins gains at least `threshold` (centipawns, by [`Rules::VALUES`]).
    ///
    /// ```
    /// use rukh_core::{Chess, Position};
    /// let pos: Position<Chess> = "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1".parse().unwrap();
    /// let mv = pos.parse_uci("e1e5").unwrap();
    /// assert!(pos.see_ge(mv, 100) && !pos.see_ge(mv, 101));
    /// ```
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        if mv.is_castle() {
            return threshold <= 0;
        }
        let value = |kind: Kind| R::VALUES[kind.index()];
        let gain =
            mv.captured().map_or(0, |p| value(p.kind())) + mv.promotion().map_or(0, |k| value(k) - value(Kind::Pawn));
        // If nothing is taken back.
        let mut balance = gain - threshold;
        if balance < 0 {
            return false;
        }
        // If the piece itself is lost for nothing more.
        balance -= value(mv.promotion().unwrap_or(mv.piece().kind()));
        if balance >= 0 {
            return true;
        }
        let (from, to) = (mv.from(), mv.to());
        let mut occupied = self.occupied() - from.bb() | to.bb();
        if mv.is_en_passant() {
            occupied = occupied - ep_victim(to, mv.piece().color()).bb();
        }
        let mut attackers = self.attackers_to(to, occupied) & occupied - to.bb();
        let mut side = !mv.piece().color();
        // Most exchanges end before anybody needs to know who is pinned.
        let mut pinned = [None; 2];
        loop {
            let mut own = attackers & self.colors(side);
            if own.is_empty() {
                break;
            }
            // A pinned piece takes part only along the line of its pin.
            for square in own & *pinned[side.index()].get_or_insert_with(|| self.pinned(side)) {
                if !attacks::line(self.king(side), square).has(to) {
                    own = own - square.bb();
                }
            }
            if own.is_empty() {
                break;
            }
            let cheapest = R::BY_VALUE.into_iter().find(|&k| (own & self.pieces(k)).any());
            let Some(kind) = cheapest else { break };
            if kind == Kind::King {
                // The king takes last, and only where nobody can take it back.
                if (attackers & self.colors(!side)).is_empty() {
                    side = !side;
                }
                break;
            }
            side = !side;
            balance = -balance - 1 - value(kind);
            if balance >= 0 {
                break;
            }
            occupied = occupied - (own & self.pieces(kind)).lsb().bb();
            attackers |= self.sliders_to(to, occupied);
            attackers &= occupied;
        }
        side != mv.piece().color()
    }

    /// The value of the exchange that `mv` begins, in centipawns.
    pub fn see(&self, mv: Move) -> i32 {
        // The result is a difference of sums of few values: a short search for the threshold is exact.
        let (mut low, mut high) = (-2 * R::VALUES[5], 2 * R::VALUES[5]);
        while low < high {
            let middle = low + (high - low + 1) / 2;
            if self.see_ge(mv, middle) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low
    }

    /// What the piece on `from` gains by taking what stands on `to`, whoever is to move; 0 if one of them is empty. Whether
    /// it attacks that square at all is the caller's knowledge.
    ///
    /// ```
    /// use rukh_core::{Chess, Position, Square};
    /// let pos: Position<Chess> = "4k3/8/3r4/8/4N3/8/8/4K3 b - - 0 1".parse().unwrap();
    /// assert_eq!(pos.exchange(Square::E4, Square::D6), 500);
    /// ```
    pub fn exchange(&self, from: Square, to: Square) -> i32 {
        match (self.piece_at(from), self.piece_at(to)) {
            (Some(piece), Some(victim)) => {
                self.see(Move::new(from, to, piece.code(), victim.code(), 0, crate::moves::flag::CAPTURE))
            }
            _ => 0,
        }
    }
}
