//! Who has an engine: so many sessions, and so much memory for all of them.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rukh_engine::lock;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::crowd::{client, is_remote};

/// The sessions.
pub struct Seats {
    most: usize,
    /// A session that has asked nothing for so long gives way.
    yields: Duration,
    taken: Mutex<Vec<Arc<Seat>>>,
}

/// A session, as its network task, its engine and newcomers see it.
pub struct Seat {
    address: IpAddr,
    began: Instant,
    /// The last request, in milliseconds since it began.
    asked: AtomicU64,
    greeted: AtomicBool,
    searching: AtomicBool,
    leave: Notify,
}

impl Seat {
    /// A request has come.
    pub fn asked(&self) {
        self.asked.store(self.began.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// It has said `hello` and has an engine.
    pub fn greeted(&self) {
        self.greeted.store(true, Ordering::Relaxed);
    }

    pub fn is_greeted(&self) -> bool {
        self.greeted.load(Ordering::Relaxed)
    }

    /// A search begins or ends.
    pub fn searches(&self, now: bool) {
        self.asked();
        self.searching.store(now, Ordering::Relaxed);
    }

    /// How long it has done nothing; `None` while it searches.
    pub fn idle(&self) -> Option<Duration> {
        let since = Duration::from_millis(self.asked.load(Ordering::Relaxed));
        (!self.searching.load(Ordering::Relaxed)).then(|| self.began.elapsed().saturating_sub(since))
    }

    /// Comes when another session needs the seat.
    pub async fn told_to_leave(&self) {
        self.leave.notified().await;
    }
}

/// A seat that is taken, free again when dropped.
pub struct Taken {
    seats: Arc<Seats>,
    seat: Arc<Seat>,
}

impl Taken {
    pub fn seat(&self) -> &Arc<Seat> {
        &self.seat
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.seats.lock().retain(|other| !Arc::ptr_eq(other, &self.seat));
    }
}

impl Seats {
    pub fn new(most: usize, yields: Duration) -> Arc<Seats> {
        Arc::new(Seats { most, yields, taken: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Seat>>> {
        lock(&self.taken)
    }

    /// A seat for a newcomer. Another computer gets at most half of them. When all are in use, one that has not even said
    /// `hello` gives way, or one that has been idle for long.
    pub fn take(self: &Arc<Seats>, address: IpAddr) -> Option<Taken> {
        let address = client(address);
        let mut taken = self.lock();
        let own = |seat: &Arc<Seat>| !is_remote(address) || seat.address == address;
        let limit = if is_remote(address) { self.most.div_ceil(2) } else { self.most };
        if taken.len() >= self.most || taken.iter().filter(|seat| own(seat)).count() >= limit {
            let full = taken.len() >= self.most;
            let may_go =
                |seat: &Arc<Seat>| (full || own(seat)) && (!seat.is_greeted() || seat.idle() >= Some(self.yields));
            let candidates = taken.iter().enumerate().filter(|(_, seat)| may_go(seat));
            let (at, _) = candidates.max_by_key(|(_, seat)| (!seat.is_greeted(), seat.idle()))?;
            taken.swap_remove(at).leave.notify_one();
        }
        let seat = Arc::new(Seat {
            address,
            began: Instant::now(),
            asked: AtomicU64::new(0),
            greeted: AtomicBool::new(false),
            searching: AtomicBool::new(false),
            leave: Notify::new(),
        });
        taken.push(seat.clone());
        Some(Taken { seats: self.clone(), seat })
    }
}

/// Mebibytes for tables: what one session holds of all there are.
pub struct Share {
    all: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl Share {
    /// Nothing yet.
    pub fn new(all: Arc<Semaphore>) -> Share {
        Share { all, held: None }
    }

    fn held(&self) -> usize {
        self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
    }

    /// Takes more, if `wanted` is more, and says how much it may use: never beyond half of what is left, so that
    /// something is left for those who come later; 0 if there is nothing.
    pub fn grow(&mut self, wanted: usize) -> usize {
        loop {
            let (have, free) = (self.held(), self.all.available_permits());
            let most = ((free + have) / 2).max(have).max(free.min(1));
            let (target, more) = (wanted.min(most), wanted.min(most).saturating_sub(have));
            if more == 0 {
                return target;
            }
            // Another session may have been faster: look again.
            if let Ok(permit) = self.all.clone().try_acquire_many_owned(more as u32) {
                match &mut self.held {
                    Some(held) => held.merge(permit),
                    None => self.held = Some(permit),
                }
                return target;
            }
        }
    }

    /// Gives back what is not used.
    pub fn keep(&mut self, used: usize) {
        let surplus = self.held().saturating_sub(used);
        drop(self.held.as_mut().and_then(|held| held.split(surplus)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn the_silent_give_way_and_the_busy_do_not() {
        let seats = Seats::new(2, Duration::from_secs(3600));
        let (first, second) = (seats.take(HERE).unwrap(), seats.take(HERE).unwrap());
        first.seat().greeted();
        let third = seats.take(HERE).expect("the second has not said hello");
        third.seat().greeted();
        drop(second);
        assert!(seats.take(HERE).is_none(), "both have been greeted just now");
        drop(first);
        assert!(seats.take(HERE).is_some());

        let seats = Seats::new(2, Duration::ZERO);
        let all = [seats.take(HERE).unwrap(), seats.take(HERE).unwrap()];
        all.iter().for_each(|taken| taken.seat().greeted());
        all.iter().for_each(|taken| taken.seat().searches(true));
        all[1].seat().searches(false);
        std::thread::sleep(Duration::from_millis(2));
        let newcomer = seats.take(HERE).expect("the second is idle");
        let stay: Vec<bool> = [&all[0], &all[1], &newcomer]
            .map(|taken| seats.lock().iter().any(|seat| Arc::ptr_eq(seat, taken.seat())))
            .into();
        assert_eq!(stay, [true, false, true]);
    }

    #[test]
    fn another_computer_gets_half() {
        let seats = Seats::new(4, Duration::from_secs(3600));
        let there = |n: u8| IpAddr::from([192, 168, 1, n]);
        let mut all = Vec::new();
        for (address, fits) in [(1, true), (1, true), (1, false), (2, true), (2, true), (3, false)] {
            let taken = seats.take(there(address));
            assert_eq!(taken.is_some(), fits, "{address}");
            if let Some(taken) = taken {
                taken.seat().greeted();
                all.push(taken);
            }
        }
    }

    #[test]
    fn memory_is_shared_out() {
        let all = Arc::new(Semaphore::new(1024));
        let mut shares: Vec<Share> = (0..8).map(|_| Share::new(all.clone())).collect();
        let granted: Vec<usize> = shares.iter_mut().map(|share| share.grow(100_000)).collect();
        assert_eq!(granted, [512, 256, 128, 64, 32, 16, 8, 4]);
        assert_eq!(all.available_permits(), 4);
        shares[0].keep(100);
        assert_eq!(all.available_permits(), 416);
        assert_eq!(shares[0].grow(50), 50);
        assert_eq!(shares[7].grow(5), 5);
        drop(shares);
        assert_eq!(all.available_permits(), 1024);
        let mut last = Share::new(Arc::new(Semaphore::new(1)));
        assert_eq!(last.grow(64), 1);
        assert_eq!(Share::new(last.all.clone()).grow(64), 0);
    }
}
