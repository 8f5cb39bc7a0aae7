//! The command line from outside: what goes to which stream, and with which exit status.

use std::io::Read;
use std::process::{Command, Output, Stdio};

fn rukh(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rukh")).args(words).stdin(Stdio::null()).output().expect("rukh starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// One line on stderr, nothing on stdout, a non-zero status.
#[track_caller]
fn refused(words: &[&str], message: &str) {
    let output = rukh(words);
    let error = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert!(!output.status.success() && output.stdout.is_empty(), "{words:?}: {output:?}");
    assert_eq!(error, format!("rukh: {message}\n"), "{words:?}");
}

#[test]
fn the_last_line_of_perft_is_the_total_alone() {
    for words in [
        vec!["perft", "3"],
        vec!["perft", "3", "--divide"],
        vec!["perft", "--threads=2", "--hash", "1", "3"],
        vec!["perft", "3", "--variant", "chess960"],
    ] {
        let output = rukh(&words);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(stdout(&output).lines().last(), Some("8902"), "{words:?}");
    }
    assert_eq!(stdout(&rukh(&["perft", "3", "--variant", "makruk"])), "12012\n");
    assert_eq!(stdout(&rukh(&["perft", "0"])), "1\n");
}

#[test]
fn divide_adds_up() {
    let output = stdout(&rukh(&["perft", "2", "--divide", "--fen", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"]));
    let counts = output.lines().filter_map(|line| line.split_once(": ")?.1.parse::<u64>().ok());
    assert_eq!(counts.sum::<u64>(), 568);
    assert!(output.contains("e1g1: ") && output.ends_with("\n568\n"));
}

#[test]
fn bad_input_is_one_marked_line() {
    refused(&["frobnicate"], "there is no command 'frobnicate'; 'rukh help' lists them");
    refused(&["perft"], "<depth> is missing");
    refused(&["perft", "x"], "depth: invalid digit found in string: »x«");
    refused(&["perft", "99"], "<depth> is at most 20: »99«");
    refused(&["perft", "3", "--frob"], "unknown option '--frob'");
    refused(&["perft", "3", "--variant", "go"], "--variant: unknown variant: expected chess, chess960 or makruk: »go«");
    refused(
        &["perft", "3", "--fen", "rnbqkbnr/pppxpppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"],
        "bad FEN: `x` is not a piece letter or a digit 1–8: \
         rnbqkbnr/ppp»x«pppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    );
}

#[test]
fn every_listed_command_has_help() {
    let overview = stdout(&rukh(&["help"]));
    let commands: Vec<&str> = overview
        .lines()
        .skip_while(|line| *line != "commands:")
        .skip(1)
        .map_while(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|name| !matches!(*name, "help" | "version"))
        .collect();
    assert!(commands.contains(&"perft"), "{overview}");
    for name in commands {
        let by_word = rukh(&["help", name]);
        let by_flag = rukh(&[name, "--help"]);
        assert!(by_word.status.success() && by_word.stdout == by_flag.stdout, "{name}");
        assert!(stdout(&by_word).contains(&format!("usage: rukh {name}")), "{name}");
    }
}

/// `rukh … | head -1` must not end in a panic when the reader goes away.
#[test]
fn a_closed_pipe_is_no_crash() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rukh"))
        .args(["perft", "4", "--divide"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("rukh starts");
    drop(child.stdout.take());
    let mut error = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut error).expect("UTF-8");
    assert!(!error.contains("panicked"), "{error}");
    assert!(child.wait().is_ok());
}
