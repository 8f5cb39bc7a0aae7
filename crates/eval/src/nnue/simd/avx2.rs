//! 256-bit kernels for x86-64 with AVX2.

use super::nonzero::{List, MEMBERS};
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

/// # Safety
/// The machine has AVX2. `out` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn squares(sums: &[i16], out: &mut [i16]) {
    let (low, high) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        unsafe {
            let v = _mm256_loadu_si256(sums.as_ptr().add(at).cast());
            let v = _mm256_min_epi16(_mm256_max_epi16(v, low), high);
            let square = _mm256_srli_epi16::<6>(_mm256_mullo_epi16(v, v));
            _mm256_storeu_si256(out.as_mut_ptr().add(at).cast(), square);
        }
    }
}

/// # Safety
/// The machine has AVX2 and POPCNT. `inputs` are a multiple of 16 and at most 4,096, `weights` has `OUT` for each of them, `OUT` is a
/// multiple of 16.
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe fn layer<const OUT: usize>(inputs: &[i16], weights: &[i16], sums: &mut [i32; OUT]) {
    let mut list = List::new();
    let mut len = 0;
    let zero = _mm256_setzero_si256();
    for at in (0..inputs.len()).step_by(LANES) {
        // SAFETY: sixteen inputs are there; the list has room for as many pairs as there are, and eight more.
        unsafe {
            let pairs = _mm256_loadu_si256(inputs.as_ptr().add(at).cast());
            let silent = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(pairs, zero)));
            let set = !silent as usize & 255;
            let members = _mm_loadu_si128(MEMBERS[set].as_ptr().cast());
            _mm_storeu_si128(list.at(len).cast(), _mm_add_epi16(members, _mm_set1_epi16((at / 2) as i16)));
            len += set.count_ones() as usize;
        }
    }
    // SAFETY: so many were written, each below inputs.len() / 2, and each has a row of 2 · OUT weights.
    unsafe {
        let mut totals = [[zero; 2]; 2];
        for part in (0..OUT).step_by(LANES) {
            for (i, total) in totals[0].iter_mut().enumerate() {
                *total = _mm256_loadu_si256(sums.as_ptr().add(part + 8 * i).cast());
            }
            totals[1] = [zero; 2];
            let add = |totals: &mut [__m256i; 2], pair: u16| {
                let both = _mm256_set1_epi32(inputs.as_ptr().add(2 * usize::from(pair)).cast::<i32>().read_unaligned());
                let row = weights.as_ptr().add(2 * (usize::from(pair) * OUT + part));
                for (i, total) in totals.iter_mut().enumerate() {
                    let w = _mm256_loadu_si256(row.add(i * LANES).cast());
                    *total = _mm256_add_epi32(*total, _mm256_madd_epi16(both, w));
                }
            };
            let (twos, one) = list.first(len).as_chunks::<2>();
            for [a, b] in twos {
                let [first, second] = &mut totals;
                add(first, *a);
                add(second, *b);
            }
            for a in one {
                add(&mut totals[0], *a);
            }
            let [first, second] = totals;
            for (i, (a, b)) in first.into_iter().zip(second).enumerate() {
                _mm256_storeu_si256(sums.as_mut_ptr().add(part + 8 * i).cast(), _mm256_add_epi32(a, b));
            }
        }
    }
}
