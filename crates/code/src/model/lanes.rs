//! Sixteen positions in step, a lane of a register for each, for x86-64 with AVX-512 VNNI. Bit for bit what [`Kernel`](super::Kernel) says of them one by one.
//!
//! A position that is encoded is known as a whole, so no square waits for the number of the one before. Frequencies are added and compared
//! across symbols, which here lie in sixteen registers and not in sixteen lanes of one: no folding, and one division for all.

use core::arch::x86_64::*;

use super::frequency::{Lines, SCORE_SHIFT, Scores, TOTAL};
use super::tiles::Tiles;
use super::{Model, SYMBOLS, Sums, avx512};

/// Positions that are coded together.
pub(crate) const LANES: usize = 16;

/// Positions on their way to their codes. What has no position has a width of zero.
#[repr(align(64))]
pub(crate) struct Group {
    /// Symbols by square.
    pub symbols: [[u8; LANES]; 64],
    /// Squares whose content is certain.
    pub forced: [u64; LANES],
    /// Squares where a side's king cannot stand.
    pub kingless: [[u64; LANES]; 2],
    pub sums: [Sums; LANES],
    /// The intervals; where one has run out its width is zero.
    pub low: [u64; LANES],
    pub width: [u64; LANES],
}

impl Group {
    pub(crate) const EMPTY: Self = Self {
        symbols: [[0; LANES]; 64],
        forced: [0; LANES],
        kingless: [[0; LANES]; 2],
        sums: [const { Sums::ZERO }; LANES],
        low: [0; LANES],
        width: [0; LANES],
    };
}

/// What a group is narrowed by.
pub(crate) struct Rules {
    /// The symbols that each square has room for.
    pub men: [u32; 64],
    /// The kings' symbols.
    pub kings: [usize; 2],
}

/// Narrows the intervals of a group to the symbols of all squares. False for a model whose size these kernels do not have.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn narrow(tiles: Option<Tiles>, model: &Model, group: &mut Group, rules: &Rules) -> bool {
    match (model.symbols, tiles) {
        (13, Some(tiles)) => narrow_with_tiles(tiles, model, group, rules),
        (13, None) => return narrow_of::<13>(model, group, rules),
        (15, _) => return narrow_of::<15>(model, group, rules),
        _ => return false,
    }
    true
}

/// For models of `COUNT` symbols.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn narrow_of<const COUNT: usize>(model: &Model, group: &mut Group, rules: &Rules) -> bool {
    let mut scores = [const { Lines([0; SYMBOLS]) }; LANES];
    for square in 0..64 {
        for (sums, scores) in group.sums.as_chunks::<4>().0.iter().zip(scores.as_chunks_mut::<4>().0) {
            match avx512::scores::<4, 1>(model, sums.each_ref(), square) {
                Some(found) => *scores = found,
                None => return false,
            }
        }
        narrow_square::<COUNT, false>(group, rules, square, &scores);
        if group.width == [0; LANES] {
            break;
        }
        put(model, group, square);
    }
    true
}

/// For chess's model and the matrix unit. That is slow to answer, so the frequencies of the square before and the activations of the next are computed in the
/// meantime.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn narrow_with_tiles(mut tiles: Tiles, model: &Model, group: &mut Group, rules: &Rules) {
    let mut scores = [const { Lines([0; SYMBOLS]) }; LANES];
    tiles.activate(model, &group.sums, 0);
    for square in 0..64 {
        tiles.first(model, square);
        if square > 0 {
            narrow_square::<13, true>(group, rules, square - 1, &scores);
        }
        if group.width == [0; LANES] {
            return;
        }
        tiles.second(model, square, &mut scores);
        put(model, group, square);
        if square < 63 {
            tiles.activate(model, &group.sums, square + 1);
        }
    }
    narrow_square::<13, true>(group, rules, 63, &scores);
}

/// Puts the symbols of a square into the running sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn put(model: &Model, group: &mut Group, square: usize) {
    let full = 2 * model.half;
    for (&symbol, sums) in group.symbols[square].iter().zip(&mut group.sums) {
        if symbol > 0 {
            let row = square * (model.symbols - 1) + usize::from(symbol) - 1;
            avx512::add(&model.men[row * full..][..full], &mut sums.0[..full]);
        }
    }
}

