//! The middle layer by dot products of bytes, which WebAssembly has only where its host knows relaxed SIMD. Elsewhere a module that
//! names them is refused, so they are in a tiny module of their own (`web/engine/src/relaxed.ts`), which the host puts beside this one.

use super::{Aligned, MIDDLE, grouped};
use std::sync::OnceLock;

/// Adds v²/512 · weights to [`MIDDLE`] sums, v = clamp(number, 0, 255): the first layer's numbers, their weights as [`Bytes`] has them, the
/// sums, where the numbers end.
pub type Kernel = unsafe extern "C" fn(*const i16, *const i8, *mut [i32; MIDDLE], *const i16);

static KERNEL: OnceLock<Kernel> = OnceLock::new();

/// Networks that are read from now on use `kernel`.
///
/// # Safety
/// It does what [`Kernel`] says for every multiple of 32 numbers but 0, and reads and writes nothing else.
pub unsafe fn set_kernel(kernel: Kernel) {
    // (A second one would do the same.)
    let _ = KERNEL.set(kernel);
}

/// Whether there is one.
pub(super) fn found() -> bool {
    KERNEL.get().is_some()
}

/// Inputs side by side in the weights.
const GROUP: usize = 4;

/// The middle layer's weights for the kernel, `[group of inputs][neuron][GROUP]`.
#[derive(Clone, Debug)]
pub struct Bytes {
    weights: Aligned<i8>,
    kernel: Kernel,
}

impl Bytes {
    /// From `[input][neuron]`, where there is a kernel.
    pub fn new(weights: &[i8]) -> Option<Bytes> {
        let kernel = *KERNEL.get()?;
        Some(Bytes { weights: grouped::<_, _, GROUP>(weights, MIDDLE), kernel })
    }

    /// bias + inputs · weights, which are those of `squares` of the other back ends.
    #[inline]
    pub fn middle(&self, us: &[i16], them: &[i16], bias: &[i32; MIDDLE]) -> [i32; MIDDLE] {
        let n = us.len();
        assert!(n > 0 && n.is_multiple_of(32) && them.len() == n, "rows of one length, a multiple of 32");
        assert!(self.weights.len() == MIDDLE * 2 * n, "a weight for each input and neuron");
        let mut sums = *bias;
        for (numbers, weights) in [us, them].into_iter().zip(self.weights.chunks_exact(MIDDLE * n)) {
            let numbers = numbers.as_ptr_range();
            // SAFETY: a row of numbers, and a weight for each of them and neuron.
            unsafe { (self.kernel)(numbers.start, weights.as_ptr(), &raw mut sums, numbers.end) };
        }
        sums
    }
}
