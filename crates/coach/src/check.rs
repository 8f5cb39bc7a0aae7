//! How far marks can be trusted: a search ten times deeper is asked about each of them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rukh_engine::{Engine, lock};

use crate::error::CoachError;
use crate::journal::Journal;
use crate::review::{Analyst, DEEPER, Effort, Reviewed};
use crate::spot::Spot;

/// So many times the nodes that a mark was confirmed with.
pub const AGAIN: u64 = 10;

/// What became of the marks.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Marks that were looked at.
    pub marks: usize,
    /// Those on a move that the deeper search plays itself: game and move, by their places.
    pub doubtful: Vec<(usize, usize)>,
}

/// Asks a search with [`AGAIN`] times the nodes about every mark. `on_mark` hears how many are done. Ends early, with what is done,
/// when `stop` is set. What it finds stays out of the review's journal: a second check would only hear itself.
pub fn check(
    reviewed: &[Reviewed],
    effort: &Effort,
    stop: &AtomicBool,
    on_mark: impl Fn(usize) + Sync,
) -> Result<Checked, CoachError> {
    let marks: Vec<(usize, usize)> = (reviewed.iter().enumerate())
        .flat_map(|(at, game)| {
            let marked = game.moves.iter().enumerate().filter(|(_, judged)| judged.judgement.is_some());
            marked.map(move |(ply, _)| (at, ply))
        })
        .collect();
    let nodes = effort.nodes.saturating_mul(DEEPER).saturating_mul(AGAIN);
    let journal = Journal::in_memory();
    let (next, checked) = (AtomicUsize::new(0), Mutex::new(Checked::default()));
    // One such search takes seconds to minutes: who stops does not wait for it.
    let engines: Mutex<Vec<Option<Engine>>> = Mutex::default();
    let work = |worker: usize| -> Result<(), CoachError> {
        while let Some(&mark) = marks.get(next.fetch_add(1, Relaxed)) {
            let judged = &reviewed[mark.0].moves[mark.1];
            let analyst = Analyst::new(judged.position.variant(), effort, &journal, stop)?;
            lock(&engines)[worker] = Some(analyst.engine());
            let seen = analyst.look(&Spot::new(&judged.position), nodes, None)?;
            if stop.load(Relaxed) {
                break;
            }
            let mut checked = lock(&checked);
            checked.marks += 1;
            if seen.line.first() == Some(&judged.mv) {
                checked.doubtful.push(mark);
            }
            on_mark(checked.marks);
        }
        Ok(())
    };
    let threads = effort.threads.clamp(1, marks.len().max(1));
    lock(&engines).resize(threads, None);
    std::thread::scope(|scope| {
        let (alive, over) = mpsc::channel::<()>();
        let work = &work;
        let start = |worker| {
            let alive: Sender<()> = alive.clone();
            scope.spawn(move || {
                let done = work(worker).inspect_err(|_| stop.store(true, Relaxed));
                drop(alive);
                done
            })
        };
        let workers: Vec<_> = (0..threads).map(start).collect();
        drop(alive);
        while over.recv_timeout(Duration::from_millis(20)) == Err(RecvTimeoutError::Timeout) {
            // Again and again: the flag may come a moment before the search.
            if stop.load(Relaxed) {
                lock(&engines).iter().flatten().for_each(Engine::stop);
            }
        }
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let mut checked = checked.into_inner().unwrap_or_else(PoisonError::into_inner);
    checked.doubtful.sort_unstable();
    Ok(checked)
}
