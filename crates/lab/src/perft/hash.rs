//! A table of subtree counts, shared by all threads without locks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Two words: the count, and the key XOR the count. A torn write (one word of each of two entries) fails the test of
/// the second word and reads as a miss (Hyatt and Mann's lockless hashing).
#[derive(Default)]
struct Entry {
    check: AtomicU64,
    count: AtomicU64,
}

const _: () = assert!(size_of::<Entry>() == 16);

/// Counts by position and remaining depth. An empty table remembers nothing.
pub struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// A table of at most `megabytes`, or an error if there is not so much memory.
    pub fn new(megabytes: usize) -> Result<Self, String> {
        let wanted = (megabytes << 20) / size_of::<Entry>();
        let mut entries = Vec::new();
        entries.try_reserve_exact(wanted).map_err(|_| format!("no memory for a hash of {megabytes} MB"))?;
        entries.resize_with(wanted, Entry::default);
        Ok(Self { entries })
    }

    /// The count of a position whose subtree was counted before.
    pub fn get(&self, key: u64, depth: u32) -> Option<u64> {
        let key = with_depth(key, depth);
        let entry = self.entries.get(self.index(key)?)?;
        let count = entry.count.load(Relaxed);
        // The count of a counted subtree may be 0 (mate), so an untouched entry must not match: its check word is 0
        // and matches key 0 only, which `with_depth` never returns.
        (entry.check.load(Relaxed) ^ count == key).then_some(count)
    }

    /// Remembers a count, in place of whatever was there.
    pub fn put(&self, key: u64, depth: u32, count: u64) {
        let key = with_depth(key, depth);
        if let Some(entry) = self.index(key).and_then(|index| self.entries.get(index)) {
            entry.count.store(count, Relaxed);
            entry.check.store(key ^ count, Relaxed);
        }
    }

    fn index(&self, key: u64) -> Option<usize> {
        // The high half of the product spreads keys over a table of any size.
        (!self.entries.is_empty()).then(|| ((u128::from(key) * self.entries.len() as u128) >> 64) as usize)
    }
}

/// The same position with another depth to go is another entry.
fn with_depth(key: u64, depth: u32) -> u64 {
    (key ^ u64::from(depth).wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_by_key_and_depth() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.get(0, 0), None);
        table.put(7, 3, 8902);
        assert_eq!((table.get(7, 3), table.get(7, 4), table.get(8, 3)), (Some(8902), None, None));
        let none = Table::new(0).unwrap();
        none.put(7, 3, 8902);
        assert_eq!(none.get(7, 3), None);
    }
}
