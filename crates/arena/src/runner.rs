//! Playing the schedule on several threads.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use rukh_core::{Color, Rules, Variant, dispatch};

use super::adjudicate;
use super::game::{self, Cause, Ending, Player, Record, Table, Tablebase};
use super::log::Log;
use super::openings::{Book, Opening};
use super::pgn;
use super::process::{Failure, Patience, Process};
use super::roster;
use super::schedule::{Format, Job, Schedule};
use super::spec::EngineSpec;

/// All that is needed to play a match.
pub struct Plan {
    /// Who plays.
    pub engines: Vec<EngineSpec>,
    /// Their names in reports, all different.
    pub names: Vec<String>,
    /// The rules.
    pub variant: Variant,
    /// Who meets whom.
    pub schedule: Schedule,
    /// The openings.
    pub book: Book,
    /// Games at a time.
    pub concurrency: usize,
    /// Adjudication.
    pub rules: adjudicate::Rules,
    /// How long to wait for what.
    pub patience: Patience,
    /// Accepted time overrun, in milliseconds.
    pub time_margin: u64,
    /// Where to write what is said.
    pub log: Option<Arc<Log>>,
    /// Endings whose result is known.
    pub tables: Option<Arc<Tablebase>>,
    /// Numbers of games that an earlier run has played.
    pub done: HashSet<usize>,
}

impl Plan {
    /// One line that tells a match from others: another number of games, or of games at a time, is the same match.
    pub fn identity(&self, format: Format) -> String {
        let engines: Vec<String> = self.engines.iter().map(|engine| format!("{engine:?}")).collect();
        let book = self.book.fingerprint();
        let line = format!("{} {format:?} {} book {book:016x} {:?}", self.variant, engines.join(" "), self.rules);
        line.replace(char::is_control, " ")
    }

    /// The tags of a game that ended at `time`.
    pub fn tags<'a>(&'a self, event: &'a str, job: &Job, time: SystemTime) -> pgn::Tags<'a> {
        pgn::Tags {
            event,
            round: format!("{}.{}", job.round + 1, job.number % 2 + 1),
            white: &self.names[job.white],
            black: &self.names[job.black],
            variant: self.variant,
            limits: [job.white, job.black].map(|engine| self.engines[engine].limits.to_string()),
            opening: None,
            time,
        }
    }
}

/// Plays the games; `finished` sees each one as it ends, in the caller's thread, and ends the match by returning false.
/// Raising `stop` ends it too; games under way are then dropped.
pub fn run(plan: &Plan, stop: &AtomicBool, finished: impl FnMut(&Job, &Record) -> bool) {
    dispatch!(type R of plan.variant => run_as::<R>(plan, stop, finished))
}

fn run_as<R: Rules>(plan: &Plan, stop: &AtomicBool, mut finished: impl FnMut(&Job, &Record) -> bool) {
    let next = AtomicUsize::new(0);
    let (sender, receiver): (Sender<(Job, Record)>, Receiver<_>) = channel();
    thread::scope(|scope| {
        for number in 0..plan.concurrency.clamp(1, plan.schedule.games().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || Worker::new(plan, number, stop).work::<R>(next, &sender));
        }
        drop(sender);
        let mut open = true;
        for (job, record) in receiver {
            // After the verdict, games that end by chance at the same moment do not count.
            open = open && finished(&job, &record);
            if !open {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
}

/// One thread with its own engine processes.
struct Worker<'a> {
    plan: &'a Plan,
    number: usize,
    stop: &'a AtomicBool,
    processes: Vec<Option<Process>>,
}

impl<'a> Worker<'a> {
    fn new(plan: &'a Plan, number: usize, stop: &'a AtomicBool) -> Self {
        Self { plan, number, stop, processes: plan.engines.iter().map(|_| None).collect() }
    }

    fn work<R: Rules>(mut self, next: &AtomicUsize, sender: &Sender<(Job, Record)>) {
        while !self.stop.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if self.plan.done.contains(&number) {
                continue;
            }
            let Some(job) = self.plan.schedule.job(number) else { break };
            let opening = self.plan.book.get::<R>(job.round);
            let Some(record) = self.play::<R>(&job, &opening) else { break };
            self.dismiss(&job, &record.ending);
            if sender.send((job, record)).is_err() {
                break;
            }
        }
        for process in self.processes.drain(..).flatten() {
            process.quit();
        }
    }

    /// Plays one game; None when stopped.
    fn play<R: Rules>(&mut self, job: &Job, opening: &Opening) -> Option<Record> {
        // Engines that sit out this pairing free their memory.
        for engine in 0..self.processes.len() {
            if engine != job.white
                && engine != job.black
                && let Some(process) = self.processes[engine].take()
            {
                process.quit();
            }
        }
        for (engine, color) in [(job.white, Color::White), (job.black, Color::Black)] {
            if let Err(failure) = self.ensure(engine) {
                if failure == Failure::Interrupted {
                    return None;
                }
                return Some(not_started(opening, color, &failure));
            }
        }
        let plan = self.plan;
        let [white, black] = self.processes.get_disjoint_mut([job.white, job.black]).ok()?;
        let (Some(white), Some(black)) = (white.as_mut(), black.as_mut()) else { return None };
        let player = |process, engine: usize| {
            let spec: &EngineSpec = &plan.engines[engine];
            let margin = Duration::from_millis(spec.time_margin.unwrap_or(plan.time_margin));
            Player { process, limits: spec.limits, margin }
        };
        let table = Table {
            variant: plan.variant,
            rules: plan.rules,
            patience: plan.patience,
            tables: plan.tables.as_deref(),
            stop: self.stop,
        };
        game::play::<R>(opening, [player(white, job.white), player(black, job.black)], table)
    }

    /// Makes sure that an engine runs.
    fn ensure(&mut self, engine: usize) -> Result<(), Failure> {
        if self.processes[engine].is_none() {
            let plan = self.plan;
            let label = format!("{}#{}", plan.names[engine], self.number + 1);
            let log = plan.log.clone();
            let process = roster::start(&plan.engines[engine], &label, plan.variant, plan.patience, log, self.stop)?;
            self.processes[engine] = Some(process);
        }
        Ok(())
    }

    /// After a failure the loser's process is not to be trusted: the next game gets a new one.
    fn dismiss(&mut self, job: &Job, ending: &Ending) {
        for (engine, color) in [(job.white, Color::White), (job.black, Color::Black)] {
            let failed = ending.cause.is_failure() && ending.cause != Cause::Time && ending.winner == Some(!color);
            if failed {
                // Dropping it kills it, with no time given to say goodbye.
                self.processes[engine] = None;
            } else if self.plan.engines[engine].restart
                && let Some(process) = self.processes[engine].take()
            {
                process.quit();
            }
        }
    }
}

/// The record of a game that never began.
fn not_started(opening: &Opening, loser: Color, failure: &Failure) -> Record {
    Record {
        fen: opening.fen.clone(),
        first_move: 1,
        first_color: Color::White,
        plies: Vec::new(),
        duration: Duration::ZERO,
        ending: Ending::failure(loser, Cause::Start, &format!("did not start: {failure}")),
    }
}
