//! The model's arithmetic for x86-64 with AVX2. Bit for bit the plain kernel.
//!
//! Activations and hidden units are at most 127 and weights at least −127, so the 16-bit pair sums of `maddubs` stay
//! within ±32258 and never saturate. Where the weights of a square are small, as most are, several of them are added in 16 bits.

use core::arch::x86_64::*;

use super::frequency::{Frequencies, Lines, POWERS, SCORE_SHIFT, Scores, TOTAL};
use super::{FEW, MAX_HALF, MAX_LAYER, Model, SYMBOLS, Sums};

/// Adds a row of weights to the running sums. Both have the same length, a multiple of 64.
#[target_feature(enable = "avx2")]
pub(super) fn add(row: &[i8], sums: &mut [i16]) {
    for (weights, sums) in row.chunks_exact(16).zip(sums.chunks_exact_mut(16)) {
        // SAFETY: chunks of 16 bytes and of 16 words; unaligned accesses.
        unsafe {
            let w = _mm256_cvtepi8_epi16(_mm_loadu_si128(weights.as_ptr().cast()));
            let to: *mut __m256i = sums.as_mut_ptr().cast();
            _mm256_storeu_si256(to, _mm256_add_epi16(_mm256_loadu_si256(to), w));
        }
    }
}

/// Activations of a square.
#[inline]
#[target_feature(enable = "avx2")]
fn activate(model: &Model, sums: &Sums, square: usize, active: &mut [u8; MAX_HALF]) {
    let half = model.half;
    let (sums_one, sums_two) = sums.0[..2 * half].split_at(half);
    let (one, two) = model.offsets[square * 2 * half..][..2 * half].split_at(half);
    let zero = _mm256_setzero_si256();
    let most = _mm256_set1_epi16(127);
    for j in (0..half).step_by(32) {
        let mut words = [zero; 2];
        for (part, word) in words.iter_mut().enumerate() {
            let at = j + 16 * part;
            let load = |from: &[i16]| {
                let from = &from[at..at + 16];
                // SAFETY: 16 words, unaligned.
                unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
            };
            let clamp = |v| _mm256_min_epi16(_mm256_max_epi16(v, zero), most);
            let a = clamp(_mm256_add_epi16(load(sums_one), load(one)));
            let b = clamp(_mm256_add_epi16(load(sums_two), load(two)));
            *word = _mm256_srli_epi16::<7>(_mm256_mullo_epi16(a, b));
        }
        // `packus` works within 128-bit lanes: put the quarters back in order.
        let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(words[0], words[1]));
        let to = &mut active[j..j + 32];
        // SAFETY: 32 bytes, unaligned.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), bytes) };
    }
}

/// Adds the products of four bytes (`four`, unsigned) with 8 × 4 weights to 8 sums.
#[inline]
#[target_feature(enable = "avx2")]
fn accumulate(sum: __m256i, four: __m256i, weights: &[i8]) -> __m256i {
    let weights = &weights[..32];
    // SAFETY: 32 bytes, unaligned.
    let w = unsafe { _mm256_loadu_si256(weights.as_ptr().cast()) };
    let pairs = _mm256_maddubs_epi16(four, w);
    _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
}

