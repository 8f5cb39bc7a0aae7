//! What one side attacks of the other, and the room it has.

use rukh_core::{Bitboard, Chess, Color, Kind, Rules};

use super::{Board, terms};
use crate::geometry::{fill_forward, pawn_attack_sides};
use crate::sum::Sum;
use crate::trace::Trace;

/// Knight to queen: the pieces that a pawn threatens.
const PIECES: [Kind; 4] = [Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen];

/// Threats of `us` against the enemy.
#[inline(always)]
pub(super) fn threats<T: Trace>(b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>, us: Color) {
    let (u, t) = (us.index(), (!us).index());
    let them = !us;
    let enemy = b.pos.colors(them);
    let held = b.twice[t] | b.pawn_attacks[t];
    let minors = b.attacks[u][Kind::Knight.index()] | b.attacks[u][Kind::Bishop.index()];
    let rooks = b.attacks[u][Kind::Rook.index()];
    let queens = b.attacks[u][Kind::Queen.index()];

    for (i, kind) in PIECES.into_iter().enumerate() {
        let targets = b.pos.colored(them, kind);
        sum.add(us, terms::THREAT_PAWN + i, (targets & b.pawn_attacks[u]).count() as i32);
        sum.add(us, terms::THREAT_PINNED + i, (targets & b.pinned[t]).count() as i32);
    }
    // Defended or not, by kind of target. Pawns under pawn cover are no targets at all.
    for (term, attacks) in [(terms::THREAT_MINOR, minors), (terms::THREAT_ROOK, rooks), (terms::THREAT_QUEEN, queens)] {
        let attacked = (attacks & enemy) - (b.pawns[t] & b.pawn_attacks[t]);
        if attacked.is_empty() {
            continue;
        }
        for kind in [Kind::Pawn, Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen] {
            let hit = attacked & b.pos.colored(them, kind);
            if hit.any() {
                sum.add(us, term + kind.index(), (hit - b.all[t]).count() as i32);
                sum.add(us, term + 5 + kind.index(), (hit & b.all[t]).count() as i32);
            }
        }
    }
    let weak = (enemy & b.all[u]) - held;
    if (weak & b.attacks[u][Kind::King.index()]).any() {
        sum.one(us, terms::THREAT_KING);
    }
    let queen_held = (weak - b.pawns[t]) & b.attacks[t][Kind::Queen.index()];
    sum.add(us, terms::THREAT_QUEEN_HELD, queen_held.count() as i32);
    let hanging = weak - b.all[t];
    sum.add(us, terms::THREAT_HANGING, (hanging & b.pawns[t]).count() as i32);
    sum.add(us, terms::THREAT_HANGING + 1, (hanging - b.pawns[t]).count() as i32);
    sum.add(us, terms::THREAT_RESTRICTION, ((b.all[u] & b.all[t]) - held).count() as i32);

    // Pushes to squares where the pawn is not lost.
    let free = !b.occ;
    let third = Bitboard::RANKS[if us == Color::White { 2 } else { 5 }];
    let single = b.pawns[u].forward(us) & free;
    let double = (single & third).forward(us) & free;
    let safe = ((single | double) - b.pawn_attacks[t]) & (b.all[u] | !b.all[t]);
    let (l, r) = pawn_attack_sides(us, safe);
    let pushed = (l | r) - b.pawn_attacks[u];
    if (pushed & enemy).any() {
        for (i, kind) in PIECES.into_iter().enumerate() {
            sum.add(us, terms::THREAT_PUSH + i, (pushed & b.pos.colored(them, kind)).count() as i32);
        }
    }

    // Squares from which the queen would be hit.
    let queen = b.pos.colored(them, Kind::Queen);
    if queen.any() && !queen.more_than_one() {
        let sq = queen.lsb();
        let room = b.area[u] - held;
        let leaps = Chess::attacks(Kind::Knight, them, sq, b.occ) & b.attacks[u][Kind::Knight.index()] & room;
        sum.add(us, terms::THREAT_ON_QUEEN, leaps.count() as i32);
        let twice = room & b.twice[u];
        let diagonal = Chess::attacks(Kind::Bishop, them, sq, b.occ) & b.attacks[u][Kind::Bishop.index()] & twice;
        sum.add(us, terms::THREAT_ON_QUEEN + 1, diagonal.count() as i32);
        let straight = Chess::attacks(Kind::Rook, them, sq, b.occ) & rooks & twice;
        sum.add(us, terms::THREAT_ON_QUEEN + 2, straight.count() as i32);
    }
}

/// Safe room in the own half behind the pawns, worth more with more pieces to use it.
#[inline(always)]
pub(super) fn space<T: Trace>(b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>, us: Color) {
    let (u, t) = (us.index(), (!us).index());
    let room = Bitboard(match us {
        Color::White => 0x0000_0000_3C3C_3C00,
        Color::Black => 0x003C_3C3C_0000_0000,
    });
    let safe = room - b.pawns[u] - b.pawn_attacks[t];
    let behind = fill_forward(!us, b.pawns[u].forward(!us));
    let pieces = (b.pos.colors(us) - b.pawns[u]).count() as i32;
    let squares = safe.count() as i32 + ((behind & safe) - b.all[t]).count() as i32;
    sum.add(us, terms::SPACE, squares * pieces / 4);
}
