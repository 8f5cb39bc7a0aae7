//! The model's arithmetic for x86-64 with AVX-512 VNNI. Bit for bit the plain kernel.
//!
//! Written so that one square's work can begin before the last one's is done: sizes are known when this is compiled,
//! there are no branches on activations (few are zero), sums run in several chains, all sixteen scores are in one register
//! and leave it once, for the division.

use core::arch::x86_64::*;

use super::frequency::{Frequencies, Lines, POWERS, SCORE_SHIFT, Scores, TOTAL};
use super::{Model, SYMBOLS, Sums};

/// Adds a row of weights to the running sums. Both have the same length, a multiple of 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn add(row: &[i8], sums: &mut [i16]) {
    for (weights, sums) in row.chunks_exact(32).zip(sums.chunks_exact_mut(32)) {
        // SAFETY: chunks of 32 bytes and of 32 words; unaligned accesses.
        unsafe {
            let w = _mm512_cvtepi8_epi16(_mm256_loadu_si256(weights.as_ptr().cast()));
            let to: *mut __m512i = sums.as_mut_ptr().cast();
            _mm512_storeu_si512(to, _mm512_add_epi16(_mm512_loadu_si512(to), w));
        }
    }
}

/// The scores of a square for `N` positions; none for a model whose size this kernel does not have.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn scores<const N: usize, const CHAINS: usize>(
    model: &Model,
    sums: [&Sums; N],
    square: usize,
) -> Option<[Scores; N]> {
    let scores = match (model.half, model.layer) {
        (160, 80) => scores_of::<160, 80, 5, N, CHAINS>(model, sums, square),
        (192, 80) => scores_of::<192, 80, 5, N, CHAINS>(model, sums, square),
        (128, 64) => scores_of::<128, 64, 4, N, CHAINS>(model, sums, square),
        (96, 48) => scores_of::<96, 48, 3, N, CHAINS>(model, sums, square),
        (64, 32) => scores_of::<64, 32, 2, N, CHAINS>(model, sums, square),
        (32, 16) => scores_of::<32, 16, 1, N, CHAINS>(model, sums, square),
        _ => return None,
    };
    Some(scores.map(|scores| {
        let mut out = Lines([0; SYMBOLS]);
        // SAFETY: 16 numbers.
        unsafe { _mm512_storeu_si512(out.0.as_mut_ptr().cast(), scores) };
        out
    }))
}

/// Activations of a square.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn activate<const HALF: usize>(model: &Model, sums: &Sums, square: usize, active: &mut [u8; HALF]) {
    let (zero, most) = (_mm512_setzero_si512(), _mm512_set1_epi16(127));
    let offsets = &model.offsets[square * 2 * HALF..][..2 * HALF];
    let clamped = |at: usize| {
        let (sums, offsets) = (&sums.0[at..][..32], &offsets[at..][..32]);
        // SAFETY: 32 words each, unaligned.
        let (sum, offset) =
            unsafe { (_mm512_loadu_si512(sums.as_ptr().cast()), _mm512_loadu_si512(offsets.as_ptr().cast())) };
        _mm512_min_epi16(_mm512_max_epi16(_mm512_add_epi16(sum, offset), zero), most)
    };
    let product = |at: usize| _mm512_mulhi_epu16(_mm512_slli_epi16::<9>(clamped(at)), clamped(HALF + at));
    for at in (0..HALF).step_by(64) {
        let first = product(at);
        if HALF - at >= 64 {
            // Packing works within quarters: their halves are put back in order.
            let bytes = _mm512_packus_epi16(first, product(at + 32));
            let bytes = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), bytes);
            // SAFETY: 64 bytes, unaligned.
            unsafe { _mm512_storeu_si512(active[at..][..64].as_mut_ptr().cast(), bytes) };
        } else {
            // SAFETY: 32 bytes, unaligned.
            unsafe { _mm256_storeu_si256(active[at..][..32].as_mut_ptr().cast(), _mm512_cvtepi16_epi8(first)) };
        }
    }
}

