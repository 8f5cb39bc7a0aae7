//! The integer model of Part B: what may stand on a square, given the squares before it.
//!
//! Files come from training/code; docs/formats/position-code.md has their layout and the arithmetic.

mod aligned;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx512;
mod frequency;
#[allow(unsafe_code)] // calls of functions that need vector instructions
mod kernel;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod lanes;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod tiles;

use rukh_core::Variant;

use crate::CodeError;
use aligned::Aligned;
pub(crate) use frequency::{Frequencies, Scores, TOTAL};
pub(crate) use kernel::{Kernel, Together};
#[cfg(target_arch = "x86_64")]
pub(crate) use lanes::{Group, LANES, Rules};

/// Symbols with room to spare: 13 in chess, 15 in Makruk.
pub(crate) const SYMBOLS: usize = 16;
/// Largest sizes that a model may have; the kernels' buffers hold them.
const MAX_HALF: usize = 256;
const MAX_LAYER: usize = 128;
/// Blocks of four weights whose pair sums fit 16 bits together, on the squares that [`Model::few`] names.
const FEW: usize = 4;
/// The largest activation: 127 · 127 >> 7.
const MOST_ACTIVE: i32 = 126;
const MAGIC: &[u8; 8] = b"RKPCMDL1";

/// A model, laid out for the kernels.
pub(crate) struct Model {
    pub version: u16,
    pub variant: Variant,
    pub checksum: u64,
    pub symbols: usize,
    pub features: usize,
    /// Frequencies of the header symbols, out of 65536.
    pub header: Vec<u32>,
    /// Activations: pairs of running sums. A multiple of 32.
    half: usize,
    /// Hidden units of a square. A multiple of 16.
    layer: usize,
    /// `[square][symbol - 1][2 × half]`: what a man adds to the running sums.
    men: Aligned<i8>,
    /// `[square][2 × half]`.
    offsets: Aligned<i16>,
    /// `[feature][2 × half]`.
    bits: Aligned<i16>,
    /// `[square][half / 4][layer][4]`.
    first: Aligned<i8>,
    /// Whether on a square [`FEW`] blocks of `first` can be added in 16 bits, whatever the activations.
    few: [bool; 64],
    /// `[square][layer]`.
    first_bias: Aligned<i32>,
    /// `[square][layer / 4][16][4]`.
    second: Aligned<i8>,
    /// `[square][16]`.
    second_bias: Aligned<i32>,
}

/// Running sums of a position.
#[derive(Clone, PartialEq)]
#[repr(align(64))]
pub(crate) struct Sums([i16; 2 * MAX_HALF]);

impl Sums {
    pub(crate) const ZERO: Self = Self([0; 2 * MAX_HALF]);
}

impl Model {
    /// Reads a model file.
    pub(crate) fn read(raw: &[u8]) -> Result<Self, CodeError> {
        let wrong = CodeError::Model;
        let (body, sum) = raw.split_last_chunk::<8>().ok_or(wrong("the file is too short"))?;
        if !body.starts_with(MAGIC) || body.len() < 24 {
            return Err(wrong("this is not a model file"));
        }
        let checksum = u64::from_le_bytes(*sum);
        if fnv1a(body) != checksum {
            return Err(wrong("the checksum is wrong: the file is damaged"));
        }
        let word = |n: usize| usize::from(u16::from_le_bytes([body[8 + 2 * n], body[9 + 2 * n]]));
        let [version, variant, half, layer, symbols, features, headers, reserved] = std::array::from_fn(word);
        let variant = *Variant::ALL.get(variant).ok_or(wrong("unknown variant"))?;
        let expected = if variant == Variant::Makruk { (15, 2, 14) } else { (13, 5, 32) };
        if (symbols, features, headers) != expected
            || !(1..=MAX_HALF).contains(&half)
            || !(1..=MAX_LAYER).contains(&layer)
            || !layer.is_multiple_of(16)
            || reserved != 0
        {
            return Err(wrong("dimensions out of range"));
        }
        let mut rest = Bytes(&body[24..]);
        let padded = half.next_multiple_of(32);
        let (wide, full) = (2 * half, 2 * padded);
        // A pair of running sums is j and half + j: both halves move when the width is padded.
        let sum_at = |j: usize| if j < half { j } else { padded + j - half };
        let mut model = Self {
            version: version as u16,
            variant,
            checksum,
            symbols,
            features,
            header: Vec::new(),
            half: padded,
            layer,
            men: Aligned::new(64 * (symbols - 1) * full),
            offsets: Aligned::new(64 * full),
            bits: Aligned::new(features * full),
            first: Aligned::new(64 * padded * layer),
            few: [false; 64],
            first_bias: Aligned::new(64 * layer),
            second: Aligned::new(64 * layer * SYMBOLS),
            second_bias: Aligned::new(64 * SYMBOLS),
        };
        for row in 0..64 * (symbols - 1) {
            for j in 0..wide {
                model.men[row * full + sum_at(j)] = rest.i8()?;
            }
        }
        for row in 0..64 {
            for j in 0..wide {
                model.offsets[row * full + sum_at(j)] = rest.i16()?;
            }
        }
        for row in 0..features {
            for j in 0..wide {
                model.bits[row * full + sum_at(j)] = rest.i16()?;
            }
        }
        for square in 0..64 {
            for j in 0..half {
                for k in 0..layer {
                    model.first[((square * padded / 4 + j / 4) * layer + k) * 4 + j % 4] = rest.i8()?;
                }
            }
        }
        for square in 0..64 {
            for k in 0..layer {
                model.first_bias[square * layer + k] = rest.i32()?;
            }
        }
        for square in 0..64 {
            for k in 0..layer {
                for s in 0..symbols {
                    model.second[((square * layer / 4 + k / 4) * SYMBOLS + s) * 4 + k % 4] = rest.i8()?;
                }
            }
        }
        for square in 0..64 {
            for s in 0..symbols {
                model.second_bias[square * SYMBOLS + s] = rest.i32()?;
            }
        }
        for _ in 0..headers {
            model.header.push(rest.u16()?);
        }
        if !rest.0.is_empty() {
            return Err(wrong("the file is too long"));
        }
        model.check_ranges()?;
        model.few = std::array::from_fn(|square| model.is_few(square));
        Ok(model)
    }

