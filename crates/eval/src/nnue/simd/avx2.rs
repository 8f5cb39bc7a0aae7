//! 256-bit kernels for x86-64 with AVX2.

use super::{MIDDLE, UPPER};
use core::arch::x86_64::*;

/// Numbers in a register.
const LANES: usize = 16;

update_kernel! {
    /// # Safety
    /// The machine has AVX2. `source` is as long as `target`, a multiple of 32; every index names a whole row of `weights`.
    #[target_feature(enable = "avx2")]
    lanes LANES, zero _mm256_setzero_si256(), load _mm256_loadu_si256, add _mm256_add_epi16, sub _mm256_sub_epi16, store _mm256_storeu_si256
}

/// # Safety
/// The machine has AVX2. `weights` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn dot(sums: &[i16], weights: &[i16]) -> i32 {
    let (low, high) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
    let mut total = _mm256_setzero_si256();
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        let (v, w) = unsafe {
            (_mm256_loadu_si256(sums.as_ptr().add(at).cast()), _mm256_loadu_si256(weights.as_ptr().add(at).cast()))
        };
        let v = _mm256_min_epi16(_mm256_max_epi16(v, low), high);
        // |v·w| ≤ 255·127 fits sixteen bits: the low half of the product is the product.
        total = _mm256_add_epi32(total, _mm256_madd_epi16(v, _mm256_mullo_epi16(v, w)));
    }
    let half = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256::<1>(total));
    let quarter = _mm_add_epi32(half, _mm_shuffle_epi32::<0b0100_1110>(half));
    _mm_cvtsi128_si32(_mm_add_epi32(quarter, _mm_shuffle_epi32::<0b1011_0001>(quarter)))
}

/// # Safety
/// The machine has AVX2. `out` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn squares(sums: &[i16], out: &mut [u8]) {
    let (low, high) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
    for at in (0..sums.len()).step_by(2 * LANES) {
        // SAFETY: at + 2 · LANES is at most the length of both.
        unsafe {
            let square = |at: usize| {
                let v = _mm256_loadu_si256(sums.as_ptr().add(at).cast());
                let v = _mm256_min_epi16(_mm256_max_epi16(v, low), high);
                _mm256_srli_epi16::<9>(_mm256_mullo_epi16(v, v))
            };
            // Packing works on the halves of the registers; the permutation brings the quarters back into order.
            let bytes = _mm256_packus_epi16(square(at), square(at + LANES));
            let bytes = _mm256_permute4x64_epi64::<0b1101_1000>(bytes);
            _mm256_storeu_si256(out.as_mut_ptr().add(at).cast(), bytes);
        }
    }
}

/// # Safety
/// The machine has AVX2. `inputs` are a multiple of 32, none above 127; `weights` are [`MIDDLE`] for each of them.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn middle(inputs: &[u8], weights: &[i8], sums: &mut [i32; MIDDLE]) {
    let ones = _mm256_set1_epi16(1);
    // SAFETY: each step reads two groups of four inputs and their 2 · 4 · MIDDLE weights; the sums are two registers.
    unsafe {
        let load = |at: usize| _mm256_loadu_si256(sums.as_ptr().add(at).cast());
        let mut totals = [load(0), load(8), _mm256_setzero_si256(), _mm256_setzero_si256()];
        for at in (0..inputs.len()).step_by(8) {
            let rows = weights.as_ptr().add(at * MIDDLE);
            for (i, total) in totals.iter_mut().enumerate() {
                let group = inputs.as_ptr().add(at + i / 2 * 4).cast::<i32>().read_unaligned();
                // 2 · 127 · 127 fits sixteen bits.
                let products =
                    _mm256_maddubs_epi16(_mm256_set1_epi32(group), _mm256_loadu_si256(rows.add(i * 32).cast()));
                *total = _mm256_add_epi32(*total, _mm256_madd_epi16(products, ones));
            }
        }
        _mm256_storeu_si256(sums.as_mut_ptr().cast(), _mm256_add_epi32(totals[0], totals[2]));
        _mm256_storeu_si256(sums.as_mut_ptr().add(8).cast(), _mm256_add_epi32(totals[1], totals[3]));
    }
}

/// # Safety
/// The machine has AVX2. `weights` are `[pair of inputs][UPPER][2]`.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn upper(inputs: &[i16; MIDDLE], weights: &[i16], sums: &mut [i32; UPPER]) {
    // SAFETY: every pair of inputs has 2 · UPPER weights; the sums are four registers.
    unsafe {
        let mut totals = [_mm256_setzero_si256(); UPPER / 8];
        for (i, total) in totals.iter_mut().enumerate() {
            *total = _mm256_loadu_si256(sums.as_ptr().add(8 * i).cast());
        }
        for pair in 0..MIDDLE / 2 {
            let both = _mm256_set1_epi32(inputs.as_ptr().add(2 * pair).cast::<i32>().read_unaligned());
            let row = weights.as_ptr().add(2 * pair * UPPER);
            for (i, total) in totals.iter_mut().enumerate() {
                let w = _mm256_loadu_si256(row.add(i * LANES).cast());
                *total = _mm256_add_epi32(*total, _mm256_madd_epi16(both, w));
            }
        }
        for (i, total) in totals.iter().enumerate() {
            _mm256_storeu_si256(sums.as_mut_ptr().add(8 * i).cast(), *total);
        }
    }
}
