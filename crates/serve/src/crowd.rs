//! The connections that are open, and who must go when there are too many.
//!
//! A connection is *busy* while its question is being answered; all the rest of its time it waits for its client: for a head,
//! for an answer to be taken. Who only waits never keeps a newcomer out: the one that has waited longest is closed, among
//! those of the address that has most.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use axum::http::HeaderMap;
use rukh_engine::lock;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// All open connections.
pub struct Crowd {
    places: Arc<Semaphore>,
    most: usize,
    /// Most of one other computer.
    per_address: usize,
    inside: Mutex<Vec<Arc<Visitor>>>,
    began: Instant,
}

/// A connection.
pub struct Visitor {
    /// Whose it is.
    pub address: IpAddr,
    /// Since when it waits for its client, in nanoseconds of the crowd's clock; or [`BUSY`], or [`LEAVING`].
    waits: AtomicU64,
    leave: Notify,
    began: Instant,
}

/// Not waiting, but at work.
const BUSY: u64 = u64::MAX;
/// Sent away, and gone in a moment.
const LEAVING: u64 = u64::MAX - 1;

/// Whether an address is of another computer.
pub fn is_remote(address: IpAddr) -> bool {
    !address.to_canonical().is_loopback()
}

/// Whether a request is, or may be, of another computer: who sends it on for somebody says so.
pub fn is_foreign(peer: IpAddr, headers: &HeaderMap) -> bool {
    is_remote(peer)
        || ["forwarded", "x-forwarded-for", "x-real-ip", "via"].iter().any(|name| headers.contains_key(*name))
}

/// What counts as one client: an IPv6 network of 64 bits belongs to one household.
pub fn client(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(ip) if !ip.is_loopback() => IpAddr::V6((u128::from(ip) >> 64 << 64).into()),
        other => other,
    }
}

impl Visitor {
    /// Its question is being answered.
    pub fn works(&self) {
        self.waits.store(BUSY, Ordering::Relaxed);
    }

    /// It waits for its client.
    pub fn waits(&self) {
        self.waits.store(self.began.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    fn state(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }

    /// Comes when it must go.
    pub async fn told_to_leave(&self) {
        self.leave.notified().await;
    }
}

/// A place among the connections, given back when dropped.
pub struct Place {
    crowd: Arc<Crowd>,
    visitor: Arc<Visitor>,
    _permit: OwnedSemaphorePermit,
}

impl Place {
    /// Its holder.
    pub fn visitor(&self) -> &Arc<Visitor> {
        &self.visitor
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.crowd.lock().retain(|other| !Arc::ptr_eq(other, &self.visitor));
    }
}

impl Crowd {
    pub fn new(most: usize, per_address: usize) -> Arc<Crowd> {
        let most = most.clamp(1, 1 << 20);
        let places = Arc::new(Semaphore::new(most));
        Arc::new(Crowd {
            places,
            most,
            per_address: per_address.max(1),
            inside: Mutex::default(),
            began: Instant::now(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Visitor>>> {
        lock(&self.inside)
    }

    /// Comes when all connections have ended.
    pub async fn gone(&self) {
        let _ = self.places.acquire_many(self.most as u32).await;
    }

    /// A place for a newcomer; `None` if its address has as many connections at work as it may have.
    pub async fn admit(self: &Arc<Crowd>, address: IpAddr) -> Option<Place> {
        let address = client(address);
        let permit = {
            let inside = self.lock();
            if is_remote(address) {
                let own = || inside.iter().filter(|other| other.address == address && other.state() != LEAVING);
                if own().count() >= self.per_address && !send_away(own()) {
                    return None;
                }
            }
            let permit = self.places.clone().try_acquire_owned();
            if permit.is_err() {
                let mut crowds: HashMap<IpAddr, usize> = HashMap::new();
                for other in inside.iter().filter(|other| other.state() < LEAVING) {
                    *crowds.entry(other.address).or_default() += 1;
                }
                let largest = crowds.values().max().copied().unwrap_or(0);
                send_away(inside.iter().filter(|other| crowds.get(&other.address) == Some(&largest)));
            }
            permit
        };
        let permit = match permit {
            Ok(permit) => permit,
            // Comes at once where somebody was sent away, else when somebody is done. It is never closed.
            Err(_) => self.places.clone().acquire_owned().await.ok()?,
        };
        let visitor = Arc::new(Visitor { address, waits: AtomicU64::new(0), leave: Notify::new(), began: self.began });
        visitor.waits();
        self.lock().push(visitor.clone());
        Some(Place { crowd: self.clone(), visitor, _permit: permit })
    }
}

/// Closes the one that has waited longest.
fn send_away<'a>(candidates: impl Iterator<Item = &'a Arc<Visitor>>) -> bool {
    let waiting = candidates.map(|visitor| (visitor.state(), visitor)).filter(|&(since, _)| since < LEAVING);
    let Some((_, visitor)) = waiting.min_by_key(|&(since, _)| since) else { return false };
    visitor.waits.store(LEAVING, Ordering::Relaxed);
    visitor.leave.notify_one();
    true
}