/// The scores of a square. `GROUPS` is `LAYER / 16`. Each sum of a position runs in `CHAINS` chains: one alone would wait for itself.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn scores_of<const HALF: usize, const LAYER: usize, const GROUPS: usize, const N: usize, const CHAINS: usize>(
    model: &Model,
    sums: [&Sums; N],
    square: usize,
) -> [__m512i; N] {
    const { assert!(LAYER == 16 * GROUPS && HALF.is_multiple_of(32) && (CHAINS == 1 || CHAINS == 2)) };
    let zero = _mm512_setzero_si512();
    let mut active = [[0u8; HALF]; N];
    for (sums, active) in sums.iter().zip(&mut active) {
        activate(model, sums, square, active);
    }

    let weights = &model.first[square * HALF * LAYER..][..HALF * LAYER];
    let mut chains = [[[zero; GROUPS]; N]; CHAINS];
    for first in (0..HALF / 4).step_by(CHAINS) {
        for (block, chain) in (first..).zip(&mut chains) {
            // A line of weights serves all positions.
            let lines: [__m512i; GROUPS] = core::array::from_fn(|group| load(weights, block * GROUPS + group));
            for (active, sums) in active.iter().zip(chain) {
                let four = broadcast(active, block);
                for (sum, line) in sums.iter_mut().zip(lines) {
                    *sum = _mm512_dpbusd_epi32(*sum, four, line);
                }
            }
        }
    }
    let bias = &model.first_bias[square * LAYER..][..LAYER];
    let mut units = [[0u8; LAYER]; N];
    for (n, units) in units.iter_mut().enumerate() {
        for group in 0..GROUPS {
            let bias = &bias[16 * group..][..16];
            // SAFETY: 16 numbers, unaligned.
            let bias = unsafe { _mm512_loadu_si512(bias.as_ptr().cast()) };
            let sum = chains.iter().fold(bias, |sum, chain| _mm512_add_epi32(sum, chain[n][group]));
            let unit = _mm512_min_epi32(_mm512_max_epi32(_mm512_srai_epi32::<6>(sum), zero), _mm512_set1_epi32(127));
            // SAFETY: 16 bytes, unaligned.
            unsafe { _mm_storeu_si128(units[16 * group..][..16].as_mut_ptr().cast(), _mm512_cvtepi32_epi8(unit)) };
        }
    }

    let weights = &model.second[square * LAYER * SYMBOLS..][..LAYER * SYMBOLS];
    let bias = &model.second_bias[square * SYMBOLS..][..SYMBOLS];
    // SAFETY: 16 numbers, unaligned.
    let bias = unsafe { _mm512_loadu_si512(bias.as_ptr().cast()) };
    let mut chains = [[[zero; 2]; N]; CHAINS];
    for first in (0..LAYER / 4).step_by(2 * CHAINS) {
        for (block, chain) in (first..).step_by(2).zip(&mut chains) {
            for (units, sums) in units.iter().zip(chain) {
                for (half, sum) in sums.iter_mut().enumerate() {
                    *sum = _mm512_dpbusd_epi32(*sum, broadcast(units, block + half), load(weights, block + half));
                }
            }
        }
    }
    core::array::from_fn(|n| {
        chains.iter().fold(bias, |sum, chain| _mm512_add_epi32(sum, _mm512_add_epi32(chain[n][0], chain[n][1])))
    })
}

/// Line `n` of 64 weights.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(weights: &[i8], n: usize) -> __m512i {
    let row = &weights[64 * n..][..64];
    // SAFETY: 64 bytes, unaligned.
    unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }
}

