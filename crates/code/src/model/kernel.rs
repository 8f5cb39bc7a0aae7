//! The model's arithmetic: one plain implementation, and faster ones with the same integers.

use super::frequency::{Frequencies, Lines, Scores, divide};
use super::{MAX_HALF, MAX_LAYER, Model, SYMBOLS, Sums};

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
        // A profile is made with those of lesser machines, too.
        #[cfg(watched)]
        if let Some(number) = std::env::var("RUKH_KERNEL").ok().and_then(|number| number.parse().ok()) {
            let all: Vec<_> = Self::available().collect();
            return all.into_iter().rev().nth(number).unwrap_or(Self::Plain);
        }
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
            // SAFETY: this kernel is only made where the machine has AVX2.
            Self::Avx2 => unsafe { super::avx2::add(row, sums) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is only made where the machine has AVX-512 F and BW.
            Self::Avx512 => unsafe { super::avx512::add(row, sums) },
        }
    }

    /// The scores of the symbols on a square.
    #[inline]
    pub(crate) fn scores(self, model: &Model, sums: &Sums, square: usize) -> Scores {
        match self {
            Self::Plain => scores(model, sums, square),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is only made where the machine has AVX2.
            Self::Avx2 => unsafe { super::avx2::scores(model, sums, square) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is only made where the machine has AVX-512 F, BW and VNNI.
            Self::Avx512 => match unsafe { super::avx512::scores::<1, 2>(model, [sums], square) } {
                Some([scores]) => scores,
                None => Self::Avx2.scores(model, sums, square),
            },
        }
    }

    /// The scores of a square for several positions, put into `out` in their order. The weights of a square, which are what has to be fetched, come once for
    /// four positions where there are registers for that.
    pub(crate) fn scores_together(self, model: &Model, all: &[&Sums], square: usize, out: &mut Vec<Scores>) {
        out.clear();
        #[cfg(target_arch = "x86_64")]
        if self == Self::Avx512 {
            for &four in all.as_chunks::<4>().0 {
                // SAFETY: this kernel is only made where the machine has AVX-512 F, BW and VNNI.
                let Some(scores) = (unsafe { super::avx512::scores::<4, 1>(model, four, square) }) else { break };
                out.extend(scores);
            }
        }
        let left = &all[out.len()..];
        out.extend(left.iter().map(|sums| self.scores(model, sums, square)));
    }

    /// The frequencies of the open symbols: they add up to 65536 and none is zero. The others are zero.
    #[inline]
    pub(crate) fn divide(self, scores: &Scores, open: u32) -> Frequencies {
        match self {
            Self::Plain => divide(scores, open),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is only made where the machine has AVX2.
            Self::Avx2 => unsafe { super::avx2::divide(scores, open) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is only made where the machine has AVX-512 F.
            Self::Avx512 => unsafe { super::avx512::divide(scores, open) },
        }
    }
}

fn add(row: &[i8], sums: &mut [i16]) {
    for (sum, &weight) in sums.iter_mut().zip(row) {
        *sum += i16::from(weight);
    }
}

/// Adds the products of four numbers with blocks of four weights each to `sums`.
fn accumulate(sums: &mut [i32], four: [i32; 4], weights: &[i8]) {
    for (sum, w) in sums.iter_mut().zip(weights.chunks_exact(4)) {
        *sum += four[0] * i32::from(w[0])
            + four[1] * i32::from(w[1])
            + four[2] * i32::from(w[2])
            + four[3] * i32::from(w[3]);
    }
}

fn scores(model: &Model, sums: &Sums, square: usize) -> Scores {
    let (half, layer) = (model.half, model.layer);
    let offsets = &model.offsets[square * 2 * half..][..2 * half];
    let mut active = [0i32; MAX_HALF];
    for j in 0..half {
        let one = (sums.0[j] + offsets[j]).clamp(0, 127);
        let two = (sums.0[half + j] + offsets[half + j]).clamp(0, 127);
        active[j] = i32::from(one) * i32::from(two) >> 7;
    }
    let mut hidden = [0i32; MAX_LAYER];
    let hidden = &mut hidden[..layer];
    hidden.copy_from_slice(&model.first_bias[square * layer..][..layer]);
    let weights = &model.first[square * half * layer..][..half * layer];
    for (four, block) in active[..half].chunks_exact(4).zip(weights.chunks_exact(4 * layer)) {
        accumulate(hidden, [0, 1, 2, 3].map(|n: usize| four[n]), block);
    }
    let mut scores = [0; SYMBOLS];
    scores.copy_from_slice(&model.second_bias[square * SYMBOLS..][..SYMBOLS]);
    let weights = &model.second[square * layer * SYMBOLS..][..layer * SYMBOLS];
    for (four, block) in hidden.chunks_exact(4).zip(weights.chunks_exact(4 * SYMBOLS)) {
        accumulate(&mut scores, [0, 1, 2, 3].map(|n: usize| (four[n] >> 6).clamp(0, 127)), block);
    }
    Lines(scores)
}
