//! Simultaneous perturbation (SPSA): all parameters move at once, two versions of the engine play each other, and the winner's
//! direction is followed a little. Steps and perturbations shrink on the usual schedule (Spall's exponents 0.602 and 0.101).
//!
//! Some iterations are in play at the same time, so that no core waits for the longest game: iteration k starts from the values
//! after k - [`LAG`] + 1 updates, and updates are applied in order. What comes out therefore depends on the seed alone, not on
//! threads, time or interruptions.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::path::Path;
use std::str::{FromStr, SplitWhitespace};

use rukh_core::rng::Rng;

use crate::LabError;

mod drive;
#[cfg(feature = "tune")]
mod play;
mod plot;
#[cfg(feature = "tune")]
mod run;

pub use drive::{Files, drive};
pub use plot::is_plot;
#[cfg(feature = "tune")]
pub use run::{Table, knobs};

/// Iterations in play at the same time.
const LAG: u64 = 4;
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// The step schedule behaves as if this share of all iterations had passed before the first.
const STABILITY: f64 = 0.1;
/// Points of a curve in the plot.
const POINTS: u64 = 300;

/// One parameter and its range.
#[derive(Debug, Clone, PartialEq)]
pub struct Knob {
    /// As params.rs calls it.
    pub name: String,
    /// Before tuning.
    pub start: f64,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
}

/// A clock in thousands of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// For the game.
    pub base: u32,
    /// More with every move.
    pub increment: u32,
}

impl FromStr for Clock {
    type Err = String;

    fn from_str(text: &str) -> Result<Clock, String> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        match (base.trim().parse(), increment.trim().parse()) {
            (Ok(base), Ok(increment)) if base > 0 => Ok(Clock { base, increment }),
            _ => Err(format!("'{text}' is not a clock in thousands of nodes, such as 400+4")),
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The parameters.
    pub knobs: Vec<Knob>,
    /// How many steps.
    pub iterations: u64,
    /// Pairs of games in an iteration, each with both colours of one opening.
    pub pairs: usize,
    /// Nodes of a move, where there is no clock.
    pub nodes: u64,
    /// Clocks that run by nodes: so many thousands for a game, and so many more with every move. For the numbers that share out time.
    pub clock: Option<Clock>,
    /// The same seed raises and lowers the same parameters.
    pub seed: u64,
    /// Step of the last iteration, as a share of its perturbation, for a game won.
    pub rate: f64,
    /// Perturbation of the last iteration, as a share of the parameter's range.
    pub perturbation: f64,
}

/// One game to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// From 0.
    pub iteration: u64,
    /// From 0; even games have the raised values as White.
    pub game: usize,
}

impl Job {
    /// Number of its opening, from 0.
    pub fn opening(&self, plan: &Plan) -> u64 {
        self.iteration * plan.pairs as u64 + self.game as u64 / 2
    }
}

/// How far a run has come: all that its file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// What is asked for.
    pub plan: Plan,
    /// Iterations whose result was applied.
    pub done: u64,
    /// Games won, drawn and lost by the raised values.
    pub score: [u64; 3],
    /// Values after the last updates, newest last.
    centres: VecDeque<Vec<f64>>,
    /// Values on the way, for the plot.
    pub points: Vec<(u64, Vec<f64>)>,
    /// Results of iterations that wait for others or for their own last games.
    waiting: BTreeMap<u64, Vec<Option<i8>>>,
    /// Games handed out in this run; not in the file.
    taken: BTreeMap<u64, usize>,
}

impl State {
    /// The beginning of a run.
    pub fn new(plan: Plan) -> State {
        let start: Vec<f64> = plan.knobs.iter().map(|knob| knob.start).collect();
        State {
            plan,
            done: 0,
            score: [0; 3],
            centres: VecDeque::from([start.clone()]),
            points: vec![(0, start)],
            waiting: BTreeMap::new(),
            taken: BTreeMap::new(),
        }
    }

