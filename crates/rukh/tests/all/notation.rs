//! Moves as people write them, in the commands that show moves.

use std::path::Path;
use std::process::Command;

use crate::common::fed;

/// What `rukh` prints for these words and this input.
fn rukh(words: &[&str], input: &str) -> String {
    let output = fed(words, Path::new("."), input.as_bytes());
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A game with captures, a promotion, a Bia-ngai's move and a check.
const GAME: &str = "[Event \"?\"]\n[Variant \"Makruk\"]\n[Result \"*\"]\n\n1. e4 d5 2. exd5 exd5 3. Nd2 Nd7 4. c4 dxc4 \
                    5. bxc4 c5 6. a4 b5 7. axb5 axb5 8. cxb5 c4 9. b6=M Nxb6 10. dxc4 Sd7 *\n";

#[test]
fn games_in_thai_and_back() {
    let english = rukh(&["pgn", "clean", "-"], GAME);
    for notation in ["lan", "thai", "thai-lan"] {
        let written = rukh(&["pgn", "clean", "--notation", notation, "-"], GAME);
        assert_ne!(written, english);
        assert_eq!(rukh(&["pgn", "clean", "-"], &written), english, "{written}");
    }
    let thai = rukh(&["pgn", "clean", "--notation", "thai", "-"], GAME);
    assert!(thai.contains("1. จ๔ ง๕ 2. จxง๕ จxง๕ 3. ม-ง๒ ม-ง๗"), "{thai}");
    assert!(thai.contains("9. ข๖=ง มxข๖"), "{thai}");
    let long = rukh(&["pgn", "clean", "--notation", "thai-lan", "-"], GAME);
    assert!(long.contains("1. บจ๓-จ๔ บง๖-ง๕"), "{long}");
}

#[test]
fn a_line_in_thai() {
    let fen = "8/8/8/8/8/k1K5/8/1R6 w - 32 10 41";
    let words = ["analyse", fen, "--variant", "makruk", "--depth", "4", "--multipv", "1", "--notation"];
    let thai = rukh(&[&words[..], &["thai"]].concat(), "");
    assert!(thai.contains("๔๑. ร-ก๑#"), "{thai}");
    let english = rukh(&[&words[..], &["lan"]].concat(), "");
    assert!(english.contains("41. Rb1-a1#"), "{english}");
}

#[test]
fn a_game_in_thai() {
    let words = ["play", "--variant", "makruk", "--notation", "thai", "--movetime", "10", "--ascii"];
    let said = rukh(&words, "จ๔\nmoves\npgn\nquit\n");
    assert!(said.contains("๑. White > ") && said.contains("๑... "), "{said}");
    assert!(said.contains("ม-ง๒"), "the moves of the second turn: {said}");
    assert!(said.contains("1. e4 "), "files stay readable for other programs: {said}");
    // The count in Thai numerals.
    let fen = "8/8/8/8/1k6/8/8/1R1K4 b - 32 10 41";
    let said = rukh(&[&words[..], &["--color", "black", fen]].concat(), "quit\n");
    assert!(said.contains("count ๕ / ๑๖"), "{said}");
}

#[test]
fn other_names_are_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_rukh")).args(["pgn", "clean", "--notation", "klingon", "-"]).output();
    let error = String::from_utf8_lossy(&output.unwrap().stderr).into_owned();
    assert!(error.contains("san, lan, thai or thai-lan"), "{error}");
}
