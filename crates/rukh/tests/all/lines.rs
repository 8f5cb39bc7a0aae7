//! The lines on standard error that are made here: errors with the marked place, and progress. Both files of the program are compiled here as
//! they are, because the program has no unit tests of its own.

#[allow(dead_code)]
#[path = "../../src/cli/error.rs"]
mod error;
#[allow(dead_code)]
#[path = "../../src/cli/progress.rs"]
mod progress;

use std::time::Duration;

use error::CliError;
use progress::line;

#[test]
fn marks_the_place() {
    assert_eq!(CliError::at("bad piece", "ppxpp", 2..3).to_string(), "bad piece: pp»x«pp");
    assert_eq!(CliError::at("ends early", "pp", 2..2).to_string(), "ends early: pp»«");
}

#[test]
fn survives_odd_ranges_and_text() {
    // Out of range, reversed, inside a character, control characters: still one line, no panic.
    assert_eq!(CliError::at("m", "ab", 5..9).to_string(), "m: ab»«");
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = CliError::at("m", "abc", 2..1);
    assert_eq!(reversed.to_string(), "m: ab»«c");
    assert_eq!(CliError::at("m", "é", 1..2).to_string(), "m: »é«");
    assert_eq!(CliError::at("a\nb", "c\x1bd", 1..2).to_string(), "a b: c» «d");
    let long = "x".repeat(10_000);
    assert!(CliError::at("m", &long, 5_000..5_001).to_string().len() < 400);
    assert!(CliError::input("m", &long).to_string().len() < 800);
}

#[test]
fn lines() {
    let ten = Duration::from_secs(10);
    assert_eq!(line("perft", 1, Some(4), ten, "e2e4", false), "perft  25 % 1/4 0:10, 0:30 left  e2e4");
    assert_eq!(line("tune", 70, None, Duration::from_secs(3700), "", true), "tune 70, 1:01:40");
    assert_eq!(line("pgn", 7, None, ten, "games", false), "pgn 7 games, 0:10");
    assert!(line("x", 9, Some(4), ten, "", true).starts_with("x [████████████████████████] 100 % 9/4"));
    assert!(line("x", 0, Some(0), ten, "", true).starts_with("x 0, "));
}
