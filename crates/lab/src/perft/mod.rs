//! Leaves of the move tree on several threads, with a hash table: subtrees two plies below the root are shared among the
//! threads.

mod hash;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use rukh_core::{Move, Position, Rules, perft};

use crate::LabError;
use hash::Table;

/// How to count.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    /// Plies.
    pub depth: u32,
    /// Threads.
    pub threads: usize,
    /// Megabytes for counts of positions met before; 0 counts everything.
    pub hash_mb: usize,
}

/// The result.
pub struct Counts {
    /// Leaves below each move.
    pub by_move: Vec<(Move, u64)>,
    /// Leaves in all.
    pub total: u64,
}

/// A subtree: the root move it belongs to and its top.
struct Job<R: Rules> {
    root_move: usize,
    position: Position<R>,
}

/// Below this many plies a table costs more than it saves.
const HASH_DEPTH: u32 = 2;

impl Walk {
    /// Counts; `watch` hears now and then how many subtrees are done, how many there are, and the leaves so far.
    pub fn run<R: Rules>(&self, root: &Position<R>, mut watch: impl FnMut(u64, u64, u64)) -> Result<Counts, LabError> {
        if self.depth == 0 {
            return Ok(Counts { by_move: Vec::new(), total: 1 });
        }
        let table = Table::new(self.hash_mb).map_err(LabError::new)?;
        let moves = root.legal_moves();
        let (jobs, below) = jobs(root, &moves, self.depth);
        let counts: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
        let (next, done, leaves) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicU64::new(0));
        let finished = AtomicBool::new(jobs.is_empty());

        let work = || {
            while let Some(job) = jobs.get(next.fetch_add(1, Relaxed)) {
                let count =
                    if self.hash_mb == 0 { perft(&job.position, below) } else { hashed(&job.position, below, &table) };
                counts[job.root_move].fetch_add(count, Relaxed);
                leaves.fetch_add(count, Relaxed);
                if done.fetch_add(1, Relaxed) + 1 == jobs.len() {
                    finished.store(true, Relaxed);
                }
            }
        };
        std::thread::scope(|scope| {
            let watcher = std::thread::current();
            for _ in 0..self.threads.min(jobs.len()) {
                let watcher = watcher.clone();
                scope.spawn(move || {
                    work();
                    watcher.unpark();
                });
            }
            while !finished.load(Relaxed) {
                std::thread::park_timeout(Duration::from_millis(100));
                watch(done.load(Relaxed) as u64, jobs.len() as u64, leaves.load(Relaxed));
            }
        });
        let by_move: Vec<_> = moves.iter().copied().zip(counts.into_iter().map(AtomicU64::into_inner)).collect();
        let total = by_move.iter().map(|(_, count)| count).sum();
        Ok(Counts { by_move, total })
    }
}

/// The subtrees one or two plies below the root and how deep they are.
fn jobs<R: Rules>(root: &Position<R>, moves: &[Move], depth: u32) -> (Vec<Job<R>>, u32) {
    let mut jobs = Vec::new();
    for (root_move, &mv) in moves.iter().enumerate() {
        let child = root.after_unchecked(mv);
        if depth < 3 {
            jobs.push(Job { root_move, position: child });
        } else {
            jobs.extend(child.legal_moves().iter().map(|&mv| Job { root_move, position: child.after_unchecked(mv) }));
        }
    }
    (jobs, if depth < 3 { depth - 1 } else { depth - 2 })
}

/// As [`perft`], but a position met before is not counted again.
fn hashed<R: Rules>(position: &Position<R>, depth: u32, table: &Table) -> u64 {
    if depth < HASH_DEPTH {
        return perft(position, depth);
    }
    // Draws do not cut the tree, so the Makruk count need not tell two positions apart.
    let key = position.repetition_key();
    if let Some(count) = table.get(key, depth) {
        return count;
    }
    let count = position.legal_moves().iter().map(|&mv| hashed(&position.after_unchecked(mv), depth - 1, table)).sum();
    table.put(key, depth, count);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::{Chess, Makruk};

    fn total<R: Rules>(depth: u32, threads: usize, hash_mb: usize) -> u64 {
        Walk { depth, threads, hash_mb }.run(&Position::<R>::startpos(), |_, _, _| {}).unwrap().total
    }

    #[test]
    fn known_numbers() {
        for (depth, leaves) in [1, 20, 400, 8_902, 197_281].into_iter().enumerate() {
            assert_eq!(total::<Chess>(depth as u32, 1, 0), leaves);
            assert_eq!(total::<Chess>(depth as u32, 3, 1), leaves);
        }
        assert_eq!(total::<Makruk>(4, 2, 1), 273_026);
    }

    #[test]
    fn a_finished_game_has_no_leaves() {
        let mate =
            Position::<Chess>::from_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").unwrap();
        assert_eq!(Walk { depth: 4, threads: 2, hash_mb: 0 }.run(&mate, |_, _, _| {}).unwrap().total, 0);
    }
}
