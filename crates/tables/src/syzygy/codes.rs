//! The canonical Huffman code of a table: which bits stand for which symbol.

use super::{Damage, Reader};

/// Longest code that the buffer of the decoder can be sure to hold.
const LONGEST: u8 = 32;

/// Bits of the shortcut to a code's length.
const QUICK_BITS: u32 = 8;

/// Longer codes are smaller numbers and belong to smaller symbols; codes of one length are consecutive.
#[derive(Debug)]
pub(super) struct Codes {
    shortest: u8,
    /// By length from the shortest: the first code, at the top of 64 bits, and its symbol.
    lengths: Box<[(u64, u16)]>,
    /// By the first bits: the first length that is possible.
    quick: Box<[u8; 1 << QUICK_BITS]>,
}

/// The lowest symbol of each length as the file has it; the number of symbols comes later.
pub(super) struct Lowest {
    shortest: u8,
    symbols: Vec<u16>,
}

impl Lowest {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Damage> {
        let (longest, shortest) = (reader.u8()?, reader.u8()?);
        if shortest == 0 || shortest > longest || longest > LONGEST {
            return Err(Damage("it has codes of an impossible length"));
        }
        let symbols = (shortest..=longest).map(|_| reader.u16()).collect::<Result<_, _>>()?;
        Ok(Self { shortest, symbols })
    }
}

impl Codes {
    /// Every sequence of bits must mean a symbol. The last symbols may have no code: they are parts of others only.
    pub(super) fn new(Lowest { shortest, symbols: lowest }: Lowest, symbols: usize) -> Result<Self, Damage> {
        let wrong = || Damage("its code does not add up");
        let mut lengths = vec![(0, 0); lowest.len()];
        // From the longest down: how many numbers of this length are taken by codes of it and by longer ones.
        let mut taken = 0_u64;
        let mut symbol = 0;
        for at in (0..lowest.len()).rev() {
            if lowest[at] != symbol || !taken.is_multiple_of(2) {
                return Err(wrong());
            }
            let first = taken / 2;
            lengths[at] = (first << (64 - u32::from(shortest) - at as u32), symbol);
            if at > 0 {
                symbol = lowest[at - 1];
                taken = first + u64::from(symbol.checked_sub(lowest[at]).ok_or_else(wrong)?);
            } else {
                let codes = (1_u64 << shortest).checked_sub(first).ok_or_else(wrong)?;
                if codes + u64::from(symbol) > symbols as u64 {
                    return Err(wrong());
                }
            }
        }
        let mut quick = Box::new([0; 1 << QUICK_BITS]);
        for (prefix, length) in quick.iter_mut().enumerate() {
            let greatest = (prefix as u64) << (64 - QUICK_BITS) | (u64::MAX >> QUICK_BITS);
            *length = lengths.iter().position(|&(first, _)| first <= greatest).unwrap_or(0) as u8;
        }
        Ok(Self { shortest, lengths: lengths.into(), quick })
    }

    /// The symbol at the top of `bits` and the length of its code.
    #[inline]
    pub(super) fn symbol(&self, bits: u64) -> Option<(usize, u32)> {
        let mut at = usize::from(self.quick[(bits >> (64 - QUICK_BITS)) as usize]);
        loop {
            let &(first, symbol) = self.lengths.get(at)?;
            if let Some(above) = bits.checked_sub(first) {
                let length = u32::from(self.shortest) + at as u32;
                return Some((usize::from(symbol) + (above >> (64 - length)) as usize, length));
            }
            at += 1;
        }
    }
}
