//! The part of the code space that is left, and how it is divided.

use crate::big::{Big, Width};
use crate::model::{Frequencies, TOTAL};

/// The part of the code space that is left.
#[derive(Clone, Copy)]
pub(crate) struct Interval<W> {
    pub low: W,
    pub width: W,
}

/// What can be narrowed to the part of a symbol. `None` where the part is empty.
pub(crate) trait Narrow {
    /// Narrows to a part of this size, with the parts before it adding up to `below`.
    fn narrow(&mut self, below: u32, size: u32) -> Option<()>;

    /// Narrows to the last part, which has this size and what rounding left of the others: it is never empty.
    fn narrow_last(&mut self, size: u32);

    /// Narrows to one of `parts` equal parts.
    fn narrow_equal(&mut self, number: u32, parts: u32) -> Option<()>;

    /// Narrows to a symbol. The favourite's part is the last one: rounding, which in a narrow interval is worth bits, is
    /// to the gain of the symbol that is met most often, and its part can be found without the others.
    #[inline]
    fn narrow_symbol(&mut self, f: &Frequencies, symbol: usize) -> Option<()> {
        // Without a branch: which symbol is the favourite cannot be foretold, and nothing should wait for it.
        let others = !(1u32 << f.favourite);
        let before = others & if symbol == f.favourite { others } else { (1 << symbol) - 1 };
        let below = f.parts.iter().enumerate().map(|(s, &part)| part & (before >> s & 1).wrapping_neg()).sum();
        self.narrow(below, f.parts[symbol])
    }
}

impl<W: Width> Narrow for Interval<W> {
    #[inline]
    fn narrow(&mut self, below: u32, size: u32) -> Option<()> {
        self.narrow_to(self.bound(below), self.bound(below + size))
    }

    #[inline]
    fn narrow_last(&mut self, size: u32) {
        let start = self.bound(TOTAL - size);
        self.low = self.low.plus(start);
        self.width = self.width.minus(start);
    }

    fn narrow_equal(&mut self, number: u32, parts: u32) -> Option<()> {
        self.narrow_to(self.width.share(number, parts), self.width.share(number + 1, parts))
    }
}

/// Two intervals at once, for a position that may be too much for the first: the model, which costs most, is asked once.
pub(crate) struct Both {
    /// Gone when it has run out.
    pub short: Option<Interval<u64>>,
    pub long: Interval<Big>,
}

impl Both {
    fn shorten(&mut self, narrow: impl FnOnce(&mut Interval<u64>) -> Option<()>) {
        self.short = self.short.take().and_then(|mut short| narrow(&mut short).map(|()| short));
    }
}

impl Narrow for Both {
    #[inline]
    fn narrow(&mut self, below: u32, size: u32) -> Option<()> {
        self.shorten(|short| short.narrow(below, size));
        self.long.narrow(below, size)
    }

    fn narrow_last(&mut self, size: u32) {
        self.shorten(|short| {
            short.narrow_last(size);
            Some(())
        });
        self.long.narrow_last(size);
    }

    fn narrow_equal(&mut self, number: u32, parts: u32) -> Option<()> {
        self.shorten(|short| short.narrow_equal(number, parts));
        self.long.narrow_equal(number, parts)
    }
}

impl<W: Width> Interval<W> {
    /// The bound of a part: floor(width × below / 65536).
    #[inline]
    fn bound(&self, below: u32) -> W {
        self.width.part(below)
    }

    #[inline]
    fn narrow_to(&mut self, start: W, end: W) -> Option<()> {
        self.low = self.low.plus(start);
        self.width = end.minus(start);
        (start < end).then_some(())
    }

    /// Finds the part that `code` is in, for frequencies that add up to 65536, and narrows to it.
    #[inline]
    pub(crate) fn find(&mut self, code: W, frequencies: impl Iterator<Item = u32>) -> Option<usize> {
        let offset = code.minus(self.low);
        let (mut below, mut start) = (0, W::NONE);
        for (number, size) in frequencies.enumerate() {
            let end = self.bound(below + size);
            if offset < end {
                self.narrow_to(start, end)?;
                return Some(number);
            }
            (below, start) = (below + size, end);
        }
        None
    }

    /// The inverse of `narrow_symbol`.
    #[inline]
    pub(crate) fn find_symbol(&mut self, code: W, f: &Frequencies) -> Option<usize> {
        let favourite = f.parts[f.favourite];
        if code.minus(self.low) >= self.bound(TOTAL - favourite) {
            self.narrow_last(favourite);
            return Some(f.favourite);
        }
        let others = f.parts.iter().enumerate().map(|(s, &part)| if s == f.favourite { 0 } else { part });
        self.find(code, others)
    }

    /// Finds which of `count` rare cases of this size `code` is in; `Some(None)` is the usual case, behind them.
    pub(crate) fn find_rare(&mut self, code: W, count: u32, size: u32) -> Option<Option<usize>> {
        let list = std::iter::repeat_n(size, count as usize).chain([TOTAL - count * size]);
        let number = self.find(code, list)?;
        Some((number < count as usize).then_some(number))
    }
}
