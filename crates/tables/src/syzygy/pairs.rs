//! The values of a table by index: a sparse index finds the block, Huffman codes and pairs give the value.

use super::codes::{Codes, Lowest};
use super::source::{Section, Source};
use super::symbols::Symbols;
use super::{Damage, Reader};

/// Flag of a table in which all values are the same.
const SAME: u8 = 0x80;

/// Blocks that a search from the sparse index may pass. Real tables need a few; this bounds what a damaged one may cost.
const MAX_HOPS: u32 = 1 << 16;

/// What the head says about the values.
pub(super) enum Head {
    Same(u16),
    Coded(Box<CodedHead>),
}

pub(super) struct CodedHead {
    block_size: usize,
    span_bits: u32,
    blocks: u64,
    /// Lengths of blocks, some more than there are blocks, so that the index never points behind them.
    lengths: u64,
    codes: Codes,
    symbols: Symbols,
    index: u64,
}

impl Head {
    /// Reads the head of the values of `size` positions; gives the flags too.
    pub(super) fn read(reader: &mut Reader<'_>, size: u64) -> Result<(u8, Self), Damage> {
        let flags = reader.u8()?;
        if flags & SAME != 0 {
            return Ok((flags, Self::Same(reader.u8()?.into())));
        }
        let (block_bits, span_bits) = (reader.u8()?, reader.u8()?);
        // A block holds the first 64 bits that the decoder looks at.
        if !(3..=16).contains(&block_bits) || !(1..=31).contains(&span_bits) {
            return Err(Damage("it has blocks of an impossible size"));
        }
        let padding = u64::from(reader.u8()?);
        let blocks = u64::from(reader.u32()?);
        let lowest = Lowest::read(reader)?;
        let symbols = Symbols::read(reader)?;
        let codes = Codes::new(lowest, symbols.len())?;
        let head = CodedHead {
            block_size: 1 << block_bits,
            span_bits: span_bits.into(),
            blocks,
            lengths: blocks + padding,
            codes,
            symbols,
            index: size.div_ceil(1 << span_bits),
        };
        Ok((flags, Self::Coded(Box::new(head))))
    }
}

/// The values of one side to move (and one file of the leading pawn).
#[derive(Debug)]
pub(super) enum Pairs {
    Same(u16),
    Coded(Box<Coded>),
}

#[derive(Debug)]
pub(super) struct Coded {
    span_bits: u32,
    codes: Codes,
    symbols: Symbols,
    index: Section,
    lengths: Section,
    data: Section,
}

impl Pairs {
    /// Puts heads and the parts of the file together: all indexes, then all lengths, then all data, each of these at a
    /// multiple of 64. Returns where the last part ends.
    pub(super) fn place(heads: Vec<Head>, source: &Source, start: u64) -> Result<(Vec<Self>, u64), Damage> {
        let mut at = start;
        let mut sections = |items: &dyn Fn(&CodedHead) -> (u64, usize), align: u64| {
            let mut section = |head: &CodedHead| {
                let (items, size) = items(head);
                let section = Section::new(source, at.next_multiple_of(align), items, size)?;
                at = section.end();
                Ok(section)
            };
            let coded = heads.iter().filter_map(|head| if let Head::Coded(head) = head { Some(head) } else { None });
            coded.map(|head| section(head)).collect::<Result<Vec<_>, Damage>>()
        };
        let index = sections(&|head| (head.index, INDEX_ENTRY), 1)?;
        let lengths = sections(&|head| (head.lengths, 2), 1)?;
        let data = sections(&|head| (head.blocks, head.block_size), 64)?;
        let mut parts = index.into_iter().zip(lengths).zip(data);
        let mut pairs = Vec::with_capacity(heads.len());
        for head in heads {
            pairs.push(match head {
                Head::Same(value) => Self::Same(value),
                Head::Coded(head) => {
                    let Some(((index, lengths), data)) = parts.next() else { return Err(Damage("it lacks a part")) };
                    let CodedHead { span_bits, codes, symbols, .. } = *head;
                    Self::Coded(Box::new(Coded { span_bits, codes, symbols, index, lengths, data }))
                }
            });
        }
        Ok((pairs, at))
    }

    /// The value at an index.
    #[inline]
    pub(super) fn value(&self, source: &Source, index: u64) -> Result<u16, Damage> {
        match self {
            Self::Same(value) => Ok(*value),
            Self::Coded(coded) => coded.value(source, index),
        }
    }
}

/// Bytes of an entry of the sparse index: a block and a place in it.
const INDEX_ENTRY: usize = 6;

impl Coded {
    fn value(&self, source: &Source, index: u64) -> Result<u16, Damage> {
        let (block, place) = self.find(source, index)?;
        self.data.with(source, block, |bytes| self.decode(bytes, place))?.ok_or(Damage("a block of it makes no sense"))
    }

    /// The block of an index and the place in that block.
    fn find(&self, source: &Source, index: u64) -> Result<(u64, u32), Damage> {
        let span = 1_i64 << self.span_bits;
        let entry = |bytes: &[u8]| {
            let mut reader = Reader::new(bytes);
            Ok((u64::from(reader.u32()?), i64::from(reader.u16()?)))
        };
        let (mut block, mut place) = self.index.with(source, index >> self.span_bits, entry)??;
        // An entry is right for the middle of its span.
        place += (index & (span as u64 - 1)) as i64 - span / 2;
        let values = |block| {
            let length = self.lengths.with(source, block, |bytes| Reader::new(bytes).u16())??;
            Ok(i64::from(length) + 1)
        };
        for _ in 0..MAX_HOPS {
            if place < 0 {
                block = block.checked_sub(1).ok_or(Damage("its index points before its start"))?;
                place += values(block)?;
            } else {
                let here = values(block)?;
                if place < here {
                    return Ok((block, place as u32));
                }
                place -= here;
                block += 1;
            }
        }
        Err(Damage("its index does not fit its blocks"))
    }

    /// The value at a place of a block, if the bits make sense.
    fn decode(&self, block: &[u8], mut place: u32) -> Option<u16> {
        let (first, rest) = block.split_first_chunk::<8>()?;
        let mut words = rest.chunks_exact(4);
        let mut bits = u64::from_be_bytes(*first);
        let mut valid = 64_u32;
        // Bits of the block that are not yet used up.
        let mut left = block.len() as u32 * 8;
        loop {
            let (symbol, length) = self.codes.symbol(bits)?;
            left = left.checked_sub(length)?;
            let symbol = self.symbols.get(symbol)?;
            if place <= symbol.more.into() {
                return self.symbols.value(symbol, place);
            }
            place -= u32::from(symbol.more) + 1;
            bits <<= length;
            valid -= length;
            if valid <= 32 {
                // Behind the end there are noughts; `left` sees to it that no code is made of them.
                let word = words.next().map_or(0, |word| u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
                bits |= u64::from(word) << (32 - valid);
                valid += 32;
            }
        }
    }
}
