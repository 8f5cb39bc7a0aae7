//! Integers in as few bits as they need, and variable-length ones.

use super::container::Spill;
use super::error::DbError;

/// Writes integers of a fixed width, lowest bit first.
pub struct BitWriter {
    out: Spill,
    acc: u128,
    filled: u32,
}

impl BitWriter {
    pub fn new(out: Spill) -> BitWriter {
        BitWriter { out, acc: 0, filled: 0 }
    }

    #[inline]
    pub fn put(&mut self, value: u64, width: u32) -> Result<(), DbError> {
        self.acc |= u128::from(value) << self.filled;
        self.filled += width;
        if self.filled >= 64 {
            self.out.put(&(self.acc as u64).to_le_bytes())?;
            self.acc >>= 64;
            self.filled -= 64;
        }
        Ok(())
    }

    /// Bits written so far.
    pub fn bits(&self) -> u64 {
        self.out.len() * 8 + u64::from(self.filled)
    }

    /// Pads to whole words, with one more word, so that reads of eight bytes never leave the section.
    pub fn finish(mut self) -> Result<Spill, DbError> {
        self.out.put(&(self.acc as u64).to_le_bytes())?;
        self.out.put(&[0; 8])?;
        Ok(self.out)
    }
}

/// Appends a variable-length integer: seven bits a byte, lowest first, the top bit says that more follow.
pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a variable-length integer from the front of `bytes`.
#[inline]
pub fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&b, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(b & 0x7f) << shift;
        if b < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints() {
        let mut bytes = Vec::new();
        let values = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        values.iter().for_each(|&v| put_varint(&mut bytes, v));
        let mut rest = &bytes[..];
        for v in values {
            assert_eq!(take_varint(&mut rest), Some(v));
        }
        assert_eq!(take_varint(&mut rest), None);
        assert_eq!(take_varint(&mut &[0xff; 20][..]), None);
    }
}