/// Four neighbouring bytes in all places.
#[inline]
#[target_feature(enable = "avx2")]
fn broadcast(four: &[u8]) -> __m256i {
    _mm256_set1_epi32(i32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

/// `N` groups of 8 hidden units, beginning with group `from`. The pair sums of `TOGETHER` blocks of weights are added before they are widened, which
/// the model must allow: [`Model::few`].
#[inline]
#[target_feature(enable = "avx2")]
fn hidden<const N: usize, const TOGETHER: usize>(
    model: &Model,
    square: usize,
    from: usize,
    active: &[u8],
    units: &mut [u8; MAX_LAYER],
) {
    let (half, layer) = (model.half, model.layer);
    let weights = &model.first[square * half * layer..][..half * layer];
    let mut sums = [_mm256_setzero_si256(); N];
    let ones = _mm256_set1_epi16(1);
    for (bytes, rows) in active[..half].chunks_exact(4 * TOGETHER).zip(weights.chunks_exact(4 * TOGETHER * layer)) {
        let fours: [__m256i; TOGETHER] = core::array::from_fn(|t| broadcast(&bytes[4 * t..][..4]));
        let rows: [&[i8]; TOGETHER] = core::array::from_fn(|t| &rows[4 * layer * t + 32 * from..][..32 * N]);
        for (n, sum) in sums.iter_mut().enumerate() {
            let mut pairs = _mm256_setzero_si256();
            for (four, row) in fours.iter().zip(rows) {
                let row = &row[32 * n..][..32];
                // SAFETY: 32 bytes, unaligned.
                let row = unsafe { _mm256_loadu_si256(row.as_ptr().cast()) };
                pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(*four, row));
            }
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
        }
    }
    let bias = &model.first_bias[square * layer + 8 * from..][..8 * N];
    let units = &mut units[8 * from..][..8 * N];
    let (zero, most) = (_mm256_setzero_si256(), _mm256_set1_epi32(127));
    for (n, sum) in sums.into_iter().enumerate() {
        // SAFETY: `bias` has 8 × N numbers and `units` 8 × N bytes; unaligned.
        unsafe {
            let sum = _mm256_add_epi32(sum, _mm256_loadu_si256(bias.as_ptr().add(8 * n).cast()));
            let unit = _mm256_min_epi32(_mm256_max_epi32(_mm256_srai_epi32::<6>(sum), zero), most);
            let words = _mm_packs_epi32(_mm256_castsi256_si128(unit), _mm256_extracti128_si256::<1>(unit));
            _mm_storel_epi64(units.as_mut_ptr().add(8 * n).cast(), _mm_packus_epi16(words, words));
        }
    }
}

/// All hidden units.
#[inline]
#[target_feature(enable = "avx2")]
fn layer_of<const TOGETHER: usize>(model: &Model, square: usize, active: &[u8], units: &mut [u8; MAX_LAYER]) {
    let groups = model.layer / 8;
    let mut from = 0;
    // Eight groups at a time fill the registers.
    while groups - from >= 8 {
        hidden::<8, TOGETHER>(model, square, from, active, units);
        from += 8;
    }
    if groups - from == 6 {
        hidden::<6, TOGETHER>(model, square, from, active, units);
        from += 6;
    }
    while from < groups {
        hidden::<2, TOGETHER>(model, square, from, active, units);
        from += 2;
    }
}

/// Scores to frequencies; see the plain version for the arithmetic.
#[target_feature(enable = "avx2")]
pub(super) fn divide(scores: &Scores, open: u32) -> Frequencies {
    // SAFETY: two halves of 16 numbers, unaligned.
    let scores = [0, 8].map(|at| unsafe { _mm256_loadu_si256(scores.0.as_ptr().add(at).cast()) });
    let bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let bits = [bit, _mm256_slli_epi32::<8>(bit)];
    let all = _mm256_set1_epi32(open as i32);
    let is_open = bits.map(|bit| _mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit));
    let least = _mm256_set1_epi32(i32::MIN);
    let masked = [0, 1].map(|n: usize| _mm256_blendv_epi8(least, scores[n], is_open[n]));
    let mut top = _mm256_max_epi32(masked[0], masked[1]);
    top = _mm256_max_epi32(top, _mm256_permute2x128_si256::<1>(top, top));
    top = _mm256_max_epi32(top, _mm256_shuffle_epi32::<0b01_00_11_10>(top));
    top = _mm256_max_epi32(top, _mm256_shuffle_epi32::<0b10_11_00_01>(top));
    let mut powers = [_mm256_setzero_si256(); 2];
    let mut best = 0;
    for n in 0..2 {
        let down = _mm256_srli_epi32::<{ SCORE_SHIFT as i32 }>(_mm256_sub_epi32(top, scores[n]));
        let index = _mm256_and_si256(down, _mm256_set1_epi32(255));
        // SAFETY: indices below 256 into a table of 256 numbers.
        let power = unsafe { _mm256_i32gather_epi32::<4>(POWERS.0.as_ptr(), index) };
        // Shifts of 32 and more give zero, as they should.
        powers[n] = _mm256_and_si256(_mm256_srlv_epi32(power, _mm256_srli_epi32::<8>(down)), is_open[n]);
        let first = _mm256_and_si256(_mm256_cmpeq_epi32(scores[n], top), is_open[n]);
        best |= (_mm256_movemask_ps(_mm256_castsi256_ps(first)) as u32) << (8 * n);
    }
    let quotient = (u64::from(TOTAL - open.count_ones()) << 32) / u64::from(sum(powers));
    // The quotient is at most 2^24, for the best symbol's power is 2^24.
    let quotient = _mm256_set1_epi32(quotient as i32);
    let mut out = Frequencies { parts: [0; SYMBOLS], favourite: best.trailing_zeros() as usize % SYMBOLS };
    let mut parts = powers;
    for n in 0..2 {
        let even = _mm256_srli_epi64::<32>(_mm256_mul_epu32(powers[n], quotient));
        let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(powers[n]), quotient);
        let high = _mm256_blend_epi32::<0b1010_1010>(even, odd);
        parts[n] = _mm256_and_si256(_mm256_add_epi32(high, _mm256_set1_epi32(1)), is_open[n]);
        // SAFETY: 16 numbers.
        unsafe { _mm256_storeu_si256(out.parts.as_mut_ptr().add(8 * n).cast(), parts[n]) };
    }
    // The first of the best symbols takes what rounding left.
    out.parts[out.favourite] += TOTAL - sum(parts);
    out
}

