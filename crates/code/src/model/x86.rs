//! The model's arithmetic for x86-64 with AVX2, and with AVX-512 VNNI. Bit for bit the plain kernel.
//!
//! Activations and hidden units are at most 127 and weights at least −127, so the 16-bit pair sums of `maddubs` stay
//! within ±32258 and never saturate.

use core::arch::x86_64::*;

use super::frequency::{POWERS, SCORE_SHIFT, TOTAL};
use super::{MAX_HALF, MAX_OUT, Model, SYMBOLS, Sums};

/// Buffers that vector loads like.
#[repr(align(64))]
struct Line<T>(T);

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

/// The hidden layer of a square.
#[repr(align(64))]
struct Hidden {
    /// The units, 0 to 127.
    units: [u8; MAX_OUT],
    /// Sums before clamping; only kept for models with direct scores.
    sums: [i32; MAX_OUT],
}

/// Activations of a square into `active`, and which groups of four are not all zero.
#[inline]
#[target_feature(enable = "avx2")]
fn activate(model: &Model, sums: &Sums, square: usize, active: &mut Line<[u8; MAX_HALF]>) -> u64 {
    let half = model.half;
    let (sums_one, sums_two) = sums.0[..2 * half].split_at(half);
    let (one, two) = model.offsets[square * 2 * half..][..2 * half].split_at(half);
    let mut busy = 0;
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
        let to = &mut active.0[j..j + 32];
        // SAFETY: 32 bytes, unaligned.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), bytes) };
        let idle = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(bytes, zero))) as u8;
        busy |= u64::from(!idle) << (j / 4);
    }
    busy
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

#[inline]
fn four_at(bytes: &[u8], block: usize) -> i32 {
    let at = 4 * block;
    i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// `N` groups of 8 hidden sums, beginning with group `from`.
#[inline]
#[target_feature(enable = "avx2")]
fn hidden_avx2<const N: usize>(
    model: &Model,
    square: usize,
    from: usize,
    active: &[u8],
    mut busy: u64,
    hidden: &mut Hidden,
) {
    let (half, outs) = (model.half, model.outs);
    let weights = &model.first[square * half * outs..][..half * outs];
    let mut sums = [_mm256_setzero_si256(); N];
    while busy != 0 {
        let block = busy.trailing_zeros() as usize;
        busy &= busy - 1;
        let four = _mm256_set1_epi32(four_at(active, block));
        let row = &weights[(block * outs + 8 * from) * 4..][..32 * N];
        for (n, sum) in sums.iter_mut().enumerate() {
            *sum = accumulate(*sum, four, &row[32 * n..]);
        }
    }
    let bias = &model.first_bias[square * outs + 8 * from..][..8 * N];
    let units = &mut hidden.units[8 * from..][..8 * N];
    let (zero, most) = (_mm256_setzero_si256(), _mm256_set1_epi32(127));
    for (n, sum) in sums.into_iter().enumerate() {
        // SAFETY: `bias` has 8 × N numbers and `units` 8 × N bytes; unaligned.
        unsafe {
            let sum = _mm256_add_epi32(sum, _mm256_loadu_si256(bias.as_ptr().add(8 * n).cast()));
            let unit = _mm256_min_epi32(_mm256_max_epi32(_mm256_srai_epi32::<6>(sum), zero), most);
            let words = _mm_packs_epi32(_mm256_castsi256_si128(unit), _mm256_extracti128_si256::<1>(unit));
            _mm_storel_epi64(units.as_mut_ptr().add(8 * n).cast(), _mm_packus_epi16(words, words));
            if outs > model.layer {
                let sums = &mut hidden.sums[8 * (from + n)..][..8];
                _mm256_storeu_si256(sums.as_mut_ptr().cast(), sum);
            }
        }
    }
}

/// The scores without the hidden units: biases, and direct scores where the model has them.
#[inline]
#[target_feature(enable = "avx2")]
fn first_scores(model: &Model, square: usize, hidden: &Hidden) -> [__m256i; 2] {
    let (layer, outs) = (model.layer, model.outs);
    let bias = &model.second_bias[square * SYMBOLS..][..SYMBOLS];
    // SAFETY: 16 numbers, unaligned.
    let mut scores = unsafe { [0, 8].map(|at| _mm256_loadu_si256(bias.as_ptr().add(at).cast())) };
    if outs > layer {
        let mut direct = [0; SYMBOLS];
        for (to, &from) in direct.iter_mut().zip(&hidden.sums[layer..outs]) {
            *to = from;
        }
        for (half, score) in scores.iter_mut().enumerate() {
            // SAFETY: 16 numbers, unaligned.
            let more = unsafe { _mm256_loadu_si256(direct.as_ptr().add(8 * half).cast()) };
            *score = _mm256_add_epi32(*score, more);
        }
    }
    scores
}

/// Scores to frequencies; see the plain version for the arithmetic.
#[inline]
#[target_feature(enable = "avx2")]
fn divide(scores: [__m256i; 2], open: u32) -> [u32; SYMBOLS] {
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
        let power = unsafe { _mm256_i32gather_epi32::<4>(POWERS.as_ptr(), index) };
        // Shifts of 32 and more give zero, as they should.
        powers[n] = _mm256_and_si256(_mm256_srlv_epi32(power, _mm256_srli_epi32::<8>(down)), is_open[n]);
        let first = _mm256_and_si256(_mm256_cmpeq_epi32(scores[n], top), is_open[n]);
        best |= (_mm256_movemask_ps(_mm256_castsi256_ps(first)) as u32) << (8 * n);
    }
    let quotient = (u64::from(TOTAL - open.count_ones()) << 32) / u64::from(sum(powers));
    // The quotient is at most 2^24, for the best symbol's power is 2^24.
    let quotient = _mm256_set1_epi32(quotient as i32);
    let mut out = Line([0u32; SYMBOLS]);
    let mut parts = powers;
    for n in 0..2 {
        let even = _mm256_srli_epi64::<32>(_mm256_mul_epu32(powers[n], quotient));
        let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(powers[n]), quotient);
        let high = _mm256_blend_epi32::<0b1010_1010>(even, odd);
        parts[n] = _mm256_and_si256(_mm256_add_epi32(high, _mm256_set1_epi32(1)), is_open[n]);
        // SAFETY: 16 numbers.
        unsafe { _mm256_storeu_si256(out.0.as_mut_ptr().add(8 * n).cast(), parts[n]) };
    }
    // The first of the best symbols takes what rounding left.
    out.0[best.trailing_zeros() as usize % SYMBOLS] += TOTAL - sum(parts);
    out.0
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

