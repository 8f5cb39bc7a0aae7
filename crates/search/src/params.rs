//! The search's numbers in one place, each with its default and the range in which a tuner may move it. Evaluation margins
//! are centipawns, reductions are in 1/1024 ply, history values lie in ±[`HISTORY_MAX`](crate::history), weights are in
//! sixteenths, times in hundredths.

/// One ply in the fixed-point arithmetic of reductions.
pub(crate) const PLY: i32 = 1024;

/// Each parameter is a function of its name. Ordinary builds inline the number; with the feature `tune` every thread has
/// values of its own that can be set while it runs ([`tuning`](crate::tuning)), so that one program can play against many
/// versions of itself.
macro_rules! parameters {
    ($($name:ident = $value:literal, $min:literal..=$max:literal;)*) => {
        $(const _: () = assert!($min <= $value && $value <= $max && $min < $max);)*

        #[cfg(feature = "tune")]
        #[allow(non_camel_case_types)]
        enum Index { $($name,)* }

        $(
            #[inline(always)]
            pub(crate) fn $name() -> i32 {
                #[cfg(feature = "tune")]
                {
                    crate::tuning::value(Index::$name as usize)
                }
                #[cfg(not(feature = "tune"))]
                $value
            }
        )*

        /// All of them, in the order of this file.
        #[cfg(feature = "tune")]
        pub(crate) const ALL: &[crate::tuning::Parameter] = &[
            $(crate::tuning::Parameter { name: stringify!($name), default: $value, min: $min, max: $max },)*
        ];
    };
}

