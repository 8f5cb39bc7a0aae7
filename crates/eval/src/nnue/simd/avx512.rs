//! 512-bit kernels for x86-64 with AVX-512 and its dot products (VNNI), which add products to sums in one instruction.

use super::MIDDLE;
use core::arch::x86_64::*;

/// Numbers in a register.
const LANES: usize = 32;

/// # Safety
/// The machine has AVX-512 F and BW. `source` is as long as `target`, a multiple of 32; every index names a whole row of `weights`.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn update(target: &mut [i16], source: &[i16], weights: &[i16], adds: &[u16], removes: &[u16]) {
    let n = target.len();
    for at in (0..n).step_by(LANES) {
        // SAFETY: at + LANES ≤ n, so every load and store lies inside its row.
        unsafe {
            let row = |index: u16| _mm512_loadu_si512(weights.as_ptr().add(usize::from(index) * n + at).cast());
            let mut sum = _mm512_loadu_si512(source.as_ptr().add(at).cast());
            for &index in adds {
                sum = _mm512_add_epi16(sum, row(index));
            }
            for &index in removes {
                sum = _mm512_sub_epi16(sum, row(index));
            }
            _mm512_storeu_si512(target.as_mut_ptr().add(at).cast(), sum);
        }
    }
}

/// # Safety
/// The machine has AVX-512 F, BW and VNNI. `weights` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn dot(sums: &[i16], weights: &[i16]) -> i32 {
    let mut total = _mm512_setzero_si512();
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        let (v, w) = unsafe {
            (_mm512_loadu_si512(sums.as_ptr().add(at).cast()), _mm512_loadu_si512(weights.as_ptr().add(at).cast()))
        };
        let v = clamped(v);
        // |v·w| ≤ 255·127 fits sixteen bits: the low half of the product is the product.
        total = _mm512_dpwssd_epi32(total, v, _mm512_mullo_epi16(v, w));
    }
    _mm512_reduce_add_epi32(total)
}

#[target_feature(enable = "avx512f,avx512bw")]
fn clamped(v: __m512i) -> __m512i {
    _mm512_min_epi16(_mm512_max_epi16(v, _mm512_setzero_si512()), _mm512_set1_epi16(255))
}

/// # Safety
/// The machine has AVX-512 F and BW. `out` is as long as `sums`, a multiple of 32.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn squares(sums: &[i16], out: &mut [u8]) {
    for at in (0..sums.len()).step_by(LANES) {
        // SAFETY: at + LANES is at most the length of both.
        unsafe {
            let v = clamped(_mm512_loadu_si512(sums.as_ptr().add(at).cast()));
            let square = _mm512_srli_epi16::<9>(_mm512_mullo_epi16(v, v));
            _mm256_storeu_si256(out.as_mut_ptr().add(at).cast(), _mm512_cvtepi16_epi8(square));
        }
    }
}

/// # Safety
/// The machine has AVX-512 F and VNNI. `inputs` are a multiple of 32, none above 127; `weights` are [`MIDDLE`] for each of them.
#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) unsafe fn middle(inputs: &[u8], weights: &[i8], sums: &mut [i32; MIDDLE]) {
    // SAFETY: each step reads four groups of four inputs and their weights, a register for each group; the sums are one register.
    unsafe {
        // Four at once hide the latency of the dot products.
        let mut totals = [_mm512_setzero_si512(); 4];
        totals[0] = _mm512_loadu_si512(sums.as_ptr().cast());
        for at in (0..inputs.len()).step_by(16) {
            for (i, total) in totals.iter_mut().enumerate() {
                let group = inputs.as_ptr().add(at + 4 * i).cast::<i32>().read_unaligned();
                let rows = _mm512_loadu_si512(weights.as_ptr().add((at + 4 * i) * MIDDLE).cast());
                *total = _mm512_dpbusd_epi32(*total, _mm512_set1_epi32(group), rows);
            }
        }
        let [a, b, c, d] = totals;
        let total = _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d));
        _mm512_storeu_si512(sums.as_mut_ptr().cast(), total);
    }
}
