//! The two unsafe things of this crate: memory in large pages, and a prefetch.

use core::alloc::Layout;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::AtomicU64;
use std::alloc::{alloc, dealloc};

/// Half a cache line of atomics; zero bytes are a valid value and nothing needs dropping.
#[repr(C, align(32))]
pub(crate) struct Block(pub [AtomicU64; 4]);

const _: () = assert!(size_of::<Block>() == 32 && !core::mem::needs_drop::<Block>());

/// A zeroed slice on its own pages: aligned to 2 MiB when it is at least that large, and, on Linux, offered to the
/// kernel as huge pages (a random table access costs one TLB miss less).
pub(crate) struct Blocks {
    ptr: NonNull<Block>,
    len: usize,
}

// SAFETY: the memory is owned, and a `Block` of atomics is `Send` itself.
unsafe impl Send for Blocks {}
// SAFETY: shared access only hands out `&Block`, and a `Block` of atomics is `Sync`.
unsafe impl Sync for Blocks {}

const HUGE: usize = 2 << 20;

impl Blocks {
    fn layout(len: usize) -> Option<Layout> {
        let bytes = len.checked_mul(size_of::<Block>())?;
        let align = if bytes >= HUGE { HUGE } else { align_of::<Block>().max(64) };
        Layout::from_size_align(bytes, align).ok()
    }

    /// Allocates `len` zeroed values; `None` when the system has not that much memory. `len` must not be 0.
    pub(crate) fn new(len: usize) -> Option<Self> {
        assert!(len > 0);
        let layout = Self::layout(len)?;
        // SAFETY: the layout's size is not zero (asserted above).
        let ptr = NonNull::new(unsafe { alloc(layout) })?;
        // Before the first touch: a page that is already there stays small.
        advise_huge(ptr, layout.size());
        // SAFETY: freshly allocated for so many bytes.
        unsafe { ptr.as_ptr().write_bytes(0, layout.size()) };
        Some(Blocks { ptr: ptr.cast(), len })
    }
}

impl Deref for Blocks {
    type Target = [Block];
    #[inline]
    fn deref(&self) -> &[Block] {
        // SAFETY: `ptr` was allocated for `len` values, is aligned for `Block`, and zero bytes are a valid `Block`.
        unsafe { core::slice::from_raw_parts(self.ptr.as_ptr(), self.len) }
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.len) {
            // SAFETY: allocated in `new` with the same layout; a `Block` needs no destructor.
            unsafe { dealloc(self.ptr.as_ptr().cast(), layout) }
        }
    }
}

#[cfg(target_os = "linux")]
fn advise_huge(ptr: NonNull<u8>, bytes: usize) {
    const MADV_HUGEPAGE: i32 = 14;
    unsafe extern "C" {
        fn madvise(addr: *mut core::ffi::c_void, length: usize, advice: i32) -> i32;
    }
    if bytes >= HUGE {
        // SAFETY: the range is ours and page-aligned; the advice changes no contents, and a refusal is harmless.
        let _ = unsafe { madvise(ptr.as_ptr().cast(), bytes, MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge(_: NonNull<u8>, _: usize) {}

/// Asks for the cache line of `value` before it is needed.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint; it neither reads nor faults as far as the program can see.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
