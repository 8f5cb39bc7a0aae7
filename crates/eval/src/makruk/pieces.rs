//! Bia, Ma, Thon, Rua and Met; threats between them.

use rukh_core::{Bitboard, Color, Kind, Makruk, Rules, Square};

use super::{Board, Total, terms};
use crate::geometry::{ADJACENT_FILES, DARK, distance, file_ahead, fill_forward, passed_span, pawn_attack_sides};
use crate::trace::Trace;

const PIECES: [Kind; 4] = [Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen];

#[inline(always)]
fn place<T: Trace>(b: &Board<'_>, sum: &mut Total<'_, T>, us: Color, kind: Kind, sq: Square) {
    let u = us.index();
    let k = kind.index() * 64;
    sum.one(us, terms::PLACE_OWN + k + (sq.index() ^ b.own_turn[u]));
    sum.one(us, terms::PLACE_THEIR + k + (sq.index() ^ b.their_turn[u]));
}

/// Placement, mobility, attack maps and the part in an attack on the Khun.
#[inline(always)]
fn common<T: Trace>(
    b: &mut Board<'_>,
    sum: &mut Total<'_, T>,
    us: Color,
    kind: Kind,
    sq: Square,
    attacks: Bitboard,
    mobility: usize,
) {
    let (u, t) = (us.index(), (!us).index());
    place(b, sum, us, kind, sq);
    b.twice[u] |= b.all[u] & attacks;
    b.all[u] |= attacks;
    b.attacks[u][kind.index()] |= attacks;
    sum.one(us, mobility + (attacks & b.area[u]).count() as usize);
    if (attacks & b.ring[t]).any() {
        b.attackers[t][kind.index() - 1] += 1;
        b.ring_hits[t] += (attacks & b.attacks[t][Kind::King.index()]).count() as i32;
    }
}

/// All pieces of `us` but Khun and Bia.
#[inline(always)]
pub(super) fn pieces<T: Trace>(b: &mut Board<'_>, sum: &mut Total<'_, T>, us: Color) {
    let (u, t) = (us.index(), (!us).index());
    let (own_khun, their_khun) = (b.khun[u], b.khun[t]);
    let (l, r) = pawn_attack_sides(!us, b.bia[t]);
    let out_of_reach = b.bia_attacks[u] - fill_forward(!us, l | r);

    for sq in b.pos.colored(us, Kind::Knight) {
        let attacks = Makruk::attacks(Kind::Knight, us, sq, b.occ);
        common(b, sum, us, Kind::Knight, sq, attacks, terms::MOBILITY_MA);
        if out_of_reach.has(sq) {
            sum.one(us, terms::MA_OUTPOST);
        }
        sum.add(us, terms::MA_KHUN_DISTANCE, distance(sq, own_khun) as i32);
        sum.add(us, terms::MA_KHUN_DISTANCE + 1, distance(sq, their_khun) as i32);
    }
    for sq in b.pos.colored(us, Kind::Bishop) {
        let attacks = Makruk::attacks(Kind::Bishop, us, sq, b.occ);
        common(b, sum, us, Kind::Bishop, sq, attacks, terms::MOBILITY_THON);
        if b.bia_attacks[u].has(sq) {
            sum.one(us, terms::THON_PROTECTED);
        }
        if distance(sq, own_khun) == 1 {
            sum.one(us, terms::THON_BESIDE_KHUN);
        }
        sum.add(us, terms::THON_KHUN_DISTANCE, distance(sq, their_khun) as i32);
    }
    let ruas = b.pos.colored(us, Kind::Rook);
    for sq in ruas {
        let attacks = Makruk::attacks(Kind::Rook, us, sq, b.occ - ruas);
        common(b, sum, us, Kind::Rook, sq, attacks, terms::MOBILITY_RUA);
        let file = Bitboard::FILES[sq.file().index()];
        if (b.bia[u] & file).is_empty() {
            sum.one(us, terms::RUA_FILE + usize::from((b.bia[t] & file).any()));
        }
        if sq.relative(us).rank().index() >= 6 {
            sum.one(us, terms::RUA_DEEP);
        }
        if (attacks & ruas).any() {
            sum.one(us, terms::RUA_LINKED);
        }
        if file.has(their_khun) || sq.rank() == their_khun.rank() {
            sum.one(us, terms::RUA_FACES_KHUN);
        }
    }
    let mets = b.pos.colored(us, Kind::Queen);
    let (dark, light) = ((mets & DARK).count() as i32, (mets - DARK).count() as i32);
    if dark > 0 && light > 0 {
        sum.one(us, terms::MET_BOTH_SHADES);
    }
    sum.add(us, terms::MET_ONE_SHADE, (dark - 1).max(0) + (light - 1).max(0));
    for sq in mets {
        let attacks = Makruk::attacks(Kind::Queen, us, sq, b.occ);
        common(b, sum, us, Kind::Queen, sq, attacks, terms::MOBILITY_MET);
        if b.bia_attacks[u].has(sq) {
            sum.one(us, terms::MET_PROTECTED);
        }
        sum.add(us, terms::MET_KHUN_DISTANCE, distance(sq, their_khun) as i32);
    }
}

