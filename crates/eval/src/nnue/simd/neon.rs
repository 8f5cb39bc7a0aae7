//! 128-bit kernels for 64-bit ARM.

use super::{MIDDLE, UPPER};
use core::arch::aarch64::*;

/// Numbers in a register.
const LANES: usize = 8;

update_kernel! {
    /// # Safety
    /// The machine has NEON (every 64-bit ARM). `source` is as long as `target`, a multiple of 32; every index names a whole row of `weights`.
    #[target_feature(enable = "neon")]
    lanes LANES, zero vdupq_n_s16(0), load vld1q_s16, add vaddq_s16, sub vsubq_s16, store vst1q_s16
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
pub(super) unsafe fn squares(sums: &[i16], out: &mut [u8]) {
    let (low, high) = (vdupq_n_s16(0), vdupq_n_s16(255));
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        unsafe {
            let v = vminq_s16(vmaxq_s16(vld1q_s16(sums.as_ptr().add(at)), low), high);
            let square = vshrq_n_u16::<9>(vreinterpretq_u16_s16(vmulq_s16(v, v)));
            vst1_u8(out.as_mut_ptr().add(at), vmovn_u16(square));
        }
    }
}

/// # Safety
/// The machine has NEON (every 64-bit ARM). `inputs` are a multiple of 32, none above 127; `weights` are [`MIDDLE`] for each of them.
#[target_feature(enable = "neon")]
pub(super) unsafe fn middle(inputs: &[u8], weights: &[i8], sums: &mut [i32; MIDDLE]) {
    // SAFETY: each step reads four inputs and their 4 · MIDDLE weights; the sums are four registers.
    unsafe {
        // Two sums for each output, added at the end.
        let mut totals = [[vdupq_n_s32(0); 2]; MIDDLE / 4];
        for at in (0..inputs.len()).step_by(4) {
            let group = vreinterpretq_s8_s32(vdupq_n_s32(inputs.as_ptr().add(at).cast::<i32>().read_unaligned()));
            let rows = weights.as_ptr().add(at * MIDDLE);
            for (i, [first, second]) in totals.iter_mut().enumerate() {
                let w = vld1q_s8(rows.add(i * 16));
                *first = vpadalq_s16(*first, vmull_s8(vget_low_s8(group), vget_low_s8(w)));
                *second = vpadalq_s16(*second, vmull_high_s8(group, w));
            }
        }
        for (i, [first, second]) in totals.into_iter().enumerate() {
            let place = sums.as_mut_ptr().add(4 * i);
            vst1q_s32(place, vaddq_s32(vld1q_s32(place), vpaddq_s32(first, second)));
        }
    }
}

/// # Safety
/// The machine has NEON (every 64-bit ARM). `weights` are `[pair of inputs][UPPER][2]`.
#[target_feature(enable = "neon")]
pub(super) unsafe fn upper(inputs: &[i16; MIDDLE], weights: &[i16], sums: &mut [i32; UPPER]) {
    // SAFETY: every pair of inputs has 2 · UPPER weights; the sums are eight registers.
    unsafe {
        let mut totals = [vdupq_n_s32(0); UPPER / 4];
        for (i, total) in totals.iter_mut().enumerate() {
            *total = vld1q_s32(sums.as_ptr().add(4 * i));
        }
        for pair in 0..MIDDLE / 2 {
            let both = vreinterpretq_s16_s32(vdupq_n_s32(inputs.as_ptr().add(2 * pair).cast::<i32>().read_unaligned()));
            let row = weights.as_ptr().add(2 * pair * UPPER);
            for (i, total) in totals.iter_mut().enumerate() {
                let w = vld1q_s16(row.add(i * LANES));
                let products = vmull_s16(vget_low_s16(both), vget_low_s16(w));
                *total = vaddq_s32(*total, vpaddq_s32(products, vmull_high_s16(both, w)));
            }
        }
        for (i, total) in totals.iter().enumerate() {
            vst1q_s32(sums.as_mut_ptr().add(4 * i), *total);
        }
    }
}
