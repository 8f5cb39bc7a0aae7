//! `rukh match --selftest`: plays pretended engines with known faults and checks that the runner blames the right one.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rukh_core::Variant;

use super::adjudicate::{ResignRule, Rules};
use super::fake::Fault;
use super::limits::EngineLimits;
use super::openings::Book;
use super::process::Patience;
use super::results::{Failures, Results};
use super::roster;
use super::runner::{self, Plan};
use super::schedule::{Format, Schedule};
use super::spec::EngineSpec;

/// One trial: the honest engine meets one with a fault.
struct Trial {
    fault: &'static str,
    variant: Variant,
    /// What the report must say of the faulty engine after the games.
    expected: Failures,
}

/// Games per trial.
const GAMES: usize = 4;

/// Runs all trials; `say` gets a line for each. Err lists what the runner got wrong.
pub fn run(program: &str, stop: &AtomicBool, mut say: impl FnMut(String)) -> Result<(), String> {
    let none = Failures::default();
    let games = GAMES as u64;
    let trials = [
        Trial { fault: "random", variant: Variant::Chess, expected: none },
        Trial { fault: "random", variant: Variant::Chess960, expected: none },
        Trial { fault: "random", variant: Variant::Makruk, expected: none },
        Trial { fault: "hopeless", variant: Variant::Chess, expected: none },
        Trial { fault: "crash", variant: Variant::Chess, expected: Failures { crashes: games, ..none } },
        Trial { fault: "hang", variant: Variant::Makruk, expected: Failures { hangs: games, ..none } },
        Trial { fault: "flood", variant: Variant::Chess, expected: Failures { hangs: games, ..none } },
        Trial { fault: "illegal", variant: Variant::Chess960, expected: Failures { illegal: games, ..none } },
        Trial { fault: "empty", variant: Variant::Chess, expected: Failures { illegal: games, ..none } },
        Trial { fault: "slow", variant: Variant::Chess, expected: Failures { time: games, ..none } },
        Trial { fault: "mute", variant: Variant::Chess, expected: Failures { starts: games, ..none } },
    ];
    let mut wrong = Vec::new();
    for trial in &trials {
        let results = play(program, trial, stop)?;
        let verdict = check(trial, &results);
        let name = format!("{} ({})", trial.fault, trial.variant.name());
        say(format!("{name:<22} {}", verdict.as_ref().map_or_else(|error| error.as_str(), |()| "ok")));
        wrong.extend(verdict.err().map(|error| format!("{name}: {error}")));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

fn play(program: &str, trial: &Trial, stop: &AtomicBool) -> Result<Results, String> {
    let spec = |fault: &str, name: &str| EngineSpec {
        command: program.to_owned(),
        arguments: ["match", "--fake-engine", fault].map(str::to_owned).to_vec(),
        name: name.to_owned(),
        limits: match fault {
            "slow" => EngineLimits { movetime: Some(50), ..EngineLimits::default() },
            // Long enough for a busy machine, short enough for a test.
            "hang" | "flood" => EngineLimits { movetime: Some(1000), ..EngineLimits::default() },
            _ => EngineLimits { nodes: Some(1), ..EngineLimits::default() },
        },
        ..EngineSpec::default()
    };
    let engines = vec![spec("random", "honest"), spec(trial.fault, "suspect")];
    // Waiting is the point of some trials; in the others a loaded machine must not be taken for a fault.
    let start = Duration::from_secs(if trial.fault == "mute" { 2 } else { 30 });
    let grace = Duration::from_millis(if matches!(trial.fault, "hang" | "flood") { 300 } else { 10_000 });
    let patience = Patience { start, stall: Duration::from_secs(30), grace };
    let names = roster::inspect(&engines, trial.variant, patience, stop)?.names;
    let schedule = Schedule::new(2, Format::RoundRobin, GAMES);
    let plan = Plan {
        engines,
        names,
        variant: trial.variant,
        book: Book::Random { seed: 1, plies: 4, variant: trial.variant },
        concurrency: 2,
        rules: Rules {
            resign: Some(ResignRule { moves: 3, score: 1000, two_sided: false }),
            draw: None,
            max_moves: Some(40),
        },
        patience,
        time_margin: 20,
        log: None,
        tables: None,
        done: Default::default(),
        schedule,
    };
    let mut results = Results::new(&plan.names, &plan.schedule);
    runner::run(&plan, stop, |job, record| {
        results.add(job, record);
        true
    });
    Ok(results)
}

fn check(trial: &Trial, results: &Results) -> Result<(), String> {
    let (honest, suspect) = (&results.engines[0], &results.engines[1]);
    let lost = suspect.total().losses;
    let failures = trial.expected.total();
    if results.games != GAMES {
        Err(format!("{} games instead of {GAMES}", results.games))
    } else if honest.failures != Failures::default() {
        Err(format!("the honest engine was blamed: {:?}", honest.failures))
    } else if suspect.failures != trial.expected {
        Err(format!("found {:?}, expected {:?}", suspect.failures, trial.expected))
    } else if (failures > 0 || trial.fault == "hopeless") && lost != GAMES as u64 {
        Err(format!("{lost} of {GAMES} games lost"))
    } else if results.duels[0].pairs.pairs() != GAMES as u64 / 2 {
        Err("pairs are missing".to_owned())
    } else {
        Ok(())
    }
}

const _: () = assert!(Fault::ALL.len() == 9, "a new fault needs a trial");
