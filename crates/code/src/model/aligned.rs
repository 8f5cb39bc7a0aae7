//! A fixed array that begins on a cache line, without unsafe code: a vector with slack, entered at the right place.

use std::ops::{Deref, DerefMut};

const LINE: usize = 64;

/// An array of `len` numbers.
pub(crate) struct Aligned<T> {
    data: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// `len` zeros.
    pub(crate) fn new(len: usize) -> Self {
        let data = vec![T::default(); len + LINE];
        // The vector is never resized, so its place stays.
        let start = data.as_ptr().align_offset(LINE).min(LINE);
        Self { data, start, len }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.data[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.data[self.start..self.start + self.len]
    }
}
