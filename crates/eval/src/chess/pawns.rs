//! What depends on pawns and kings alone, kept in a small cache: structure, passed pawns' standing, shelter and storm.

use rukh_core::{Bitboard, Chess, Color, Kind, Rules};

use super::{Board, terms};
use crate::geometry::{
    ADJACENT_FILES, AHEAD, distance, edge, file_ahead, fill_forward, passed_span, pawn_attack_sides,
};
use crate::score::Pair;
use crate::sum::Sum;
use crate::trace::Trace;

/// What the rest of the evaluation wants to know about the pawns.
#[derive(Clone, Copy, Default)]
pub struct PawnInfo {
    /// Passed pawns of both sides.
    pub passed: Bitboard,
    /// Every square a side's pawns attack or may attack one day.
    pub attack_span: [Bitboard; 2],
}

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    score: Pair,
    danger: [i16; 2],
    info: PawnInfo,
}

const ENTRIES: usize = 8192;

/// A direct-mapped cache of pawn structures with the kings' squares.
#[derive(Clone)]
pub struct PawnCache {
    entries: Box<[Entry]>,
}

impl Default for PawnCache {
    fn default() -> Self {
        // The empty key matches no real position: the key below never is zero for two kings on the board.
        Self { entries: vec![Entry::default(); ENTRIES].into_boxed_slice() }
    }
}

impl PawnCache {
    /// The pawn terms of the position, from memory when possible.
    #[inline(always)]
    pub(super) fn probe<T: Trace>(&mut self, b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>) -> PawnInfo {
        if T::ON {
            return pawns(b, sum);
        }
        let kings = (b.king[0].index() as u64) << 6 | b.king[1].index() as u64 | 1 << 12;
        let key = b.pos.pawn_key() ^ kings.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = (key >> 32) as usize % ENTRIES;
        if self.entries[slot].key != key {
            let mut fresh = Sum::new(&crate::weights::CHESS, &mut *sum.trace);
            let info = pawns(b, &mut fresh);
            let danger = fresh.danger.map(|d| d as i16);
            let score = fresh.score;
            self.entries[slot] = Entry { key, score, danger, info };
        }
        let e = &self.entries[slot];
        sum.score += e.score;
        sum.danger[0] += i32::from(e.danger[0]);
        sum.danger[1] += i32::from(e.danger[1]);
        e.info
    }
}

#[inline(never)]
fn pawns<T: Trace>(b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>) -> PawnInfo {
    let mut info = PawnInfo::default();
    for us in Color::ALL {
        structure(b, sum, us, &mut info);
        let (l, r) = pawn_attack_sides(us, b.pawns[us.index()]);
        info.attack_span[us.index()] = fill_forward(us, l | r);
    }
    for us in Color::ALL {
        passed(b, sum, us, info.passed & b.pawns[us.index()]);
        shelter(b, sum, us);
    }
    info
}

/// Finds passed pawns and adds the terms of every pawn's place in the chain.
fn structure<T: Trace>(b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>, us: Color, info: &mut PawnInfo) {
    let ours = b.pawns[us.index()];
    let theirs = b.pawns[(!us).index()];
    let their_attacks = b.pawn_attacks[(!us).index()];
    sum.one(us, terms::PAWN_COUNT + (ours.count() as usize).min(8));
    for sq in ours {
        let rank = sq.relative(us).rank().index();
        let file = sq.file().index();
        b.place(sum, us, Kind::Pawn, sq);

        let here = sq.bb();
        let step = here.forward(us);
        let opposed = (file_ahead(us, sq) & theirs).any();
        let neighbours = ours & ADJACENT_FILES[file];
        let phalanx = neighbours & Bitboard::RANKS[sq.rank().index()];
        let supporters = ours & Chess::attacks(Kind::Pawn, !us, sq, Bitboard(0));
        let levers = theirs & Chess::attacks(Kind::Pawn, us, sq, Bitboard(0));
        let stoppers = theirs & passed_span(us, sq);
        let doubled = (file_ahead(!us, sq) & ours).any();
        let behind_friend = (file_ahead(us, sq) & ours).any();

        if phalanx.any() {
            sum.one(us, terms::PAWN_PHALANX + rank);
        }
        if supporters.any() {
            sum.one(us, terms::PAWN_SUPPORTED + rank);
        }
        if neighbours.is_empty() {
            sum.one(us, terms::PAWN_ISOLATED + usize::from(opposed) * 4 + edge(file));
        } else if (neighbours - AHEAD[us.index()][sq.rank().index()]).is_empty() && (step & their_attacks).any() {
            sum.one(us, terms::PAWN_BACKWARD + usize::from(opposed));
        }
        if doubled {
            sum.one(us, terms::PAWN_DOUBLED + usize::from(supporters.any()));
        }
        if levers.any() {
            sum.one(us, terms::PAWN_LEVER + usize::from(supporters.any()));
        }
        if (step & theirs).any() {
            sum.one(us, terms::PAWN_BLOCKED + rank);
        }
        if behind_friend {
            continue;
        }
        if stoppers.is_empty() {
            info.passed |= here;
        } else {
            // Only pawns that it can exchange, or that meet it on the next step in no greater number than its friends.
            let push_levers = theirs & Chess::attacks(Kind::Pawn, us, step.lsb(), Bitboard(0));
            let can_exchange = stoppers == levers;
            let can_force = stoppers == push_levers && phalanx.count() >= push_levers.count();
            if can_exchange || can_force {
                sum.one(us, terms::PASSED_CANDIDATE + rank);
            }
        }
    }
}