/// Narrows the intervals to the symbols of a square.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn narrow_square<const COUNT: usize, const GATHER: bool>(
    group: &mut Group,
    rules: &Rules,
    square: usize,
    scores: &[Scores; LANES],
) {
    let men = rules.men[square];
    let mut open: [u16; COUNT] = core::array::from_fn(|symbol| if men >> symbol & 1 != 0 { !0 } else { 0 });
    for (king, squares) in rules.kings.into_iter().zip(&group.kingless) {
        open[king] &= !at(squares, square);
    }
    let coded = !at(&group.forced, square);
    // SAFETY: sixteen bytes, unaligned.
    let symbols = unsafe { _mm512_cvtepu8_epi32(_mm_loadu_si128(group.symbols[square].as_ptr().cast())) };
    let (below, size) = parts::<COUNT, GATHER>(scores, &open, symbols);
    let end = _mm512_add_epi32(below, size);
    narrow_half(&mut group.low, &mut group.width, coded, 0, low_half(below), low_half(end));
    narrow_half(&mut group.low, &mut group.width, coded, 8, high_half(below), high_half(end));
}

/// In which lanes a square is one of those given.
#[inline]
#[target_feature(enable = "avx512f")]
fn at(squares: &[u64; LANES], square: usize) -> u16 {
    let bit = _mm512_set1_epi64(1 << square);
    let half = |from: usize| {
        // SAFETY: eight numbers, unaligned.
        let squares = unsafe { _mm512_loadu_si512(squares[from..][..8].as_ptr().cast()) };
        u16::from(_mm512_test_epi64_mask(squares, bit))
    };
    half(0) | half(8) << 8
}

/// The frequency of each lane's symbol, and the sum of those before it, the favourite's part being the last one; `symbols` must be open where it matters.
/// `GATHER` is for processors that gather as fast as they permute. The plain version of the arithmetic is [`super::frequency::divide`], of the order [`crate::interval::Narrow::narrow_symbol`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn parts<const COUNT: usize, const GATHER: bool>(
    scores: &[Scores; LANES],
    open: &[u16; COUNT],
    symbols: __m512i,
) -> (__m512i, __m512i) {
    let number = |n: usize| _mm512_set1_epi32(n as i32);
    let (zero, one, total) = (_mm512_setzero_si512(), number(1), _mm512_set1_epi32(TOTAL as i32));
    let scores = transposed(scores);
    let (mut top, mut favourite, mut left) = (_mm512_set1_epi32(i32::MIN), zero, total);
    for (symbol, (&score, &open)) in scores.iter().zip(open).enumerate() {
        let better = _mm512_mask_cmpgt_epi32_mask(open, score, top);
        top = _mm512_mask_mov_epi32(top, better, score);
        favourite = _mm512_mask_mov_epi32(favourite, better, number(symbol));
        left = _mm512_mask_sub_epi32(left, open, left, one);
    }
    let (mut powers, mut sum) = ([zero; COUNT], zero);
    for ((power, &score), &open) in powers.iter_mut().zip(&scores).zip(open) {
        let down = _mm512_srli_epi32::<SCORE_SHIFT>(_mm512_sub_epi32(top, score));
        let unshifted = if GATHER { avx512::gathered_power(down) } else { avx512::power(down) };
        // Shifts of 32 and more give zero, as they should.
        *power = _mm512_maskz_srlv_epi32(open, unshifted, _mm512_srli_epi32::<8>(down));
        sum = _mm512_add_epi32(sum, *power);
    }
    let quotient = quotient(left, sum);
    let odd_quotient = _mm512_srli_epi64::<32>(quotient);
    let (mut below, mut size, mut all) = (zero, zero, zero);
    for (symbol, (&power, &open)) in powers.iter().zip(open).enumerate() {
        let even = _mm512_srli_epi64::<32>(_mm512_mul_epu32(power, quotient));
        let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(power), odd_quotient);
        let high = _mm512_mask_blend_epi32(0b1010_1010_1010_1010, even, odd);
        let part = _mm512_maskz_add_epi32(open, high, one);
        all = _mm512_add_epi32(all, part);
        below = _mm512_mask_add_epi32(below, _mm512_cmpgt_epi32_mask(symbols, number(symbol)), below, part);
        size = _mm512_mask_mov_epi32(size, _mm512_cmpeq_epi32_mask(symbols, number(symbol)), part);
    }
    // The favourite's power is 2^24. It stands behind the others, and takes what rounding left.
    let first = _mm512_add_epi32(_mm512_srli_epi32::<8>(quotient), one);
    let others = _mm512_sub_epi32(all, first);
    below = _mm512_mask_sub_epi32(below, _mm512_cmplt_epi32_mask(favourite, symbols), below, first);
    let is_favourite = _mm512_cmpeq_epi32_mask(favourite, symbols);
    (_mm512_mask_mov_epi32(below, is_favourite, others), _mm512_mask_sub_epi32(size, is_favourite, total, others))
}