    /// The arithmetic must not overflow, whatever the position: running sums in 16 bits, everything else in 32.
    fn check_ranges(&self) -> Result<(), CodeError> {
        let full = 2 * self.half;
        for j in 0..full {
            let bits: i32 = (0..self.features).map(|f| i32::from(self.bits[f * full + j]).abs()).sum();
            let offset = (0..64).map(|t| i32::from(self.offsets[t * full + j]).abs()).max().unwrap_or(0);
            // Any other bound would do for the men; this one needs no thought.
            if bits + offset + 64 * 128 > i32::from(i16::MAX) {
                return Err(CodeError::Model("running sums could overflow"));
            }
        }
        let small = |biases: &Aligned<i32>| biases.iter().all(|b| b.unsigned_abs() <= 1 << 24);
        if !small(&self.first_bias) || !small(&self.second_bias) || self.men.contains(&i8::MIN) {
            return Err(CodeError::Model("weights out of range"));
        }
        if self.first.contains(&i8::MIN) || self.second.contains(&i8::MIN) {
            return Err(CodeError::Model("weights out of range"));
        }
        if self.header.iter().sum::<u32>() != 1 << 16 || self.header.contains(&0) {
            return Err(CodeError::Model("the header frequencies do not add up"));
        }
        Ok(())
    }

    /// Whether the sums of products of [`FEW`] blocks, of two products each, fit 16 bits on a square.
    fn is_few(&self, square: usize) -> bool {
        let weights = &self.first[square * self.half * self.layer..][..self.half * self.layer];
        weights.chunks_exact(4 * self.layer * FEW).all(|blocks| {
            (0..2 * self.layer).all(|pair| {
                let own = blocks.chunks_exact(4 * self.layer).flat_map(|block| &block[2 * pair..][..2]);
                let [most, least] = own.fold([0, 0], |[most, least], &weight| {
                    [most + i32::from(weight.max(0)), least + i32::from(weight.min(0))]
                });
                most * MOST_ACTIVE <= i32::from(i16::MAX) && least * MOST_ACTIVE >= i32::from(i16::MIN)
            })
        })
    }

    /// The running sums before the first square, for these feature bits.
    pub(crate) fn start(&self, features: u32) -> Sums {
        let mut sums = Sums::ZERO;
        self.start_in(features, &mut sums);
        sums
    }

    /// The same, added to sums of nothing.
    pub(crate) fn start_in(&self, features: u32, sums: &mut Sums) {
        let full = 2 * self.half;
        for feature in (0..self.features).filter(|f| features >> f & 1 != 0) {
            for (sum, &bit) in sums.0.iter_mut().zip(&self.bits[feature * full..][..full]) {
                *sum += bit;
            }
        }
    }
}

/// 64-bit FNV-1a.
pub(crate) fn fnv1a(data: &[u8]) -> u64 {
    data.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

/// Little-endian numbers from a slice.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], CodeError> {
        let (first, rest) = self.0.split_first_chunk::<N>().ok_or(CodeError::Model("the file is too short"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn i8(&mut self) -> Result<i8, CodeError> {
        self.take().map(i8::from_le_bytes)
    }

    fn i16(&mut self) -> Result<i16, CodeError> {
        self.take().map(i16::from_le_bytes)
    }

    fn u16(&mut self) -> Result<u32, CodeError> {
        self.take().map(u16::from_le_bytes).map(u32::from)
    }

    fn i32(&mut self) -> Result<i32, CodeError> {
        self.take().map(i32::from_le_bytes)
    }
}
