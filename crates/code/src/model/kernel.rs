//! The model's arithmetic: one plain implementation, and faster ones with the same integers.

use super::frequency::frequencies;
use super::{MAX_HALF, MAX_OUT, Model, SYMBOLS, Sums};

/// Which implementation runs. All give the same numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kernel {
    /// Plain Rust; the compiler vectorises what it can (NEON, WebAssembly).
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// The fastest that this machine has.
    pub(crate) fn best() -> Self {
        Self::available().last().unwrap_or(Self::Plain)
    }

    /// All that this machine has, slowest first.
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let faster = {
            let avx2 = is_x86_feature_detected!("avx2");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni");
            [avx2.then_some(Self::Avx2), avx512.then_some(Self::Avx512)]
        };
        #[cfg(not(target_arch = "x86_64"))]
        let faster: [Option<Self>; 0] = [];
        std::iter::once(Self::Plain).chain(faster.into_iter().flatten())
    }

    /// Adds a man to the running sums.
    #[inline]
    pub(crate) fn add(self, model: &Model, sums: &mut Sums, square: usize, symbol: usize) {
        let full = 2 * model.half;
        let row = &model.men[(square * (model.symbols - 1) + symbol - 1) * full..][..full];
        let sums = &mut sums.0[..full];
        match self {
            Self::Plain => add(row, sums),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: these kernels are only made where the machine has AVX2.
            Self::Avx2 | Self::Avx512 => unsafe { super::x86::add(row, sums) },
        }
    }

    /// The frequencies of the open symbols on a square: they add up to 65536 and none is zero. The others are zero.
    #[inline]
    pub(crate) fn frequencies(self, model: &Model, sums: &Sums, square: usize, open: u32) -> [u32; SYMBOLS] {
        match self {
            Self::Plain => frequencies(&scores(model, sums, square), open),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is only made where the machine has AVX2.
            Self::Avx2 => unsafe { super::x86::frequencies_avx2(model, sums, square, open) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is only made where the machine has AVX-512 F, BW and VNNI.
            Self::Avx512 => unsafe { super::x86::frequencies_avx512(model, sums, square, open) },
        }
    }
}

fn add(row: &[i8], sums: &mut [i16]) {
    for (sum, &weight) in sums.iter_mut().zip(row) {
        *sum += i16::from(weight);
    }
}

fn scores(model: &Model, sums: &Sums, square: usize) -> [i32; SYMBOLS] {
    let (half, layer, outs) = (model.half, model.layer, model.outs);
    let offsets = &model.offsets[square * 2 * half..][..2 * half];
    let mut active = [0i32; MAX_HALF];
    for j in 0..half {
        let one = (sums.0[j] + offsets[j]).clamp(0, 127);
        let two = (sums.0[half + j] + offsets[half + j]).clamp(0, 127);
        active[j] = i32::from(one) * i32::from(two) >> 7;
    }
    let mut hidden = [0i32; MAX_OUT];
    hidden[..outs].copy_from_slice(&model.first_bias[square * outs..][..outs]);
    let weights = &model.first[square * half * outs..][..half * outs];
    for (four, block) in active[..half].chunks_exact(4).zip(weights.chunks_exact(4 * outs)) {
        // Most activations are zero: whole blocks can be left out.
        if four != [0; 4] {
            for (sum, w) in hidden.iter_mut().zip(block.chunks_exact(4)) {
                *sum += four[0] * i32::from(w[0])
                    + four[1] * i32::from(w[1])
                    + four[2] * i32::from(w[2])
                    + four[3] * i32::from(w[3]);
            }
        }
    }
    let mut scores = [0; SYMBOLS];
    scores.copy_from_slice(&model.second_bias[square * SYMBOLS..][..SYMBOLS]);
    if outs > layer {
        // Models with direct scores have them after the hidden units; padding is zero.
        for (score, &direct) in scores.iter_mut().zip(&hidden[layer..outs]) {
            *score += direct;
        }
    }
    let weights = &model.second[square * layer * SYMBOLS..][..layer * SYMBOLS];
    for (four, block) in hidden[..layer].chunks_exact(4).zip(weights.chunks_exact(4 * SYMBOLS)) {
        let four = [0, 1, 2, 3].map(|n: usize| (four[n] >> 6).clamp(0, 127));
        if four != [0; 4] {
            for (sum, w) in scores.iter_mut().zip(block.chunks_exact(4)) {
                *sum += four[0] * i32::from(w[0])
                    + four[1] * i32::from(w[1])
                    + four[2] * i32::from(w[2])
                    + four[3] * i32::from(w[3]);
            }
        }
    }
    scores
}