    /// The run in the file, or a new one.
    pub fn resume(path: &Path, plan: Plan) -> Result<State, LabError> {
        match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(State::new(plan)),
            Err(error) => Err(LabError::new(format!("cannot read {}: {error}", path.display()))),
            Ok(text) => {
                let state = State::from_text(&text)
                    .map_err(|why| LabError::new(format!("cannot continue with {}: {why}", path.display())))?;
                if state.plan != plan {
                    return Err(LabError::new(format!(
                        "{} is a run with other settings or of another build; name another --state, or repeat its command",
                        path.display()
                    )));
                }
                Ok(state)
            }
        }
    }

    /// The values now.
    pub fn values(&self) -> &[f64] {
        self.centres.back().map_or(&[], Vec::as_slice)
    }

    /// All iterations were applied.
    pub fn is_finished(&self) -> bool {
        self.done >= self.plan.iterations
    }

    /// Games whose result is known.
    pub fn games(&self) -> u64 {
        self.done * self.games_each() as u64
            + self.waiting.values().flatten().filter(|result| result.is_some()).count() as u64
    }

    fn games_each(&self) -> usize {
        2 * self.plan.pairs
    }

    /// The next game to play; `None` when all that may be begun have been.
    pub fn take(&mut self) -> Option<Job> {
        for iteration in self.done..(self.done + LAG).min(self.plan.iterations) {
            let from = self.taken.entry(iteration).or_default();
            let known = self.waiting.get(&iteration);
            while *from < 2 * self.plan.pairs {
                let game = *from;
                *from += 1;
                if known.is_none_or(|results| results[game].is_none()) {
                    return Some(Job { iteration, game });
                }
            }
        }
        None
    }

    /// The integers that the two sides of an iteration play with: raised and lowered.
    pub fn sides(&self, iteration: u64) -> (Vec<i32>, Vec<i32>) {
        // The centres end with the values after `done` updates.
        let after = (iteration + 1).saturating_sub(LAG);
        let at = (self.centres.len() as u64 - 1).saturating_sub(self.done - after.min(self.done));
        let centre = &self.centres[at as usize];
        let mut rng = self.rng(iteration);
        let both = self.plan.knobs.iter().zip(centre).map(|(knob, &value)| {
            let step = self.perturbation(knob, iteration) * sign(&mut rng);
            // Rounded up or down by chance: a step of less than one counts too.
            let dice = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            let side = |x: f64| (x.clamp(knob.min, knob.max) + dice).floor().clamp(knob.min, knob.max) as i32;
            (side(value + step), side(value - step))
        });
        both.unzip()
    }

    /// The result of a game: 1 when the raised values won, 0 for a draw, -1.
    pub fn report(&mut self, job: Job, result: i8) {
        let games = self.games_each();
        let results = self.waiting.entry(job.iteration).or_insert_with(|| vec![None; games]);
        results[job.game] = Some(result);
        while let Some(results) = self.waiting.get(&self.done)
            && let Some(results) = results.iter().copied().collect::<Option<Vec<i8>>>()
        {
            self.apply(&results);
        }
    }

    fn apply(&mut self, results: &[i8]) {
        let k = self.done;
        for &result in results {
            self.score[(1 - result) as usize] += 1;
        }
        let sum: f64 = results.iter().map(|&result| f64::from(result)).sum();
        let rate = self.rate(k);
        let mut rng = self.rng(k);
        let next = self.plan.knobs.iter().zip(self.values()).map(|(knob, &value)| {
            let step = self.perturbation(knob, k) * sign(&mut rng);
            rng.next_u64();
            (value + rate * step * sum).clamp(knob.min, knob.max)
        });
        let next: Vec<f64> = next.collect();
        self.waiting.remove(&k);
        self.taken.remove(&k);
        self.done += 1;
        if self.done.is_multiple_of(self.plan.iterations.div_ceil(POINTS).max(1)) || self.is_finished() {
            self.points.push((self.done, next.clone()));
        }
        self.centres.push_back(next);
        while self.centres.len() as u64 > LAG {
            self.centres.pop_front();
        }
    }

    /// Each iteration has its own numbers.
    fn rng(&self, iteration: u64) -> Rng {
        Rng::new(self.plan.seed, iteration + 1)
    }

    fn perturbation(&self, knob: &Knob, iteration: u64) -> f64 {
        let last = (self.plan.perturbation * (knob.max - knob.min)).max(0.5);
        last * (self.plan.iterations as f64 / (iteration + 1) as f64).powf(GAMMA)
    }

    /// Step for a game won, as a share of the perturbation.
    fn rate(&self, iteration: u64) -> f64 {
        let (all, k) = (self.plan.iterations as f64, (iteration + 1) as f64);
        let stability = STABILITY * all;
        let step = ((stability + all) / (stability + k)).powf(ALPHA);
        let perturbation = (all / k).powf(GAMMA);
        self.plan.rate * step / (perturbation * perturbation)
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let plan = &self.plan;
        let mut out = format!(
            "rukh-spsa 1\niterations {}\npairs {}\nnodes {}\nseed {}\nrate {}\nperturbation {}\ndone {}\nscore {} {} {}\n",
            plan.iterations,
            plan.pairs,
            plan.nodes,
            plan.seed,
            plan.rate,
            plan.perturbation,
            self.done,
            self.score[0],
            self.score[1],
            self.score[2]
        );
        if let Some(Clock { base, increment }) = plan.clock {
            let _ = writeln!(out, "clock {base} {increment}");
        }
        let mut line = |word: &str, values: &mut dyn Iterator<Item = String>| {
            let _ = writeln!(out, "{word} {}", values.collect::<Vec<_>>().join(" "));
        };
        for k in &plan.knobs {
            line("knob", &mut [k.name.clone(), k.start.to_string(), k.min.to_string(), k.max.to_string()].into_iter());
        }
        for values in &self.centres {
            line("values", &mut values.iter().map(f64::to_string));
        }
        for (at, values) in &self.points {
            line("point", &mut core::iter::once(at.to_string()).chain(values.iter().map(f64::to_string)));
        }
        for (iteration, results) in &self.waiting {
            for (game, result) in results.iter().enumerate() {
                if let Some(result) = result {
                    line("game", &mut [iteration.to_string(), game.to_string(), result.to_string()].into_iter());
                }
            }
        }
        out + "end\n"
    }

    /// Reads a file's text. The error says what is wrong, in one line.
    pub fn from_text(text: &str) -> Result<State, String> {
        let mut lines = text.lines();
        if lines.next() != Some("rukh-spsa 1") {
            return Err("it is not the state of `rukh tune search`".into());
        }
        if text.lines().last() != Some("end") {
            return Err("its end is missing".into());
        }
        let plan = Plan {
            knobs: vec![],
            iterations: 0,
            pairs: 0,
            nodes: 0,
            clock: None,
            seed: 0,
            rate: 0.0,
            perturbation: 0.0,
        };
        let mut state = State::new(plan);
        state.centres.clear();
        state.points.clear();
        for (number, line) in lines.enumerate() {
            state.read(line).ok_or_else(|| format!("line {} makes no sense", number + 2))?;
        }
        let knobs = state.plan.knobs.len();
        let vectors = state.centres.iter().chain(state.points.iter().map(|(_, values)| values));
        let whole = knobs > 0 && state.plan.pairs > 0 && vectors.into_iter().all(|values| values.len() == knobs);
        let centres = state.centres.len() as u64;
        if !whole || centres != (state.done + 1).min(LAG) || state.done > state.plan.iterations {
            return Err("its parts do not fit together".into());
        }
        Ok(state)
    }

    fn read(&mut self, line: &str) -> Option<()> {
        fn next<T: FromStr>(words: &mut SplitWhitespace<'_>) -> Option<T> {
            words.next()?.parse().ok()
        }
        fn finite(words: &mut SplitWhitespace<'_>) -> Option<f64> {
            next::<f64>(words).filter(|x| x.is_finite())
        }
        let mut words = line.split_whitespace();
        let words = &mut words;
        match words.next()? {
            "iterations" => self.plan.iterations = next(words)?,
            "pairs" => self.plan.pairs = next(words).filter(|&pairs| pairs <= 10_000)?,
            "nodes" => self.plan.nodes = next(words)?,
            "clock" => self.plan.clock = Some(Clock { base: next(words)?, increment: next(words)? }),
            "seed" => self.plan.seed = next(words)?,
            "rate" => self.plan.rate = finite(words)?,
            "perturbation" => self.plan.perturbation = finite(words)?,
            "done" => self.done = next(words)?,
            "score" => self.score = [next(words)?, next(words)?, next(words)?],
            "knob" => {
                let name = next(words)?;
                let (start, min, max) = (finite(words)?, finite(words)?, finite(words)?);
                (min < max).then(|| self.plan.knobs.push(Knob { name, start, min, max }))?;
            }
            "values" => self.centres.push_back(words.map(|word| word.parse().ok()).collect::<Option<_>>()?),
            "point" => {
                let at = next(words)?;
                self.points.push((at, words.map(|word| word.parse().ok()).collect::<Option<_>>()?));
            }
            "game" => {
                let (iteration, game): (u64, usize) = (next(words)?, next(words)?);
                let result = next::<i8>(words).filter(|result| (-1..=1).contains(result))?;
                let games = self.games_each();
                let results = self.waiting.entry(iteration).or_insert_with(|| vec![None; games]);
                *results.get_mut(game)? = Some(result);
            }
            "end" => {}
            _ => return None,
        }
        words.next().is_none().then_some(())
    }
}