/// Block `n` of four bytes in all places.
#[inline]
#[target_feature(enable = "avx512f")]
fn broadcast(bytes: &[u8], n: usize) -> __m512i {
    let four = &bytes[4 * n..][..4];
    _mm512_set1_epi32(i32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

/// Scores to frequencies; see the plain version for the arithmetic.
#[target_feature(enable = "avx512f")]
pub(super) fn divide(scores: &Scores, open: u32) -> Frequencies {
    // SAFETY: 16 numbers.
    let scores = unsafe { _mm512_loadu_si512(scores.0.as_ptr().cast()) };
    let is_open = open as __mmask16;
    let seen = _mm512_mask_mov_epi32(_mm512_set1_epi32(i32::MIN), is_open, scores);
    let top = everywhere(seen, |a, b| _mm512_max_epi32(a, b));
    let favourite = _mm512_mask_cmpeq_epi32_mask(is_open, scores, top).trailing_zeros() as usize % SYMBOLS;
    let down = _mm512_srli_epi32::<SCORE_SHIFT>(_mm512_sub_epi32(top, scores));
    // Shifts of 32 and more give zero, as they should.
    let powers = _mm512_maskz_srlv_epi32(is_open, power(down), _mm512_srli_epi32::<8>(down));
    let sum = everywhere(powers, |a, b| _mm512_add_epi32(a, b));
    let sum = _mm_cvtsi128_si32(_mm512_castsi512_si128(sum)) as u32;
    let quotient = (u64::from(TOTAL - open.count_ones()) << 32) / u64::from(sum);
    // The quotient is at most 2^24, for the best symbol's power is 2^24.
    let quotient = _mm512_set1_epi32(quotient as i32);
    let even = _mm512_srli_epi64::<32>(_mm512_mul_epu32(powers, quotient));
    let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(powers), quotient);
    let high = _mm512_mask_blend_epi32(0b1010_1010_1010_1010, even, odd);
    let parts = _mm512_maskz_add_epi32(is_open, high, _mm512_set1_epi32(1));
    // The first of the best symbols takes what rounding left.
    let rest = _mm512_sub_epi32(_mm512_set1_epi32(TOTAL as i32), everywhere(parts, |a, b| _mm512_add_epi32(a, b)));
    let parts = _mm512_mask_add_epi32(parts, 1 << favourite, parts, rest);
    let mut out = Frequencies { parts: [0; SYMBOLS], favourite };
    // SAFETY: 16 numbers, unaligned.
    unsafe { _mm512_storeu_si512(out.parts.as_mut_ptr().cast(), parts) };
    out
}

/// Folds sixteen numbers with `join`; the result stands in every place.
#[inline]
#[target_feature(enable = "avx512f")]
fn everywhere(v: __m512i, join: impl Fn(__m512i, __m512i) -> __m512i) -> __m512i {
    let v = join(v, _mm512_shuffle_i64x2::<0b01_00_11_10>(v, v));
    let v = join(v, _mm512_shuffle_i64x2::<0b10_11_00_01>(v, v));
    let v = join(v, _mm512_shuffle_epi32::<0b01_00_11_10>(v));
    join(v, _mm512_shuffle_epi32::<0b10_11_00_01>(v))
}

/// The table of powers at the low eight bits of each number: eight look-ups among 32 entries in registers, and a choice by
/// the three bits left, in a fraction of a gather's time.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn power(index: __m512i) -> __m512i {
    let line = |n: usize| {
        let line = &POWERS.0[16 * n..][..16];
        // SAFETY: 16 numbers, unaligned.
        unsafe { _mm512_loadu_si512(line.as_ptr().cast()) }
    };
    let pair = |n: usize| _mm512_permutex2var_epi32(line(2 * n), index, line(2 * n + 1));
    let bit = |bit: i32| _mm512_test_epi32_mask(index, _mm512_set1_epi32(bit));
    let (five, six, seven) = (bit(32), bit(64), bit(128));
    let choose = |n: usize| _mm512_mask_blend_epi32(five, pair(n), pair(n + 1));
    let low = _mm512_mask_blend_epi32(six, choose(0), choose(2));
    let high = _mm512_mask_blend_epi32(six, choose(4), choose(6));
    _mm512_mask_blend_epi32(seven, low, high)
}

/// The same by a gather.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn gathered_power(index: __m512i) -> __m512i {
    let index = _mm512_and_si512(index, _mm512_set1_epi32(255));
    // SAFETY: indices below 256 into a table of 256 numbers.
    unsafe { _mm512_i32gather_epi32::<4>(index, POWERS.0.as_ptr()) }
}
