//! `rukh match` as a user runs it, with pretended engines.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rukh_testing::{Folder, NewFile};

const RUKH: &str = env!("CARGO_BIN_EXE_rukh");

fn fake(kind: &str, more: &str) -> String {
    format!("cmd='{RUKH}' args='match --fake-engine {kind}' name={kind} {more}")
}

fn run(engines: &[String], more: &[&str]) -> Output {
    let mut command = Command::new(RUKH);
    command.arg("match");
    for engine in engines {
        command.args(["--engine", engine]);
    }
    command.args(more).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The value of a number in the JSON report, by the text before it.
fn number(json: &str, key: &str) -> i64 {
    let at = json.find(key).unwrap_or_else(|| panic!("no {key} in {json}")) + key.len();
    json[at..].split([',', '}']).next().unwrap().trim().parse().unwrap()
}

/// Some trials wait for an engine that says nothing: on a busy machine an honest one may be late as well, but not always.
#[test]
fn selftest() {
    for last in [false, false, true] {
        let output = Command::new(RUKH).args(["match", "--selftest"]).output().unwrap();
        if output.status.success() {
            assert_eq!(text(&output.stdout).matches(" ok\n").count(), 11);
            break;
        }
        assert!(!last, "{}{}", text(&output.stdout), text(&output.stderr));
    }
}

#[test]
fn three_engines_in_all_variants() {
    for variant in ["chess", "chess960", "makruk"] {
        let engines = ["random", "random", "hopeless"].map(|kind| fake(kind, ""));
        let output = run(
            &engines,
            &[
                "--nodes", "1", "--games", "2", "--variant", variant, "--concurrency", "2", "--max-moves", "30",
                "--seed", "1",
            ],
        );
        let text = text(&output.stdout);
        assert!(output.status.success(), "{text}");
        assert_eq!(text.lines().filter(|line| line.contains("/6 ")).count(), 6, "{text}");
        assert!(text.contains("random (2)"), "names are made distinct: {text}");
        assert!(text.contains("Games ended by:"), "{text}");
    }
}

#[test]
fn games_are_written_and_counted() {
    let (pgn, json, log) = (NewFile::new("games.pgn"), NewFile::new("report.json"), NewFile::new("talk.log"));
    let engines = [fake("random", "option.UCI_Chess960=false"), fake("hopeless", "nodes=7")];
    for games in [4, 8] {
        let output = run(
            &engines,
            &[
                "--tc",
                "60+1",
                "--games",
                "4",
                "--resign",
                "moves=2 score=900",
                "--seed",
                "3",
                "--pgn",
                pgn.to_str().unwrap(),
                "--json",
                json.to_str().unwrap(),
                "--log",
                log.to_str().unwrap(),
                "--event",
                "trial",
            ],
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
        let games_text = std::fs::read_to_string(&pgn).unwrap();
        assert_eq!(games_text.matches("[Event \"trial\"]").count(), games, "games are added");
        assert_eq!(games_text.matches("[Termination \"adjudication\"]").count(), games);
        assert!(games_text.contains("[WhiteTimeControl \"60+1\"]") && games_text.contains("{book}"));
        assert!(games_text.contains("{-15.00/1 "), "{games_text}");
    }
    let report = std::fs::read_to_string(&json).unwrap();
    assert_eq!(number(&report, "\"games\":"), 4);
    assert_eq!(number(&report, "\"wins\":"), 4);
    assert!(report.contains("\"pentanomial\":[0,0,0,0,2]"), "{report}");
    assert!(report.contains("\"elo\":null"), "a clean sweep has no finite Elo: {report}");
    let log_text = std::fs::read_to_string(&log).unwrap();
    assert!(log_text.contains("hopeless#1 < go nodes 7") && log_text.contains("random#1 > bestmove"), "{log_text}");
}

#[test]
fn openings_come_in_order_and_twice() {
    let (list, pgn) = (NewFile::new("openings.epd"), NewFile::new("openings.pgn"));
    std::fs::write(&list, "# two\n1. e4 c5\n\nrnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm d4;\nbad\n")
        .unwrap();
    let engines = [fake("random", ""), fake("random", "")];
    let output = run(
        &engines,
        &[
            "--nodes",
            "1",
            "--games",
            "4",
            "--openings",
            list.to_str().unwrap(),
            "--order",
            "sequential",
            "--max-moves",
            "5",
            "--pgn",
            pgn.to_str().unwrap(),
            "--quiet",
        ],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("skipped line 5"), "{}", text(&output.stderr));
    let games = std::fs::read_to_string(&pgn).unwrap();
    assert_eq!(games.matches("\n1. e4 {book} 1... c5 {book} 2. ").count(), 2, "{games}");
    assert_eq!(games.matches("[FEN \"rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1\"]").count(), 2);
}

#[test]
fn a_sequential_test_ends_by_itself() {
    let output =
        run(&[fake("random", ""), fake("crash", "")], &["--nodes", "1", "--sprt", "elo0=0 elo1=50", "--strict"]);
    let text = text(&output.stdout);
    assert!(text.contains("H1 accepted"), "{text}");
    assert!(text.contains("!! ") && text.contains("exit status: 3: fake engine: on purpose"), "{text}");
    assert_eq!(output.status.code(), Some(1), "--strict reports the crashes");
}

#[test]
fn wrong_command_lines_are_refused_at_once() {
    for (engines, more, part) in [
        (vec!["cmd=there/is/no/engine".to_owned(), fake("random", "")], vec!["--nodes", "1"], "there/is/no/engine"),
        (vec![fake("random", "option.Hash=5"), fake("random", "")], vec!["--nodes", "1"], "no option Hash"),
        (vec![fake("random", ""), fake("random", "")], vec![], "no limit"),
        (vec![fake("random", "")], vec!["--nodes", "1"], "two engines"),
    ] {
        let output = run(&engines, &more);
        let errors = text(&output.stderr);
        assert!(!output.status.success() && errors.contains(part), "{part}: {errors}");
        assert!(output.stdout.is_empty());
    }
}

/// Ctrl-C: the results so far are printed and the file holds whole games, however often the signal comes at once (`timeout`
/// sends it twice).
#[cfg(unix)]
#[test]
fn interruption_keeps_whole_games() {
    // Half a second is "at once". A busy machine may take longer over the signals, and then the last of them ends it all.
    let late = |output: &Output| output.status.code() == Some(130);
    let output = (0..5).map(|_| interrupted_match()).find(|(output, _)| !late(output));
    let (output, written) = output.expect("several signals at once are one");
    let text = text(&output.stdout);
    assert!(text.contains("Interrupted") && text.contains("Score of random vs random (2)"), "{text}");
    let ends =
        written.lines().filter(|line| line.ends_with(" 1-0") || line.ends_with("0-1") || line.ends_with("1/2-1/2"));
    assert_eq!(written.matches("[Event ").count(), ends.count());
}

/// What a match says that is interrupted after a few games, and the games it has written.
#[cfg(unix)]
fn interrupted_match() -> (Output, String) {
    let pgn = NewFile::new("interrupted.pgn");
    let child = Command::new(RUKH)
        .args(["match", "--engine", &fake("random", ""), "--engine", &fake("random", "")])
        .args(["--nodes", "1", "--games", "1000000", "--pgn", pgn.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(300);
    let games = || std::fs::read_to_string(&pgn).unwrap_or_default().matches("[Event ").count();
    while games() < 3 {
        assert!(Instant::now() < deadline, "no games are played");
        std::thread::sleep(Duration::from_millis(20));
    }
    let process = child.id();
    let signals =
        format!("kill -INT {process}; for i in 1 2 3 4 5 6 7 8; do kill -INT {process}; done 2>/dev/null; true");
    assert!(Command::new("sh").args(["-c", &signals]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let written = std::fs::read_to_string(&pgn).unwrap();
    (output, written)
}

#[test]
fn mistakes_in_the_command_line() {
    const TWO: [&str; 4] = ["--engine", "cmd=a name=A nodes=5", "--engine", "b"];
    for (words, part) in [
        (&["--tc", "x"][..], "--tc"),
        (&[], "no limit"),
        (&["--nodes", "9", "--games", "0"], "must be more than 0"),
        (&["--nodes", "9", "--sprt", "elo0=5 elo1=0"], "below elo1"),
        (&["--nodes", "9", "--sprt", "elo2=5"], "elo2"),
        (&["--nodes", "9", "--order", "x"], "--order"),
        (&["--nodes", "9", "--openings", "there/is/no/file"], "there/is/no/file"),
        (&["--nodes", "9", "--frob"], "--frob"),
        (&["--nodes", "9", "--engine", "c", "--sprt", "elo1=5"], "two engines"),
        (&["--nodes", "9", "--resign", "moves=x"], "--resign"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_rukh")).arg("match").args(TWO).args(words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(part), "{words:?}: {said}");
    }
}

/// Games from a PGN file, a state to go on from, a page, and openings by name; in the words of another runner.
#[test]
fn a_match_goes_on_where_it_stopped() {
    let folder = Folder::new("match-state");
    let openings =
        "[White \"a\"]\n\n1. e4 c5 2. Nf3 d6 *\n\n[White \"b\"]\n\n1. d4 d5 2. c4 e6 *\n\n[White \"c\"]\n\n1. Ke2 *\n";
    std::fs::write(folder.join("o.pgn"), openings).unwrap();
    let run = |line: &str| {
        let mut command = Command::new(RUKH);
        command.current_dir(&folder).arg("match");
        for _ in 0..2 {
            command.args(["-engine", &format!("cmd={RUKH}"), "args=match --fake-engine random"]);
        }
        let output = command.args(line.split(' ')).stdin(Stdio::null()).output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.code(), said)
    };
    const LINE: &str = "-each nodes=1 -openings file=o.pgn format=pgn order=sequential plies=4 -maxmoves 10 -pgnout g.pgn \
                        --state s --html r.html --status 0";
    let (status, said) = run(&format!("{LINE} -rounds 1"));
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("2 openings") && said.contains("skipped"), "{said}");
    // More games of the same match: only what is missing is played.
    let (status, said) = run(&format!("{LINE} -rounds 3 -concurrency 2"));
    assert!(status == Some(0) && said.contains("2 games of an earlier run"), "{said}");
    let games = std::fs::read_to_string(folder.join("g.pgn")).unwrap();
    assert_eq!(games.matches("[Event ").count(), 6, "{games}");
    // Whatever the engines went on with, it is a Sicilian in rounds 1 and 3, and a Queen's Gambit in round 2.
    assert_eq!((games.matches("[ECO \"B").count(), games.matches("[ECO \"D").count()), (4, 2), "{games}");
    assert!(games.matches("[Opening \"").count() == 6 && games.contains(", n="), "{games}");
    // The seed comes from the state; nothing is left to play.
    let (status, said) = run(&format!("{LINE} -rounds 3"));
    assert!(status == Some(0) && said.contains("6 games of an earlier run") && said.contains("Finished"), "{said}");
    assert_eq!(std::fs::read_to_string(folder.join("g.pgn")).unwrap(), games);
    let page = std::fs::read_to_string(folder.join("r.html")).unwrap();
    assert!(page.contains("<svg") && page.ends_with("</html>\n"), "{page}");
    // Another match has another state.
    let (status, said) = run(&format!("{LINE} -rounds 3 -resign movecount=2 score=500"));
    assert!(status == Some(1) && said.contains("another match"), "{said}");
    let (status, said) = run("-each nodes=1 -swiss");
    assert!(status == Some(2) && said.contains("-swiss is not supported"), "{said}");
    let (status, said) = run("-each nodes=1 -tb there/is/none");
    assert!(status != Some(0) && said.contains("--syzygy"), "{said}");
}
