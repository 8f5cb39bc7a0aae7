//! Knights, bishops, rooks and queens; draws the attack maps on the way.

use rukh_core::{Bitboard, Chess, Color, Kind, Rules, Square};

use super::{Board, terms};
use crate::geometry::{AHEAD, CENTRE, distance, same_shade};
use crate::sum::Sum;
use crate::trace::Trace;

type Total<'t, T> = Sum<'t, T, { terms::COUNT }>;

/// All pieces of `us`.
#[inline(always)]
pub(super) fn pieces<T: Trace>(b: &mut Board<'_>, sum: &mut Total<'_, T>, us: Color) {
    let outposts = outpost_squares(b, us);
    knights(b, sum, us, outposts);
    bishops(b, sum, us, outposts);
    rooks(b, sum, us);
    queens(b, sum, us);
}

/// Squares on ranks 4–6 that an own pawn defends and no enemy pawn can ever attack.
#[inline(always)]
fn outpost_squares(b: &Board<'_>, us: Color) -> Bitboard {
    let zone = match us {
        Color::White => Bitboard(0x0000_FFFF_FF00_0000),
        Color::Black => Bitboard(0x0000_00FF_FFFF_0000),
    };
    (zone & b.pawn_attacks[us.index()]) - b.info.attack_span[(!us).index()]
}

/// Placement, mobility, attack maps and the part in an attack on the king.
#[inline(always)]
fn common<T: Trace>(
    b: &mut Board<'_>,
    sum: &mut Total<'_, T>,
    us: Color,
    kind: Kind,
    sq: Square,
    attacks: Bitboard,
    mobility: usize,
) -> usize {
    let (u, t) = (us.index(), (!us).index());
    b.place(sum, us, kind, sq);
    b.twice[u] |= b.all[u] & attacks;
    b.all[u] |= attacks;
    b.attacks[u][kind.index()] |= attacks;
    let moves = (attacks & b.area[u]).count() as usize;
    sum.one(us, mobility + moves);
    if (attacks & b.ring[t]).any() {
        b.attackers[t][kind.index() - 1] += 1;
        b.ring_hits[t] += (attacks & b.attacks[t][Kind::King.index()]).count() as i32;
    }
    moves
}

#[inline(always)]
fn behind_pawn(b: &Board<'_>, us: Color, sq: Square) -> bool {
    (sq.bb().forward(us) & (b.pawns[0] | b.pawns[1])).any()
}

#[inline(always)]
fn knights<T: Trace>(b: &mut Board<'_>, sum: &mut Total<'_, T>, us: Color, outposts: Bitboard) {
    let own = b.pos.colors(us);
    for sq in b.pos.colored(us, Kind::Knight) {
        let attacks = Chess::attacks(Kind::Knight, us, sq, b.occ);
        common(b, sum, us, Kind::Knight, sq, attacks, terms::MOBILITY_KNIGHT);
        if outposts.has(sq) {
            let file = sq.file().index();
            sum.one(us, terms::KNIGHT_OUTPOST + usize::from(!(2..6).contains(&file)));
        } else if ((attacks & outposts) - own).any() {
            sum.one(us, terms::KNIGHT_NEAR_OUTPOST);
        }
        if behind_pawn(b, us, sq) {
            sum.one(us, terms::KNIGHT_BEHIND_PAWN);
        }
        sum.add(us, terms::KNIGHT_KING_DISTANCE, distance(sq, b.king[us.index()]) as i32);
        sum.add(us, terms::KNIGHT_KING_DISTANCE + 1, distance(sq, b.king[(!us).index()]) as i32);
    }
}

