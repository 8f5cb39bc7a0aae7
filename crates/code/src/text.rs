//! Thirteen characters: twelve digits to base 39, most significant first, and a check character.
//!
//! The alphabet survives URLs, file names and the loss of upper and lower case. Direct codes take the numbers below
//! 2^63, the others follow, so that twelve digits suffice although 39^12 is less than 2^64.

use crate::CodeError;

/// Digits to base 39. The last two never come first: a text can stand alone on a command line.
pub(crate) const ALPHABET: &[u8; 39] = b"0123456789abcdefghijklmnopqrstuvwxyz_~-";
/// Characters of a text.
pub(crate) const LENGTH: usize = 13;
/// Non-negative codes must be below this; see [`crate::PositionCode`].
pub(crate) const INDEXED: u64 = 1 << 61;
const BASE: u64 = 39;
const DIRECT: u64 = 1 << 63;

const _: () = assert!(BASE.pow(12) >= DIRECT + INDEXED);
// Neither `~` (37) nor `-` (38) can be the first digit.
const _: () = assert!((DIRECT + INDEXED) / BASE.pow(11) < 37);

/// The text of a code; the code must be negative or below [`INDEXED`].
pub(crate) fn write(code: i64) -> [u8; LENGTH] {
    let mut number = (code as u64) ^ DIRECT;
    let mut out = [0; LENGTH];
    let mut digits = [0u8; LENGTH];
    for at in (0..LENGTH - 1).rev() {
        digits[at] = (number % BASE) as u8;
        number /= BASE;
    }
    digits[LENGTH - 1] = check(&digits[..LENGTH - 1]);
    for (to, digit) in out.iter_mut().zip(digits) {
        *to = ALPHABET[digit as usize];
    }
    out
}

/// The code of a text.
pub(crate) fn read(text: &str) -> Result<i64, CodeError> {
    let count = text.chars().count();
    if count != LENGTH {
        return Err(CodeError::TextLength(count));
    }
    let mut digits = [0u8; LENGTH];
    for (to, c) in digits.iter_mut().zip(text.chars()) {
        *to = digit_of(c)?;
    }
    if weighted(&digits) != 0 {
        return Err(CodeError::TextCheck);
    }
    // 39^12 is below 2^64: this cannot overflow.
    let number = digits[..LENGTH - 1].iter().fold(0, |n, &d| n * BASE + u64::from(d));
    if number < DIRECT + INDEXED { Ok((number ^ DIRECT) as i64) } else { Err(CodeError::TextRange) }
}

/// The value of a character, in either case.
pub(crate) fn digit_of(c: char) -> Result<u8, CodeError> {
    let byte = u8::try_from(c).unwrap_or(0).to_ascii_lowercase();
    ALPHABET.iter().position(|&a| a == byte).map(|digit| digit as u8).ok_or(CodeError::TextCharacter(c))
}

/// The check digit of these digits.
pub(crate) fn check(digits: &[u8]) -> u8 {
    ((BASE - 2 * weighted(digits) % BASE) % BASE) as u8
}

/// Σ 2^i × digit, the check character having i = 0, modulo 39. Powers of two and their differences have inverses
/// modulo 39, so every wrong character and every swap of neighbours changes it.
fn weighted(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |sum, &d| (2 * sum + u64::from(d)) % BASE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::rng::Rng;

    fn samples() -> impl Iterator<Item = i64> {
        let mut random = Rng::new(1, 0);
        let random = std::iter::from_fn(move || Some(random.next_u64() as i64 | i64::MIN));
        [i64::MIN, -1, 0, 1, INDEXED as i64 - 1].into_iter().chain(random.take(500))
    }

    #[test]
    fn round_trip_in_any_case() {
        for code in samples() {
            let text = String::from_utf8(write(code).to_vec()).unwrap();
            assert_eq!(read(&text), Ok(code));
            assert_eq!(read(&text.to_ascii_uppercase()), Ok(code));
        }
    }

    #[test]
    fn every_slip_is_noticed() {
        for code in samples().take(60) {
            let text = write(code);
            for at in 0..LENGTH {
                for &other in ALPHABET {
                    let mut wrong = text;
                    wrong[at] = other;
                    if wrong != text {
                        assert_eq!(read(str::from_utf8(&wrong).unwrap()), Err(CodeError::TextCheck));
                    }
                }
                let mut wrong = text;
                wrong.swap(at, (at + 1).min(LENGTH - 1));
                if wrong != text {
                    assert_eq!(read(str::from_utf8(&wrong).unwrap()), Err(CodeError::TextCheck));
                }
            }
        }
    }

    #[test]
    fn bad_texts_say_why() {
        assert_eq!(read(""), Err(CodeError::TextLength(0)));
        assert_eq!(read("0123"), Err(CodeError::TextLength(4)));
        assert_eq!(read("000000000000ä"), Err(CodeError::TextCharacter('ä')));
        assert_eq!(read("000000 000000"), Err(CodeError::TextCharacter(' ')));
        assert_eq!(read("0000000000001"), Err(CodeError::TextCheck));
        assert_eq!(read("-------------"), Err(CodeError::TextCheck));
        let mut most = [b'-'; LENGTH];
        for &check in ALPHABET {
            most[LENGTH - 1] = check;
            let error = read(str::from_utf8(&most).unwrap()).unwrap_err();
            assert!(error == CodeError::TextCheck || error == CodeError::TextRange);
        }
    }
}
