//! Answers of the database that were given already, as long as the database is the same.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;

use axum::body::Bytes;
use rukh_engine::lock;

/// Parts with a lock each, so that requests do not wait for each other.
const SHARDS: usize = 16;
/// What an entry costs beside its texts, about.
const OVERHEAD: usize = 160;

/// Answers by question. Bounded in bytes: each part has two generations, and when the young one is full the old one goes; what
/// is asked for again becomes young again.
pub struct Cache {
    shards: [Mutex<Shard>; SHARDS],
    hasher: RandomState,
    /// Most bytes of a generation of a part.
    most: usize,
}

#[derive(Default)]
struct Shard {
    young: HashMap<String, Kept>,
    old: HashMap<String, Kept>,
    bytes: usize,
}

struct Kept {
    edition: u64,
    body: Bytes,
}

impl Cache {
    /// A cache of about so many bytes.
    pub fn new(bytes: usize) -> Cache {
        Cache { shards: Default::default(), hasher: RandomState::new(), most: bytes / SHARDS / 2 }
    }

    fn shard(&self, question: &str) -> &Mutex<Shard> {
        &self.shards[self.hasher.hash_one(question) as usize % SHARDS]
    }

    /// The answer that this edition of the databases gave to a question.
    pub fn get(&self, edition: u64, question: &str) -> Option<Bytes> {
        let mut shard = lock(self.shard(question));
        if let Some(kept) = shard.young.get(question) {
            return (kept.edition == edition).then(|| kept.body.clone());
        }
        let (question, kept) = shard.old.remove_entry(question)?;
        let body = (kept.edition == edition).then(|| kept.body.clone())?;
        shard.put(question, kept, self.most);
        Some(body)
    }

    /// Keeps an answer, unless it is so large that it would drive out most of the others.
    pub fn put(&self, edition: u64, question: String, body: Bytes) {
        if question.len() + body.len() + OVERHEAD <= self.most / 4 {
            let mut shard = lock(self.shard(&question));
            shard.put(question, Kept { edition, body }, self.most);
        }
    }
}

impl Shard {
    fn put(&mut self, question: String, kept: Kept, most: usize) {
        let cost = question.len() + kept.body.len() + OVERHEAD;
        if self.bytes + cost > most {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += cost;
        if let Some(before) = self.young.insert(question, kept) {
            // Its question and place are counted once.
            self.bytes -= (before.body.len() + OVERHEAD).min(self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(cache: &Cache) -> usize {
        let held = |shard: &Mutex<Shard>| {
            let shard = shard.lock().unwrap();
            let size = |map: &HashMap<String, Kept>| map.iter().map(|(q, k)| q.len() + k.body.len() + OVERHEAD).sum();
            let (young, old): (usize, usize) = (size(&shard.young), size(&shard.old));
            young + old
        };
        cache.shards.iter().map(held).sum()
    }

    #[test]
    fn an_edition_knows_only_its_own_answers() {
        let cache = Cache::new(1 << 20);
        cache.put(1, "a".into(), "one".into());
        assert_eq!(cache.get(1, "a").unwrap(), "one");
        assert!(cache.get(2, "a").is_none() && cache.get(1, "b").is_none());
        cache.put(2, "a".into(), "two".into());
        assert_eq!(cache.get(2, "a").unwrap(), "two");
        assert!(cache.get(1, "a").is_none());
    }

    #[test]
    fn bounded_and_what_is_asked_for_stays() {
        let most = 1 << 20;
        let cache = Cache::new(most);
        cache.put(1, "beloved".into(), "x".into());
        for n in 0..20_000 {
            cache.put(1, format!("question {n}"), vec![b'.'; 500].into());
            assert_eq!(cache.get(1, "beloved").unwrap(), "x", "after {n}");
        }
        assert!(bytes(&cache) <= most, "{}", bytes(&cache));
        assert!(bytes(&cache) > most / 4, "{}", bytes(&cache));
        assert!(cache.get(1, "question 1").is_none());
        cache.put(1, "large".into(), vec![b'.'; most].into());
        assert!(cache.get(1, "large").is_none() && bytes(&cache) <= most);
        // Nothing at all is allowed too.
        Cache::new(0).put(1, "a".into(), "b".into());
    }
}
