//! The command line from outside: what goes to which stream, and with which exit status.

use std::process::{Command, Output, Stdio};

use rukh_testing::Folder;

use crate::common::rukh;

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
    refused(&["pref"], "there is no command 'pref'; did you mean 'perft'?");
    refused(&["perft"], "<depth> is missing");
    refused(&["perft", "x"], "depth: expected a whole number: »x«");
    refused(&["perft", "-3"], "depth: must not be negative: »-3«");
    refused(&["perft", "99999999999"], "depth: the number is too large: »99999999999«");
    refused(&["anlyse"], "there is no command 'anlyse'; did you mean 'analyze' or 'analyse'?");
    refused(&["perft", "99"], "<depth> is at most 20: »99«");
    refused(&["perft", "3", "--frob"], "unknown option '--frob'");
    refused(&["perft", "3", "--thread", "2"], "unknown option '--thread'; did you mean '--threads'?");
    refused(&["perft", "3", "--threads", "0"], "--threads is between 1 and 1024: »0«");
    refused(&["perft", "3", "--hash"], "--hash <MB> needs a value");
    refused(&["bench", "1", "2"], "unexpected argument '2'");
    refused(&["bench", "--page", "--classical"], "--page and --classical cannot be used together");
    refused(&["learn"], "an action is missing: stats, show, prune, export, import");
    refused(&["pgn", "extract"], "there is no action 'extract' in 'rukh pgn'; 'rukh pgn --help' lists them");
    refused(&["pgn", "filtr"], "there is no action 'filtr' in 'rukh pgn'; did you mean 'filter'?");
    refused(&["perft", "3", "--variant", "go"], "--variant: unknown variant: expected chess, chess960 or makruk: »go«");
    for position in [&["--fen"][..], &[]] {
        refused(
            &[&["perft", "3"], position, &["rnbqkbnr/pppxpppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]].concat(),
            "bad FEN: `x` is not a piece letter or a digit 1–8: \
             rnbqkbnr/ppp»x«pppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        );
    }
    refused(&["completions", "tcsh"], "there are completions for bash, zsh, fish, powershell and elvish: »tcsh«");
    let board = "bad FEN: it has 1 field, expected 2 to 6: »4k3/8/8/8/8/8/8/4K3«";
    refused(&["perft", "3", "--fen", "4k3/8/8/8/8/8/8/4K3"], board);
    // A word is quoted or marked, not both; and an option is called as it was typed.
    refused(
        &["tables", "KXX"],
        "'KXX' is not an ending: expected K and one to three of R, N, S, M, with at most two each of R, N and S",
    );
    refused(&["play", "--level", "99"], "--level: between 0 and 20");
    refused(
        &["play", "--book", "/no/book"],
        "--book: cannot use book '/no/book': No such file or directory (os error 2)",
    );
    refused(
        &["analyse", "startpos", "--syzygy", "/no/tables"],
        "--syzygy: cannot read the table folder '/no/tables': No such file or directory (os error 2)",
    );
    refused(&["analyse", "startpos", "--threads", "777"], "--threads takes a number from 1 to 512: »777«");
    refused(&["bench", "--threads", "777"], "option Threads takes a number from 1 to 512, not '777'");
    for words in [["perft", "3"], ["analyse", "--nodes=1"], ["play", "--fen"], ["eval", "--fen"]] {
        let words = [&words[..], &["4k3/8 w - - 0 1"]].concat();
        refused(&words, "bad FEN: a board has 8 ranks, this has 2: »4k3/8« w - - 0 1");
    }
    assert_eq!(rukh(&["perft"]).status.code(), Some(2));
}

/// Quoted, in several words, `startpos`, or a code: the same everywhere.
#[test]
fn a_position_may_be_said_in_every_way() {
    const FEN: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let code = stdout(&rukh(&["code", "encode", FEN]));
    let words: Vec<&str> = FEN.split(' ').collect();
    assert_eq!(stdout(&rukh(&[&["code", "encode"], words.as_slice()].concat())), code);
    for position in [&[FEN][..], &words, &[code.trim()]] {
        let counted = rukh(&[&["perft", "2", "--threads", "1"], position].concat());
        assert_eq!(stdout(&counted), "568\n", "{position:?}: {counted:?}");
        let valued = stdout(&rukh(&[&["eval"], position].concat()));
        assert_eq!(valued, stdout(&rukh(&["eval", FEN])), "{position:?}");
        let lines = rukh(&[&["analyse", "--depth", "1", "--multipv", "1"], position].concat());
        assert!(stdout(&lines).contains("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -"), "{position:?}: {lines:?}");
    }
    assert_eq!(stdout(&rukh(&["perft", "1", "startpos"])), "20\n");
    // The former place of an option, and one given twice: the last counts.
    assert_eq!(stdout(&rukh(&["perft", "--threads=7", "--variant", "makruk", "1", "--variant=chess"])), "20\n");
}

/// The network's view stands beside the classical terms, on the command line and in UCI.
#[test]
fn both_evaluations_are_shown() {
    let both = stdout(&rukh(&["eval"]));
    assert!(both.contains("Material") && both.contains("Network +") && both.contains("|   q   |"), "{both}");
    assert!(both.contains("Final evaluation +"), "{both}");
    let classical = stdout(&rukh(&["eval", "--eval-file", "<classical>"]));
    assert!(both.contains(classical.trim_end()) && !classical.contains("Network"), "{classical}");
    assert!(stdout(&rukh(&["eval", "--variant", "makruk"])).contains("|   m   |"));
    assert!(!rukh(&["eval", "--eval-file", "there/is/none"]).status.success());
}

#[test]
fn every_command_and_action_has_help() {
    fn names(help: &str) -> Vec<String> {
        let list = help.lines().skip_while(|line| !matches!(*line, "Commands:" | "Actions:")).skip(1);
        let list = list.map_while(|line| line.strip_prefix("  ")?.split_whitespace().next().map(str::to_owned));
        list.filter(|name| !matches!(name.as_str(), "help" | "version")).collect()
    }
    fn check(words: &[&str]) -> usize {
        let by_word = rukh(&[&["help"], words].concat());
        let by_flag = rukh(&[words, &["--help"]].concat());
        let by_letter = rukh(&[words, &["-h"]].concat());
        let help = stdout(&by_word);
        assert!(by_word.status.success() && help == stdout(&by_flag) && help == stdout(&by_letter), "{words:?}");
        assert!(help.contains("Usage: rukh"), "{help}");
        assert!(!help.contains('\u{1b}'), "no colours in a pipe");
        for line in help.lines() {
            assert!(line.chars().count() <= 120, "{words:?}: {line}");
        }
        let more = names(&help);
        1 + more.iter().map(|name| check(&[words, &[name]].concat())).sum::<usize>()
    }
    assert!(check(&[]) > 50);
    assert!(stdout(&rukh(&["version"])).starts_with("rukh "));
    assert_eq!(stdout(&rukh(&["--version"])), stdout(&rukh(&["version"])));
}

#[test]
fn completions_and_manual_pages() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = stdout(&rukh(&["completions", shell]));
        for word in ["analyse", "import", "concurrency", "chess960"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let folder = Folder::new("man");
    let path = folder.to_str().expect("Unicode");
    let said = rukh(&["man", "--out", path]);
    assert!(said.status.success(), "{said:?}");
    for (name, word) in [("rukh.1", "Makruk"), ("rukh-db-import.1", "segment"), ("rukh-perft.1", "divide")] {
        let page = std::fs::read_to_string(folder.join(name)).expect(name);
        assert!(page.contains(".TH ") && page.contains(word), "{name}");
    }
    assert!(!folder.join("rukh-code-extract.1").exists());
}

/// Names of files are what the system has, not text: Latin-1 from old archives.
#[cfg(target_os = "linux")]
#[test]
fn file_names_need_not_be_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new("latin");
    std::fs::create_dir_all(&folder).expect("a folder");
    let (games, out) =
        (folder.join(OsStr::from_bytes(b"K\xf6nig.pgn")), folder.join(OsStr::from_bytes(b"\xe9t\xe9.pgn")));
    std::fs::write(&games, "1. e4 e5 1-0\n").expect("written");
    let run = |words: &[&OsStr]| {
        Command::new(env!("CARGO_BIN_EXE_rukh")).args(words).stdin(Stdio::null()).output().expect("rukh starts")
    };
    let word = OsStr::new;
    let cleaned = run(&[word("pgn"), word("clean"), word("--out"), out.as_os_str(), games.as_os_str()]);
    assert!(cleaned.status.success(), "{cleaned:?}");
    assert!(std::fs::read_to_string(&out).expect("written").contains("1. e4 e5 1-0"));
    let annotated = run(&[word("analyse"), word("--depth=1"), games.as_os_str()]);
    assert!(stdout(&annotated).contains("%eval"), "{annotated:?}");
    let db = folder.join(OsStr::from_bytes(b"\xfcber"));
    let import = run(&[word("db"), word("import"), word("--db"), db.as_os_str(), games.as_os_str()]);
    assert!(stdout(&import).starts_with("1 game added"), "{import:?}");
    for action in ["games", "positions"] {
        let streamed = run(&[word("source"), word(action), games.as_os_str()]);
        assert!(streamed.status.success() && !stdout(&streamed).is_empty(), "{streamed:?}");
    }
    // What is not a file must be text.
    let refused = run(&[word("eval"), OsStr::from_bytes(b"\xff")]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("not valid Unicode"), "{refused:?}");
}

/// Colours only where they are wanted. Nobody's terminal here: `CLICOLOR_FORCE` stands for one.
/// "1 games" is not English.
#[test]
fn one_is_singular() {
    let folder = Folder::new("one");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    std::fs::write(folder.join("g.pgn"), "1. e4 1-0\n").expect("written");
    std::fs::write(folder.join("p.epd"), "8/8/8/8/8/8/8/8 w - - 0 1\n").expect("written");
    let (games, db, book) = (path("g.pgn"), path("db"), path("b.bin"));
    let player =
        |name: &str| format!("cmd='{}' args='match --fake-engine random' name={name}", env!("CARGO_BIN_EXE_rukh"));
    let (one, other) = (player("a"), player("b"));
    let short = ["match", "--engine", &one, "--engine", &other, "--nodes", "1", "--games", "2", "--max-moves", "1"];
    for words in [
        &[&short[..], &["--openings", &games]].concat()[..],
        &["db", "import", "--db", &db, &games],
        &["db", "compact", "--db", &db],
        &["db", "verify", "--deep", "--db", &db],
        &["book", "make", "--min-games", "1", "--out", &book, &games],
        &["book", "show", &book],
        &["code", "stats", &games],
        &["pgn", "check", &games],
        &["pgn", "filter", &games],
        &["pgn", "split", "--by", "1", "--out", &path("parts"), &games],
        &["analyse", "--depth", "1", "--game", "2", &games],
        &["analyse", "--depth", "1", "--positions", &path("p.epd")],
        &["datagen", "chess", "--games", "1", "--soft", "1", "--threads", "1", "--out", &path("o.games")],
        &["tables", "makruk", "KR", "--dir", &path("tables")],
    ] {
        let output = rukh(words);
        let said = stdout(&output) + &String::from_utf8_lossy(&output.stderr);
        let text: Vec<&str> = said.split_whitespace().collect();
        for two in text.windows(2).filter(|two| two[0].trim_start_matches('(') == "1") {
            let noun = two[1].trim_end_matches([',', ';', '.', ':']);
            assert!(!noun.ends_with('s') || noun == "s", "{words:?}: 1 {noun}\n{said}");
        }
    }
}

#[test]
fn errors_are_coloured_on_request() {
    let said = |name: &str, value: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rukh"));
        command.args(["perft", "x"]).env_remove("NO_COLOR").env(name, value).stdin(Stdio::null());
        String::from_utf8(command.output().expect("rukh starts").stderr).expect("UTF-8")
    };
    assert!(said("CLICOLOR_FORCE", "1").contains('\u{1b}'));
    assert!(!said("TERM", "dumb").contains('\u{1b}') && !said("NO_COLOR", "1").contains('\u{1b}'));
}

