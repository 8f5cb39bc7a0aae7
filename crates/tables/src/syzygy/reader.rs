//! Reads the head of a table from front to back.

use super::Damage;

pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8], Damage> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..len)).ok_or(Damage("it ends in its head"))?;
        self.at += len;
        Ok(taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Damage> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, Damage> {
        self.take(2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub(super) fn u32(&mut self) -> Result<u32, Damage> {
        self.take(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// To the next even place, as seen from the start of the file.
    pub(super) fn align(&mut self) -> Result<(), Damage> {
        self.take(self.at & 1).map(|_| ())
    }
}
