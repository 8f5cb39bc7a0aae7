//! Symbols: single values, and pairs of symbols (RE-PAIR), so that one code may stand for up to 256 values.

use super::{Damage, Reader};

/// The right half of a symbol that is a single value.
const VALUE: u16 = 0xFFF;

/// A symbol: a pair, or, when it stands for one value, that value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    /// The value, or the left half.
    left: u16,
    right: u16,
    /// How many values it stands for, less one.
    pub(super) more: u8,
}

/// All symbols of a table. Their halves are in range and stand for fewer values than the whole, so going down ends.
#[derive(Debug)]
pub(super) struct Symbols(Box<[Symbol]>);

impl Symbols {
    /// Three bytes each: two numbers of twelve bits, the lower first.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Damage> {
        let count = usize::from(reader.u16()?);
        if !(1..=usize::from(VALUE)).contains(&count) {
            return Err(Damage("it has an impossible number of symbols"));
        }
        let halves = reader
            .take(3 * count)?
            .chunks_exact(3)
            .map(|bytes| {
                let [low, middle, high] = [bytes[0], bytes[1], bytes[2]].map(u16::from);
                (low | (middle & 15) << 8, middle >> 4 | high << 4)
            })
            .collect::<Vec<_>>();
        reader.take(count & 1)?;
        let lengths = lengths(&halves)?;
        let symbol = |(&(left, right), more)| Symbol { left, right, more };
        Ok(Self(halves.iter().zip(lengths).map(symbol).collect()))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub(super) fn get(&self, symbol: usize) -> Option<Symbol> {
        self.0.get(symbol).copied()
    }

    /// The value at `place` among those of a symbol.
    #[inline]
    pub(super) fn value(&self, mut symbol: Symbol, mut place: u32) -> Option<u16> {
        while symbol.more > 0 {
            let left = self.get(symbol.left.into())?;
            let in_left = u32::from(left.more) + 1;
            if place < in_left {
                symbol = left;
            } else {
                place -= in_left;
                symbol = self.get(symbol.right.into())?;
            }
        }
        Some(symbol.left)
    }
}

/// How many values each symbol stands for, less one. The list of what is still to be found out is our own, so that no
/// file can make the stack overflow, and a symbol that contains itself is noticed.
fn lengths(halves: &[(u16, u16)]) -> Result<Vec<u8>, Damage> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Begun,
        Known(u8),
    }
    let mut states = vec![State::New; halves.len()];
    let mut open = Vec::new();
    for first in 0..halves.len() {
        open.push(first);
        while let Some(&symbol) = open.last() {
            let (left, right) = halves[symbol];
            if matches!(states[symbol], State::Known(_)) {
                open.pop();
            } else if right == VALUE {
                states[symbol] = State::Known(0);
            } else {
                let (left, right) = (usize::from(left), usize::from(right));
                let (Some(&left_state), Some(&right_state)) = (states.get(left), states.get(right)) else {
                    return Err(Damage("it has a symbol made of one that does not exist"));
                };
                match (left_state, right_state) {
                    (State::Known(left), State::Known(right)) => {
                        let more = left.checked_add(right).and_then(|more| more.checked_add(1));
                        states[symbol] = State::Known(more.ok_or(Damage("it has a symbol that stands for too much"))?);
                    }
                    (State::Begun, _) | (_, State::Begun) => {
                        return Err(Damage("it has a symbol that contains itself"));
                    }
                    _ => {
                        states[symbol] = State::Begun;
                        open.extend([right, left].into_iter().filter(|&half| states[half] == State::New));
                    }
                }
            }
        }
    }
    Ok(states.iter().map(|state| if let State::Known(more) = state { *more } else { 0 }).collect())
}
