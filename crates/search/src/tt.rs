//! The transposition table: one array of 32-byte clusters, shared by all threads without locks.
//!
//! A cluster is four 64-bit words: three entries and one word with their three 16-bit keys.
//!
//! ```text
//! entry  bits  0..16 move · 16..32 score · 32..48 static evaluation · 48..56 depth · 56..58 bound · 58 pv · 59..64 age
//! keys   bits  0..16, 16..32, 32..48: key of entry 0, 1, 2, each mixed with its entry
//! ```
//! Two threads may write one entry at the same time. A key is stored xor-ed with a fold of its entry (Hyatt and Mann's
//! lockless hashing, at sixteen bits), so that a torn pair fails to match instead of giving a wrong score.

use crate::mem::{Block, Blocks, prefetch};
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// What a stored score means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// Only the evaluation is known.
    None = 0,
    /// At most the score.
    Upper = 1,
    /// At least the score.
    Lower = 2,
    /// The score itself.
    Exact = 3,
}

impl Bound {
    #[inline]
    const fn from_bits(bits: u8) -> Bound {
        match bits & 3 {
            0 => Bound::None,
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        }
    }

    /// Whether the true score is at least the stored one.
    #[inline]
    pub const fn is_lower(self) -> bool {
        self as u8 & 2 != 0
    }

    /// Whether the true score is at most the stored one.
    #[inline]
    pub const fn is_upper(self) -> bool {
        self as u8 & 1 != 0
    }
}

/// A decoded entry. Scores are as stored (mate distance from the node).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move, as `Move::to_u16`; 0 for none.
    pub mv: u16,
    /// Score, meaningful as `bound` says.
    pub value: i32,
    /// Static evaluation before correction, or `score::NONE`.
    pub eval: i32,
    /// Depth of the search that gave the score (0 for quiescence, negative for an evaluation only).
    pub depth: i32,
    /// What `value` means.
    pub bound: Bound,
    /// Whether the node was once on the principal variation.
    pub pv: bool,
}

/// An entry with its marks, as [`TranspositionTable::slots`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The packed word.
    pub word: u64,
    /// The sixteen bits of the position's key.
    pub key16: u16,
    /// Which search stored it.
    pub age: u8,
    /// The word unpacked.
    pub entry: Entry,
}

/// Stored depths are shifted so that "evaluation only" is 0.
const DEPTH_OFFSET: i32 = 2;
/// The depth of an entry that holds an evaluation only.
pub const DEPTH_NONE: i32 = -2;
const AGES: u8 = 32;

impl Entry {
    #[inline]
    fn pack(self, age: u8) -> u64 {
        let depth = (self.depth + DEPTH_OFFSET).clamp(0, 255) as u64;
        let meta = (self.bound as u8 | (u8::from(self.pv) << 2) | (age << 3)) as u64;
        self.mv as u64
            | (self.value as i16 as u16 as u64) << 16
            | (self.eval as i16 as u16 as u64) << 32
            | depth << 48
            | meta << 56
    }

    #[inline]
    fn unpack(word: u64) -> Entry {
        Entry {
            mv: word as u16,
            value: (word >> 16) as u16 as i16 as i32,
            eval: (word >> 32) as u16 as i16 as i32,
            depth: (word >> 48) as u8 as i32 - DEPTH_OFFSET,
            bound: Bound::from_bits((word >> 56) as u8),
            pv: word >> 58 & 1 != 0,
        }
    }
}

#[inline]
fn age_of(word: u64) -> u8 {
    (word >> 59) as u8
}

#[inline]
fn fold(word: u64) -> u16 {
    (word ^ word >> 16 ^ word >> 32 ^ word >> 48) as u16
}

const ENTRIES: usize = 3;

/// Which word of a block holds the keys.
const KEYS: usize = ENTRIES;

#[inline]
fn key_of(keys: u64, slot: usize) -> u16 {
    (keys >> (16 * slot)) as u16
}

/// key · len / 2⁶⁴, a number below `len`.
#[inline]
fn scaled(key: u64, len: usize) -> usize {
    ((u128::from(key) * len as u128) >> 64) as usize
}

/// The same for lengths of 32 bits, without the product of 128 for which WebAssembly would call a function.
#[inline]
fn scaled_32(key: u64, len: u32) -> usize {
    let (high, low, len) = (key >> 32, key & 0xffff_ffff, u64::from(len));
    ((high * len + (low * len >> 32)) >> 32) as usize
}

/// The table could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not enough memory for a {0} MiB hash table")]
pub struct OutOfMemory(pub usize);

