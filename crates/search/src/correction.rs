//! Correction history: how far the static evaluation has been off lately, by pawns, minor pieces, other pieces and the last
//! two moves.

use crate::history::{NO_MOVE, PIECE_TO, gravity, zeroed};
use crate::params::*;
use rukh_core::{Color, Position, Rules};

/// Bound of all correction histories.
const CORRECTION_MAX: i32 = 1024;
const CORRECTION_ROWS: usize = 16_384;

/// Correction histories: running errors of the static evaluation, by features that the error tends to share.
pub(crate) struct Corrections {
    // each [side][row]
    pawn: Box<[i16]>,
    minor: Box<[i16]>,
    non_pawn: [Box<[i16]>; 2],
    // [piece-to two plies ago, or none][piece-to of the last move]; the side is in the pieces
    continuation: Box<[i16]>,
}

impl Corrections {
    pub(crate) fn new() -> Self {
        let table = || zeroed(2 * CORRECTION_ROWS);
        Corrections {
            pawn: table(),
            minor: table(),
            non_pawn: [table(), table()],
            continuation: zeroed((PIECE_TO + 1) * PIECE_TO),
        }
    }

    /// Forgets everything (a new game).
    pub(crate) fn clear(&mut self) {
        self.pawn.fill(0);
        self.minor.fill(0);
        self.non_pawn.iter_mut().for_each(|t| t.fill(0));
        self.continuation.fill(0);
    }

    #[inline]
    fn row(side: Color, key: u64) -> usize {
        side.index() * CORRECTION_ROWS + (key as usize & (CORRECTION_ROWS - 1))
    }

    /// How much the evaluation of such positions has been wrong lately, in centipawns. `last` and `before` are the rows of the
    /// moves one and two plies ago.
    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub(crate) fn value<R: Rules>(&self, pos: &Position<R>, last: u16, before: u16) -> i32 {
        let us = pos.side_to_move();
        let get = |table: &[i16], key| i32::from(table[Self::row(us, key)]);
        let mut sum = correction_pawn() * get(&self.pawn, pos.pawn_key())
            + correction_minor() * get(&self.minor, pos.minor_key())
            + correction_non_pawn() * get(&self.non_pawn[0], pos.non_pawn_key(Color::White))
            + correction_non_pawn() * get(&self.non_pawn[1], pos.non_pawn_key(Color::Black));
        if last != NO_MOVE {
            sum += correction_continuation() * i32::from(self.continuation[before as usize * PIECE_TO + last as usize]);
        }
        sum / CORRECTION_MAX
    }

    /// Notes that the search found `error` centipawns more than the evaluation at `depth`.
    #[inline]
    pub(crate) fn update<R: Rules>(&mut self, pos: &Position<R>, last: u16, before: u16, depth: i32, error: i32) {
        let us = pos.side_to_move();
        let bonus = (error * depth / correction_depth_div()).clamp(-correction_step(), correction_step());
        let update = |table: &mut [i16], key| gravity::<CORRECTION_MAX>(&mut table[Self::row(us, key)], bonus);
        update(&mut self.pawn, pos.pawn_key());
        update(&mut self.minor, pos.minor_key());
        update(&mut self.non_pawn[0], pos.non_pawn_key(Color::White));
        update(&mut self.non_pawn[1], pos.non_pawn_key(Color::Black));
        if last != NO_MOVE {
            gravity::<CORRECTION_MAX>(&mut self.continuation[before as usize * PIECE_TO + last as usize], bonus);
        }
    }
}
