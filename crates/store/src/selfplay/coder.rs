//! An adaptive binary range coder: the probability of each yes/no question is learnt while coding.
//!
//! The arithmetic is integer only and the same on every machine: a file written here reads anywhere.

use super::GamesError;

/// A learnt probability of "yes", in 1/65536, that moves fast at first and slowly later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bit {
    p: u16,
    seen: u8,
}

impl Bit {
    /// Even odds.
    pub(super) const EVEN: Bit = Bit { p: 1 << 15, seen: 0 };
    /// Steps after which the rate stays the same.
    const SETTLED: u8 = 160;
    const MIN: i32 = 64;

    /// A first guess, in 1/65536.
    pub(super) const fn guess(p: u16) -> Bit {
        Bit { p, seen: 1 }
    }

    fn learn(&mut self, yes: bool) {
        let target = if yes { 65_536 } else { 0 };
        // The step is 1/(seen + 1.5): the mean of what was seen, then a window of about SETTLED answers.
        let step = (target - i32::from(self.p)) * 2 / (2 * i32::from(self.seen) + 3);
        self.p = (i32::from(self.p) + step).clamp(Self::MIN, 65_536 - Self::MIN) as u16;
        if self.seen < Self::SETTLED {
            self.seen += 1;
        }
    }
}

const TOP: u32 = 1 << 24;

/// Both directions of the coder have the same face, so that the model is written once.
pub(super) trait Coder {
    /// Codes an answer; a decoder ignores `yes` and returns the stored one.
    fn bit(&mut self, model: &mut Bit, yes: bool) -> Result<bool, GamesError>;
    /// Codes one of `n` equally likely values (`n` below 2^16).
    fn uniform(&mut self, value: u32, n: u32) -> Result<u32, GamesError>;
}

/// Writes.
pub(super) struct Encoder {
    low: u64,
    range: u32,
    cache: u8,
    pending: u64,
    first: bool,
    out: Vec<u8>,
}

impl Encoder {
    pub(super) fn new() -> Encoder {
        Encoder { low: 0, range: u32::MAX, cache: 0, pending: 0, first: true, out: Vec::new() }
    }

    /// Bytes written so far, about.
    pub(super) fn len(&self) -> usize {
        self.out.len() + self.pending as usize
    }

    fn shift(&mut self) {
        if self.low < 0xff00_0000 || self.low > u64::from(u32::MAX) {
            let carry = (self.low >> 32) as u8;
            if !self.first {
                self.out.push(self.cache.wrapping_add(carry));
            }
            self.first = false;
            for _ in 0..self.pending {
                self.out.push(0xff_u8.wrapping_add(carry));
            }
            self.pending = 0;
            self.cache = (self.low >> 24) as u8;
        } else {
            self.pending += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    fn normalise(&mut self) {
        while self.range < TOP {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Ends the stream.
    pub(super) fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        self.out
    }
}

impl Coder for Encoder {
    fn bit(&mut self, model: &mut Bit, yes: bool) -> Result<bool, GamesError> {
        let bound = (self.range >> 16) * u32::from(model.p);
        if yes {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        model.learn(yes);
        self.normalise();
        Ok(yes)
    }

    fn uniform(&mut self, value: u32, n: u32) -> Result<u32, GamesError> {
        self.range /= n;
        self.low += u64::from(value) * u64::from(self.range);
        self.normalise();
        Ok(value)
    }
}

/// Reads. Bytes past the end read as zero: the model notices, and the checksum came first.
pub(super) struct Decoder<'a> {
    code: u32,
    range: u32,
    input: &'a [u8],
    at: usize,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(input: &'a [u8]) -> Decoder<'a> {
        let mut decoder = Decoder { code: 0, range: u32::MAX, input, at: 0 };
        for _ in 0..4 {
            decoder.code = decoder.code << 8 | u32::from(decoder.next());
        }
        decoder
    }

    fn next(&mut self) -> u8 {
        let byte = self.input.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    fn normalise(&mut self) -> Result<(), GamesError> {
        while self.range < TOP {
            self.range <<= 8;
            self.code = self.code << 8 | u32::from(self.next());
        }
        if self.at > self.input.len() + 8 {
            return Err(GamesError::Damaged("a block ends in the middle of a game"));
        }
        Ok(())
    }
}

impl Coder for Decoder<'_> {
    fn bit(&mut self, model: &mut Bit, _: bool) -> Result<bool, GamesError> {
        let bound = (self.range >> 16) * u32::from(model.p);
        let yes = self.code < bound;
        if yes {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
        }
        model.learn(yes);
        self.normalise()?;
        Ok(yes)
    }

    fn uniform(&mut self, _: u32, n: u32) -> Result<u32, GamesError> {
        self.range /= n;
        let value = self.code / self.range;
        if value >= n {
            return Err(GamesError::Damaged("a coded number is out of range"));
        }
        self.code -= value * self.range;
        self.normalise()?;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_back() {
        let mut seed = 7u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 8
        };
        let answers: Vec<(u32, bool)> = (0..50_000).map(|_| (next() % 5000, next() % 30 == 0)).collect();
        let mut encoder = Encoder::new();
        let mut model = Bit::EVEN;
        for &(n, yes) in &answers {
            encoder.bit(&mut model, yes).unwrap();
            encoder.uniform(n, 5000).unwrap();
        }
        let bytes = encoder.finish();
        // 12.29 bits for the number, 0.21 for the answer.
        assert!(bytes.len() < 50_000 * 127 / 80, "{}", bytes.len());
        let mut decoder = Decoder::new(&bytes);
        let mut model = Bit::EVEN;
        for &(n, yes) in &answers {
            assert_eq!(decoder.bit(&mut model, false).unwrap(), yes);
            assert_eq!(decoder.uniform(0, 5000).unwrap(), n);
        }
    }
}
