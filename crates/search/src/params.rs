//! The search's numbers in one place. Evaluation margins are centipawns, reductions are in 1/1024 ply, history values lie
//! in ±[`HISTORY_MAX`](crate::history). They are chosen from published ranges and checked in fixed-node matches as a set.

/// One ply in the fixed-point arithmetic of reductions.
pub(crate) const PLY: i32 = 1024;

// Aspiration windows
pub(crate) const ASPIRATION_DELTA: i32 = 12;
pub(crate) const ASPIRATION_SCORE_DIV: i32 = 14_000;

// Razoring
pub(crate) const RAZOR_BASE: i32 = 250;
pub(crate) const RAZOR_SQUARE: i32 = 200;

// Reverse futility pruning
pub(crate) const RFP_DEPTH: i32 = 10;
pub(crate) const RFP_MARGIN: i32 = 75;
pub(crate) const RFP_IMPROVING: i32 = 70;
pub(crate) const RFP_WORSENING: i32 = 18;

// Null move pruning
pub(crate) const NMP_BASE: i32 = 4;
pub(crate) const NMP_DEPTH_DIV: i32 = 3;
pub(crate) const NMP_EVAL_DIV: i32 = 180;
pub(crate) const NMP_EVAL_MAX: i32 = 4;
pub(crate) const NMP_STATIC_BASE: i32 = 180;
pub(crate) const NMP_STATIC_DEPTH: i32 = 18;
pub(crate) const NMP_VERIFY_DEPTH: i32 = 14;

// ProbCut
pub(crate) const PROBCUT_DEPTH: i32 = 5;
pub(crate) const PROBCUT_MARGIN: i32 = 180;
pub(crate) const PROBCUT_IMPROVING: i32 = 50;
pub(crate) const SMALL_PROBCUT_MARGIN: i32 = 380;

// Internal iterative reduction
pub(crate) const IIR_DEPTH: i32 = 4;

// Move loop pruning
pub(crate) const FUTILITY_DEPTH: i32 = 10;
pub(crate) const FUTILITY_BASE: i32 = 80;
pub(crate) const FUTILITY_MARGIN: i32 = 95;
pub(crate) const CAPTURE_FUTILITY_DEPTH: i32 = 6;
pub(crate) const CAPTURE_FUTILITY_BASE: i32 = 180;
pub(crate) const CAPTURE_FUTILITY_MARGIN: i32 = 140;
pub(crate) const HISTORY_PRUNING_MARGIN: i32 = 3500;
pub(crate) const SEE_QUIET_MARGIN: i32 = 22;
pub(crate) const SEE_CAPTURE_MARGIN: i32 = 95;
pub(crate) const SEE_CAPTURE_HISTORY_DIV: i32 = 110;

// Singular extensions
pub(crate) const SINGULAR_DEPTH: i32 = 6;
pub(crate) const DOUBLE_MARGIN: i32 = 15;
pub(crate) const TRIPLE_MARGIN: i32 = 90;

// Late move reductions
pub(crate) const LMR_BASE: i32 = 620;
pub(crate) const LMR_SCALE: i32 = 232;
pub(crate) const LMR_TT_PV: i32 = 1100;
pub(crate) const LMR_PV: i32 = 700;
pub(crate) const LMR_CUT_NODE: i32 = 1750;
pub(crate) const LMR_NOT_IMPROVING: i32 = 560;
pub(crate) const LMR_TT_CAPTURE: i32 = 950;
pub(crate) const LMR_CHECK: i32 = 900;
pub(crate) const LMR_CUTOFFS: i32 = 800;
pub(crate) const LMR_TT_MOVE: i32 = 1800;
pub(crate) const LMR_HISTORY_DIV: i32 = 18;
pub(crate) const LMR_CORRECTION_DIV: i32 = 26;
pub(crate) const DEEPER_MARGIN: i32 = 38;
pub(crate) const SHALLOWER_MARGIN: i32 = 8;

// Draws: material is only looked at when so few men are left
pub(crate) const FEW_PIECES: u32 = 8;

// Quiescence
pub(crate) const QS_FUTILITY: i32 = 160;
pub(crate) const QS_SEE: i32 = -40;

/// Base-2 logarithm in 1/1024, by repeated squaring: the same table on every machine, without a floating-point library.
const fn log2_fixed(n: u32) -> i32 {
    let int = n.ilog2();
    let mut frac = 0;
    // x is n / 2^int in 32.32 fixed point, 1 ≤ x < 2.
    let mut x = ((n as u64) << 32) >> int;
    let mut bit = 512;
    while bit > 0 {
        x = ((x as u128 * x as u128) >> 32) as u64;
        if x >= 2 << 32 {
            x >>= 1;
            frac += bit;
        }
        bit >>= 1;
    }
    int as i32 * 1024 + frac
}

const LOGS: [i32; 256] = {
    let mut t = [0; 256];
    let mut i = 1;
    while i < 256 {
        t[i] = log2_fixed(i as u32);
        i += 1;
    }
    t
};

/// The base reduction of the `move_count`-th move at `depth`, in 1/1024 ply: a constant plus the product of logarithms.
#[inline]
pub(crate) fn reduction(depth: i32, move_count: usize) -> i32 {
    let (d, m) = (LOGS[depth.clamp(1, 255) as usize], LOGS[move_count.clamp(1, 255)]);
    LMR_BASE + ((d * m) >> 10) * LMR_SCALE / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_exact_at_powers_and_close_between() {
        assert_eq!(LOGS[1], 0);
        assert_eq!(LOGS[8], 3 * 1024);
        for i in 1..256u32 {
            let exact = (i as f64).log2() * 1024.0;
            assert!((LOGS[i as usize] as f64 - exact).abs() < 1.5, "{i}");
        }
    }

    #[test]
    fn reductions_grow_with_depth_and_move_number() {
        assert!(reduction(10, 20) > reduction(5, 20));
        assert!(reduction(10, 20) > reduction(10, 4));
        assert!((2 * PLY..4 * PLY).contains(&reduction(10, 10)));
    }
}