/// The frequencies of the open symbols of a square.
#[target_feature(enable = "avx2")]
pub(super) fn frequencies_avx2(model: &Model, sums: &Sums, square: usize, open: u32) -> [u32; SYMBOLS] {
    let mut active = Line([0; MAX_HALF]);
    let busy = activate(model, sums, square, &mut active);
    let mut hidden = Hidden { units: [0; MAX_OUT], sums: [0; MAX_OUT] };
    let groups = model.outs / 8;
    let mut from = 0;
    // Eight groups at a time fill the registers.
    while groups - from >= 8 {
        hidden_avx2::<8>(model, square, from, &active.0, busy, &mut hidden);
        from += 8;
    }
    while groups - from >= 2 {
        hidden_avx2::<2>(model, square, from, &active.0, busy, &mut hidden);
        from += 2;
    }
    while from < groups {
        hidden_avx2::<1>(model, square, from, &active.0, busy, &mut hidden);
        from += 1;
    }
    let mut scores = first_scores(model, square, &hidden);
    let weights = &model.second[square * model.layer * SYMBOLS..][..model.layer * SYMBOLS];
    for (block, row) in weights.chunks_exact(4 * SYMBOLS).enumerate() {
        let four = _mm256_set1_epi32(four_at(&hidden.units, block));
        scores[0] = accumulate(scores[0], four, &row[..32]);
        scores[1] = accumulate(scores[1], four, &row[32..]);
    }
    divide(scores, open)
}

