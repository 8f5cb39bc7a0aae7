//! A disk that fills up while games are imported or positions learned: an error in words, and what was there stays.
//! Files that may not grow stand for the disk: the system refuses the same writes.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

use rukh_testing::Folder;

fn rukh(words: &[&str], path: &Path, files: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rukh")).args(words).arg(path).args(files).output().unwrap()
}

/// The same with no file larger than so many kilobytes; signal 25 is ignored so that writes fail instead.
fn cramped(kilobytes: u64, words: &[&str], path: &Path, files: &[&Path]) -> Output {
    let script = format!("trap '' 25; ulimit -f {kilobytes}; exec \"$0\" \"$@\"");
    let mut command = Command::new("bash");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_rukh")]).args(words).arg(path).args(files);
    command.output().unwrap()
}

fn games(name: &str, count: usize) -> String {
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 1-0";
    (0..count).map(|i| format!("[White \"{name}{i}\"]\n[Date \"2020.01.01\"]\n\n{moves}\n\n")).collect()
}

#[test]
fn an_import_on_a_full_disk_keeps_what_was_committed() {
    let dir = Folder::new("import");
    let (first, second, db) = (dir.join("a.pgn"), dir.join("b.pgn"), dir.join("db"));
    std::fs::write(&first, games("A", 50)).unwrap();
    std::fs::write(&second, games("B", 20_000)).unwrap();
    let import = ["db", "import", "--memory", "48", "--db"];
    assert!(rukh(&import, &db, &[&first]).status.success());
    for kilobytes in [1, 16, 64, 200] {
        let out = cramped(kilobytes, &import, &db, &[&second]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(1), "{kilobytes} KB: {said}");
        assert!(said.contains("too large") || said.contains("No space"), "{kilobytes} KB: {said}");
        let stats = rukh(&["db", "stats", "--json", "--db"], &db, &[]);
        let json = String::from_utf8(stats.stdout).unwrap();
        assert!(json.contains("\"games\":50,") && json.contains("\"damagedSegments\":0"), "{json}");
        assert!(rukh(&["db", "verify", "--deep", "--db"], &db, &[]).status.success());
    }
    // With room the same import completes, and nothing is left lying about.
    assert!(rukh(&import, &db, &[&second]).status.success());
    let stats = String::from_utf8(rukh(&["db", "stats", "--json", "--db"], &db, &[]).stdout).unwrap();
    assert!(stats.contains("\"games\":20050,"), "{stats}");
    assert!(!std::fs::read_dir(&db).unwrap().flatten().any(|f| f.file_name().to_string_lossy().starts_with("tmp-")));
}

#[test]
fn learning_on_a_full_disk_keeps_whole_transactions() {
    let dir = Folder::new("learn");
    let (news, table) = (dir.join("news.tsv"), dir.join("table"));
    let position = |n: usize| {
        let row: String = (0..8).map(|bit| if n >> bit & 1 == 1 { 'N' } else { '1' }).collect();
        let other: String = (8..16).map(|bit| if n >> bit & 1 == 1 { 'n' } else { '1' }).collect();
        format!("k7/8/8/{row}/{other}/8/8/7K w - - 0 1\t20\t12\texact\t-\t1\n")
    };
    std::fs::write(&news, (0..30_000).map(position).collect::<String>()).unwrap();
    let known = || {
        let out = rukh(&["learn", "stats", "--json", "--file"], &table, &[]);
        let json = String::from_utf8(out.stdout).unwrap();
        json.split("\"positions\":").nth(1).unwrap().split(',').next().unwrap().parse::<usize>().unwrap()
    };
    let import = ["learn", "import", "--file"];
    let some = dir.join("some.tsv");
    std::fs::write(&some, (0..1000).map(position).collect::<String>()).unwrap();
    assert!(rukh(&import, &table, &[&some]).status.success());
    let (before, size) = (known(), std::fs::metadata(&table).unwrap().len());
    assert!(before > 0);
    let out = cramped(size / 1024 + 512, &import, &table, &[&news]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(1), "{said}");
    let after = known();
    assert!(after >= before, "{after} after {before}: {said}");
    assert!(rukh(&import, &table, &[&news]).status.success());
    assert!(known() > after);
}

/// The half that had been written stayed, under a name that nobody knows.
#[test]
fn a_repair_on_a_full_disk_leaves_nothing() {
    let dir = Folder::new("repair");
    let games = dir.join("x.games");
    let play = ["datagen", "chess", "--games", "40", "--soft", "30", "--threads", "1", "--out"];
    assert!(rukh(&play, &games, &[]).status.success());
    assert!(std::fs::metadata(&games).unwrap().len() > 2048);
    let out = cramped(1, &["datagen", "repair", "--out"], &dir.join("new.games"), &[&games]);
    assert_eq!(out.status.code(), Some(1), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(dir.names(), ["x.games"]);
    assert!(rukh(&["datagen", "repair", "--out"], &dir.join("new.games"), &[&games]).status.success());
    assert_eq!(std::fs::read(dir.join("new.games")).unwrap(), std::fs::read(games).unwrap());
}
