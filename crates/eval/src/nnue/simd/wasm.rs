//! 128-bit kernels for WebAssembly with simd128.

use core::arch::wasm32::*;

/// Numbers in a register.
const LANES: usize = 8;
/// Numbers handled at once: enough registers to hide the latency of the additions.
const BLOCK: usize = 32;
const REGISTERS: usize = BLOCK / LANES;

/// # Safety
/// Compiled with simd128. `source` is as long as `target`, a multiple of 32; every index names a whole row of `weights`.
#[target_feature(enable = "simd128")]
pub(super) unsafe fn update(target: &mut [i16], source: &[i16], weights: &[i16], adds: &[u16], removes: &[u16]) {
    let n = target.len();
    for at in (0..n).step_by(BLOCK) {
        // SAFETY: at + BLOCK ≤ n, so every load and store lies inside its row.
        unsafe {
            let mut sums = [i16x8_splat(0); REGISTERS];
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = v128_load(source.as_ptr().add(at + i * LANES).cast());
            }
            for &row in adds {
                let row = weights.as_ptr().add(usize::from(row) * n + at);
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = i16x8_add(*sum, v128_load(row.add(i * LANES).cast()));
                }
            }
            for &row in removes {
                let row = weights.as_ptr().add(usize::from(row) * n + at);
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = i16x8_sub(*sum, v128_load(row.add(i * LANES).cast()));
                }
            }
            for (i, sum) in sums.iter().enumerate() {
                v128_store(target.as_mut_ptr().add(at + i * LANES).cast(), *sum);
            }
        }
    }
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
