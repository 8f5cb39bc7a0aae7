//! Drawing lots.

/// Random bits, good enough for drawing lots: the seed of the standard library's hash tables.
pub fn random_u64() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0u8)
}

/// A number below `n`.
pub fn random_below(n: u32) -> u32 {
    (random_u64() % u64::from(n.max(1))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lots() {
        assert!(random_below(7) < 7 && random_below(0) == 0);
    }
}
