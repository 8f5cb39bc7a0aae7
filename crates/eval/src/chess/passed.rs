//! Passed pawns among pieces: is the way free, is it safe, who stands behind.

use rukh_core::{Color, Kind};

use super::{Board, terms};
use crate::geometry::{distance, file_ahead};
use crate::sum::Sum;
use crate::trace::Trace;

/// Terms of the passed pawns of `us` that depend on pieces.
#[inline(always)]
pub(super) fn passed<T: Trace>(b: &Board<'_>, sum: &mut Sum<'_, T, { terms::COUNT }>, us: Color) {
    let (u, t) = (us.index(), (!us).index());
    let them = !us;
    let passers = b.info.passed & b.pawns[u];
    if passers.is_empty() {
        return;
    }
    let enemy_pieces = b.pos.colors(them) - b.pawns[t] - b.pos.colored(them, Kind::King);
    for sq in passers {
        let rank = sq.relative(us).rank().index();
        let path = file_ahead(us, sq);
        let step = sq.bb().forward(us);
        if (step & b.pos.colors(them)).any() {
            sum.one(us, terms::PASSED_BLOCKED + rank);
        } else if (step & b.occ).is_empty() {
            if (step & b.all[t]).is_empty() {
                sum.one(us, terms::PASSED_SAFE_STEP + rank);
            }
            if (step & b.all[u]).any() {
                sum.one(us, terms::PASSED_ESCORT + rank);
            }
            if (path & (b.occ | b.all[t])).is_empty() {
                sum.one(us, terms::PASSED_FREE + rank);
            }
        }
        let behind = file_ahead(them, sq);
        if (behind & b.pos.colored(us, Kind::Rook)).any() {
            sum.one(us, terms::PASSED_ROOK_BEHIND);
        }
        if (behind & b.pos.colored(them, Kind::Rook)).any() {
            sum.one(us, terms::PASSED_ROOK_BEHIND + 1);
        }
        if enemy_pieces.is_empty() && (path & b.occ).is_empty() {
            // The rule of the square; a pawn on its first rank saves a step.
            let goal = path.into_iter().find(|s| s.relative(us).rank().index() == 7);
            if let Some(goal) = goal {
                let steps = (7 - rank).min(5);
                let late = usize::from(b.pos.side_to_move() == them);
                if distance(b.king[t], goal) > steps + late {
                    sum.one(us, terms::PASSED_UNSTOPPABLE);
                }
            }
        }
    }
}
