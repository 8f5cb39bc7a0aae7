//! How often an address may ask: a bucket for each, which fills with time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Instant;

use rukh_engine::lock;

/// Addresses that are remembered; when they are more, full buckets are forgotten, and all if there are none.
const ADDRESSES: usize = 4096;
/// A bucket holds the requests of this many seconds.
const SECONDS: f64 = 10.0;

/// The buckets of all addresses.
pub struct Rates {
    per_second: f64,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn fill(&mut self, per_second: f64, now: Instant) {
        let time = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + time * per_second).min(per_second * SECONDS);
        self.at = now;
    }
}

impl Rates {
    pub fn new(per_second: u32) -> Rates {
        Rates { per_second: f64::from(per_second.max(1)), buckets: Mutex::default() }
    }

    /// Whether an address may ask something that costs this much; a plain request costs 1.
    pub fn take(&self, address: IpAddr, cost: f64) -> bool {
        self.take_at(address, cost, Instant::now())
    }

    fn take_at(&self, address: IpAddr, cost: f64, now: Instant) -> bool {
        let full = self.per_second * SECONDS;
        let mut buckets = lock(&self.buckets);
        if buckets.len() >= ADDRESSES && !buckets.contains_key(&address) {
            buckets.retain(|_, bucket| {
                bucket.fill(self.per_second, now);
                bucket.left < full
            });
            if buckets.len() >= ADDRESSES {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(address).or_insert(Bucket { left: full, at: now });
        bucket.fill(self.per_second, now);
        let allowed = bucket.left >= cost;
        if allowed {
            bucket.left -= cost;
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_burst_then_the_rate_and_each_for_itself() {
        let (rates, begin) = (Rates::new(5), Instant::now());
        let ip = |n: u32| IpAddr::V4(n.into());
        assert_eq!((0..100).filter(|_| rates.take_at(ip(1), 1.0, begin)).count(), 50);
        assert!(rates.take_at(ip(2), 1.0, begin), "another address has its own");
        let later = begin + Duration::from_secs(1);
        assert_eq!((0..100).filter(|_| rates.take_at(ip(1), 1.0, later)).count(), 5);
        assert!(!rates.take_at(ip(1), 1.0, begin), "a clock that goes back does no harm");
        for n in 0..20_000 {
            rates.take_at(ip(n), 1.0, later);
        }
        assert!(rates.buckets.lock().unwrap().len() <= ADDRESSES);
    }
}
