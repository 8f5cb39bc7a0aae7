//! 256-bit kernels for x86-64 with AVX2.

use core::arch::x86_64::*;

/// Numbers in a register.
const LANES: usize = 16;
/// Numbers handled at once: enough registers to hide the latency of the additions.
const BLOCK: usize = 32;
const REGISTERS: usize = BLOCK / LANES;

/// # Safety
/// The machine has AVX2. `source` is as long as `target`, a multiple of 32; every index names a whole row of `weights`.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn update(target: &mut [i16], source: &[i16], weights: &[i16], adds: &[u16], removes: &[u16]) {
    let n = target.len();
    for at in (0..n).step_by(BLOCK) {
        // SAFETY: at + BLOCK ≤ n, so every load and store lies inside its row.
        unsafe {
            let mut sums = [_mm256_setzero_si256(); REGISTERS];
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = _mm256_loadu_si256(source.as_ptr().add(at + i * LANES).cast());
            }
            for &row in adds {
                let row = weights.as_ptr().add(usize::from(row) * n + at);
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = _mm256_add_epi16(*sum, _mm256_loadu_si256(row.add(i * LANES).cast()));
                }
            }
            for &row in removes {
                let row = weights.as_ptr().add(usize::from(row) * n + at);
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = _mm256_sub_epi16(*sum, _mm256_loadu_si256(row.add(i * LANES).cast()));
                }
            }
            for (i, sum) in sums.iter().enumerate() {
                _mm256_storeu_si256(target.as_mut_ptr().add(at + i * LANES).cast(), *sum);
            }
        }
    }
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
