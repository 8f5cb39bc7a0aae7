//! 128-bit kernels for 64-bit ARM.

use super::nonzero::List;
use core::arch::aarch64::*;

/// Numbers in a register.
const LANES: usize = 8;
/// Numbers handled at once: enough registers to hide the latency of the additions.
const BLOCK: usize = 32;
const REGISTERS: usize = BLOCK / LANES;

/// # Safety
/// The machine has NEON (every 64-bit ARM). `source` is as long as `target`, a multiple of 32; every index names a whole row of `weights`.
#[target_feature(enable = "neon")]
pub(super) unsafe fn update(target: &mut [i16], source: &[i16], weights: &[i16], adds: &[u16], removes: &[u16]) {
    let n = target.len();
    for at in (0..n).step_by(BLOCK) {
        // SAFETY: at + BLOCK ≤ n, so every load and store lies inside its row.
        unsafe {
            let mut sums = [vdupq_n_s16(0); REGISTERS];
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = vld1q_s16(source.as_ptr().add(at + i * LANES));
            }
            for &row in adds {
                let row = weights.as_ptr().add(usize::from(row) * n + at);
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = vaddq_s16(*sum, vld1q_s16(row.add(i * LANES)));
                }
            }
            for &row in removes {
                let row = weights.as_ptr().add(usize::from(row) * n + at);
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = vsubq_s16(*sum, vld1q_s16(row.add(i * LANES)));
                }
            }
            for (i, sum) in sums.iter().enumerate() {
                vst1q_s16(target.as_mut_ptr().add(at + i * LANES), *sum);
            }
        }
    }
}

/// # Safety
/// The machine has NEON (every 64-bit ARM). `weights` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "neon")]
pub(super) unsafe fn dot(sums: &[i16], weights: &[i16]) -> i32 {
    let (low, high) = (vdupq_n_s16(0), vdupq_n_s16(255));
    let mut total = vdupq_n_s32(0);
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        let (v, w) = unsafe { (vld1q_s16(sums.as_ptr().add(at)), vld1q_s16(weights.as_ptr().add(at))) };
        let v = vminq_s16(vmaxq_s16(v, low), high);
        // |v·w| ≤ 255·127 fits sixteen bits: the low half of the product is the product.
        let product = vmulq_s16(v, w);
        total = vmlal_s16(total, vget_low_s16(v), vget_low_s16(product));
        total = vmlal_high_s16(total, v, product);
    }
    vaddvq_s32(total)
}

/// # Safety
/// The machine has NEON (every 64-bit ARM). `out` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "neon")]
pub(super) unsafe fn squares(sums: &[i16], out: &mut [i16]) {
    let (low, high) = (vdupq_n_s16(0), vdupq_n_s16(255));
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        unsafe {
            let v = vminq_s16(vmaxq_s16(vld1q_s16(sums.as_ptr().add(at)), low), high);
            let square = vshrq_n_u16::<6>(vreinterpretq_u16_s16(vmulq_s16(v, v)));
            vst1q_s16(out.as_mut_ptr().add(at), vreinterpretq_s16_u16(square));
        }
    }
}

/// # Safety
/// The machine has NEON (every 64-bit ARM). `inputs` are a multiple of 16 and at most 4,096, `weights` has `OUT` for each of them, `OUT`
/// is a multiple of 16.
#[target_feature(enable = "neon")]
pub(super) unsafe fn layer<const OUT: usize>(inputs: &[i16], weights: &[i16], sums: &mut [i32; OUT]) {
    let mut list = List::new();
    let mut len = 0;
    let pairs = inputs.len() / 2;
    // SAFETY: two inputs for each pair, and room in the list for all of them.
    let pair_at = |pair: usize| unsafe { inputs.as_ptr().add(2 * pair).cast::<i32>().read_unaligned() };
    for pair in 0..pairs {
        // SAFETY: as above; what is written for a silent pair is written over by the next.
        unsafe { list.at(len).write(pair as u16) };
        len += usize::from(pair_at(pair) != 0);
    }
    // SAFETY: so many were written, each below inputs.len() / 2, and each has a row of 2 · OUT weights.
    unsafe {
        for part in (0..OUT).step_by(16) {
            let mut totals = [vdupq_n_s32(0); 4];
            for (i, total) in totals.iter_mut().enumerate() {
                *total = vld1q_s32(sums.as_ptr().add(part + 4 * i));
            }
            for &pair in list.first(len) {
                let both = vreinterpretq_s16_s32(vdupq_n_s32(pair_at(usize::from(pair))));
                let row = weights.as_ptr().add(2 * (usize::from(pair) * OUT + part));
                for (i, total) in totals.iter_mut().enumerate() {
                    let w = vld1q_s16(row.add(i * LANES));
                    let products = vmull_s16(vget_low_s16(both), vget_low_s16(w));
                    *total = vaddq_s32(*total, vpaddq_s32(products, vmull_high_s16(both, w)));
                }
            }
            for (i, total) in totals.iter().enumerate() {
                vst1q_s32(sums.as_mut_ptr().add(part + 4 * i), *total);
            }
        }
    }
}