fn sign(rng: &mut Rng) -> f64 {
    if rng.next_u64() >> 63 == 0 { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(iterations: u64) -> Plan {
        let knob = |name: &str, start, min, max| Knob { name: name.into(), start, min, max };
        let knobs = vec![knob("a", 20.0, 0.0, 100.0), knob("b", 900.0, 0.0, 1000.0), knob("c", 0.0, -50.0, 50.0)];
        Plan { knobs, iterations, pairs: 8, nodes: 1, clock: None, seed: 5, rate: 0.02, perturbation: 0.05 }
    }

    /// A game between two versions: the nearer one is to (70, 300, 0), in shares of the range, the more often it wins.
    fn toy(state: &State, job: Job) -> i8 {
        let (plus, minus) = state.sides(job.iteration);
        let loss = |v: &[i32]| {
            let off = [f64::from(v[0] - 70) / 100.0, f64::from(v[1] - 300) / 1000.0, f64::from(v[2]) / 100.0];
            off.iter().map(|x| x * x).sum::<f64>()
        };
        let win = 1.0 / (1.0 + ((loss(&plus) - loss(&minus)) * 12.0).exp());
        let dice = Rng::new(job.iteration, job.game as u64).below(1000) as f64 / 1000.0;
        if dice < win - 0.2 {
            1
        } else if dice < win + 0.2 {
            0
        } else {
            -1
        }
    }

    /// Plays up to `games` games; `order` chooses among those in flight.
    fn run(state: &mut State, games: usize, mut order: impl FnMut(usize) -> usize) {
        let mut flying: Vec<(Job, i8)> = Vec::new();
        for _ in 0..games {
            while flying.len() < 16
                && let Some(job) = state.take()
            {
                let result = toy(state, job);
                flying.push((job, result));
            }
            if flying.is_empty() {
                return;
            }
            let (job, result) = flying.swap_remove(order(flying.len()));
            state.report(job, result);
        }
    }

    #[test]
    fn it_finds_the_best_values_of_a_toy() {
        let mut state = State::new(plan(3000));
        run(&mut state, usize::MAX, |_| 0);
        assert!(state.is_finished());
        assert_eq!((state.games(), state.score.iter().sum()), (48_000, 48_000));
        let v = state.values();
        assert!((v[0] - 70.0).abs() < 8.0 && (v[1] - 300.0).abs() < 80.0 && v[2].abs() < 8.0, "{v:?}");
    }

    #[test]
    fn neither_the_order_of_games_nor_an_interruption_changes_the_result() {
        let mut whole = State::new(plan(60));
        run(&mut whole, usize::MAX, |_| 0);
        let mut rng = Rng::new(9, 9);
        let mut state = State::new(plan(60));
        while !state.is_finished() {
            run(&mut state, 37, |n| rng.below(n));
            // Killed: games in flight are lost, the file is all there is.
            let text = state.to_text();
            state = State::from_text(&text).unwrap();
            assert_eq!(state.to_text(), text);
        }
        assert_eq!(state.to_text(), whole.to_text());
    }

    #[test]
    fn the_schedule_ends_where_it_was_asked_to() {
        let state = State::new(plan(1000));
        let knob = &state.plan.knobs[0];
        assert!((state.perturbation(knob, 999) - 5.0).abs() < 1e-9 && state.perturbation(knob, 0) > 9.0);
        assert!((state.rate(999) - 0.02).abs() < 1e-9 && state.rate(0) > 0.01);
        let opening = |iteration, game| Job { iteration, game }.opening(&state.plan);
        assert_eq!([opening(0, 0), opening(0, 1), opening(0, 15), opening(2, 4)], [0, 0, 7, 18]);
        let (plus, minus) = state.sides(0);
        assert!(plus.iter().zip(&minus).all(|(a, b)| a != b));
        assert!((0..=1000).contains(&plus[1]) && (0..=1000).contains(&minus[1]), "in their range");
    }

    #[test]
    fn a_broken_file_is_refused_in_words() {
        let good = State::new(plan(10)).to_text();
        assert!(State::from_text(&good).is_ok());
        for (bad, why) in [
            (String::new(), "not the state"),
            (good.replace("end\n", ""), "end is missing"),
            (good.replace("pairs 8", "pairs x"), "line 3"),
            (good.replace("knob a 20", "knob a nan"), "line"),
            (good.replace("values 20 ", "values "), "do not fit"),
            (good.replace("done 0", "done 11"), "do not fit"),
            (good.replace("end", "game 0 99 1\nend"), "line"),
        ] {
            let error = State::from_text(&bad).unwrap_err();
            assert!(error.contains(why), "{error}: {why}");
        }
    }
}
