//! 128-bit kernels for x86-64 with SSE4.1.

use super::nonzero::{List, MEMBERS};
use core::arch::x86_64::*;

/// Numbers in a register.
const LANES: usize = 8;
/// Numbers handled at once: enough registers to hide the latency of the additions.
const BLOCK: usize = 32;
const REGISTERS: usize = BLOCK / LANES;

/// # Safety
/// The machine has SSE4.1. `source` is as long as `target`, a multiple of 32; every index names a whole row of `weights`.
#[target_feature(enable = "sse4.1")]
pub(super) unsafe fn update(target: &mut [i16], source: &[i16], weights: &[i16], adds: &[u16], removes: &[u16]) {
    let n = target.len();
    for at in (0..n).step_by(BLOCK) {
        // SAFETY: at + BLOCK ≤ n, so every load and store lies inside its row.
        unsafe {
            let mut sums = [_mm_setzero_si128(); REGISTERS];
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = _mm_loadu_si128(source.as_ptr().add(at + i * LANES).cast());
            }
            for &row in adds {
                let row = weights.as_ptr().add(usize::from(row) * n + at);
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = _mm_add_epi16(*sum, _mm_loadu_si128(row.add(i * LANES).cast()));
                }
            }
            for &row in removes {
                let row = weights.as_ptr().add(usize::from(row) * n + at);
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = _mm_sub_epi16(*sum, _mm_loadu_si128(row.add(i * LANES).cast()));
                }
            }
            for (i, sum) in sums.iter().enumerate() {
                _mm_storeu_si128(target.as_mut_ptr().add(at + i * LANES).cast(), *sum);
            }
        }
    }
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
pub(super) unsafe fn squares(sums: &[i16], out: &mut [i16]) {
    let (low, high) = (_mm_setzero_si128(), _mm_set1_epi16(255));
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        unsafe {
            let v = _mm_loadu_si128(sums.as_ptr().add(at).cast());
            let v = _mm_min_epi16(_mm_max_epi16(v, low), high);
            _mm_storeu_si128(out.as_mut_ptr().add(at).cast(), _mm_srli_epi16::<6>(_mm_mullo_epi16(v, v)));
        }
    }
}

/// # Safety
/// The machine has SSE4.1. `inputs` are a multiple of 16 and at most 4,096, `weights` has `OUT` for each of them, `OUT` is a multiple of
/// 16.
#[target_feature(enable = "sse4.1")]
pub(super) unsafe fn layer<const OUT: usize>(inputs: &[i16], weights: &[i16], sums: &mut [i32; OUT]) {
    let mut list = List::new();
    let mut len = 0;
    let zero = _mm_setzero_si128();
    for at in (0..inputs.len()).step_by(2 * LANES) {
        // SAFETY: sixteen inputs are there; the list has room for as many pairs as there are, and eight more.
        unsafe {
            let silent = |at: usize| {
                let pairs = _mm_loadu_si128(inputs.as_ptr().add(at).cast());
                _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(pairs, zero)))
            };
            let set = !(silent(at) | silent(at + LANES) << 4) as usize & 255;
            let members = _mm_loadu_si128(MEMBERS[set].as_ptr().cast());
            _mm_storeu_si128(list.at(len).cast(), _mm_add_epi16(members, _mm_set1_epi16((at / 2) as i16)));
            len += set.count_ones() as usize;
        }
    }
    // SAFETY: so many were written, each below inputs.len() / 2, and each has a row of 2 · OUT weights.
    unsafe {
        for part in (0..OUT).step_by(16) {
            let mut totals = [zero; 4];
            for (i, total) in totals.iter_mut().enumerate() {
                *total = _mm_loadu_si128(sums.as_ptr().add(part + 4 * i).cast());
            }
            for &pair in list.first(len) {
                let both = _mm_set1_epi32(inputs.as_ptr().add(2 * usize::from(pair)).cast::<i32>().read_unaligned());
                let row = weights.as_ptr().add(2 * (usize::from(pair) * OUT + part));
                for (i, total) in totals.iter_mut().enumerate() {
                    let w = _mm_loadu_si128(row.add(i * LANES).cast());
                    *total = _mm_add_epi32(*total, _mm_madd_epi16(both, w));
                }
            }
            for (i, total) in totals.iter().enumerate() {
                _mm_storeu_si128(sums.as_mut_ptr().add(part + 4 * i).cast(), *total);
            }
        }
    }
}
