//! Hands the games of a run to threads and keeps its state on disk.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::plot;
use super::{Job, State};
use rukh_files::replace;
use rukh_search::lock;

use crate::LabError;

/// Where a run is kept and shown.
pub struct Files {
    /// All that is needed to go on.
    pub state: PathBuf,
    /// A page that shows the curves.
    pub plot: Option<PathBuf>,
}

const PLOT_EVERY: Duration = Duration::from_secs(5);
/// A search goes deep.
const STACK_BYTES: usize = 8 << 20;

struct Desk {
    state: State,
    plotted: Option<Instant>,
    failed: Option<LabError>,
}

/// Plays until the run is finished or `stop` is raised. `worker` makes one thread's player: it gets a game, the values of both
/// sides, and answers with the result for the raised ones, or `None` when it was stopped. `tell` hears of every game.
pub fn drive<P: FnMut(Job, &[i32], &[i32]) -> Option<i8>>(
    state: State,
    files: &Files,
    threads: usize,
    stop: &AtomicBool,
    worker: impl Fn() -> P + Sync,
    tell: impl Fn(&State) + Sync,
) -> Result<State, LabError> {
    let desk = Mutex::new(Desk { state, plotted: None, failed: None });
    let changed = Condvar::new();
    let run = || {
        let mut play = worker();
        while let Some((job, plus, minus)) = next_game(&desk, &changed, stop) {
            let Some(result) = play(job, &plus, &minus) else { break };
            let mut desk = lock(&desk);
            desk.state.report(job, result);
            // Every game: whoever kills the program loses only those that were being played.
            desk.save(files);
            if desk.failed.is_some() {
                stop.store(true, Relaxed);
            }
            tell(&desk.state);
            drop(desk);
            changed.notify_all();
        }
        changed.notify_all();
    };
    std::thread::scope(|scope| -> Result<(), LabError> {
        let start = |_| std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        let started: Result<Vec<_>, _> = (0..threads).map(start).collect();
        if started.is_err() {
            stop.store(true, Relaxed);
        }
        started.map_err(|error| LabError::new(format!("cannot start {threads} threads: {error}")))?;
        Ok(())
    })?;
    let mut desk = desk.into_inner().unwrap_or_else(PoisonError::into_inner);
    desk.plotted = None;
    desk.save(files);
    desk.failed.map_or(Ok(desk.state), Err)
}

/// Waits for a game that may be begun; `None` when there will be none.
fn next_game(desk: &Mutex<Desk>, changed: &Condvar, stop: &AtomicBool) -> Option<(Job, Vec<i32>, Vec<i32>)> {
    let mut desk = lock(desk);
    loop {
        if stop.load(Relaxed) || desk.state.is_finished() {
            return None;
        }
        if let Some(job) = desk.state.take() {
            let (plus, minus) = desk.state.sides(job.iteration);
            return Some((job, plus, minus));
        }
        // Not for ever: a signal wakes nobody.
        desk = changed.wait_timeout(desk, Duration::from_millis(100)).unwrap_or_else(PoisonError::into_inner).0;
    }
}

impl Desk {
    fn save(&mut self, files: &Files) {
        let mut saved = replace(&files.state, self.state.to_text().as_bytes()).map_err(LabError::from);
        if let Some(plot) = &files.plot
            && self.plotted.is_none_or(|at| at.elapsed() >= PLOT_EVERY)
        {
            saved = saved.and_then(|()| Ok(replace(plot, plot::page(&self.state).as_bytes())?));
            self.plotted = Some(Instant::now());
        }
        if let Err(error) = saved {
            self.failed.get_or_insert(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Knob, Plan};
    use super::*;
    use std::sync::atomic::AtomicU64;

    fn start() -> State {
        let knob = |name: &str| Knob { name: name.into(), start: 20.0, min: 0.0, max: 100.0 };
        let knobs = vec![knob("a"), knob("b")];
        State::new(Plan {
            knobs,
            iterations: 12,
            pairs: 4,
            nodes: 1,
            clock: None,
            seed: 3,
            rate: 0.1,
            perturbation: 0.05,
        })
    }

    fn higher_wins(_: Job, plus: &[i32], minus: &[i32]) -> Option<i8> {
        Some((plus[0] - minus[0]).signum() as i8)
    }

    fn on_disk(files: &Files) -> State {
        State::from_text(&std::fs::read_to_string(&files.state).unwrap()).expect("a whole file at any time")
    }

    #[test]
    fn a_killed_run_loses_no_game_that_was_over() {
        let folder = rukh_testing::Folder::new("spsa");
        let files = Files { state: folder.join("state"), plot: Some(folder.join("plot.html")) };
        let played = AtomicU64::new(0);
        // After each game the file is read, as a run that was killed there would find it.
        let look = |state: &State| {
            assert_eq!(on_disk(&files).to_text(), state.to_text());
            played.fetch_add(1, Relaxed);
        };
        let whole = drive(start(), &files, 4, &AtomicBool::new(false), || higher_wins, look).unwrap();
        assert_eq!(played.into_inner(), 12 * 8);
        assert!(whole.is_finished() && whole.values()[0] > 30.0, "{:?}", whole.values());
        // Stopped again and again, it comes to the same end.
        let mut state = start();
        let mut runs = 0;
        while !state.is_finished() {
            let (stop, left) = (AtomicBool::new(false), AtomicU64::new(20));
            let count = |_: &State| stop.store(left.fetch_sub(1, Relaxed) <= 1, Relaxed);
            drive(state, &files, 4, &stop, || higher_wins, count).unwrap();
            state = on_disk(&files);
            runs += 1;
        }
        assert!(runs > 3 && state.to_text() == whole.to_text(), "{runs} runs");
        let page = files.plot.as_ref().unwrap();
        assert!(std::fs::read_to_string(page).unwrap().contains("Iteration 12 of 12"));
        // Without a name, only such a page gives way to another.
        assert!(plot::is_plot(page).unwrap() && !plot::is_plot(&files.state).unwrap());
    }

    #[test]
    fn a_full_disk_ends_the_run_with_an_error() {
        let files = Files { state: "/nowhere/at/all/state".into(), plot: None };
        let error = drive(start(), &files, 2, &AtomicBool::new(false), || higher_wins, |_| {}).unwrap_err();
        assert!(error.to_string().contains("cannot write /nowhere/at/all/state"), "{error}");
    }
}
