//! Numbers that begin at a cache line, without unsafe code.

use core::ops::{Deref, DerefMut};

const LINE: usize = 64;

/// A list of small numbers whose first lies on a 64-byte boundary.
#[derive(Debug)]
pub struct Aligned<T = i16> {
    data: Vec<T>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// Little-endian numbers.
    pub fn read(bytes: &[u8]) -> Aligned {
        let mut list = Aligned::zeros(bytes.len() / 2);
        for (number, pair) in list.iter_mut().zip(bytes.chunks_exact(2)) {
            *number = i16::from_le_bytes([pair[0], pair[1]]);
        }
        list
    }
}

impl<T: Copy + Default> Aligned<T> {
    /// So many zeros.
    pub fn zeros(len: usize) -> Aligned<T> {
        let spare = LINE / size_of::<T>();
        let data = vec![T::default(); len + spare];
        // `align_offset` may decline (it never does for real memory): then the list is merely not aligned.
        let offset = data.as_ptr().align_offset(LINE);
        let start = if offset < spare { offset } else { 0 };
        Aligned { data, start, len }
    }

    /// Makes the list longer; what is there stays.
    pub fn grow(&mut self, len: usize) {
        if len > self.len {
            let mut longer = Aligned::zeros(len);
            longer[..self.len].copy_from_slice(self);
            *self = longer;
        }
    }
}

impl<T: Copy + Default> Clone for Aligned<T> {
    fn clone(&self) -> Self {
        // A copied vector lies elsewhere: its start must be found anew.
        let mut copy = Aligned::zeros(self.len);
        copy.copy_from_slice(self);
        copy
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
