//! The products of sixteen positions by the matrix unit (AMX) of x86-64 servers: a thousand a cycle. Linux only, because a process has to ask for it.
//!
//! Rust has no stable functions for it yet, so these are the instructions themselves.

use core::arch::asm;
use core::arch::x86_64::*;
use std::marker::PhantomData;
use std::sync::LazyLock;

use super::avx512;
use super::frequency::Scores;
use super::lanes::LANES;
use super::{Model, SYMBOLS, Sums};

/// The one size of models that it is written for: that of chess's version 2.
const HALF: usize = 128;
const LAYER: usize = 64;

/// A thread's matrix registers, set up; they are given back when this goes.
pub(super) struct Tiles {
    active: Bytes<{ LANES * HALF }>,
    hidden: Hidden,
    /// They are the thread's.
    here: PhantomData<*const ()>,
}

#[repr(align(64))]
struct Bytes<const N: usize>([u8; N]);
#[repr(align(64))]
struct Hidden([[i32; LAYER]; LANES]);

/// Whether this processor has the unit and this process may use it.
static AVAILABLE: LazyLock<bool> = LazyLock::new(|| {
    const TILES_AND_BYTES: u32 = 1 << 24 | 1 << 25;
    cfg!(target_os = "linux")
        && is_x86_feature_detected!("avx512vnni")
        && __cpuid(0).eax >= 7
        && __cpuid_count(7, 0).edx & TILES_AND_BYTES == TILES_AND_BYTES
        && permitted()
});

/// Asks the system for the registers, which are 8 kB more to save for each thread that uses them.
fn permitted() -> bool {
    const ARCH_PRCTL: i64 = 158;
    const REQUEST_PERMISSION: i64 = 0x1023;
    const TILE_DATA: i64 = 18;
    let answer: i64;
    // SAFETY: Linux's arch_prctl with two numbers: it reads and writes no memory of ours.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => answer,
            in("rdi") REQUEST_PERMISSION,
            in("rsi") TILE_DATA,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    answer == 0
}

impl Tiles {
    /// Whether there are any.
    pub(super) fn available() -> bool {
        *AVAILABLE
    }

    /// The registers, where there are any and they are worth it for this model.
    pub(super) fn begin(model: &Model) -> Option<Self> {
        if (model.half, model.layer) != (HALF, LAYER) || !Self::available() {
            return None;
        }
        // Palette 1; eight tiles of 16 rows of 64 bytes.
        let mut shapes = Bytes([0u8; 64]);
        shapes.0[0] = 1;
        for tile in 0..8 {
            shapes.0[16 + 2 * tile] = 64;
            shapes.0[48 + tile] = 16;
        }
        // SAFETY: the processor has the unit, the process may use it, and the 64 bytes are a valid configuration.
        unsafe { asm!("ldtilecfg [{}]", in(reg) shapes.0.as_ptr(), options(nostack, readonly)) };
        Some(Self { active: Bytes([0; LANES * HALF]), hidden: Hidden([[0; LAYER]; LANES]), here: PhantomData })
    }

