//! 128-bit kernels for WebAssembly with simd128.

use super::{MIDDLE, UPPER};
use core::arch::wasm32::*;

/// Numbers in a register.
const LANES: usize = 8;

update_kernel! {
    /// # Safety
    /// Compiled with simd128. `source` is as long as `target`, a multiple of 32; every index names a whole row of `weights`.
    #[target_feature(enable = "simd128")]
    lanes LANES, zero i16x8_splat(0), load v128_load, add i16x8_add, sub i16x8_sub, store v128_store
}

/// # Safety
/// Compiled with simd128. `weights` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "simd128")]
pub(super) unsafe fn dot(sums: &[i16], weights: &[i16]) -> i32 {
    let (low, high) = (i16x8_splat(0), i16x8_splat(255));
    let mut total = i32x4_splat(0);
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        let (v, w) = unsafe { (v128_load(sums.as_ptr().add(at).cast()), v128_load(weights.as_ptr().add(at).cast())) };
        let v = i16x8_min(i16x8_max(v, low), high);
        // |v·w| ≤ 255·127 fits sixteen bits: the low half of the product is the product.
        total = i32x4_add(total, i32x4_dot_i16x8(v, i16x8_mul(v, w)));
    }
    i32x4_extract_lane::<0>(total)
        .wrapping_add(i32x4_extract_lane::<1>(total))
        .wrapping_add(i32x4_extract_lane::<2>(total))
        .wrapping_add(i32x4_extract_lane::<3>(total))
}

/// # Safety
/// Compiled with simd128. `out` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "simd128")]
pub(super) unsafe fn squares(sums: &[i16], out: &mut [i16]) {
    let (low, high) = (i16x8_splat(0), i16x8_splat(255));
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        unsafe {
            let v = i16x8_min(i16x8_max(v128_load(sums.as_ptr().add(at).cast()), low), high);
            v128_store(out.as_mut_ptr().add(at).cast(), u16x8_shr(i16x8_mul(v, v), 9));
        }
    }
}

/// # Safety
/// Compiled with simd128. `inputs` are a multiple of 32; `weights` are [`MIDDLE`] for each of them.
#[target_feature(enable = "simd128")]
pub(super) unsafe fn middle(inputs: &[i16], weights: &[i16], sums: &mut [i32; MIDDLE]) {
    // SAFETY: what is asked for above.
    unsafe { strided::<{ 2 * MIDDLE }>(inputs, weights, sums) }
}

/// # Safety
/// Compiled with simd128. `weights` are `[pair of inputs][UPPER][2]`.
#[target_feature(enable = "simd128")]
pub(super) unsafe fn upper(inputs: &[i16; MIDDLE], weights: &[i16], sums: &mut [i32; UPPER]) {
    // SAFETY: as above.
    unsafe {
        let (low, high) = sums.split_at_mut(UPPER / 2);
        // Half of the outputs at a time: more than eight registers of sums do not fit beside the rest.
        for (part, sums) in [low, high].into_iter().enumerate() {
            if let Ok(sums) = <&mut [i32; MIDDLE]>::try_from(sums) {
                strided::<{ 2 * UPPER }>(inputs, &weights[part * 2 * MIDDLE..], sums);
            }
        }
    }
}

/// # Safety
/// Compiled with simd128. From the beginning of `weights`, `2 · MIDDLE` numbers every `STRIDE` belong to a pair of inputs.
#[target_feature(enable = "simd128")]
unsafe fn strided<const STRIDE: usize>(inputs: &[i16], weights: &[i16], sums: &mut [i32; MIDDLE]) {
    // SAFETY: what is asked for above; the sums are four registers.
    unsafe {
        let mut totals = [i32x4_splat(0); MIDDLE / 4];
        for (i, total) in totals.iter_mut().enumerate() {
            *total = v128_load(sums.as_ptr().add(4 * i).cast());
        }
        for pair in 0..inputs.len() / 2 {
            let both = v128_load32_splat(inputs.as_ptr().add(2 * pair).cast());
            let row = weights.as_ptr().add(pair * STRIDE);
            for (i, total) in totals.iter_mut().enumerate() {
                *total = i32x4_add(*total, i32x4_dot_i16x8(both, v128_load(row.add(i * LANES).cast())));
            }
        }
        for (i, total) in totals.iter().enumerate() {
            v128_store(sums.as_mut_ptr().add(4 * i).cast(), *total);
        }
    }
}
