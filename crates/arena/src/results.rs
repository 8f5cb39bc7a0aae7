//! The state of a match: who scored what, and what went wrong.

use std::collections::HashMap;
use std::time::Duration;

use rukh_core::Color;

use super::game::{Cause, Record};
use super::schedule::{Job, Schedule};
use super::stats::{Estimate, Penta, Tally};

/// Failures of one engine, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Failures {
    /// Overstepped the time.
    pub time: u64,
    /// Ended by itself.
    pub crashes: u64,
    /// Did not answer.
    pub hangs: u64,
    /// Made an illegal move.
    pub illegal: u64,
    /// Did not start.
    pub starts: u64,
}

impl Failures {
    fn add(&mut self, cause: Cause) {
        match cause {
            Cause::Time => self.time += 1,
            Cause::Crash => self.crashes += 1,
            Cause::Hang => self.hangs += 1,
            Cause::Illegal => self.illegal += 1,
            Cause::Start => self.starts += 1,
            Cause::Rules | Cause::Adjudication => {}
        }
    }

    /// All of them together.
    pub fn total(self) -> u64 {
        self.time + self.crashes + self.hangs + self.illegal + self.starts
    }
}

/// How one engine searched, over all its moves.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Effort {
    /// Moves made.
    pub moves: u64,
    /// Time taken for them.
    pub time: Duration,
    depth: u64,
    depth_moves: u64,
    /// Nodes reported.
    pub nodes: u64,
    node_time: Duration,
}

impl Effort {
    /// Mean depth of the moves that told one.
    pub fn depth(&self) -> Option<f64> {
        (self.depth_moves > 0).then(|| self.depth as f64 / self.depth_moves as f64)
    }

    /// Nodes per second over the moves that told nodes.
    pub fn speed(&self) -> Option<f64> {
        (self.nodes > 0 && !self.node_time.is_zero()).then(|| self.nodes as f64 / self.node_time.as_secs_f64())
    }

    /// Mean milliseconds per move.
    pub fn milliseconds(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.time.as_secs_f64() * 1000.0 / self.moves as f64)
    }
}

/// One engine's account.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// For reports.
    pub name: String,
    /// Games as White.
    pub white: Tally,
    /// Games as Black.
    pub black: Tally,
    /// Pairs of games.
    pub pairs: Penta,
    /// What went wrong.
    pub failures: Failures,
    /// Time and nodes.
    pub effort: Effort,
}

impl Standing {
    /// All games.
    pub fn total(&self) -> Tally {
        let mut total = self.white;
        total.merge(self.black);
        total
    }

    /// Elo against the field.
    pub fn estimate(&self) -> Option<Estimate> {
        self.pairs.estimate().or_else(|| self.total().estimate())
    }
}

/// One pairing's account, seen from its first engine.
#[derive(Debug, Clone, Default)]
pub struct Duel {
    /// Indices of the engines; the results are the first one's.
    pub engines: (usize, usize),
    /// Single games.
    pub games: Tally,
    /// Pairs of games.
    pub pairs: Penta,
}

impl Duel {
    /// Elo from whole pairs, or from single games while there are none.
    pub fn estimate(&self) -> Option<Estimate> {
        self.pairs.estimate().or_else(|| self.games.estimate())
    }
}

/// Everything that the reports need.
#[derive(Debug, Clone, Default)]
pub struct Results {
    /// In the order of the plan.
    pub engines: Vec<Standing>,
    /// In the order of the schedule.
    pub duels: Vec<Duel>,
    /// Games by what ended them.
    pub endings: Vec<(String, u64)>,
    /// Games counted.
    pub games: usize,
    /// First games of pairs whose second is not finished: half points of the duel's first engine.
    half_pairs: HashMap<(usize, usize), u8>,
}

impl Results {
    /// Nothing played yet.
    pub fn new(names: &[String], schedule: &Schedule) -> Self {
        Self {
            engines: names.iter().map(|name| Standing { name: name.clone(), ..Standing::default() }).collect(),
            duels: schedule.pairings.iter().map(|&engines| Duel { engines, ..Duel::default() }).collect(),
            ..Self::default()
        }
    }