    /// The activations of a square, for at most sixteen positions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn activate<'a>(&mut self, model: &Model, sums: impl IntoIterator<Item = &'a Sums>, square: usize) {
        for (sums, active) in sums.into_iter().zip(self.active.0.as_chunks_mut::<HALF>().0) {
            avx512::activate(model, sums, square, active);
        }
    }

    /// The sums of the hidden units, from the activations.
    #[inline]
    pub(super) fn first(&mut self, model: &Model, square: usize) {
        let bias = &model.first_bias[square * LAYER..][..LAYER];
        let weights = &model.first[square * HALF * LAYER..][..HALF * LAYER];
        // Tiles 0 to 3 are sums of 16 units each, 4 and 5 the activations, 6 and 7 weights: 16 blocks of 4 × 16.
        // SAFETY: `self` says that the tiles are set up. 16 rows of 64 bytes each: biases are one row (with a stride of nothing); two halves of 16 × 128
        // activations; 32 rows of 256 bytes of weights, and 16 rows of 256 bytes of sums, in four columns.
        unsafe {
            asm!(
                "tileloadd tmm4, [{active} + {row}]",
                "tileloadd tmm5, [{active} + {row} + 64]",
                "tileloadd tmm0, [{bias} + {none}]",
                "tileloadd tmm1, [{bias} + {none} + 64]",
                "tileloadd tmm2, [{bias} + {none} + 128]",
                "tileloadd tmm3, [{bias} + {none} + 192]",
                "tileloadd tmm6, [{weights} + {line}]",
                "tileloadd tmm7, [{weights} + {line} + 64]",
                "tdpbusd tmm0, tmm4, tmm6",
                "tdpbusd tmm1, tmm4, tmm7",
                "tileloadd tmm6, [{weights} + {line} + 128]",
                "tileloadd tmm7, [{weights} + {line} + 192]",
                "tdpbusd tmm2, tmm4, tmm6",
                "tdpbusd tmm3, tmm4, tmm7",
                "tileloadd tmm6, [{weights} + {line} + 4096]",
                "tileloadd tmm7, [{weights} + {line} + 4160]",
                "tdpbusd tmm0, tmm5, tmm6",
                "tdpbusd tmm1, tmm5, tmm7",
                "tilestored [{hidden} + {line}], tmm0",
                "tilestored [{hidden} + {line} + 64], tmm1",
                "tileloadd tmm6, [{weights} + {line} + 4224]",
                "tileloadd tmm7, [{weights} + {line} + 4288]",
                "tdpbusd tmm2, tmm5, tmm6",
                "tdpbusd tmm3, tmm5, tmm7",
                "tilestored [{hidden} + {line} + 128], tmm2",
                "tilestored [{hidden} + {line} + 192], tmm3",
                active = in(reg) self.active.0.as_ptr(),
                bias = in(reg) bias.as_ptr(),
                weights = in(reg) weights.as_ptr(),
                hidden = in(reg) self.hidden.0.as_mut_ptr(),
                none = in(reg) 0usize,
                row = in(reg) HALF,
                line = in(reg) 4 * LAYER,
                options(nostack),
            );
        }
    }

    /// The scores, from the sums of the hidden units.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn second(&mut self, model: &Model, square: usize, out: &mut [Scores; LANES]) {
        let mut units = Bytes([0u8; LANES * LAYER]);
        for (hidden, units) in self.hidden.0.iter().zip(units.0.as_chunks_mut::<LAYER>().0) {
            squashed(hidden, units);
        }
        let bias = &model.second_bias[square * SYMBOLS..][..SYMBOLS];
        let weights = &model.second[square * LAYER * SYMBOLS..][..LAYER * SYMBOLS];
        // SAFETY: as above, with 16 rows of 64 bytes of units, weights and scores.
        unsafe {
            asm!(
                "tileloadd tmm0, [{bias} + {none}]",
                "tileloadd tmm4, [{units} + {row}]",
                "tileloadd tmm6, [{weights} + {row}]",
                "tdpbusd tmm0, tmm4, tmm6",
                "tilestored [{scores} + {row}], tmm0",
                units = in(reg) units.0.as_ptr(),
                bias = in(reg) bias.as_ptr(),
                weights = in(reg) weights.as_ptr(),
                scores = in(reg) out.as_mut_ptr(),
                none = in(reg) 0usize,
                row = in(reg) 64usize,
                options(nostack),
            );
        }
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: a value exists only where the unit does.
        unsafe { asm!("tilerelease", options(nostack, nomem)) };
    }
}

/// Hidden sums to units: a 64th, at least 0 and at most 127.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn squashed(hidden: &[i32; LAYER], units: &mut [u8; LAYER]) {
    let group = |n: usize| {
        // SAFETY: sixteen numbers, unaligned.
        let sums = unsafe { _mm512_loadu_si512(hidden[16 * n..][..16].as_ptr().cast()) };
        _mm512_srai_epi32::<6>(sums)
    };
    let words = [_mm512_packs_epi32(group(0), group(1)), _mm512_packs_epi32(group(2), group(3))];
    let bytes = _mm512_min_epu8(_mm512_packus_epi16(words[0], words[1]), _mm512_set1_epi8(127));
    // Packing works within quarters: number 4 k of each is from group k.
    let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    // SAFETY: 64 bytes, unaligned.
    unsafe { _mm512_storeu_si512(units.as_mut_ptr().cast(), _mm512_permutexvar_epi32(order, bytes)) };
}
