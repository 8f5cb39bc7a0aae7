//! The chess evaluation.
//!
//! One pass: pawns (cached), pieces (which also draw the attack maps), then everything that needs both sides' maps:
//! kings, threats, passed pawns, space. Then complexity, end-game scale and taper.

mod endgame;
mod king;
mod kpk;
mod passed;
mod pawns;
mod pieces;
pub(crate) mod terms;
mod threats;

use rukh_core::{Bitboard, Chess, Color, Kind, Position, Rules, Square};

use crate::Terms;
use crate::geometry::pawn_attack_sides;
use crate::layout::Group;
use crate::score::Pair;
use crate::sum::{Sum, blend};
use crate::trace::{PHASE_MAX, Trace};
use crate::weights::CHESS;
pub use pawns::PawnCache;
use pawns::PawnInfo;

/// Everything that more than one group of terms needs.
struct Board<'p> {
    pos: &'p Position<Chess>,
    occ: Bitboard,
    pawns: [Bitboard; 2],
    king: [Square; 2],
    /// The king's neighbourhood, pulled in from the edge so that it always has nine squares.
    ring: [Bitboard; 2],
    pinned: [Bitboard; 2],
    pawn_attacks: [Bitboard; 2],
    /// Where a piece of this side may count its moves.
    area: [Bitboard; 2],
    /// `[colour][kind]`.
    attacks: [[Bitboard; 6]; 2],
    all: [Bitboard; 2],
    twice: [Bitboard; 2],
    /// Attackers of this side's ring: number by kind (knight to queen) and hits on squares beside the king.
    attackers: [[i32; 4]; 2],
    ring_hits: [i32; 2],
    /// Bases into the placement tables, without kind and square.
    own_base: [usize; 2],
    own_turn: [usize; 2],
    their_base: [usize; 2],
    their_turn: [usize; 2],
    info: PawnInfo,
}

/// The bucket of a king for the placement tables, and the XOR that turns squares so that he stands at the bottom on e–h.
#[inline(always)]
fn king_view(us: Color, king: Square) -> (usize, usize) {
    let flip = us.index() * 56;
    let mirror = if king.file().index() < 4 { 7 } else { 0 };
    let at = king.index() ^ flip ^ mirror;
    let bucket = if at >= 16 {
        2
    } else if at & 7 >= 6 {
        0
    } else {
        1
    };
    (bucket, flip ^ mirror)
}

impl<'p> Board<'p> {
    #[inline(always)]
    fn new(pos: &'p Position<Chess>) -> Self {
        let occ = pos.occupied();
        let mut b = Board {
            pos,
            occ,
            pawns: [pos.colored(Color::White, Kind::Pawn), pos.colored(Color::Black, Kind::Pawn)],
            king: [pos.king(Color::White), pos.king(Color::Black)],
            ring: [Bitboard(0); 2],
            pinned: [pos.pinned(Color::White), pos.pinned(Color::Black)],
            pawn_attacks: [Bitboard(0); 2],
            area: [Bitboard(0); 2],
            attacks: [[Bitboard(0); 6]; 2],
            all: [Bitboard(0); 2],
            twice: [Bitboard(0); 2],
            attackers: [[0; 4]; 2],
            ring_hits: [0; 2],
            own_base: [0; 2],
            own_turn: [0; 2],
            their_base: [0; 2],
            their_turn: [0; 2],
            info: PawnInfo::default(),
        };
        b.look_around(Color::White);
        b.look_around(Color::Black);
        b.area = [b.free_area(Color::White), b.free_area(Color::Black)];
        b
    }

    /// What pawns and king of one side hold, and how its king sees the board.
    #[inline(always)]
    fn look_around(&mut self, us: Color) {
        let u = us.index();
        let (left, right) = pawn_attack_sides(us, self.pawns[u]);
        let pawn_attacks = left | right;
        let king_attacks = Chess::attacks(Kind::King, us, self.king[u], self.occ);
        self.pawn_attacks[u] = pawn_attacks;
        self.attacks[u][Kind::Pawn.index()] = pawn_attacks;
        self.attacks[u][Kind::King.index()] = king_attacks;
        self.all[u] = pawn_attacks | king_attacks;
        self.twice[u] = (left & right) | (pawn_attacks & king_attacks);

        let (bucket, turn) = king_view(us, self.king[u]);
        self.own_base[u] = terms::PLACE_OWN + bucket * 5 * 64;
        self.own_turn[u] = turn;
        let them = (!us).index();
        self.their_base[them] = terms::PLACE_THEIR + bucket * 5 * 64;
        // The same mirroring, but seen from the other side of the board.
        self.their_turn[them] = turn ^ 56;

        // The ring leaves out what two own pawns hold.
        let at = self.king[u].index();
        let file = (at & 7).clamp(1, 6);
        let rank = (at >> 3).clamp(1, 6);
        let centre = 8 * rank + file;
        let block = 0x0007_0707u64 << (centre - 9);
        self.ring[u] = Bitboard(block) - (left & right);
    }

    /// Where the pieces of `us` count their moves.
    #[inline(always)]
    fn free_area(&self, us: Color) -> Bitboard {
        let blocked = self.pawns[us.index()] & self.occ.forward(!us);
        let royal = self.pos.colors(us) & (self.pos.pieces(Kind::King) | self.pos.pieces(Kind::Queen));
        !(blocked | royal | self.pawn_attacks[(!us).index()])
    }

