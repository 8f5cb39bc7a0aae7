//! 128-bit kernels for WebAssembly with simd128.

use super::{MIDDLE, UPPER};
use core::arch::wasm32::*;

/// Numbers in a register.
const LANES: usize = 8;
/// Numbers in a step of a loop: each step of a loop in WebAssembly has its price.
const BLOCK: usize = 32;

update_kernel! {
    /// # Safety
    /// Compiled with simd128. `source` is as long as `target`, a multiple of 32; every index names a whole row of `weights`.
    #[target_feature(enable = "simd128")]
    lanes LANES, zero i16x8_splat(0), load v128_load, add i16x8_add, sub i16x8_sub, store v128_store
}

/// # Safety
/// Compiled with simd128. `weights` is as long as `sums`, a multiple of 32.
#[inline]
#[target_feature(enable = "simd128")]
pub(super) unsafe fn dot(sums: &[i16], weights: &[i16]) -> i32 {
    let mut totals = [i32x4_splat(0); BLOCK / LANES];
    for at in (0..sums.len()).step_by(BLOCK) {
        for (i, total) in totals.iter_mut().enumerate() {
            let at = at + i * LANES;
            // SAFETY: at + LANES is at most the length of both.
            let (v, w) =
                unsafe { (v128_load(sums.as_ptr().add(at).cast()), v128_load(weights.as_ptr().add(at).cast())) };
            let v = clamped(v);
            // |v·w| ≤ 255·127 fits sixteen bits: the low half of the product is the product.
            *total = i32x4_add(*total, i32x4_dot_i16x8(v, i16x8_mul(v, w)));
        }
    }
    let [a, b, c, d] = totals;
    let total = i32x4_add(i32x4_add(a, b), i32x4_add(c, d));
    i32x4_extract_lane::<0>(total)
        .wrapping_add(i32x4_extract_lane::<1>(total))
        .wrapping_add(i32x4_extract_lane::<2>(total))
        .wrapping_add(i32x4_extract_lane::<3>(total))
}

#[inline]
#[target_feature(enable = "simd128")]
fn clamped(v: v128) -> v128 {
    i16x8_min(i16x8_max(v, i16x8_splat(0)), i16x8_splat(255))
}

/// # Safety
/// Compiled with simd128. `out` is as long as `sums`, a multiple of 32.
#[inline]
#[target_feature(enable = "simd128")]
pub(super) unsafe fn squares(sums: &[i16], out: &mut [i16]) {
    for at in (0..sums.len()).step_by(BLOCK) {
        for at in (at..at + BLOCK).step_by(LANES) {
            // SAFETY: at + LANES is at most the length of both.
            unsafe {
                let v = clamped(v128_load(sums.as_ptr().add(at).cast()));
                v128_store(out.as_mut_ptr().add(at).cast(), u16x8_shr(i16x8_mul(v, v), 9));
            }
        }
    }
}

/// # Safety
/// Compiled with simd128. `inputs` are an even number; `weights` are [`MIDDLE`] for each of them.
#[target_feature(enable = "simd128")]
pub(super) unsafe fn middle(inputs: &[i16], weights: &[i16], bias: &[i32; MIDDLE]) -> [i32; MIDDLE] {
    // SAFETY: each step reads two inputs and their 2 · MIDDLE weights; four registers hold as many sums as there are.
    unsafe {
        let mut totals: [v128; MIDDLE / 4] = core::array::from_fn(|i| v128_load(bias.as_ptr().add(4 * i).cast()));
        for at in (0..inputs.len()).step_by(2) {
            let both = v128_load32_splat(inputs.as_ptr().add(at).cast());
            let row = weights.as_ptr().add(at * MIDDLE);
            for (i, total) in totals.iter_mut().enumerate() {
                *total = i32x4_add(*total, i32x4_dot_i16x8(both, v128_load(row.add(i * LANES).cast())));
            }
        }
        core::mem::transmute(totals)
    }
}

/// # Safety
/// Compiled with simd128. `weights` are `[pair of inputs][UPPER][2]`.
#[target_feature(enable = "simd128")]
pub(super) unsafe fn upper(inputs: &[i16; MIDDLE], weights: &[i16], bias: &[i32; UPPER]) -> [i32; UPPER] {
    // SAFETY: every pair of inputs has 2 · UPPER weights; eight registers hold as many sums as there are.
    unsafe {
        let mut totals: [v128; UPPER / 4] = core::array::from_fn(|i| v128_load(bias.as_ptr().add(4 * i).cast()));
        for pair in 0..MIDDLE / 2 {
            let both = v128_load32_splat(inputs.as_ptr().add(2 * pair).cast());
            let row = weights.as_ptr().add(2 * pair * UPPER);
            for (i, total) in totals.iter_mut().enumerate() {
                *total = i32x4_add(*total, i32x4_dot_i16x8(both, v128_load(row.add(i * LANES).cast())));
            }
        }
        core::mem::transmute(totals)
    }
}

/// # Safety
/// Compiled with simd128. `out` is as long as `sums`, a multiple of eight; LIMIT² / 2^AFTER fits sixteen bits.
#[inline]
#[target_feature(enable = "simd128")]
pub(super) unsafe fn squared<const BEFORE: u32, const LIMIT: i32, const AFTER: u32>(sums: &[i32], out: &mut [i16]) {
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        unsafe {
            let [a, b] = [at, at + 4].map(|at| {
                let v = i32x4_shr(v128_load(sums.as_ptr().add(at).cast()), BEFORE);
                let v = i32x4_min(i32x4_max(v, i32x4_splat(0)), i32x4_splat(LIMIT));
                i32x4_shr(i32x4_mul(v, v), AFTER)
            });
            v128_store(out.as_mut_ptr().add(at).cast(), i16x8_narrow_i32x4(a, b));
        }
    }
}
