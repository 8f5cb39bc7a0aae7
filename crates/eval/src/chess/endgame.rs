//! End games the terms misjudge: known wins with little material, known draws, and scales for hard ones.

use rukh_core::{Bitboard, Chess, Color, Kind, Position, Square};

use super::Board;
use crate::geometry::{DARK, QUEEN_SIDE, distance, edge, same_shade};
use crate::trace::SCALE_MAX;

/// Added to a value that is certain to win, so that the search prefers it to any mere advantage.
const KNOWN_WIN: i32 = 3000;

/// Values for counting material here only; the tuned ones change, these rules should not.
const VALUE: [i32; 6] = [100, 320, 330, 500, 950, 0];
const KNIGHT: i32 = VALUE[1];
const BISHOP: i32 = VALUE[2];
const ROOK: i32 = VALUE[3];

#[inline(always)]
fn pieces_value(pos: &Position<Chess>, us: Color) -> i32 {
    [Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen]
        .into_iter()
        .map(|k| pos.colored(us, k).count() as i32 * VALUE[k.index()])
        .sum()
}

/// A value from White's view where a rule knows better than the terms.
#[inline(always)]
pub(super) fn special(pos: &Position<Chess>) -> Option<(&'static str, i32)> {
    // Only against a bare king: everything else keeps its terms and at most a scale.
    let weak = if !pos.colors(Color::Black).more_than_one() {
        Color::Black
    } else if !pos.colors(Color::White).more_than_one() {
        Color::White
    } else {
        return None;
    };
    bare_king(pos, !weak)
}

#[cold]
fn bare_king(pos: &Position<Chess>, strong: Color) -> Option<(&'static str, i32)> {
    let sign = if strong == Color::White { 1 } else { -1 };
    let count = |k| pos.colored(strong, k).count();
    let (pawns, knights, bishops) = (count(Kind::Pawn), count(Kind::Knight), count(Kind::Bishop));
    let heavy = count(Kind::Rook) + count(Kind::Queen);
    let bishop_bb = pos.colored(strong, Kind::Bishop);
    let both_shades = (bishop_bb & DARK).any() && (bishop_bb - DARK).any();
    let strong_king = pos.king(strong);
    let weak_king = pos.king(!strong);

    if pawns == 1 && knights + bishops + heavy == 0 {
        return Some(("KPK", sign * kpk(pos, strong)));
    }
    let mates = heavy > 0 || both_shades || (bishops > 0 && knights > 0) || knights > 2;
    if !mates {
        // Bishops of one shade, or two knights, cannot force mate without pawns.
        return if pawns == 0 { Some(("no mating material", 0)) } else { None };
    }
    let near = 7 - distance(strong_king, weak_king) as i32;
    let material = pieces_value(pos, strong) + 100 * pawns as i32;
    if pawns == 0 && heavy == 0 && bishops == 1 && knights == 1 {
        // Mate happens in a corner that the bishop can attack.
        let dark = DARK.has(bishop_bb.lsb());
        let corners = if dark { [Square::A1, Square::H8] } else { [Square::A8, Square::H1] };
        let reach = corners.map(|c| manhattan(weak_king, c)).into_iter().min().unwrap_or(0);
        return Some(("KBNK", sign * (KNOWN_WIN + material + 60 * (14 - reach) + 25 * near)));
    }
    let out = 6 - (edge(weak_king.file().index()) + edge(weak_king.rank().index())) as i32;
    Some(("mop-up", sign * (KNOWN_WIN + material + 40 * out + 30 * near).min(9000)))
}

fn manhattan(a: Square, b: Square) -> i32 {
    (a.file().index().abs_diff(b.file().index()) + a.rank().index().abs_diff(b.rank().index())) as i32
}

fn kpk(pos: &Position<Chess>, strong: Color) -> i32 {
    let pawn = pos.colored(strong, Kind::Pawn).lsb();
    let flip = |s: Square| {
        let s = s.relative(strong);
        if pawn.file().index() > 3 { s.flip_file() } else { s }
    };
    let to_move = if pos.side_to_move() == strong { Color::White } else { Color::Black };
    if super::kpk::white_wins(flip(pos.king(strong)), flip(pawn), flip(pos.king(!strong)), to_move) {
        // Below the value of a queen against the bare king, so that promoting is progress.
        700 + 60 * pawn.relative(strong).rank().index() as i32
    } else {
        0
    }
}

