//! The commands for people: play, analyse, suite, bench.

use std::path::Path;
use std::process::Output;

use rukh_testing::NewFile;

use crate::common::fed;

fn rukh(args: &[&str], input: &str) -> Output {
    fed(args, Path::new("."), input.as_bytes())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn temporary(name: &str, content: &str) -> NewFile {
    let file = NewFile::new(name);
    std::fs::write(&file, content).expect("a temporary file");
    file
}

#[test]
fn a_suite_is_counted() {
    let file = temporary(
        "suite.epd",
        "6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8#; id \"back rank\";\n\n\
         6k1/5ppp/8/8/8/8/8/R3K3 w - - dm 1;\n\
         6k1/5ppp/8/8/8/8/8/R3K3 w - - am Ra8#; id \"impossible\";\n",
    );
    let out = rukh(&["suite", &file.display().to_string(), "--depth", "6"], "");
    let said = text(&out.stdout);
    assert!(out.status.success() && said.contains("2 of 3 solved"), "{said}");
    assert!(said.contains("failed  impossible: am Ra8#, played Ra8# (mate 1)"), "{said}");
    for (content, expected) in [
        ("", "no test position"),
        ("8/8/8 w - - bm e4;", ":1:"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra9;", "Ra9"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - id \"x\";", "no bm, am or dm"),
    ] {
        std::fs::write(&file, content).expect("a temporary file");
        let out = rukh(&["suite", &file.display().to_string()], "");
        let said = text(&out.stderr);
        assert!(!out.status.success() && said.contains(expected), "{content}: {said}");
    }
    assert!(!rukh(&["suite", "/no/such/file.epd"], "").status.success());
}

#[test]
fn an_analysis_as_json() {
    let words = ["analyse", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "--json", "--depth", "4", "--multipv", "2"];
    let out = rukh(&words, "");
    let said = text(&out.stdout);
    assert!(out.status.success() && said.lines().count() == 1, "{said}");
    assert!(said.starts_with("{\"bestMove\":\"a1a8\",\"san\":\"Ra8#\",") && said.contains("\"mate\":1"), "{said}");
    assert_eq!(said.matches("\"multipv\":").count(), 2, "{said}");
    let mated = rukh(&["analyse", "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "--json", "--depth", "2"], "");
    assert!(text(&mated.stdout).starts_with("{\"bestMove\":null"), "{}", text(&mated.stdout));
    let refused = rukh(&["analyse", "--positions", "-", "--json"], "");
    assert!(text(&refused.stderr).contains("--json are for one position"), "{}", text(&refused.stderr));
}

#[test]
fn a_game_is_annotated() {
    let pgn = "[White \"A\"]\n[Black \"B\"]\n\n1. f3 { a remark } e5 2. g4 Qh4# 0-1\n";
    let file = temporary("game.pgn", pgn);
    let out = rukh(&["analyse", &file.display().to_string(), "--depth", "8"], "");
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(said.contains("[Annotator \"Rukh") && said.contains("[%eval"), "{said}");
    assert!(said.contains("g4 $4") && said.contains("was best.") && said.contains("a remark"), "{said}");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&said).ends_with("Qh4# 0-1"), "{said}");
    // 2. g4 is one; whether 1. f3 is another is a matter of depth.
    let summary = text(&out.stderr);
    let white = summary.lines().find(|line| line.starts_with("White (A): 2 moves")).unwrap_or_default();
    assert!(white.contains(", 1 blunder, ") || white.contains(", 2 blunders, "), "{summary}");
    assert!(summary.contains("Black (B): 2 moves, 0 inaccuracies, 0 mistakes, 0 blunders, 100.0 %"), "{summary}");
    // What we wrote can be read again, from standard input too.
    let again = rukh(&["analyse", "-", "--depth", "4"], &said);
    assert!(again.status.success() && words(&text(&again.stdout)).ends_with("Qh4# 0-1"), "{again:?}");
    assert!(!rukh(&["analyse", &file.display().to_string(), "--game", "2"], "").status.success());
}

#[test]
fn a_position_is_analysed() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
    let out = rukh(&["analyse", fen, "--depth", "6"], "");
    let said = text(&out.stdout);
    assert!(out.status.success() && said.contains("#1") && said.contains("4. Qxf7#"), "{said}");
    let unquoted: Vec<&str> = ["analyse", "--depth", "4"].into_iter().chain(fen.split(' ')).collect();
    assert!(rukh(&unquoted, "").status.success());
    let out = rukh(&["analyse", "--depth", "4", "--variant", "makruk", "startpos"], "");
    assert!(out.status.success());
    for bad in [&["analyse"][..], &["analyse", "nowhere.pgn"], &["analyse", "8/8/8/8/8/8/8/8 w - - 0 1"]] {
        assert!(!rukh(bad, "").status.success(), "{bad:?}");
    }
}

#[test]
fn a_game_on_the_terminal() {
    let out = rukh(&["play", "--movetime", "20"], "e4\nhint\nundo\nmoves\nwhat\nresign\npgn\nquit\n");
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    for expected in ["you play White", "1... ", "How about ", "Nf3", "not a move", "you resigned", "[Result \"0-1\"]"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    // The end of input ends the game; other variants, colours and strengths.
    let out = rukh(&["play", "--variant", "makruk", "--color", "black", "--level", "2", "--movetime", "20"], "");
    assert!(out.status.success() && text(&out.stdout).contains("Makruk: you play Black"), "{}", text(&out.stdout));
    let out = rukh(&["play", "--number", "0", "--ascii", "--elo", "1000", "--movetime", "20"], "quit\n");
    assert!(text(&out.stdout).contains(" | b | b | q | n | n | r | k | r | 8"), "{}", text(&out.stdout));
    // The spoken count of a bare Khun.
    let counted = ["play", "--variant", "makruk", "8/8/8/2R5/8/8/8/K1k5 b - 32 6 1", "--movetime", "20"];
    assert!(text(&rukh(&counted, "").stdout).contains("count 3 / 16"));
    for bad in [&["play", "--level", "30"][..], &["play", "--color", "red"], &["play", "--number", "960"]] {
        assert!(!rukh(bad, "").status.success(), "{bad:?}");
    }
}

#[test]
fn bench_says_the_same_twice() {
    let nodes = || {
        let out = rukh(&["bench", "5"], "");
        let said = text(&out.stdout);
        let last = said.lines().last().unwrap_or_default().to_owned();
        assert!(last.ends_with(" nps"), "{said}");
        last.split(' ').next().unwrap_or_default().to_owned()
    };
    assert_eq!(nodes(), nodes());
    assert!(!rukh(&["bench", "deep"], "").status.success());
}