/// The sum of sixteen numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn sum(parts: [__m256i; 2]) -> u32 {
    let both = _mm256_add_epi32(parts[0], parts[1]);
    let mut four = _mm_add_epi32(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
    four = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
    four = _mm_add_epi32(four, _mm_shuffle_epi32::<0b10_11_00_01>(four));
    _mm_cvtsi128_si32(four) as u32
}

/// The scores of a square.
#[target_feature(enable = "avx2")]
pub(super) fn scores(model: &Model, sums: &Sums, square: usize) -> Scores {
    let mut active = Lines([0; MAX_HALF]);
    activate(model, sums, square, &mut active.0);
    let mut units = Lines([0; MAX_LAYER]);
    if model.few[square] {
        layer_of::<FEW>(model, square, &active.0, &mut units.0);
    } else {
        layer_of::<1>(model, square, &active.0, &mut units.0);
    }
    let bias = &model.second_bias[square * SYMBOLS..][..SYMBOLS];
    // SAFETY: 16 numbers, unaligned.
    let mut scores = unsafe { [0, 8].map(|at| _mm256_loadu_si256(bias.as_ptr().add(at).cast())) };
    let weights = &model.second[square * model.layer * SYMBOLS..][..model.layer * SYMBOLS];
    for (four, row) in units.0.chunks_exact(4).zip(weights.chunks_exact(4 * SYMBOLS)) {
        let four = broadcast(four);
        scores[0] = accumulate(scores[0], four, &row[..32]);
        scores[1] = accumulate(scores[1], four, &row[32..]);
    }
    let mut out = Lines([0; SYMBOLS]);
    for (half, score) in scores.into_iter().enumerate() {
        // SAFETY: two halves of 16 numbers, unaligned.
        unsafe { _mm256_storeu_si256(out.0.as_mut_ptr().add(8 * half).cast(), score) };
    }
    out
}
