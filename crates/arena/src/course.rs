//! A match on its way: the results so far, how they came about, and whether it is decided.

use super::game::Record;
use super::journal::Played;
use super::page::{self, History};
use super::report;
use super::results::Results;
use super::runner::Plan;
use super::schedule::Job;
use super::stats::{Sprt, SprtVerdict};

/// "Without limit": a sequential test ends long before.
pub const SPRT_GAMES: usize = 1_000_000;

/// What a match has come to.
pub struct Course {
    /// Who plays whom, how and from where, in a line.
    pub head: String,
    /// The results.
    pub results: Results,
    /// The test that ends the match.
    pub sprt: Option<Sprt>,
    /// Games to play; none until it is decided.
    pub total: Option<usize>,
    games: usize,
    history: History,
}

impl Course {
    /// The course of a match of which an earlier run has played some games.
    pub fn new(plan: &Plan, sprt: Option<Sprt>, seed: u64, played: Played) -> Course {
        let games = plan.schedule.games();
        let total = (games < SPRT_GAMES).then_some(games);
        let (head, results) = (report::header(plan, seed, total), Results::new(&plan.names, &plan.schedule));
        let mut course = Course { head, results, sprt, total, games, history: History::default() };
        for (number, record) in played {
            if let Some(job) = plan.schedule.job(number) {
                course.add(&job, &record);
            }
        }
        course
    }

    /// Counts a game.
    pub fn add(&mut self, job: &Job, record: &Record) {
        self.results.add(job, record);
        self.history.note(&self.results, self.sprt.as_ref());
    }

    /// The test has decided.
    pub fn is_decided(&self) -> bool {
        let pairs = self.results.duels.first().map(|duel| duel.pairs).unwrap_or_default();
        self.sprt.is_some_and(|sprt| sprt.verdict(pairs) != SprtVerdict::Open)
    }

    /// Nothing is left to play.
    pub fn is_finished(&self) -> bool {
        self.is_decided() || self.results.games == self.games
    }

    /// A line for the game that was added last.
    pub fn game_line(&self, job: &Job, record: &Record) -> String {
        report::game_line(&self.results, job, record, self.total)
    }

    /// The state of every pairing that has begun.
    pub fn duels(&self) -> impl Iterator<Item = String> + '_ {
        let begun = self.results.duels.iter().filter(|duel| duel.games.games() > 0);
        begun.map(|duel| report::duel_lines(&self.results, duel, self.sprt.as_ref()))
    }

    /// The state of the match in a few lines, for a terminal.
    pub fn standing(&self) -> String {
        report::standing(&self.results, self.sprt.as_ref())
    }

    /// The final report.
    pub fn summary(&self) -> String {
        report::summary(&self.results, self.sprt.as_ref())
    }

    /// The same with plots, for a browser.
    pub fn page(&self) -> String {
        page::render(&self.head, &self.results, self.sprt.as_ref(), &self.history)
    }
}
