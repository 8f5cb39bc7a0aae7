//! `rukh tables` from outside.

use std::process::Output;

use rukh_testing::Folder;

use crate::common::rukh;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

#[test]
fn makes_keeps_and_repairs() {
    let folder = Folder::new("tables-cli");
    let path = folder.to_str().unwrap();
    let made = rukh(&["tables", "--variant", "makruk", "--dir", path, "--verify", "--threads", "1", "KRR"]);
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
    let again = stdout(&rukh(&["tables", "--dir", path, "KRR"]));
    assert!(again.contains("kept") && again.contains("was damaged, made again"), "{again}");
    assert_eq!(std::fs::read(&file).unwrap(), whole, "generation always gives the same bytes");
}

/// It was called damaged, and replaced.
#[test]
fn a_foreign_file_is_left_alone() {
    let folder = Folder::new("tables-foreign");
    let mine = folder.put("KR.mkt", "my notes");
    let refused = rukh(&["tables", "makruk", "--dir", folder.to_str().unwrap(), "KR"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("is not overwritten"), "{said}");
    assert_eq!(std::fs::read(&mine).unwrap(), b"my notes");
    std::fs::write(&mine, b"RukhMkT0 of another version").unwrap();
    let made = stdout(&rukh(&["tables", "makruk", "--dir", folder.to_str().unwrap(), "KR"]));
    assert!(made.contains("was damaged, made again"), "{made}");
}

#[test]
fn bad_words_are_refused() {
    for (words, wanted) in [
        (vec!["tables", "chess"], "makruk only"),
        (vec!["tables", "--variant", "chess", "KR"], "makruk only"),
        (vec!["tables", "--variant", "makruk", "makruk", "KR"], "is not an ending"),
        (vec!["tables", "makruk", "KRRR"], "is not an ending"),
        (vec!["tables", "makruk", "--men", "6"], "--men must be"),
        (vec!["tables", "makruk", "--threads", "0"], "between 1 and"),
    ] {
        let output = rukh(&words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(wanted), "{words:?}: {error}");
    }
}
