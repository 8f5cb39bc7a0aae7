//! Which of eight are not zero, as a list: much of a network is silent in any one position.

/// For each set of eight its members in order, then zeros.
pub(super) static MEMBERS: [[u16; 8]; 256] = {
    let mut table = [[0u16; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if set >> bit & 1 == 1 {
                table[set][count] = bit as u16;
                count += 1;
            }
            bit += 1;
        }
        set += 1;
    }
    table
};

/// Pairs of inputs that a layer may have.
pub(super) const MAX_PAIRS: usize = 2048;

/// Room for a list of pairs; a set of eight is written whole, so there is some to spare.
pub(super) struct List([core::mem::MaybeUninit<u16>; MAX_PAIRS + 8]);

impl List {
    #[inline]
    pub(super) const fn new() -> List {
        List([core::mem::MaybeUninit::uninit(); MAX_PAIRS + 8])
    }

    #[inline]
    pub(super) fn at(&mut self, index: usize) -> *mut u16 {
        self.0.as_mut_ptr().wrapping_add(index).cast()
    }

    /// # Safety
    /// The first `len` entries have been written.
    #[inline]
    pub(super) unsafe fn first(&self, len: usize) -> &[u16] {
        debug_assert!(len <= MAX_PAIRS);
        // SAFETY: written, says the caller, and an unsigned number has the layout of a maybe-unwritten one.
        unsafe { core::slice::from_raw_parts(self.0.as_ptr().cast(), len) }
    }
}