/// The shared table. All methods take `&self`: threads use it together.
pub struct TranspositionTable {
    clusters: Blocks,
    age: AtomicU8,
    mib: usize,
}

impl TranspositionTable {
    /// A table of `mib` mebibytes (at least one).
    pub fn new(mib: usize) -> Result<Self, OutOfMemory> {
        let mib = mib.max(1);
        let len = mib.checked_mul((1 << 20) / size_of::<Block>()).ok_or(OutOfMemory(mib))?;
        let clusters = Blocks::new(len).ok_or(OutOfMemory(mib))?;
        Ok(TranspositionTable { clusters, age: AtomicU8::new(0), mib })
    }

    /// Size in mebibytes.
    pub fn mib(&self) -> usize {
        self.mib
    }

    /// Empties the table, with `threads` threads.
    pub fn clear(&self, threads: usize) {
        self.age.store(0, Relaxed);
        let wipe = |part: &[Block]| {
            for c in part {
                c.0.iter().for_each(|word| word.store(0, Relaxed));
            }
        };
        let chunk = self.clusters.len().div_ceil(threads.max(1));
        // (WebAssembly has threads only for searches.)
        if threads <= 1 || chunk < 1 << 16 || cfg!(target_arch = "wasm32") {
            return wipe(&self.clusters);
        }
        std::thread::scope(|s| {
            for part in self.clusters.chunks(chunk) {
                s.spawn(move || wipe(part));
            }
        });
    }

    /// Called once per search: entries of earlier searches become cheaper to replace.
    pub fn new_search(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Block {
        &self.clusters[self.cluster_of(key)]
    }

    /// Asks for the cluster of `key` to be brought into the cache.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// Looks a position up.
    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let cluster = self.cluster(key);
        let keys = cluster.0[KEYS].load(Relaxed);
        for slot in 0..ENTRIES {
            let word = cluster.0[slot].load(Relaxed);
            if key_of(keys, slot) ^ fold(word) == key as u16 && word != 0 {
                return Some(Entry::unpack(word));
            }
        }
        None
    }

    /// Stores an entry. Replacement: the same position, or else the least valuable entry of the cluster, by depth and age.
    #[inline]
    pub fn store(&self, key: u64, mut entry: Entry) {
        let cluster = self.cluster(key);
        let age = self.age.load(Relaxed);
        let mut keys = cluster.0[KEYS].load(Relaxed);
        let (mut slot, mut worst) = (0, i32::MAX);
        for i in 0..ENTRIES {
            let word = cluster.0[i].load(Relaxed);
            if word != 0 && key_of(keys, i) ^ fold(word) == key as u16 {
                let old = Entry::unpack(word);
                // A node that failed low has no move of its own: the old one is still the best guess.
                if entry.mv == 0 {
                    entry.mv = old.mv;
                }
                // A shallower opinion must not erase a deeper one of this search.
                if entry.bound != Bound::Exact
                    && entry.depth + 4 + 2 * i32::from(entry.pv) <= old.depth
                    && age_of(word) == age
                {
                    return;
                }
                slot = i;
                break;
            }
            let behind = (AGES + age - age_of(word)) % AGES;
            let worth = if word == 0 { i32::MIN } else { Entry::unpack(word).depth - 8 * behind as i32 };
            if worth < worst {
                (slot, worst) = (i, worth);
            }
        }
        let word = entry.pack(age);
        let shift = 16 * slot;
        keys = keys & !(0xffff << shift) | u64::from(key as u16 ^ fold(word)) << shift;
        cluster.0[slot].store(word, Relaxed);
        cluster.0[KEYS].store(keys, Relaxed);
    }

    /// Number of clusters, each of [`Self::ENTRIES`] entries.
    pub fn clusters(&self) -> usize {
        self.clusters.len()
    }

    /// Entries in a cluster.
    pub const ENTRIES: usize = ENTRIES;

    /// The mark of this search's entries.
    pub fn age(&self) -> u8 {
        self.age.load(Relaxed)
    }

    /// Which cluster a key belongs to: the high bits choose it, the low sixteen tell entries apart.
    #[inline]
    pub fn cluster_of(&self, key: u64) -> usize {
        let len = self.clusters.len();
        if cfg!(target_pointer_width = "32") { scaled_32(key, len as u32) } else { scaled(key, len) }
    }

    /// The entries of a cluster as they are in memory, `None` where there is none: for those who want to look inside.
    pub fn slots(&self, cluster: usize) -> [Option<Slot>; ENTRIES] {
        let Some(block) = self.clusters.get(cluster) else { return [None; ENTRIES] };
        let keys = block.0[KEYS].load(Relaxed);
        core::array::from_fn(|slot| {
            let word = block.0[slot].load(Relaxed);
            let key16 = key_of(keys, slot) ^ fold(word);
            (word != 0).then(|| Slot { word, key16, age: age_of(word), entry: Entry::unpack(word) })
        })
    }

