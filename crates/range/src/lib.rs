#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

/// Why bytes cannot be what an encoder wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is less than was asked for.
    Short,
    /// A number is larger than it can be.
    Number,
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Error::Short => "the code ends too early",
            Error::Number => "a coded number is out of range",
        })
    }
}

impl core::error::Error for Error {}

/// A learnt probability of "yes", in 1/65536, that moves fast at first and slowly later.
#[derive(Clone, Copy, Debug)]
pub struct Bit {
    p: u16,
    seen: u8,
}

impl Bit {
    /// Even odds.
    pub const EVEN: Bit = Bit { p: 1 << 15, seen: 0 };
    /// Steps after which the rate stays the same.
    const SETTLED: u8 = 160;
    const MIN: i32 = 64;

    /// A first guess, in 1/65536.
    pub const fn guess(p: u16) -> Bit {
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

/// What is learnt about numbers of one kind: small ones, most of the time.
#[derive(Clone, Debug)]
pub struct Number(Vec<Bit>);

/// Models of a number's length; behind them four for each length, for the two digits behind the first.
const LENGTHS: usize = 32;

impl Default for Number {
    fn default() -> Self {
        Number(vec![Bit::EVEN; 5 * LENGTHS])
    }
}

/// Learnt probabilities by what was coded before: several opinions on every question, of which those count most that have been
/// asked often and are sure of their answer.
#[derive(Debug)]
pub struct Mix {
    slots: Vec<Bit>,
    shift: u32,
}

/// Most opinions on one question.
const MOST_OPINIONS: usize = 8;

/// How much an opinion counts by its distance from a certain answer, in steps of 1/64.
const SURENESS: [u16; 33] = {
    let mut table = [0; 33];
    let mut i = 0;
    while i < 33 {
        table[i] = (65_536 / (80 * i + 100)) as u16;
        i += 1;
    }
    table
};

impl Mix {
    /// With two to the power of `log` places (at most 24); opinions that fall into the same place disturb each other.
    pub fn new(log: u32) -> Mix {
        let log = log.min(24);
        Mix { slots: vec![Bit::EVEN; 1 << log], shift: 32 - log }
    }

    fn place(&self, context: u32, prefix: u32) -> usize {
        let mixed = (context ^ prefix.wrapping_mul(0x9E37_79B1)).wrapping_mul(0x85EB_CA6B);
        ((mixed ^ mixed >> 15).wrapping_mul(0xC2B2_AE35) >> self.shift) as usize
    }
}

/// Either direction.
pub trait Coder {
    /// Codes an answer of known probability (of "yes", in 1/65536, not 0); a decoder ignores `yes` and returns the stored one.
    fn chance(&mut self, p: u16, yes: bool) -> Result<bool, Error>;
    /// Codes one of `n` equally likely values (`n` below 2^16).
    fn uniform(&mut self, value: u32, n: u32) -> Result<u32, Error>;

    /// Codes an answer, and learns from it.
    fn bit(&mut self, model: &mut Bit, yes: bool) -> Result<bool, Error> {
        let yes = self.chance(model.p, yes)?;
        model.learn(yes);
        Ok(yes)
    }

    /// Codes a number below 2^`bits`, its top bits first, by the opinions of `contexts`: the later, the more they know.
    fn mixed(&mut self, mix: &mut Mix, contexts: &[u32], bits: u32, value: u32) -> Result<u32, Error>;

    /// Codes a number below 2^`bits`, its top bits first; `models` has one for each prefix: 2^`bits` of them.
    fn tree(&mut self, models: &mut [Bit], bits: u32, value: u32) -> Result<u32, Error>;

    /// Codes a number below 2^32 - 1: how many bits it has, one question each, then those below the first.
    fn number(&mut self, model: &mut Number, value: u32) -> Result<u32, Error>;
}

// Compiled here, for both directions: a crate that is compiled for size uses them as they are.

fn mixed<C: Coder>(coder: &mut C, mix: &mut Mix, contexts: &[u32], bits: u32, value: u32) -> Result<u32, Error> {
    let mut places = [0; MOST_OPINIONS];
    let contexts = &contexts[..contexts.len().min(MOST_OPINIONS)];
    let mut prefix = 1;
    for at in (0..bits).rev() {
        let (mut sum, mut total, mut trust) = (0u64, 0u64, 16u64);
        for (place, &context) in places.iter_mut().zip(contexts) {
            *place = mix.place(context, prefix);
            let Bit { p, seen } = mix.slots[*place];
            if seen > 0 {
                let sure = SURENESS[usize::from(p.min(0u16.wrapping_sub(p)) >> 10)];
                let weight = trust * (1 + u64::from(seen.min(8))) * u64::from(sure);
                (sum, total) = (sum + weight * u64::from(p), total + weight);
            }
            trust += trust * 3 / 4;
        }
        let p = sum.checked_div(total).map_or(1 << 15, |p| p.clamp(128, 65_536 - 128)) as u16;
        let yes = coder.chance(p, value >> at & 1 == 1)?;
        for &place in &places[..contexts.len()] {
            mix.slots[place].learn(yes);
        }
        prefix = 2 * prefix + u32::from(yes);
    }
    Ok(prefix - (1 << bits))
}

fn tree<C: Coder>(coder: &mut C, models: &mut [Bit], bits: u32, value: u32) -> Result<u32, Error> {
    let mut prefix = 1;
    for at in (0..bits).rev() {
        let yes = coder.bit(&mut models[prefix], value >> at & 1 == 1)?;
        prefix = 2 * prefix + usize::from(yes);
    }
    Ok(prefix as u32 - (1 << bits))
}

fn number<C: Coder>(coder: &mut C, model: &mut Number, value: u32) -> Result<u32, Error> {
    let (models, digits) = model.0.split_at_mut(LENGTHS);
    let value = u64::from(value) + 1;
    let mut length = 0;
    while length < 31 && coder.bit(&mut models[length], value >> (length + 1) != 0)? {
        length += 1;
    }
    let mut read = 1u64;
    for at in (length.saturating_sub(2)..length).rev() {
        let yes = coder.bit(&mut digits[4 * length + read as usize], value >> at & 1 == 1)?;
        read = 2 * read + u64::from(yes);
    }
    // The lower digits are as good as random.
    let mut left = length.saturating_sub(2) as u32;
    while left > 0 {
        let some = left.min(15);
        left -= some;
        let part = (value >> left) as u32 & ((1 << some) - 1);
        read = read << some | u64::from(coder.uniform(part, 1 << some)?);
    }
    Ok((read - 1) as u32)
}

/// Writes.
#[derive(Debug)]
pub struct Encoder {
    low: u64,
    range: u32,
    cache: u8,
    pending: u64,
    first: bool,
    out: Vec<u8>,
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Encoder {
    /// An empty stream.
    pub fn new() -> Encoder {
        Encoder { low: 0, range: u32::MAX, cache: 0, pending: 0, first: true, out: Vec::new() }
    }

    /// Whether nothing has been written yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes written so far, about.
    pub fn len(&self) -> usize {
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
    pub fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        self.out
    }
}

impl Coder for Encoder {
    fn chance(&mut self, p: u16, yes: bool) -> Result<bool, Error> {
        let bound = (self.range >> 16) * u32::from(p);
        if yes {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        self.normalise();
        Ok(yes)
    }

    fn uniform(&mut self, value: u32, n: u32) -> Result<u32, Error> {
        self.range /= n;
        self.low += u64::from(value) * u64::from(self.range);
        self.normalise();
        Ok(value)
    }

    fn mixed(&mut self, mix: &mut Mix, contexts: &[u32], bits: u32, value: u32) -> Result<u32, Error> {
        mixed(self, mix, contexts, bits, value)
    }

    fn tree(&mut self, models: &mut [Bit], bits: u32, value: u32) -> Result<u32, Error> {
        tree(self, models, bits, value)
    }

    fn number(&mut self, model: &mut Number, value: u32) -> Result<u32, Error> {
        number(self, model, value)
    }
}

/// Reads. Bytes past the end read as zero: the model notices, and a checksum says the rest.
#[derive(Debug)]
pub struct Decoder<'a> {
    code: u32,
    range: u32,
    input: &'a [u8],
    at: usize,
}

impl<'a> Decoder<'a> {
    /// Reads what an encoder has written.
    pub fn new(input: &'a [u8]) -> Decoder<'a> {
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

    fn normalise(&mut self) -> Result<(), Error> {
        while self.range < TOP {
            self.range <<= 8;
            self.code = self.code << 8 | u32::from(self.next());
        }
        if self.at > self.input.len() + 8 {
            return Err(Error::Short);
        }
        Ok(())
    }
}

impl Coder for Decoder<'_> {
    fn chance(&mut self, p: u16, _: bool) -> Result<bool, Error> {
        let bound = (self.range >> 16) * u32::from(p);
        let yes = self.code < bound;
        if yes {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
        }
        self.normalise()?;
        Ok(yes)
    }

    fn uniform(&mut self, _: u32, n: u32) -> Result<u32, Error> {
        self.range /= n;
        let value = self.code / self.range;
        if value >= n {
            return Err(Error::Number);
        }
        self.code -= value * self.range;
        self.normalise()?;
        Ok(value)
    }

    fn mixed(&mut self, mix: &mut Mix, contexts: &[u32], bits: u32, value: u32) -> Result<u32, Error> {
        mixed(self, mix, contexts, bits, value)
    }

    fn tree(&mut self, models: &mut [Bit], bits: u32, value: u32) -> Result<u32, Error> {
        tree(self, models, bits, value)
    }

    fn number(&mut self, model: &mut Number, value: u32) -> Result<u32, Error> {
        number(self, model, value)
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

    /// Numbers of any size, and text by what stands before it.
    fn some<C: Coder>(coder: &mut C, numbers: &mut [u32], text: &mut [u8]) -> Result<(), Error> {
        let mut model = Number::default();
        for number in numbers {
            *number = coder.number(&mut model, *number)?;
        }
        let mut tree = [Bit::EVEN; 4];
        let mut mix = Mix::new(16);
        for at in 0..text.len() {
            let before = |n: usize| {
                text[at.saturating_sub(n)..at].iter().fold(n as u32, |sum, &c| sum.wrapping_mul(251) ^ u32::from(c))
            };
            let contexts = [before(0), before(1), before(2), before(4)];
            text[at] = coder.mixed(&mut mix, &contexts, 8, text[at].into())? as u8;
            assert!(coder.tree(&mut tree, 2, at as u32 & 3)? < 4);
        }
        Ok(())
    }

    #[test]
    fn numbers_and_text_come_back() {
        let mut numbers = [0, 1, 2, 3, 4, 1000, 65_535, 1 << 17, u32::MAX - 1, 7];
        let mut text = b"the rook, the king and the rook; ".repeat(40);
        let (wanted, length) = ((numbers, text.clone()), text.len());
        let mut encoder = Encoder::new();
        some(&mut encoder, &mut numbers, &mut text).unwrap();
        let bytes = encoder.finish();
        assert!(bytes.len() < length / 2, "{}", bytes.len());
        let (mut numbers, mut text) = ([0; 10], vec![0; length]);
        some(&mut Decoder::new(&bytes), &mut numbers, &mut text).unwrap();
        assert_eq!((numbers, text), wanted);
        let (mut numbers, mut text) = ([0; 10], vec![0; length]);
        assert_eq!(some(&mut Decoder::new(&bytes[..9]), &mut numbers, &mut text), Err(Error::Short));
    }
}