/// `N` groups of 16 hidden sums, beginning with group `from`.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]
fn hidden_avx512<const N: usize>(
    model: &Model,
    square: usize,
    from: usize,
    active: &[u8],
    mut busy: u64,
    hidden: &mut Hidden,
) {
    let (half, outs) = (model.half, model.outs);
    let weights = &model.first[square * half * outs..][..half * outs];
    // Two blocks at a time, each with sums of its own: one chain of sums would wait for itself.
    let (mut sums, mut others) = ([_mm512_setzero_si512(); N], [_mm512_setzero_si512(); N]);
    while busy != 0 {
        let one = busy.trailing_zeros() as usize;
        busy &= busy - 1;
        let (two, last) = if busy == 0 { (one, true) } else { (busy.trailing_zeros() as usize, false) };
        busy &= busy.wrapping_sub(1);
        let four_one = _mm512_set1_epi32(four_at(active, one));
        let four_two = _mm512_set1_epi32(if last { 0 } else { four_at(active, two) });
        let row_one = &weights[(one * outs + 16 * from) * 4..][..64 * N];
        let row_two = &weights[(two * outs + 16 * from) * 4..][..64 * N];
        for n in 0..N {
            // SAFETY: 64 bytes of each row, unaligned.
            let (w_one, w_two) = unsafe {
                (
                    _mm512_loadu_si512(row_one.as_ptr().add(64 * n).cast()),
                    _mm512_loadu_si512(row_two.as_ptr().add(64 * n).cast()),
                )
            };
            sums[n] = _mm512_dpbusd_epi32(sums[n], four_one, w_one);
            others[n] = _mm512_dpbusd_epi32(others[n], four_two, w_two);
        }
    }
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum = _mm512_add_epi32(*sum, other);
    }
    let bias = &model.first_bias[square * outs + 16 * from..][..16 * N];
    let units = &mut hidden.units[16 * from..][..16 * N];
    let (zero, most) = (_mm512_setzero_si512(), _mm512_set1_epi32(127));
    for (n, sum) in sums.into_iter().enumerate() {
        // SAFETY: `bias` has 16 × N numbers and `units` 16 × N bytes; unaligned.
        unsafe {
            let sum = _mm512_add_epi32(sum, _mm512_loadu_si512(bias.as_ptr().add(16 * n).cast()));
            let unit = _mm512_min_epi32(_mm512_max_epi32(_mm512_srai_epi32::<6>(sum), zero), most);
            _mm_storeu_si128(units.as_mut_ptr().add(16 * n).cast(), _mm512_cvtepi32_epi8(unit));
            if outs > model.layer {
                let sums = &mut hidden.sums[16 * (from + n)..][..16];
                _mm512_storeu_si512(sums.as_mut_ptr().cast(), sum);
            }
        }
    }
}

/// The frequencies of the open symbols of a square.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]
pub(super) fn frequencies_avx512(model: &Model, sums: &Sums, square: usize, open: u32) -> [u32; SYMBOLS] {
    let mut active = Line([0; MAX_HALF]);
    let busy = activate(model, sums, square, &mut active);
    let mut hidden = Hidden { units: [0; MAX_OUT], sums: [0; MAX_OUT] };
    let groups = model.outs / 16;
    let mut from = 0;
    while groups - from >= 4 {
        hidden_avx512::<4>(model, square, from, &active.0, busy, &mut hidden);
        from += 4;
    }
    while from < groups {
        hidden_avx512::<1>(model, square, from, &active.0, busy, &mut hidden);
        from += 1;
    }
    if model.outs % 16 == 8 {
        hidden_avx2::<1>(model, square, 2 * groups, &active.0, busy, &mut hidden);
    }
    let scores = first_scores(model, square, &hidden);
    let weights = &model.second[square * model.layer * SYMBOLS..][..model.layer * SYMBOLS];
    // Four chains of sums: one alone would wait for itself.
    let mut chains = [_mm512_setzero_si512(); 4];
    chains[0] = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(scores[0]), scores[1]);
    // SAFETY: 64 bytes of `row`, unaligned.
    let load = |row: &[i8]| unsafe { _mm512_loadu_si512(row[..64].as_ptr().cast()) };
    let four = |block: usize| _mm512_set1_epi32(four_at(&hidden.units, block));
    let turns = weights.chunks_exact(16 * SYMBOLS);
    let (rest, first_of_rest) = (turns.remainder(), 4 * turns.len());
    for (turn, rows) in turns.enumerate() {
        chains[0] = _mm512_dpbusd_epi32(chains[0], four(4 * turn), load(rows));
        chains[1] = _mm512_dpbusd_epi32(chains[1], four(4 * turn + 1), load(&rows[64..]));
        chains[2] = _mm512_dpbusd_epi32(chains[2], four(4 * turn + 2), load(&rows[128..]));
        chains[3] = _mm512_dpbusd_epi32(chains[3], four(4 * turn + 3), load(&rows[192..]));
    }
    for (n, row) in rest.chunks_exact(4 * SYMBOLS).enumerate() {
        chains[0] = _mm512_dpbusd_epi32(chains[0], four(first_of_rest + n), load(row));
    }
    let all = _mm512_add_epi32(_mm512_add_epi32(chains[0], chains[1]), _mm512_add_epi32(chains[2], chains[3]));
    divide([_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all)], open)
}
