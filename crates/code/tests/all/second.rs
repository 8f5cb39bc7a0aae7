//! The test vectors again, by another program.

use rukh_testing::NewFile;
use std::process::Command;

const MORE: &str = include_str!("../data/vectors.tsv");

/// The second implementation, which follows the page and shares no code, gives the same codes; and it would notice if it did not.
#[test]
fn a_second_implementation_agrees() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let run = |files: &[&str]| {
        let mut command = Command::new("python3");
        command.arg("-B").arg(format!("{root}/training/code/check_vectors.py")).args(files).output()
    };
    let data = |name: &str| format!("{root}/crates/code/tests/data/{name}.tsv");
    let page = format!("{root}/docs/formats/position-code.md");
    let today: &[&str] = &[&page, &data("vectors"), &data("long")];
    let older: &[&str] = &["--version", "2", &data("makruk-2"), &data("chess960-2"), &data("chess-2")];
    let third: &[&str] = &["--version", "3", &data("makruk-3"), &data("chess960-3")];
    for files in [today, third, older] {
        let Ok(good) = run(files) else {
            eprintln!("skipped: there is no python3 here");
            return;
        };
        let said = String::from_utf8_lossy(&good.stdout).into_owned() + &String::from_utf8_lossy(&good.stderr);
        assert!(good.status.success() && said.ends_with(" 0 wrong\n"), "{files:?}: {said}");
    }

    let wrong = NewFile::new("wrong-vector.tsv");
    let row: Vec<_> = MORE.lines().find(|line| line.starts_with("Makruk")).unwrap().split('\t').collect();
    let number: i64 = row[2].parse().unwrap();
    std::fs::write(&wrong, format!("{}\t{}\t{}\t{}\n", row[0], row[1], number + 1, row[3])).unwrap();
    let bad = run(&[wrong.to_str().unwrap()]).unwrap();
    assert_eq!(bad.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&bad.stdout).contains(&format!("the code is {number}, not {}", number + 1)));
}