    /// Enters a finished game.
    pub fn add(&mut self, job: &Job, record: &Record) {
        self.games += 1;
        let ending = &record.ending;
        let (white, black) = (ending.half_points(Color::White), ending.half_points(Color::Black));
        self.engines[job.white].white.add(white);
        self.engines[job.black].black.add(black);
        let kind = kind(record);
        match self.endings.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => self.endings.push((kind, 1)),
        }
        if let Some(winner) = ending.winner.filter(|_| ending.cause.is_failure()) {
            let loser = if winner == Color::White { job.black } else { job.white };
            self.engines[loser].failures.add(ending.cause);
        }
        self.add_effort(job, record);
        let duel = &mut self.duels[job.pairing];
        let first = if duel.engines.0 == job.white { white } else { black };
        duel.games.add(first);
        let key = (job.pairing, job.round);
        match self.half_pairs.remove(&key) {
            None => {
                self.half_pairs.insert(key, first);
            }
            Some(other) => {
                let (a, b) = duel.engines;
                duel.pairs.add(first + other);
                self.engines[a].pairs.add(first + other);
                self.engines[b].pairs.add(4 - first - other);
            }
        }
    }

    fn add_effort(&mut self, job: &Job, record: &Record) {
        let mut color = record.first_color;
        for ply in &record.plies {
            let engine = if color == Color::White { job.white } else { job.black };
            color = !color;
            let Some((info, used)) = ply.search else { continue };
            let effort = &mut self.engines[engine].effort;
            effort.moves += 1;
            effort.time += used;
            if let Some(depth) = info.depth {
                effort.depth += u64::from(depth);
                effort.depth_moves += 1;
            }
            if let Some(nodes) = info.nodes {
                effort.nodes = effort.nodes.saturating_add(nodes);
                effort.node_time += used;
            }
        }
    }

    /// Failures of all engines together.
    pub fn failures(&self) -> u64 {
        self.engines.iter().map(|engine| engine.failures.total()).sum()
    }
}

/// The kind of an ending, without colour and particulars.
fn kind(record: &Record) -> String {
    let text = match record.ending.cause {
        Cause::Rules if record.ending.winner.is_some() => "mate",
        Cause::Rules => record.ending.text.trim_start_matches("Draw by "),
        Cause::Adjudication if record.ending.winner.is_some() => "win adjudicated",
        Cause::Adjudication => "draw adjudicated",
        Cause::Time => "time",
        Cause::Crash => "crash",
        Cause::Hang => "hang",
        Cause::Illegal => "illegal move",
        Cause::Start => "no start",
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Ending, Ply};
    use crate::schedule::Format;
    use crate::uci::{Score, SearchInfo};

    fn record(winner: Option<Color>, cause: Cause) -> Record {
        let info = SearchInfo { depth: Some(10), score: Some(Score::Cp(1)), nodes: Some(500) };
        Record {
            fen: None,
            first_move: 1,
            first_color: Color::White,
            plies: vec![
                Ply { san: "e4".to_owned(), search: None },
                Ply { san: "e5".to_owned(), search: Some((info, Duration::from_millis(100))) },
            ],
            duration: Duration::ZERO,
            ending: Ending { winner, cause, text: "Draw by repetition".to_owned() },
        }
    }

    #[test]
    fn pairs_are_put_together_in_any_order() {
        let schedule = Schedule::new(2, Format::RoundRobin, 4);
        let mut results = Results::new(&["a".to_owned(), "b".to_owned()], &schedule);
        let job = |n| schedule.job(n).unwrap();
        // a wins with White, game 2 (b White, a Black) drawn; other round interleaved: a loses as Black, wins as White.
        results.add(&job(0), &record(Some(Color::White), Cause::Rules));
        results.add(&job(2), &record(Some(Color::White), Cause::Rules));
        assert_eq!(results.duels[0].pairs.pairs(), 0);
        assert!(results.duels[0].estimate().is_some(), "single games until there is a pair");
        results.add(&job(3), &record(Some(Color::White), Cause::Time));
        results.add(&job(1), &record(None, Cause::Rules));
        assert_eq!(results.duels[0].pairs, Penta([0, 0, 1, 1, 0]));
        assert_eq!(results.engines[1].pairs, Penta([0, 1, 1, 0, 0]));
        assert_eq!(results.duels[0].games, Tally { wins: 2, draws: 1, losses: 1 });
        assert_eq!(results.engines[0].white, Tally { wins: 2, draws: 0, losses: 0 });
        assert_eq!(results.engines[1].failures, Failures { time: 1, ..Failures::default() });
        assert_eq!(results.failures(), 1);
        assert_eq!(results.games, 4);
        assert!(results.endings.contains(&("repetition".to_owned(), 1)));
        let effort = results.engines[1].effort;
        assert_eq!((effort.moves, effort.depth(), effort.speed()), (2, Some(10.0), Some(5000.0)));
        assert_eq!(Effort::default().speed(), None);
    }
}