parameters! {
    // Iterative deepening: aspiration windows
    aspiration_depth = 4, 2..=8;
    aspiration_delta = 12, 5..=30;
    aspiration_score_div = 14_000, 6_000..=30_000;
    aspiration_widen = 8, 4..=20; // sixteenths of the window
    aspiration_max = 800, 300..=2_000;

    // Transposition table (TT) cutoffs
    tt_cut_depth = 5, 2..=10;
    tt_cut_early_moves = 3, 1..=8;
    tt_rule_margin = 10, 4..=20;
    tt_pv_depth = 3, 1..=8;
    tb_store_depth = 6, 2..=12;

    // How the last move's change of the evaluation is learned and followed
    eval_change_weight = 8, 2..=20;
    eval_change_min = 1_400, 500..=3_000;
    eval_change_max = 1_100, 500..=3_000;
    eval_change_base = 250, -200..=800;
    hindsight_deeper = 3_072, 1_024..=6_144;
    hindsight_shallower = 2_048, 1_024..=6_144;
    hindsight_margin = 120, 40..=300;

    // Razoring
    razor_base = 250, 100..=500;
    razor_square = 200, 80..=400;

    // Reverse futility pruning (RFP)
    rfp_depth = 10, 6..=14;
    rfp_margin = 65, 40..=120;
    rfp_improving = 81, 20..=130;
    rfp_worsening = 16, 0..=50;
    rfp_correction = 8, 0..=24; // sixteenths
    rfp_min = 20, 0..=60;
    rfp_return_div = 3, 1..=8;

    // Null move pruning (NMP)
    nmp_base = 4, 2..=6;
    nmp_depth_div = 3, 2..=6;
    nmp_eval_div = 190, 80..=350;
    nmp_eval_max = 4, 2..=8;
    nmp_static_base = 180, 60..=350;
    nmp_static_depth = 17, 5..=40;
    nmp_verify_depth = 14, 10..=20;

    // ProbCut
    probcut_depth = 5, 3..=8;
    probcut_reduction = 4, 2..=6;
    probcut_margin = 176, 100..=300;
    probcut_improving = 49, 10..=120;
    small_probcut_margin = 380, 200..=600;

    // Internal iterative reduction (IIR)
    iir_depth = 4, 2..=8;

    // Late move pruning (LMP), futility pruning, history pruning, SEE pruning
    lmp_base = 3, 1..=8;
    history_pruning_depth = 8, 3..=12;
    history_pruning_margin = 3_835, 1_500..=7_000;
    history_depth_div = 4_951, 2_500..=10_000;
    futility_depth = 10, 5..=14;
    futility_base = 80, 20..=180;
    futility_margin = 91, 50..=160;
    capture_futility_depth = 6, 3..=10;
    capture_futility_base = 169, 80..=320;
    capture_futility_margin = 132, 60..=240;
    capture_futility_history_div = 100, 40..=250;
    see_quiet_margin = 23, 8..=45;
    see_capture_margin = 94, 50..=180;
    see_capture_history_div = 110, 40..=250;

    // Singular extensions (SE)
    singular_depth = 6, 4..=9;
    singular_tt_depth = 3, 2..=5;
    singular_margin = 15, 6..=32; // sixteenths of a centipawn and ply
    singular_margin_pv = 16, 0..=48;
    singular_correction = 4, 0..=12; // sixteenths
    singular_only_depth = 12, 6..=20;
    double_margin = 17, 0..=50;
    double_pv = 200, 80..=400;
    triple_margin = 90, 30..=200;
    triple_pv = 300, 120..=600;
    triple_quiet = 20, 0..=80;

    // Late move reductions (LMR)
    lmr_base = 964, 300..=1_500;
    lmr_scale = 262, 120..=360;
    lmr_tt_pv = 1_225, 500..=2_500;
    lmr_pv = 597, 0..=1_800;
    lmr_tt_score = 676, 0..=1_800;
    lmr_cut_node = 2_137, 1_000..=3_500;
    lmr_cut_no_move = 602, 0..=1_800;
    lmr_not_improving = 574, 0..=1_500;
    lmr_tt_capture = 1_027, 200..=2_000;
    lmr_check = 950, 200..=2_000;
    lmr_cutoffs = 946, 200..=2_000;
    lmr_cutoffs_count = 3, 1..=6;
    lmr_tt_move = 1_698, 600..=3_000;
    lmr_correction_div = 196, 80..=500;
    lmr_history_quiet = 30, 8..=64;
    lmr_history_continuation = 16, 4..=40;
    lmr_history_base = 24_000, -20_000..=70_000;
    lmr_history_div = 321, 140..=600;
    lmr_capture_history_div = 18, 8..=40;
    full_depth_reduce = 3_542, 2_000..=5_500;
    deeper_margin = 34, 10..=90;
    deeper_depth = 2, 0..=6;
    shallower_margin = 8, 0..=30;

    // After a move that raised alpha the others are searched less deep
    raise_min_depth = 2, 1..=5;
    raise_max_depth = 14, 8..=20;
    raise_reduction = 2, 1..=3;

    // Quiescence
    qs_futility = 164, 60..=300;
    qs_see = -46, -120..=40;
    qs_captures = 3, 1..=6;
    qs_evasions = 3, 1..=6;

    // Move ordering
    order_check = 286_896, 60_000..=600_000;
    order_check_see = 75, 0..=200;
    order_quiet = 27, 8..=64;
    order_pawn = 30, 8..=64;
    order_continuation_1 = 32, 8..=64;
    order_continuation_2 = 17, 4..=48;
    order_continuation_4 = 17, 0..=48;
    order_victim = 17, 6..=32;
    order_capture_history = 9, 2..=24; // sixteenths
    order_see_div = 39, 16..=90;

    // Histories: bonus of the best move, malus of those tried before it
    bonus_slope = 166, 80..=300;
    bonus_offset = 42, -100..=300;
    bonus_max = 1_713, 800..=3_000;
    malus_slope = 291, 120..=450;
    malus_offset = 116, -100..=400;
    malus_max = 1_564, 800..=3_000;
    fail_high_margin = 110, 30..=250; // so far above beta the bonus is that of a ply more
    refuted_malus = 8, 0..=24; // sixteenths
    fail_low_depth = 5, 2..=10;
    fail_low_moves = 8, 3..=16;
    history_start_continuation = -500, -1_500..=500;
    history_start_pawn = -800, -2_000..=500;

    // Correction histories: centipawns at full deflection of one table
    correction_pawn = 52, 20..=110;
    correction_minor = 44, 10..=90;
    correction_non_pawn = 52, 20..=110;
    correction_continuation = 53, 10..=100;
    correction_depth_div = 6, 3..=16;
    correction_step = 245, 100..=600;

    // Time, in hundredths: the share of a move, its limits, and what lengthens or shortens it. Games at fixed nodes say
    // nothing about these.
    time_part = 119, 10..=300; // ten-thousandths of the clock and its horizon
    time_part_slope = 23, 0..=100; // times the root of the move's number
    time_horizon = 4_357, 500..=8_000; // moves whose increments count
    time_growth = 18, 0..=60; // of the part, with every doubling of the time
    time_hard = 547, 200..=800;
    time_hard_left = 55, 20..=80;
    time_session_increment = 80, 40..=100;
    time_session_soft = 135, 60..=200;
    time_session_hard = 400, 200..=800;
    time_session_hard_left = 75, 40..=95;
    time_nodes_base = 131, 110..=220;
    time_nodes_scale = 110, 80..=220;
    time_trend = 98, 20..=200; // ten-thousandths for each centipawn
    time_trend_min = 75, 50..=100;
    time_trend_max = 158, 110..=250;
    time_stable_0 = 184, 120..=260;
    time_stable_1 = 140, 100..=190;
    time_stable_2 = 107, 80..=150;
    time_stable_3 = 95, 70..=130;
    time_stable_4 = 88, 65..=120;
    time_stable_5 = 82, 60..=115;
    time_stable_6 = 69, 55..=110;
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
