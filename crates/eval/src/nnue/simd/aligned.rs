//! Numbers that begin at a cache line, without unsafe code.

use core::ops::{Deref, DerefMut};

const LINE: usize = 64;

/// A list of sixteen-bit numbers whose first lies on a 64-byte boundary.
#[derive(Debug)]
pub struct Aligned {
    data: Vec<i16>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// So many zeros.
    pub fn zeros(len: usize) -> Aligned {
        let data = vec![0i16; len + LINE / 2];
        // `align_offset` may decline (it never does for real memory): then the list is merely not aligned.
        let offset = data.as_ptr().align_offset(LINE);
        let start = if offset < LINE / 2 { offset } else { 0 };
        Aligned { data, start, len }
    }

    /// Little-endian numbers.
    pub fn read(bytes: &[u8]) -> Aligned {
        let mut list = Aligned::zeros(bytes.len() / 2);
        for (number, pair) in list.iter_mut().zip(bytes.chunks_exact(2)) {
            *number = i16::from_le_bytes([pair[0], pair[1]]);
        }
        list
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

impl Clone for Aligned {
    fn clone(&self) -> Self {
        // A copied vector lies elsewhere: its start must be found anew.
        let mut copy = Aligned::zeros(self.len);
        copy.copy_from_slice(self);
        copy
    }
}

impl Deref for Aligned {
    type Target = [i16];

    #[inline]
    fn deref(&self) -> &[i16] {
        &self.data[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    #[inline]
    fn deref_mut(&mut self) -> &mut [i16] {
        &mut self.data[self.start..self.start + self.len]
    }
}