/// `rukh … | head -1` must not end in a panic when the reader goes away.
#[test]
fn a_closed_pipe_is_no_crash() {
    let child = Command::new(env!("CARGO_BIN_EXE_rukh"))
        .args(["perft", "4", "--divide"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.expect("rukh starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "{said}");
}

/// `rukh … 2>&1 | head -1`: what is only said to people does not stop the work.
#[test]
fn a_closed_error_pipe_stops_no_work() {
    let folder = Folder::new("closed-stderr");
    let (games, out) = (folder.join("games.pgn"), folder.join("out.pgn"));
    std::fs::write(&games, "1. e4 e5 *\n\n1. e4 Ke4 *\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rukh"));
    command.args(["pgn", "sample", "--count", "1", "--out"]).args([&out, &games]);
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("rukh starts");
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(1), "a game has an illegal move");
    assert!(std::fs::read_to_string(&out).unwrap().contains("1. e4 e5"));
}

/// What the report needs at the end is looked at before the review begins.
#[test]
fn a_coach_that_cannot_end_does_not_begin() {
    let folder = Folder::new("coach-db");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (games, journal) = (path("games.pgn"), path("journal"));
    std::fs::write(&games, "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 *\n").unwrap();
    for (option, name) in [("--db", "none"), ("--out", "none/report.html")] {
        let words = ["coach", &games, "--nodes", "10", "--json", "--journal", &journal, option, &path(name)];
        let output = rukh(&words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(name), "{said}");
        assert!(!std::path::Path::new(&journal).exists(), "nothing was searched: {said}");
    }
}

#[test]
fn answers_in_json() {
    let json = |words: &[&str]| {
        let output = rukh(words);
        let text = stdout(&output);
        (rukh_api::Json::parse(text.trim_end()).unwrap_or_else(|e| panic!("{words:?}: {e}: {output:?}")), output)
    };
    let (perft, _) = json(&["perft", "3", "--json"]);
    let below: Vec<u64> = perft.get("moves").unwrap().list().iter().map(|mv| mv.uint("leaves").unwrap()).collect();
    assert_eq!((perft.uint("leaves"), below.len(), below.iter().sum()), (Some(8902), 20, 8902));

    // A queen more, and Black to move: still from White's view. The pieces are those of the table for people.
    let fen = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1";
    for network in [&[][..], &["--eval-file", "<classical>"]] {
        let (eval, _) = json(&[&["eval", fen, "--json"], network].concat());
        let number = |name: &str| eval.get(name).and_then(rukh_api::Json::number).unwrap();
        assert!(number("value") > 300.0 && number("classical") > 300.0, "{eval:?}");
        let pieces = eval.get("network").and_then(|network| network.get("pieces")).map_or(0, |list| list.list().len());
        assert_eq!(pieces, if network.is_empty() { 29 } else { 0 });
        assert_eq!((eval.str("fen"), eval.flag("inCheck")), (Some(fen), Some(false)));
    }

    let (code, _) = json(&["code", "encode", "startpos", "--json"]);
    let (text, number) = (code.str("code").unwrap(), code.str("number").unwrap());
    assert_eq!(stdout(&rukh(&["code", "encode", "startpos"])).trim_end(), text);
    assert_eq!(stdout(&rukh(&["code", "encode", "startpos", "--number"])).trim_end(), number);
    let (back, _) = json(&["code", "decode", text, "--json"]);
    assert_eq!((back.str("fen"), back.str("code")), (code.str("fen"), Some(text)));
    refused(&["code", "encode", "startpos", "--json", "--clocks"], "--json and --clocks cannot be used together");

    let path = std::env::temp_dir().join(format!("rukh-cli-json-{}.pgn", std::process::id()));
    std::fs::write(&path, "[Event \"a\"]\n\n1. e4 e5 *\n\n[Event \"b\"]\n\n1. e4 Ke4 *\n\n[Event \"c\"]\n\n1. Ra5 *\n")
        .unwrap();
    let (check, output) = json(&["pgn", "check", path.to_str().unwrap(), "--json", "--max-errors", "1"]);
    std::fs::remove_file(&path).unwrap();
    assert_eq!((check.uint("games"), check.uint("problems"), output.status.code()), (Some(1), Some(2), Some(1)));
    let shown = check.get("shown").unwrap().list();
    assert_eq!((shown.len(), shown[0].uint("line"), shown[0].str("file")), (1, Some(7), path.to_str()));
    assert!(shown[0].str("reason").unwrap().contains("Ke4"), "{shown:?}");
}
