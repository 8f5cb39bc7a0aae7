//! Safety of the king: attackers, weak squares beside him, checks that nobody can answer.

use rukh_core::{Bitboard, Chess, Color, Kind, Rules};

use super::{Board, terms};
use crate::sum::Sum;
use crate::trace::Trace;

/// The three or four files on which an attack on a king of this file takes place.
const FLANK: [u64; 8] = {
    const A: u64 = 0x0101_0101_0101_0101;
    const QUEEN: u64 = A | A << 1 | A << 2 | A << 3;
    const MIDDLE: u64 = A << 2 | A << 3 | A << 4 | A << 5;
    const KING: u64 = A << 4 | A << 5 | A << 6 | A << 7;
    [QUEEN & !(A << 3), QUEEN, QUEEN, MIDDLE, MIDDLE, KING, KING, KING & !(A << 4)]
};
/// Ranks 1 to 5 of White, and of Black.
const CAMP: [u64; 2] = [0x0000_00FF_FFFF_FFFF, 0xFFFF_FFFF_FF00_0000];

/// Terms of the king of `us`.
#[inline(always)]
pub(super) fn king<T: Trace>(b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>, us: Color) {
    let (u, t) = (us.index(), (!us).index());
    let them = !us;
    let king = b.king[u];
    let (_, turn) = super::king_view(us, king);
    sum.one(us, terms::PLACE_KING + (king.index() ^ turn));
    let rights = b.pos.castling_sides(us);
    sum.add(us, terms::KING_CASTLE, i32::from(rights.0));
    sum.add(us, terms::KING_CASTLE + 1, i32::from(rights.1));

    sum.one(us, terms::KING_DEFENDERS + ((b.ring[u] & b.pos.colors(us)).count() as usize).min(9));
    if (Bitboard(FLANK[king.file().index()]) & (b.pawns[0] | b.pawns[1])).is_empty() {
        sum.one(us, terms::KING_PAWNLESS);
    }

    // Held by nobody, or only by king and queen.
    let firm = b.attacks[u][Kind::Pawn.index()]
        | b.attacks[u][Kind::Knight.index()]
        | b.attacks[u][Kind::Bishop.index()]
        | b.attacks[u][Kind::Rook.index()];
    let weak = (b.all[t] - b.twice[u]) - firm;

    let [knights, bishops, rooks, queens] = b.attackers[u];
    let count = knights + bishops + rooks + queens;
    sum.endanger(us, terms::DANGER_BASE, 1);
    for (i, n) in b.attackers[u].into_iter().enumerate() {
        sum.endanger(us, terms::DANGER_ATTACKER + i, n * count);
    }
    sum.endanger(us, terms::DANGER_RING, b.ring_hits[u]);
    sum.endanger(us, terms::DANGER_WEAK_RING, (weak & b.ring[u]).count() as i32);

    // Checks from squares where the checker cannot simply be taken.
    let safe = (!b.pos.colors(them)) & ((!b.all[u]) | (weak & b.twice[t]));
    let through = b.occ - b.pos.colored(us, Kind::Queen);
    let lines = Chess::attacks(Kind::Rook, us, king, through);
    let diagonals = Chess::attacks(Kind::Bishop, us, king, through);
    let leaps = Chess::attacks(Kind::Knight, us, king, b.occ);
    let rook_checks = lines & b.attacks[t][Kind::Rook.index()];
    // A queen that checks where a rook could, or where our queen takes it, adds nothing.
    let queen_checks = (((lines | diagonals) & b.attacks[t][Kind::Queen.index()] & safe)
        - b.attacks[u][Kind::Queen.index()])
        - (rook_checks & safe);
    let bishop_checks = diagonals & b.attacks[t][Kind::Bishop.index()];
    let knight_checks = leaps & b.attacks[t][Kind::Knight.index()];
    let mut unsafe_checks = Bitboard(0);
    for (i, checks) in [knight_checks, bishop_checks, rook_checks].into_iter().enumerate() {
        let sound = checks & safe;
        if sound.any() {
            sum.endanger(us, terms::DANGER_CHECK + 2 * i + usize::from(sound.more_than_one()), 1);
        } else {
            unsafe_checks |= checks - b.pos.colors(them);
        }
    }
    if queen_checks.any() {
        sum.endanger(us, terms::DANGER_CHECK + 6 + usize::from(queen_checks.more_than_one()), 1);
    }
    sum.endanger(us, terms::DANGER_UNSAFE_CHECK, unsafe_checks.count() as i32);
    sum.endanger(us, terms::DANGER_PINNED, b.pinned[u].count() as i32);

    let flank = Bitboard(FLANK[king.file().index()] & CAMP[u]);
    let stormed = b.all[t] & flank;
    sum.endanger(us, terms::DANGER_FLANK, stormed.count() as i32);
    sum.endanger(us, terms::DANGER_FLANK + 1, (stormed & b.twice[t]).count() as i32);
    sum.endanger(us, terms::DANGER_FLANK + 2, (b.all[u] & flank).count() as i32);
    if b.pos.colored(them, Kind::Queen).is_empty() {
        sum.endanger(us, terms::DANGER_NO_QUEEN, 1);
    }
    if (b.attacks[u][Kind::Knight.index()] & b.attacks[u][Kind::King.index()]).any() {
        sum.endanger(us, terms::DANGER_KNIGHT_GUARD, 1);
    }
    sum.endanger(us, terms::DANGER_VIRTUAL, ((lines | diagonals) - b.pos.colors(us)).count() as i32);
    if b.pos.side_to_move() == them {
        sum.endanger(us, terms::DANGER_TEMPO, 1);
    }
}
