//! The model's arithmetic: one plain implementation, and faster ones with the same integers.

use super::frequency::{Frequencies, Lines, Scores, divide};
#[cfg(target_arch = "x86_64")]
use super::lanes::{Group, LANES, Rules};
#[cfg(target_arch = "x86_64")]
use super::tiles::Tiles;
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
    /// The same with the matrix unit, for the model of chess's version 2 and many positions.
    #[cfg(target_arch = "x86_64")]
    Amx,
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
            let amx = avx512 && Tiles::available();
            [avx2.then_some(Self::Avx2), avx512.then_some(Self::Avx512), amx.then_some(Self::Amx)]
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
            Self::Avx512 | Self::Amx => unsafe { super::avx512::add(row, sums) },
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
            Self::Avx512 | Self::Amx => match unsafe { super::avx512::scores::<1, 2>(model, [sums], square) } {
                Some([scores]) => scores,
                None => Self::Avx2.scores(model, sums, square),
            },
        }
    }

    /// Narrows the intervals of a group of positions to the symbols of all squares. False where that cannot be done for a group.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn narrow(self, model: &Model, group: &mut Group, rules: &Rules) -> bool {
        // SAFETY: this kernel is only made where the machine has AVX-512 F, BW and VNNI.
        matches!(self, Self::Avx512 | Self::Amx)
            && unsafe { super::lanes::narrow(self.tiles(model), model, group, rules) }
    }

    /// The matrix unit, where this kernel has it and it is worth it for a model.
    #[cfg(target_arch = "x86_64")]
    fn tiles(self, model: &Model) -> Option<Tiles> {
        if self == Self::Amx { Tiles::begin(model) } else { None }
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
            Self::Avx512 | Self::Amx => unsafe { super::avx512::divide(scores, open) },
        }
    }
}

/// The scores of several positions.
pub(crate) struct Together<'a> {
    kernel: Kernel,
    model: &'a Model,
    #[cfg(target_arch = "x86_64")]
    tiles: Option<Tiles>,
}

impl<'a> Together<'a> {
    pub(crate) fn new(kernel: Kernel, model: &'a Model) -> Self {
        Self {
            kernel,
            model,
            #[cfg(target_arch = "x86_64")]
            tiles: kernel.tiles(model),
        }
    }

    /// The scores of a square, put into `out` in their order. The weights of a square, which are what has to be fetched, come once for sixteen or four positions
    /// where there are registers for that.
    pub(crate) fn scores(&mut self, all: &[&Sums], square: usize, out: &mut Vec<Scores>) {
        out.clear();
        let Self { kernel, model, .. } = *self;
        #[cfg(target_arch = "x86_64")]
        if let Some(tiles) = &mut self.tiles {
            let mut scores = [const { Lines([0; SYMBOLS]) }; LANES];
            // The matrix unit takes as long for one as for all.
            for some in all.chunks(LANES).filter(|some| some.len() > LANES / 4) {
                // SAFETY: this kernel is only made where the machine has AVX-512 F, BW and VNNI.
                unsafe {
                    tiles.activate(model, some.iter().copied(), square);
                    tiles.first(model, square);
                    tiles.second(model, square, &mut scores);
                }
                out.extend_from_slice(&scores[..some.len()]);
            }
        }
        #[cfg(target_arch = "x86_64")]
        if matches!(kernel, Kernel::Avx512 | Kernel::Amx) {
            for &four in all[out.len()..].as_chunks::<4>().0 {
                // SAFETY: this kernel is only made where the machine has AVX-512 F, BW and VNNI.
                let Some(scores) = (unsafe { super::avx512::scores::<4, 1>(model, four, square) }) else { break };
                out.extend(scores);
            }
        }
        let left = &all[out.len()..];
        out.extend(left.iter().map(|sums| kernel.scores(model, sums, square)));
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