    /// How full the table is with entries of this search, in permille, from a sample of the first thousand clusters.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = &self.clusters[..self.clusters.len().min(1000)];
        let used: usize = sample
            .iter()
            .flat_map(|c| &c.0[..ENTRIES])
            .filter(|e| {
                let word = e.load(Relaxed);
                word != 0 && age_of(word) == age
            })
            .count();
        (used * 1000 / (sample.len() * ENTRIES)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::rng::Rng;

    fn entry(mv: u16, value: i32, depth: i32, bound: Bound) -> Entry {
        Entry { mv, value, eval: -37, depth, bound, pv: depth & 1 == 1 }
    }

    #[test]
    fn entries_survive_packing() {
        for value in [-32_000, -1, 0, 250, 32_501] {
            for depth in [DEPTH_NONE, 0, 1, 37, 240] {
                let e = entry(0xbeef, value, depth, Bound::Lower);
                assert_eq!(Entry::unpack(e.pack(31)), e);
                assert_eq!(age_of(e.pack(31)), 31);
            }
        }
    }

    #[test]
    fn clusters_are_the_same_with_32_bits() {
        let mut random = Rng::new(1, 0);
        for len in [1, 2, 3, 32_768, 524_288, 0x0012_3457, u32::MAX] {
            for edge in [0, 1, 0xffff_ffff, 1 << 32, u64::MAX - 1, u64::MAX] {
                assert_eq!(scaled_32(edge, len), scaled(edge, len as usize), "{edge:x} of {len}");
            }
            for _ in 0..1000 {
                let key = random.next_u64();
                assert_eq!(scaled_32(key, len), scaled(key, len as usize), "{key:x} of {len}");
            }
        }
    }

    #[test]
    fn stores_and_finds() {
        let tt = TranspositionTable::new(1).unwrap();
        let key = 0x1234_5678_9abc_def0;
        assert_eq!(tt.probe(key), None);
        let e = entry(77, 12, 9, Bound::Exact);
        tt.store(key, e);
        assert_eq!(tt.probe(key), Some(e));
        assert_eq!(tt.probe(key ^ 1), None);
        tt.clear(2);
        assert_eq!(tt.probe(key), None);
    }

    #[test]
    fn a_fail_low_keeps_the_known_move() {
        let tt = TranspositionTable::new(1).unwrap();
        tt.store(99, entry(77, 12, 9, Bound::Lower));
        tt.store(99, entry(0, 3, 10, Bound::Upper));
        let e = tt.probe(99).unwrap();
        assert_eq!((e.mv, e.value, e.depth), (77, 3, 10));
    }

    #[test]
    fn deep_entries_outlive_shallow_ones_until_they_age() {
        let tt = TranspositionTable::new(1).unwrap();
        let key = |i: u64| i; // small keys share the first cluster
        for i in 1..=3 {
            tt.store(key(i), entry(i as u16, 0, 20 + i as i32, Bound::Lower));
        }
        tt.store(key(4), entry(4, 0, 1, Bound::Lower));
        assert!(tt.probe(key(1)).is_none(), "the shallowest of three makes room");
        assert!(tt.probe(key(2)).is_some() && tt.probe(key(3)).is_some() && tt.probe(key(4)).is_some());
        for _ in 0..4 {
            tt.new_search();
        }
        tt.store(key(5), entry(5, 0, 1, Bound::Lower));
        tt.store(key(6), entry(6, 0, 1, Bound::Lower));
        assert!(tt.probe(key(5)).is_some() && tt.probe(key(6)).is_some());
    }

    #[test]
    fn a_shallow_bound_does_not_erase_a_deep_one() {
        let tt = TranspositionTable::new(1).unwrap();
        tt.store(7, entry(1, 50, 20, Bound::Lower));
        tt.store(7, entry(2, 10, 2, Bound::Upper));
        assert_eq!(tt.probe(7).unwrap().depth, 20);
    }

    #[test]
    fn hashfull_counts_this_search_only() {
        let tt = TranspositionTable::new(1).unwrap();
        for i in 0..200_000u64 {
            tt.store(i.wrapping_mul(0x9e37_79b9_7f4a_7c15), entry(1, 0, 3, Bound::Exact));
        }
        assert!(tt.hashfull() > 800);
        tt.new_search();
        assert_eq!(tt.hashfull(), 0);
    }
}
