//! `rukh tables makruk` from outside.

use std::process::{Command, Output};

fn rukh(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rukh")).args(words).output().expect("rukh starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

#[test]
fn makes_keeps_and_repairs() {
    let folder = std::env::temp_dir().join(format!("rukh-tables-cli-{}", std::process::id()));
    let path = folder.to_str().unwrap();
    let made = rukh(&["tables", "makruk", "--dir", path, "--verify", "--threads", "1", "KRR"]);
    assert!(made.status.success(), "{made:?}");
    let text = stdout(&made);
    assert!(text.contains("KR ") && text.contains("KRR ") && text.contains("2 tables"), "{text}");
    assert!(text.contains("54.1962") && text.trim_end().ends_with("all verified"), "{text}");

    let file = folder.join("KRR.mkt");
    let whole = std::fs::read(&file).unwrap();
    let mut bad = whole.clone();
    let last = bad.len() - 5;
    bad[last] ^= 1;
    std::fs::write(&file, bad).unwrap();
    let again = stdout(&rukh(&["tables", "makruk", "--dir", path, "KRR"]));
    assert!(again.contains("kept") && again.contains("was damaged, made again"), "{again}");
    assert_eq!(std::fs::read(&file).unwrap(), whole, "generation always gives the same bytes");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn bad_words_are_refused() {
    for (words, wanted) in [
        (vec!["tables"], "<game> is missing"),
        (vec!["tables", "chess"], "makruk only"),
        (vec!["tables", "makruk", "KRRR"], "is no ending"),
        (vec!["tables", "makruk", "--men", "6"], "--men must be"),
        (vec!["tables", "makruk", "--threads", "0"], "between 1 and"),
    ] {
        let output = rukh(&words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(wanted), "{words:?}: {error}");
    }
}
