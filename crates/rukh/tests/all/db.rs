//! `rukh db` from outside: foreign files stay, damage is told by answer and exit status, a lost manifest comes back.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rukh_testing::Folder;

struct Place(Folder);

impl Place {
    fn new(name: &str) -> Place {
        Place(Folder::new(name))
    }

    /// Games that differ in their players.
    fn games(&self, name: &str, count: usize) -> PathBuf {
        let game = |i: usize| format!("[White \"{name} {i}\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n");
        self.0.put(name, (0..count).map(game).collect::<String>())
    }
}

/// `rukh db`: exit status, output and errors.
fn db(action: &str, dir: &Path, more: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rukh"));
    let Output { status, stdout, stderr } = command.args(["db", action, "--db"]).arg(dir).args(more).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

#[test]
fn a_folder_of_other_files_is_refused_and_stays_as_it_is() {
    let place = Place::new("foreign");
    let games = place.games("a.pgn", 3);
    let dir = place.0.join("home");
    std::fs::create_dir_all(dir.join("tmp-work")).unwrap();
    for name in ["own.games", "w.positions", "tmp-n", "tmp-work/x"] {
        std::fs::write(dir.join(name), b"mine").unwrap();
    }
    let (status, _, error) = db("import", &dir, &[games.to_str().unwrap()]);
    assert!(status == 1 && error.contains("neither empty"), "{status} {error}");
    for name in ["own.games", "w.positions", "tmp-n", "tmp-work/x"] {
        assert_eq!(std::fs::read(dir.join(name)).unwrap(), b"mine");
    }
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 4);
}

#[test]
fn damage_is_in_the_answer_and_in_the_exit_status() {
    let place = Place::new("damage");
    let dir = place.0.join("db");
    for (name, count) in [("a.pgn", 5), ("b.pgn", 7)] {
        assert_eq!(db("import", &dir, &[place.games(name, count).to_str().unwrap()]).0, 0);
    }
    let (status, answer, _) = db("explore", &dir, &["--json"]);
    assert!(status == 0 && answer.contains("\"games\":12") && answer.contains("\"missing\":null"), "{answer}");
    std::fs::write(dir.join("000002.games"), b"no more").unwrap();
    let missing = "\"missing\":{\"segments\":1,\"games\":7}";
    for (action, words) in [("explore", &["--json"][..]), ("stats", &["--json"]), ("games", &["--json"])] {
        let (status, answer, error) = db(action, &dir, words);
        assert!(status == 1 && answer.contains(missing), "{action}: {status} {answer}");
        assert!(error.contains("000002.games") && error.contains("7 games"), "{action}: {error}");
    }
    let (status, answer, _) = db("explore", &dir, &[]);
    assert!(status == 1 && answer.contains("e4"), "{answer}");
    let out = place.0.join("rest.pgn");
    assert_eq!(db("export", &dir, &["--out", out.to_str().unwrap()]).0, 1);
    assert_eq!(std::fs::read_to_string(out).unwrap().matches("[White ").count(), 5);
    assert_eq!(db("verify", &dir, &[]).0, 1);
    assert_eq!(db("compact", &dir, &[]).0, 1);
}

#[test]
fn a_lost_manifest_is_refused_and_repaired() {
    let place = Place::new("lost");
    let dir = place.0.join("db");
    let games = place.games("a.pgn", 9);
    assert_eq!(db("import", &dir, &[games.to_str().unwrap()]).0, 0);
    std::fs::remove_file(dir.join("MANIFEST")).unwrap();
    let one = place.games("one.pgn", 1);
    for (action, words) in [("import", &[one.to_str().unwrap()][..]), ("explore", &[])] {
        let (status, _, error) = db(action, &dir, words);
        assert!(status == 1 && error.contains("rukh db repair"), "{error}");
    }
    let (status, answer, error) = db("repair", &dir, &[]);
    assert!(status == 0 && answer.contains("1 segment with 9 games"), "{answer} {error}");
    assert_eq!(db("verify", &dir, &["--deep"]).0, 0);
    assert_eq!(db("import", &dir, &[one.to_str().unwrap()]).0, 0);
    assert!(db("stats", &dir, &["--json"]).1.contains("\"games\":10"));
}

/// The table of positions carries the code, so that two exports are joined on one column.
#[test]
fn exported_positions_carry_their_code() {
    let place = Place::new("codes");
    let dir = place.0.join("db");
    assert_eq!(db("import", &dir, &[place.games("a.pgn", 2).to_str().unwrap()]).0, 0);
    let (status, table, error) = db("export", &dir, &["--out", "-"]);
    assert!(status == 0, "{error}");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows[0][0], *rows[0].last().unwrap(), rows.len()), ("fen", "code", 5));
    for row in &rows[1..] {
        let decoded = Command::new(env!("CARGO_BIN_EXE_rukh")).args(["code", "decode", row.last().unwrap()]).output();
        assert_eq!(String::from_utf8(decoded.unwrap().stdout).unwrap().trim_end(), row[0]);
    }
}