/// floor(left · 2^32 / sum) by floating point: it errs by a 2^53rd of a quotient below 2^48 / sum, so by less than 1 / sum, which is the least distance of
/// a quotient from the integer above it.
#[inline]
#[target_feature(enable = "avx512f")]
fn quotient(left: __m512i, sum: __m512i) -> __m512i {
    let half = |left: __m256i, sum: __m256i| {
        let left = _mm512_mul_pd(_mm512_cvtepu32_pd(left), _mm512_set1_pd(4_294_967_296.0));
        _mm512_cvttpd_epu32(_mm512_div_pd(left, _mm512_cvtepu32_pd(sum)))
    };
    let low = half(low_half(left), low_half(sum));
    let high = half(high_half(left), high_half(sum));
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn low_half(v: __m512i) -> __m256i {
    _mm512_castsi512_si256(v)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn high_half(v: __m512i) -> __m256i {
    _mm512_extracti64x4_epi64::<1>(v)
}

/// Narrows eight intervals, those whose square is `coded`, to what lies between two bounds.
#[inline]
#[target_feature(enable = "avx512f")]
fn narrow_half(
    low: &mut [u64; LANES],
    width: &mut [u64; LANES],
    coded: u16,
    from: usize,
    start: __m256i,
    end: __m256i,
) {
    let (low, width) = (&mut low[from..][..8], &mut width[from..][..8]);
    let coded = (coded >> from) as u8;
    // SAFETY: eight numbers each, unaligned.
    unsafe {
        let whole = _mm512_loadu_si512(width.as_ptr().cast());
        let start = share(whole, _mm512_cvtepu32_epi64(start));
        let end = share(whole, _mm512_cvtepu32_epi64(end));
        let moved = _mm512_add_epi64(_mm512_loadu_si512(low.as_ptr().cast()), start);
        _mm512_mask_storeu_epi64(low.as_mut_ptr().cast(), coded, moved);
        _mm512_mask_storeu_epi64(width.as_mut_ptr().cast(), coded, _mm512_sub_epi64(end, start));
    }
}

/// floor(width · below / 65536), for widths below 2^63 and `below` up to 65536.
#[inline]
#[target_feature(enable = "avx512f")]
fn share(width: __m512i, below: __m512i) -> __m512i {
    let low = _mm512_srli_epi64::<16>(_mm512_mul_epu32(width, below));
    let high = _mm512_slli_epi64::<16>(_mm512_mul_epu32(_mm512_srli_epi64::<32>(width), below));
    _mm512_add_epi64(low, high)
}

/// The scores of each symbol, from those of each position.
#[inline]
#[target_feature(enable = "avx512f")]
fn transposed(rows: &[Scores; LANES]) -> [__m512i; SYMBOLS] {
    // SAFETY: sixteen numbers, unaligned.
    let rows: [__m512i; LANES] = core::array::from_fn(|n| unsafe { _mm512_loadu_si512(rows[n].0.as_ptr().cast()) });
    let pairs: [__m512i; LANES] = core::array::from_fn(|n| {
        let (one, other) = (rows[n & !1], rows[n | 1]);
        if n % 2 == 0 { _mm512_unpacklo_epi32(one, other) } else { _mm512_unpackhi_epi32(one, other) }
    });
    // Lane k of quarter 4 n + m: symbol 4 k + m of positions 4 n to 4 n + 3.
    let fours: [__m512i; LANES] = core::array::from_fn(|at| {
        let (n, m) = (at / 4 * 4, at % 4);
        let (one, other) = (pairs[n + m / 2], pairs[n + 2 + m / 2]);
        if m % 2 == 0 { _mm512_unpacklo_epi64(one, other) } else { _mm512_unpackhi_epi64(one, other) }
    });
    core::array::from_fn(|symbol| {
        let (k, m) = (symbol / 4, symbol % 4);
        let pair = |n: usize| match k / 2 {
            0 => _mm512_shuffle_i32x4::<0b01_00_01_00>(fours[n + m], fours[n + 4 + m]),
            _ => _mm512_shuffle_i32x4::<0b11_10_11_10>(fours[n + m], fours[n + 4 + m]),
        };
        match k % 2 {
            0 => _mm512_shuffle_i32x4::<0b10_00_10_00>(pair(0), pair(8)),
            _ => _mm512_shuffle_i32x4::<0b11_01_11_01>(pair(0), pair(8)),
        }
    })
}