/// How much of the end-game half the stronger side can hope for, of [`SCALE_MAX`].
#[inline(always)]
pub(super) fn scale(b: &Board<'_>, strong: Color) -> i32 {
    let pos = b.pos;
    let weak = !strong;
    let (s, w) = (strong.index(), weak.index());
    let own_pawns = b.pawns[s];
    let bishops = pos.pieces(Kind::Bishop);
    let strong_pieces = pieces_value(pos, strong);
    let weak_pieces = pieces_value(pos, weak);

    if own_pawns.is_empty() && strong_pieces - weak_pieces <= BISHOP {
        return if strong_pieces < ROOK {
            0
        } else if weak_pieces <= BISHOP {
            4
        } else {
            14
        };
    }
    if own_pawns.is_empty() && strong_pieces == 2 * KNIGHT && pos.colored(strong, Kind::Knight).count() == 2 {
        return 4;
    }
    let strong_bishops = pos.colored(strong, Kind::Bishop);
    if strong_pieces == BISHOP && strong_bishops.any() && wrong_corner(b, strong, strong_bishops.lsb()) {
        return 0;
    }
    if strong_pieces == 0 && weak_pieces == 0 {
        // Nothing left to give up for the last pawn: an extra one counts in full.
        return if blocked_rook_pawns(b, strong) { 0 } else { SCALE_MAX };
    }
    let opposite = bishops.count() == 2
        && !strong_bishops.more_than_one()
        && strong_bishops.any()
        && (bishops & DARK).any()
        && (bishops - DARK).any();
    if opposite {
        let passed = (b.info.passed & own_pawns).count() as i32;
        return if strong_pieces == BISHOP && weak_pieces == BISHOP {
            16 + 6 * passed
        } else {
            (34 + 3 * (pos.colors(strong)).count() as i32).min(SCALE_MAX)
        };
    }
    // A rook ending with pawns on one wing, no more than one to the good, and the king in front of them.
    if strong_pieces == ROOK && weak_pieces == ROOK {
        let lead = own_pawns.count() as i32 - b.pawns[w].count() as i32;
        let one_wing = (own_pawns & QUEEN_SIDE).is_empty() || (own_pawns - QUEEN_SIDE).is_empty();
        let held = (b.attacks[w][Kind::King.index()] & b.pawns[w]).any() || b.pawns[w].is_empty();
        if lead <= 1 && one_wing && held {
            return 36;
        }
    }
    let queens = pos.pieces(Kind::Queen).count();
    if queens == 1 && pos.colored(strong, Kind::Queen).count() == 1 {
        let minors = pos.colored(weak, Kind::Bishop).count() + pos.colored(weak, Kind::Knight).count();
        return (40 + 4 * minors as i32 + 3 * own_pawns.count() as i32).min(SCALE_MAX);
    }
    // Each pawn exchanged brings the draw nearer.
    (40 + 5 * own_pawns.count() as i32).min(SCALE_MAX)
}

/// Bishop and rook pawns of one file, whose corner the bishop does not control and the weak king can hold.
fn wrong_corner(b: &Board<'_>, strong: Color, bishop: Square) -> bool {
    let pawns = b.pawns[strong.index()];
    let Some((corner, front)) = rook_file_corner(pawns, strong) else { return false };
    let weak_king = b.king[(!strong).index()];
    !same_shade(bishop).has(corner) && distance(weak_king, corner) <= 1 && front >= 1
}

/// Rook pawns of one file with the weak king in the corner: no way past, with any number of pawns.
fn blocked_rook_pawns(b: &Board<'_>, strong: Color) -> bool {
    match rook_file_corner(b.pawns[strong.index()], strong) {
        Some((corner, _)) => b.pawns[(!strong).index()].is_empty() && distance(b.king[(!strong).index()], corner) <= 1,
        None => false,
    }
}

/// The promotion corner of pawns that all stand on the a-file or all on the h-file, and their number.
fn rook_file_corner(pawns: Bitboard, strong: Color) -> Option<(Square, u32)> {
    if pawns.is_empty() {
        return None;
    }
    let corner = if (pawns - Bitboard::FILES[0]).is_empty() {
        Square::A8
    } else if (pawns - Bitboard::FILES[7]).is_empty() {
        Square::H8
    } else {
        return None;
    };
    Some((corner.relative(strong), pawns.count()))
}