/// Passed pawns among pawns and kings.
fn passed<T: Trace>(b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>, us: Color, passers: Bitboard) {
    let (u, t) = (us.index(), (!us).index());
    for sq in passers {
        let rank = sq.relative(us).rank().index();
        let file = sq.file().index();
        sum.one(us, terms::PASSED_RANK + rank);
        sum.one(us, terms::PASSED_EDGE + edge(file));
        if b.pawn_attacks[u].has(sq) {
            sum.one(us, terms::PASSED_PROTECTED + rank);
        }
        let row = Bitboard::RANKS[sq.rank().index()];
        let near = (row | row.north() | row.south()) & ADJACENT_FILES[file];
        if (passers & near).any() {
            sum.one(us, terms::PASSED_CONNECTED + rank);
        }
        if rank >= 3 {
            let group = rank.saturating_sub(4).min(2) * 8;
            let step = sq.bb().forward(us).lsb();
            sum.one(us, terms::PASSED_OWN_KING + group + distance(b.king[u], step));
            sum.one(us, terms::PASSED_THEIR_KING + group + distance(b.king[t], step));
        }
    }
}

/// Pawns in front of the king, own and enemy.
fn shelter<T: Trace>(b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>, us: Color) {
    let (u, t) = (us.index(), (!us).index());
    let king = b.king[u];
    let level = king.rank().index();
    let ahead = AHEAD[u][level] | Bitboard::RANKS[level];
    let centre = king.file().index().clamp(1, 6);
    let nearest = |pawns: Bitboard| -> usize {
        if pawns.is_empty() {
            return 0;
        }
        match us {
            Color::White => (pawns.0.trailing_zeros() / 8) as usize,
            Color::Black => (pawns.0.leading_zeros() / 8) as usize,
        }
    };
    let (mut bare, mut open) = (0, 0);
    for file in centre - 1..=centre + 1 {
        let on_file = Bitboard::FILES[file] & ahead;
        let own = nearest(b.pawns[u] & on_file);
        let enemy = nearest(b.pawns[t] & on_file);
        sum.one(us, terms::KING_SHELTER + edge(file) * 8 + own);
        if own != 0 && enemy == own + 1 {
            sum.one(us, terms::KING_STORM_BLOCKED + enemy);
        } else {
            sum.one(us, terms::KING_STORM + edge(file) * 8 + enemy);
        }
        if own == 0 {
            bare += 1;
            open += i32::from((b.pawns[t] & Bitboard::FILES[file]).is_empty());
        }
    }
    sum.endanger(us, terms::DANGER_BARE_FILE, bare);
    sum.endanger(us, terms::DANGER_BARE_FILE + 1, open);

    let file = Bitboard::FILES[king.file().index()];
    match ((b.pawns[u] & file).is_empty(), (b.pawns[t] & file).is_empty()) {
        (true, true) => sum.one(us, terms::KING_OPEN_FILE + 2),
        (true, false) => sum.one(us, terms::KING_OPEN_FILE),
        (false, true) => sum.one(us, terms::KING_OPEN_FILE + 1),
        (false, false) => {}
    }
    let pawns = b.pawns[0] | b.pawns[1];
    let nearest = pawns.into_iter().map(|p| distance(king, p)).min().unwrap_or(0);
    sum.add(us, terms::KING_PAWN_DISTANCE, nearest as i32);
}