/// Bia: their chain, their way to the rank where they turn over, and who controls it.
#[inline(always)]
pub(super) fn bia<T: Trace>(b: &Board<'_>, sum: &mut Total<'_, T>, us: Color) {
    let (u, t) = (us.index(), (!us).index());
    let ours = b.bia[u];
    let theirs = b.bia[t];
    sum.one(us, terms::BIA_COUNT + (ours.count() as usize).min(8));
    let goal_rank = Bitboard::RANKS[if us == Color::White { 5 } else { 2 }];
    for sq in ours {
        let rank = sq.relative(us).rank().index();
        let file = sq.file().index();
        place(b, sum, us, Kind::Pawn, sq);
        let neighbours = ours & ADJACENT_FILES[file];
        if (neighbours & Bitboard::RANKS[sq.rank().index()]).any() {
            sum.one(us, terms::BIA_PHALANX + rank);
        }
        if b.bia_attacks[u].has(sq) {
            sum.one(us, terms::BIA_SUPPORTED + rank);
        } else if !b.all[u].has(sq) {
            sum.one(us, terms::BIA_LOOSE);
        }
        if neighbours.is_empty() {
            sum.one(us, terms::BIA_ISOLATED);
        }
        if (file_ahead(us, sq) & ours).any() {
            sum.one(us, terms::BIA_DOUBLED);
        }
        let step = sq.bb().forward(us);
        if (step & theirs).any() {
            sum.one(us, terms::BIA_BLOCKED + rank);
        }
        if (theirs & passed_span(us, sq)).is_empty() {
            sum.one(us, terms::PASSED_RANK + rank);
            if (step & (b.occ | b.all[t])).is_empty() {
                sum.one(us, terms::PASSED_SAFE_STEP + rank);
            }
            // A Bia set up by hand beyond its rank turns over on its next step.
            let goal = if rank < 5 { goal_rank & Bitboard::FILES[file] } else { step };
            if goal.any() {
                let state = match ((goal & b.all[u]).any(), (goal & b.all[t]).any()) {
                    (true, false) => 0,
                    (false, true) => 1,
                    (true, true) => 2,
                    (false, false) => 3,
                };
                sum.one(us, terms::PASSED_GOAL + state);
                let goal = goal.lsb();
                sum.add(us, terms::PASSED_KHUN_DISTANCE, distance(b.khun[u], goal) as i32);
                sum.add(us, terms::PASSED_KHUN_DISTANCE + 1, distance(b.khun[t], goal) as i32);
            }
        }
    }
}

/// Threats of `us` against the enemy.
#[inline(always)]
pub(super) fn threats<T: Trace>(b: &Board<'_>, sum: &mut Total<'_, T>, us: Color) {
    let (u, t) = (us.index(), (!us).index());
    let them = !us;
    let enemy = b.pos.colors(them);
    let held = b.twice[t] | b.bia_attacks[t];
    let short =
        b.attacks[u][Kind::Knight.index()] | b.attacks[u][Kind::Bishop.index()] | b.attacks[u][Kind::Queen.index()];
    let steps = b.bia[u].forward(us) - b.occ;
    let safe = (steps - b.bia_attacks[t]) & (b.all[u] | !b.all[t]);
    let (l, r) = pawn_attack_sides(us, safe);
    let pushed = (l | r) - b.bia_attacks[u];
    for (i, kind) in PIECES.into_iter().enumerate() {
        let targets = b.pos.colored(them, kind);
        sum.add(us, terms::THREAT_BIA + i, (targets & b.bia_attacks[u]).count() as i32);
        sum.add(us, terms::THREAT_PUSH + i, (targets & pushed).count() as i32);
    }
    for (term, attacks) in [(terms::THREAT_MINOR, short), (terms::THREAT_RUA, b.attacks[u][Kind::Rook.index()])] {
        let attacked = (attacks & enemy) - (b.bia[t] & b.bia_attacks[t]);
        for kind in [Kind::Pawn, Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen] {
            let hit = attacked & b.pos.colored(them, kind);
            if hit.any() {
                sum.add(us, term + kind.index(), (hit - b.all[t]).count() as i32);
                sum.add(us, term + 5 + kind.index(), (hit & b.all[t]).count() as i32);
            }
        }
    }
    let hanging = (enemy & b.all[u]) - held - b.all[t];
    sum.add(us, terms::THREAT_HANGING, (hanging & b.bia[t]).count() as i32);
    sum.add(us, terms::THREAT_HANGING + 1, (hanging - b.bia[t]).count() as i32);
    sum.add(us, terms::THREAT_RESTRICTION, ((b.all[u] & b.all[t]) - held).count() as i32);
    sum.add(us, terms::THREAT_PINNED, b.pinned[t].count() as i32);
}
