//! 128-bit kernels for WebAssembly with simd128.

use super::nonzero::{List, MEMBERS};
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

/// # Safety
/// Compiled with simd128. `out` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "simd128")]
pub(super) unsafe fn squares(sums: &[i16], out: &mut [i16]) {
    let (low, high) = (i16x8_splat(0), i16x8_splat(255));
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        unsafe {
            let v = i16x8_min(i16x8_max(v128_load(sums.as_ptr().add(at).cast()), low), high);
            v128_store(out.as_mut_ptr().add(at).cast(), u16x8_shr(i16x8_mul(v, v), 6));
        }
    }
}

/// # Safety
/// Compiled with simd128. `inputs` are a multiple of 16 and at most 4,096, `weights` has `OUT` for each of them, `OUT` is a multiple of
/// 16.
#[target_feature(enable = "simd128")]
pub(super) unsafe fn layer<const OUT: usize>(inputs: &[i16], weights: &[i16], sums: &mut [i32; OUT]) {
    let mut list = List::new();
    let mut len = 0;
    let zero = i32x4_splat(0);
    for at in (0..inputs.len()).step_by(2 * LANES) {
        // SAFETY: sixteen inputs are there; the list has room for as many pairs as there are, and eight more.
        unsafe {
            let active = |at: usize| i32x4_bitmask(i32x4_ne(v128_load(inputs.as_ptr().add(at).cast()), zero)) as usize;
            let set = active(at) | active(at + LANES) << 4;
            let members = v128_load(MEMBERS[set].as_ptr().cast());
            v128_store(list.at(len).cast(), i16x8_add(members, i16x8_splat((at / 2) as i16)));
            len += set.count_ones() as usize;
        }
    }
    // SAFETY: so many were written, each below inputs.len() / 2, and each has a row of 2 · OUT weights.
    unsafe {
        for part in (0..OUT).step_by(16) {
            let mut totals = [zero; 4];
            for (i, total) in totals.iter_mut().enumerate() {
                *total = v128_load(sums.as_ptr().add(part + 4 * i).cast());
            }
            for &pair in list.first(len) {
                let both = v128_load32_splat(inputs.as_ptr().add(2 * usize::from(pair)).cast());
                let row = weights.as_ptr().add(2 * (usize::from(pair) * OUT + part));
                for (i, total) in totals.iter_mut().enumerate() {
                    let w = v128_load(row.add(i * LANES).cast());
                    *total = i32x4_add(*total, i32x4_dot_i16x8(both, w));
                }
            }
            for (i, total) in totals.iter().enumerate() {
                v128_store(sums.as_mut_ptr().add(part + 4 * i).cast(), *total);
            }
        }
    }
}
