//! Safety of the Khun.

use rukh_core::{Bitboard, Color, Kind, Makruk, Rules};

use super::{Board, Total, terms};
use crate::geometry::passed_span;
use crate::trace::Trace;

/// Terms of the Khun of `us`.
#[inline(always)]
pub(super) fn khun<T: Trace>(b: &Board<'_>, sum: &mut Total<'_, T>, us: Color) {
    let (u, t) = (us.index(), (!us).index());
    let them = !us;
    let khun = b.khun[u];
    let beside = b.attacks[u][Kind::King.index()];
    sum.one(us, terms::PLACE_KHUN + (khun.index() ^ b.own_turn[u]));
    sum.add(us, terms::KHUN_GUARDS, (beside & b.pos.colors(us)).count() as i32);
    sum.add(us, terms::KHUN_SHELTER, (passed_span(us, khun) & b.bia[u]).count() as i32);
    let file = Bitboard::FILES[khun.file().index()];
    let ruas = b.pos.colored(them, Kind::Rook);
    if ruas.any() && (file & (b.bia[0] | b.bia[1])).is_empty() {
        sum.one(us, terms::KHUN_OPEN_FILE);
    }

    let firm = b.attacks[u][Kind::Pawn.index()]
        | b.attacks[u][Kind::Knight.index()]
        | b.attacks[u][Kind::Bishop.index()]
        | b.attacks[u][Kind::Rook.index()]
        | b.attacks[u][Kind::Queen.index()];
    let weak = (b.all[t] - b.twice[u]) - firm;
    let count: i32 = b.attackers[u].iter().sum();
    sum.endanger(us, terms::DANGER_BASE, 1);
    for (i, n) in b.attackers[u].into_iter().enumerate() {
        sum.endanger(us, terms::DANGER_ATTACKER + i, n * count);
    }
    sum.endanger(us, terms::DANGER_RING, b.ring_hits[u]);
    sum.endanger(us, terms::DANGER_WEAK_RING, (weak & b.ring[u]).count() as i32);
    let safe = (!b.pos.colors(them)) & ((!b.all[u]) | (weak & b.twice[t]));
    for (i, kind) in [Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen].into_iter().enumerate() {
        // Squares from which such a piece of theirs would check: where one of ours, standing on the Khun, would attack.
        let from = Makruk::attacks(kind, us, khun, b.occ);
        let checks = from & b.attacks[t][kind.index()] & safe;
        sum.endanger(us, terms::DANGER_CHECK + i, i32::from(checks.any()));
    }
    sum.endanger(us, terms::DANGER_ESCAPES, ((beside - b.pos.colors(us)) - b.all[t]).count() as i32);
    if ruas.is_empty() {
        sum.endanger(us, terms::DANGER_NO_RUA, 1);
    }
    if b.pos.side_to_move() == them {
        sum.endanger(us, terms::DANGER_TEMPO, 1);
    }
}
