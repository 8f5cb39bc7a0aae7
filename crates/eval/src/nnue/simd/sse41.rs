//! 128-bit kernels for x86-64 with SSE4.1.

use super::{MIDDLE, UPPER};
use core::arch::x86_64::*;

/// Numbers in a register.
const LANES: usize = 8;

update_kernel! {
    /// # Safety
    /// The machine has SSE4.1. `source` is as long as `target`, a multiple of 32; every index names a whole row of `weights`.
    #[target_feature(enable = "sse4.1")]
    lanes LANES, zero _mm_setzero_si128(), load _mm_loadu_si128, add _mm_add_epi16, sub _mm_sub_epi16, store _mm_storeu_si128
}

/// # Safety
/// The machine has SSE4.1. `weights` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "sse4.1")]
pub(super) unsafe fn dot(sums: &[i16], weights: &[i16]) -> i32 {
    let (low, high) = (_mm_setzero_si128(), _mm_set1_epi16(255));
    let mut total = _mm_setzero_si128();
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        let (v, w) = unsafe {
            (_mm_loadu_si128(sums.as_ptr().add(at).cast()), _mm_loadu_si128(weights.as_ptr().add(at).cast()))
        };
        let v = _mm_min_epi16(_mm_max_epi16(v, low), high);
        // |v·w| ≤ 255·127 fits sixteen bits: the low half of the product is the product.
        total = _mm_add_epi32(total, _mm_madd_epi16(v, _mm_mullo_epi16(v, w)));
    }
    let half = _mm_add_epi32(total, _mm_shuffle_epi32::<0b0100_1110>(total));
    _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32::<0b1011_0001>(half)))
}

/// # Safety
/// The machine has SSE4.1. `out` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "sse4.1")]
pub(super) unsafe fn squares(sums: &[i16], out: &mut [u8]) {
    let (low, high) = (_mm_setzero_si128(), _mm_set1_epi16(255));
    for at in (0..sums.len()).step_by(2 * LANES) {
        // SAFETY: at + 2 · LANES is at most the length of both.
        unsafe {
            let square = |at: usize| {
                let v = _mm_loadu_si128(sums.as_ptr().add(at).cast());
                let v = _mm_min_epi16(_mm_max_epi16(v, low), high);
                _mm_srli_epi16::<9>(_mm_mullo_epi16(v, v))
            };
            _mm_storeu_si128(out.as_mut_ptr().add(at).cast(), _mm_packus_epi16(square(at), square(at + LANES)));
        }
    }
}

/// # Safety
/// The machine has SSE4.1. `inputs` are a multiple of 32, none above 127; `weights` are [`MIDDLE`] for each of them.
#[target_feature(enable = "sse4.1")]
pub(super) unsafe fn middle(inputs: &[u8], weights: &[i8], sums: &mut [i32; MIDDLE]) {
    let ones = _mm_set1_epi16(1);
    // SAFETY: each step reads four inputs and their 4 · MIDDLE weights; the sums are four registers.
    unsafe {
        let mut totals = [_mm_setzero_si128(); MIDDLE / 4];
        for (i, total) in totals.iter_mut().enumerate() {
            *total = _mm_loadu_si128(sums.as_ptr().add(4 * i).cast());
        }
        for at in (0..inputs.len()).step_by(4) {
            let group = _mm_set1_epi32(inputs.as_ptr().add(at).cast::<i32>().read_unaligned());
            let rows = weights.as_ptr().add(at * MIDDLE);
            for (i, total) in totals.iter_mut().enumerate() {
                // 2 · 127 · 127 fits sixteen bits.
                let products = _mm_maddubs_epi16(group, _mm_loadu_si128(rows.add(i * 16).cast()));
                *total = _mm_add_epi32(*total, _mm_madd_epi16(products, ones));
            }
        }
        for (i, total) in totals.iter().enumerate() {
            _mm_storeu_si128(sums.as_mut_ptr().add(4 * i).cast(), *total);
        }
    }
}

/// # Safety
/// The machine has SSE4.1. `weights` are `[pair of inputs][UPPER][2]`.
#[target_feature(enable = "sse4.1")]
pub(super) unsafe fn upper(inputs: &[i16; MIDDLE], weights: &[i16], sums: &mut [i32; UPPER]) {
    // SAFETY: every pair of inputs has 2 · UPPER weights; the sums are eight registers.
    unsafe {
        let mut totals = [_mm_setzero_si128(); UPPER / 4];
        for (i, total) in totals.iter_mut().enumerate() {
            *total = _mm_loadu_si128(sums.as_ptr().add(4 * i).cast());
        }
        for pair in 0..MIDDLE / 2 {
            let both = _mm_set1_epi32(inputs.as_ptr().add(2 * pair).cast::<i32>().read_unaligned());
            let row = weights.as_ptr().add(2 * pair * UPPER);
            for (i, total) in totals.iter_mut().enumerate() {
                let w = _mm_loadu_si128(row.add(i * LANES).cast());
                *total = _mm_add_epi32(*total, _mm_madd_epi16(both, w));
            }
        }
        for (i, total) in totals.iter().enumerate() {
            _mm_storeu_si128(sums.as_mut_ptr().add(4 * i).cast(), *total);
        }
    }
}
