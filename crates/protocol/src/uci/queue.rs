//! What runs beside the reader, and which commands wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rukh_engine::Control;

use super::command::Command;

/// What runs beside the reader. Clones share the flags.
#[derive(Clone)]
pub(super) struct Job {
    /// Tells an end that belongs to it from one that does not.
    pub id: u64,
    pub kind: Kind,
    /// What it is once the opponent has made the move pondered on.
    pub after_hit: Kind,
    /// Asks a count of leaves to end; a search is asked through the engine.
    pub stop: Arc<AtomicBool>,
    /// Asks a bench to end.
    pub control: Arc<Control>,
    /// It has been told to end.
    pub told: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A search that ends by itself.
    Limited,
    /// `go infinite` or `go ponder`: only `stop` (or `ponderhit`) ends it.
    Unlimited,
    /// The same where there is nothing to search: silence until `stop`.
    Nothing,
    /// Leaves are counted.
    Perft,
    /// The fixed workload.
    Bench,
}

impl Kind {
    /// It ends with a number rather than with a move.
    pub fn counts(self) -> bool {
        matches!(self, Kind::Perft | Kind::Bench)
    }
}

impl Job {
    pub fn new(id: u64, kind: Kind) -> Self {
        Self { id, kind, after_hit: kind, stop: Arc::default(), control: Arc::default(), told: false }
    }

    /// Raises the flags that a count looks at.
    pub fn tell(&mut self) {
        self.told = true;
        self.stop.store(true, Ordering::Relaxed);
        self.control.end();
    }
}

/// A command that came while something ran.
pub(super) struct Waiting {
    pub command: Command,
    /// A `stop` came after it.
    pub stopped: bool,
}

impl Waiting {
    /// What it will be when it runs, as far as it matters to who wants it ended.
    pub fn kind(&self) -> Kind {
        match &self.command {
            Command::Go(spec) if spec.perft.is_some() => Kind::Perft,
            Command::Bench(_) => Kind::Bench,
            _ => Kind::Limited,
        }
    }
}

/// When a command is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Now.
    Now,
    /// After what runs and what waits already.
    Later,
    /// So, too, and what runs shall end: it would not by itself.
    LaterAndEnd,
}

/// When `command` has its turn while `job` runs and others wait or not.
pub(super) fn turn(command: &Command, job: Option<&Job>, others_wait: bool) -> Turn {
    let Some(job) = job else { return Turn::Now };
    let later = |yes: bool| if yes { Turn::Later } else { Turn::Now };
    match command {
        Command::Stop | Command::PonderHit | Command::Debug(_) | Command::Quit => Turn::Now,
        Command::IsReady => later(job.told && !job.kind.counts()),
        Command::Uci | Command::Display | Command::Eval | Command::Help => later(others_wait),
        Command::Position(_)
        | Command::BadPosition(_)
        | Command::SetOption { .. }
        | Command::NewGame
        | Command::Go(_)
        | Command::Flip
        | Command::Bench(_) => match job.kind {
            Kind::Unlimited | Kind::Nothing => Turn::LaterAndEnd,
            Kind::Limited | Kind::Perft | Kind::Bench => Turn::Later,
        },
    }
}