#[inline(always)]
fn bishops<T: Trace>(b: &mut Board<'_>, sum: &mut Total<'_, T>, us: Color, outposts: Bitboard) {
    let u = us.index();
    let bishops = b.pos.colored(us, Kind::Bishop);
    if bishops.is_empty() {
        return;
    }
    if (bishops & crate::geometry::DARK).any() && (bishops - crate::geometry::DARK).any() {
        sum.one(us, terms::BISHOP_PAIR);
    }
    let through = b.occ - b.pos.pieces(Kind::Queen);
    let blocked = b.pawns[u] & b.occ.forward(!us);
    let all_pawns = b.pawns[0] | b.pawns[1];
    for sq in bishops {
        // A queen in the way does not block: it can move off with tempo or take part.
        let attacks = Chess::attacks(Kind::Bishop, us, sq, through);
        common(b, sum, us, Kind::Bishop, sq, attacks, terms::MOBILITY_BISHOP);
        if outposts.has(sq) {
            let file = sq.file().index();
            sum.one(us, terms::BISHOP_OUTPOST + usize::from(!(2..6).contains(&file)));
        }
        if behind_pawn(b, us, sq) {
            sum.one(us, terms::BISHOP_BEHIND_PAWN);
        }
        sum.add(us, terms::BISHOP_KING_DISTANCE, distance(sq, b.king[u]) as i32);
        sum.add(us, terms::BISHOP_KING_DISTANCE + 1, distance(sq, b.king[(!us).index()]) as i32);
        let shade = same_shade(sq);
        sum.add(us, terms::BISHOP_BAD_PAWNS, (shade & b.pawns[u]).count() as i32);
        sum.add(us, terms::BISHOP_BAD_PAWNS + 1, (shade & blocked).count() as i32);
        let past_pieces = Chess::attacks(Kind::Bishop, us, sq, all_pawns) | sq.bb();
        if (past_pieces & CENTRE).more_than_one() {
            sum.one(us, terms::BISHOP_LONG_DIAGONAL);
        }
        sum.add(us, terms::BISHOP_XRAY_PAWNS, (past_pieces & b.pawns[(!us).index()]).count() as i32);
    }
}

#[inline(always)]
fn rooks<T: Trace>(b: &mut Board<'_>, sum: &mut Total<'_, T>, us: Color) {
    let (u, t) = (us.index(), (!us).index());
    let rooks = b.pos.colored(us, Kind::Rook);
    if rooks.is_empty() {
        return;
    }
    let through = b.occ - b.pos.pieces(Kind::Queen) - rooks;
    let king = b.king[u];
    for sq in rooks {
        let attacks = Chess::attacks(Kind::Rook, us, sq, through);
        let moves = common(b, sum, us, Kind::Rook, sq, attacks, terms::MOBILITY_ROOK);
        let file = Bitboard::FILES[sq.file().index()];
        let own = b.pawns[u] & file;
        if own.is_empty() {
            sum.one(us, terms::ROOK_FILE + usize::from((b.pawns[t] & file).any()));
            if file.has(b.king[t]) {
                sum.one(us, terms::ROOK_FACES_KING);
            }
            if (file & b.pos.colored(!us, Kind::Queen)).any() {
                sum.one(us, terms::ROOK_FACES_QUEEN);
            }
        } else {
            if (own & b.occ.forward(!us)).any() {
                sum.one(us, terms::ROOK_FILE + 2);
            }
            // Shut in between its king and the corner.
            let (rf, kf) = (sq.file().index(), king.file().index());
            if moves <= 3 && (kf < 4) == (rf < kf) && sq.relative(us).rank().index() == 0 {
                let (kingside, queenside) = b.pos.castling_sides(us);
                sum.one(us, terms::ROOK_TRAPPED + usize::from(kingside | queenside));
            }
        }
        if sq.relative(us).rank().index() == 6 {
            let seventh = Bitboard::RANKS[sq.rank().index()];
            if b.king[t].relative(us).rank().index() == 7 || (b.pawns[t] & seventh).any() {
                sum.one(us, terms::ROOK_SEVENTH);
            }
        }
    }
}

#[inline(always)]
fn queens<T: Trace>(b: &mut Board<'_>, sum: &mut Total<'_, T>, us: Color) {
    let t = (!us).index();
    let diagonal = b.pos.colored(!us, Kind::Bishop);
    let straight = b.pos.colored(!us, Kind::Rook);
    for sq in b.pos.colored(us, Kind::Queen) {
        let lines = Chess::attacks(Kind::Rook, us, sq, b.occ);
        let diagonals = Chess::attacks(Kind::Bishop, us, sq, b.occ);
        common(b, sum, us, Kind::Queen, sq, lines | diagonals, terms::MOBILITY_QUEEN);
        // An enemy slider one piece away: look again with the nearest blockers lifted.
        let lifted = b.occ - (lines | diagonals);
        let seen = (Chess::attacks(Kind::Rook, us, sq, lifted) - lines) & straight
            | (Chess::attacks(Kind::Bishop, us, sq, lifted) - diagonals) & diagonal;
        if seen.any() {
            sum.one(us, terms::QUEEN_DISCOVERED);
        }
        if AHEAD[us.index()][if us == Color::White { 3 } else { 4 }].has(sq) && !b.info.attack_span[t].has(sq) {
            sum.one(us, terms::QUEEN_INFILTRATED);
        }
    }
}