    /// Adds both placement values of a piece.
    #[inline(always)]
    fn place<T: Trace>(&self, sum: &mut Sum<'_, T, { terms::COUNT }>, us: Color, kind: Kind, sq: Square) {
        let u = us.index();
        let k = kind.index() * 64;
        sum.one(us, self.own_base[u] + k + (sq.index() ^ self.own_turn[u]));
        sum.one(us, self.their_base[u] + k + (sq.index() ^ self.their_turn[u]));
    }
}

impl Terms for Chess {
    type Cache = PawnCache;
    const COUNT: usize = terms::COUNT;
    const GROUPS: &'static [Group] = terms::GROUPS;

    fn weights() -> &'static [Pair] {
        &CHESS
    }

    fn evaluate<T: Trace>(pos: &Position<Chess>, cache: &mut PawnCache, trace: &mut T) -> i32 {
        if let Some((name, value)) = endgame::special(pos) {
            trace.special(name);
            return value;
        }
        let mut sum = Sum::new(&CHESS, trace);
        let mut b = Board::new(pos);
        // Each side's terms are written out for its colour: directions and signs are then constants.
        let phase = material(pos, &mut sum, Color::White) + material(pos, &mut sum, Color::Black);
        let phase = phase.min(PHASE_MAX);
        imbalance(&b, &mut sum);

        b.info = cache.probe(&b, &mut sum);
        pieces::pieces(&mut b, &mut sum, Color::White);
        pieces::pieces(&mut b, &mut sum, Color::Black);
        together(&b, &mut sum, Color::White);
        together(&b, &mut sum, Color::Black);
        sum.one(pos.side_to_move(), terms::TEMPO);
        sum.settle_danger();

        let eg = sum.complex_eg(&complexity(&b));
        let scale = endgame::scale(&b, if eg >= 0 { Color::White } else { Color::Black });
        sum.trace.taper(phase, scale);
        blend(sum.score.mg(), eg, phase, scale)
    }

    fn damp(pos: &Position<Chess>, value: i32) -> i32 {
        // A side that shuffles towards the fifty-move draw has less than it seems.
        value - value * i32::from(pos.halfmove_clock().min(100)) / 212
    }
}

/// Piece values of `us`; returns its part of the phase.
#[inline(always)]
fn material<T: Trace>(pos: &Position<Chess>, sum: &mut Sum<'_, T, { terms::COUNT }>, us: Color) -> i32 {
    let mut phase = 0;
    for (kind, weight) in [(Kind::Pawn, 0), (Kind::Knight, 1), (Kind::Bishop, 1), (Kind::Rook, 2), (Kind::Queen, 4)] {
        let n = pos.colored(us, kind).count() as i32;
        sum.add(us, terms::MATERIAL + kind.index(), n);
        phase += n * weight;
    }
    phase
}

/// The terms of `us` that need the attack maps of both sides.
#[inline(always)]
fn together<T: Trace>(b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>, us: Color) {
    king::king(b, sum, us);
    threats::threats(b, sum, us);
    passed::passed(b, sum, us);
    threats::space(b, sum, us);
}

/// Values that depend on what else is on the board.
#[inline(always)]
fn imbalance<T: Trace>(b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>) {
    // Pawns that block each other close the position; open files open it.
    let rammed = (b.pawns[0] & b.pawns[1].south()).count() as i32;
    let pawns = b.pawns[0] | b.pawns[1];
    let files = (pawns.0 | pawns.0 >> 32) | (pawns.0 | pawns.0 >> 32) >> 16;
    let files = (files | files >> 8) & 0xFF;
    let open = 8 - files.count_ones() as i32;
    let closed = ((pawns.count() as i32 + 3 * rammed - 4 * open) / 3).clamp(0, 8) as usize;
    imbalance_of(b, sum, Color::White, closed);
    imbalance_of(b, sum, Color::Black, closed);
}

#[inline(always)]
fn imbalance_of<T: Trace>(b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>, us: Color, closed: usize) {
    let own = b.pawns[us.index()].count() as i32;
    let knights = b.pos.colored(us, Kind::Knight).count() as i32;
    let rooks = b.pos.colored(us, Kind::Rook).count() as i32;
    sum.add(us, terms::IMBALANCE, knights * own);
    sum.add(us, terms::IMBALANCE + 1, rooks * own);
    sum.add(us, terms::IMBALANCE + 2, i32::from(knights > 1));
    sum.add(us, terms::IMBALANCE + 3, i32::from(rooks > 1));
    if b.pos.colored(us, Kind::Bishop).more_than_one() {
        sum.add(us, terms::IMBALANCE + 4, own);
    }
    sum.add(us, terms::KNIGHT_CLOSED + closed, knights);
    sum.add(us, terms::ROOK_CLOSED + closed, rooks);
}

/// How winnable the better side's advantage is.
#[inline(always)]
fn complexity(b: &Board<'_>) -> [(usize, i32); 7] {
    use crate::geometry::QUEEN_SIDE;
    let pawns = b.pawns[0] | b.pawns[1];
    let both_wings = (pawns & QUEEN_SIDE).any() && (pawns - QUEEN_SIDE).any();
    let pieces = b.occ - pawns - b.pos.pieces(Kind::King);
    let (w, k) = (b.king[0], b.king[1]);
    let over = w.rank().index() > 3 || k.rank().index() < 4;
    let files = w.file().index().abs_diff(k.file().index()) as i32;
    let ranks = w.rank().index().abs_diff(k.rank().index()) as i32;
    let c = terms::COMPLEXITY;
    [
        (c, 1),
        (c + 1, pawns.count() as i32),
        (c + 2, b.info.passed.count() as i32),
        (c + 3, i32::from(both_wings)),
        (c + 4, i32::from(pieces.is_empty())),
        (c + 5, i32::from(over)),
        (c + 6, files - ranks),
    ]
}
