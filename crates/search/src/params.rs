//! The search's numbers in one place. Evaluation margins are centipawns, reductions are in 1/1024 ply, history values lie
//! in ±[`HISTORY_MAX`](crate::history). They are chosen from published ranges and checked in fixed-node matches as a set.

/// One ply in the fixed-point arithmetic of reductions.
pub(crate) const PLY: i32 = 1024;

/// Each parameter is a function of its name. Ordinary builds inline the number; with the feature `tune` it can be set from
/// the environment (`RUKH_PARAMS=rfp_margin=80,lmr_base=500`), so that one binary can play many versions of itself.
macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $(
            $(#[$doc])*
            #[inline(always)]
            pub(crate) fn $name() -> i32 {
                #[cfg(feature = "tune")]
                {
                    static VALUE: std::sync::OnceLock<i32> = std::sync::OnceLock::new();
                    *VALUE.get_or_init(|| from_environment(stringify!($name)).unwrap_or($value))
                }
                #[cfg(not(feature = "tune"))]
                $value
            }
        )*
    };
}

#[cfg(feature = "tune")]
fn from_environment(name: &str) -> Option<i32> {
    let all = std::env::var("RUKH_PARAMS").ok()?;
    all.split(',').find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

// Draws: material is only looked at when so few men are left
pub(crate) const FEW_PIECES: u32 = 8;

parameters! {
    // Aspiration windows
    aspiration_delta = 12;
    aspiration_score_div = 14_000;

    // Table cutoffs stop so many plies before the fifty-move rule
    tt_rule_margin = 10;

    // How the last move's change of the evaluation is taught and followed
    eval_change_weight = 8;
    hindsight_margin = 120;

    // Razoring
    razor_base = 250;
    razor_square = 200;

    // Reverse futility pruning
    rfp_depth = 10;
    rfp_margin = 75;
    rfp_improving = 70;
    rfp_worsening = 18;

    // Null move pruning
    nmp_base = 4;
    nmp_depth_div = 3;
    nmp_eval_div = 180;
    nmp_eval_max = 4;
    nmp_static_base = 180;
    nmp_static_depth = 18;
    nmp_verify_depth = 14;

    // ProbCut
    probcut_depth = 5;
    probcut_margin = 180;
    probcut_improving = 50;
    small_probcut_margin = 380;

    // Internal iterative reduction
    iir_depth = 4;

    // Move loop pruning
    futility_depth = 10;
    futility_base = 80;
    futility_margin = 95;
    capture_futility_depth = 6;
    capture_futility_base = 180;
    capture_futility_margin = 140;
    history_pruning_margin = 3500;
    history_depth_div = 5000;
    see_quiet_margin = 22;
    see_capture_margin = 95;
    see_capture_history_div = 110;

    // Singular extensions
    singular_depth = 6;
    double_margin = 15;
    triple_margin = 90;
    double_pv = 200;
    triple_pv = 300;

    // Late move reductions
    lmr_base = 850;
    lmr_scale = 232;
    lmr_tt_pv = 1400;
    lmr_pv = 700;
    lmr_tt_score = 700;
    lmr_cut_no_move = 500;
    full_depth_reduce = 3600;
    lmr_cut_node = 2200;
    lmr_not_improving = 560;
    lmr_tt_capture = 950;
    lmr_check = 900;
    lmr_cutoffs = 800;
    lmr_tt_move = 1800;
    lmr_history_div = 18;
    lmr_correction_div = 26;
    deeper_margin = 38;
    shallower_margin = 8;

    // Quiescence
    qs_futility = 160;
    qs_see = -40;
}

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
    lmr_base() + ((d * m) >> 10) * lmr_scale() / 1024
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
