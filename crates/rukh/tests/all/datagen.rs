//! `rukh datagen` from outside: the same games with any number of threads, and nothing lost but the moment when killed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rukh_testing::NewFile;

fn rukh() -> Command {
    Command::new(env!("CARGO_BIN_EXE_rukh"))
}

/// Plays games of run 1, unless a seed is added.
fn generate(path: &Path, variant: &str, threads: usize, games: usize) -> Command {
    let mut command = rukh();
    command.args(["datagen", variant, "--soft", "30", "--hard", "60", "--eval-file", "<classical>"]);
    command.args(["--threads", &threads.to_string(), "--games", &games.to_string(), "--out"]).arg(path);
    command
}

/// The whole blocks of a file: run, number and coded games. (Bytes 28 to 43 of the head tell of the place in the file.)
fn blocks(path: &Path) -> BTreeSet<Vec<u8>> {
    let bytes = std::fs::read(path).unwrap();
    let mut set = BTreeSet::new();
    let mut at = 64;
    while at + 44 <= bytes.len() {
        let games = u32::from_le_bytes(bytes[at + 16..at + 20].try_into().unwrap());
        let size = u32::from_le_bytes(bytes[at + 24..at + 28].try_into().unwrap()) as usize;
        if at + 44 + size > bytes.len() {
            break;
        }
        if games == 64 {
            set.insert([&bytes[at..at + 28], &bytes[at + 44..at + 44 + size]].concat());
        }
        at += 44 + size;
    }
    set
}

#[test]
fn threads_do_not_change_the_games() {
    let (one, two) = (NewFile::new("one"), NewFile::new("two"));
    assert!(generate(&one, "makruk", 1, 64).status().unwrap().success());
    assert!(generate(&two, "makruk", 2, 140).status().unwrap().success());
    let (a, b) = (blocks(&one), blocks(&two));
    assert_eq!((a.len(), b.len()), (1, 2), "64 games are one whole block, 140 are two and a part");
    assert!(a.is_subset(&b), "block 0 is the same whoever plays it");
    let info = rukh().args(["datagen", "info", "makruk"]).arg(&one).output().unwrap();
    assert!(String::from_utf8_lossy(&info.stdout).starts_with("games "));
}

#[test]
fn a_killed_run_goes_on() {
    let path = NewFile::new("killed");
    let mut child = generate(&path, "chess", 1, 1_000_000).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while blocks_or_none(&path) == 0 && start.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What a power failure may leave behind.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"BLK2 half a block");
    std::fs::write(&path, bytes).unwrap();
    let before = blocks(&path);
    assert!(!before.is_empty());
    assert!(generate(&path, "chess", 1, 64).status().unwrap().success());
    let after = blocks(&path);
    assert!(before.is_subset(&after) && after.len() > before.len());
    let records = NewFile::new("records");
    let status = rukh().args(["datagen", "expand", "chess", "--out"]).args([&records, &path]).status().unwrap();
    assert!(status.success());
    assert_eq!(std::fs::metadata(&records).unwrap().len() % 36, 0);
}

#[test]
fn damage_is_reported_not_appended_to_and_repaired() {
    let (path, repaired, records) =
        (NewFile::new("damaged"), NewFile::new("repaired"), NewFile::new("damaged-records"));
    // Three runs of two games each: three blocks.
    for seed in ["1", "2", "3"] {
        assert!(generate(&path, "makruk", 1, 2).args(["--seed", seed]).status().unwrap().success());
    }
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[64 + 26] ^= 2; // the length of the first block
    std::fs::write(&path, &bytes).unwrap();
    let info = rukh().args(["datagen", "info", "makruk"]).arg(&path).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&info.stdout), String::from_utf8_lossy(&info.stderr));
    assert!(!info.status.success() && out.starts_with("games      4 "), "{out}{err}");
    assert!(err.contains("damaged in 1 place: ") && err.contains("2 games lost"), "{err}");
    // What is good is used, and the exit status tells that it is not all.
    let expand = rukh().args(["datagen", "expand", "makruk", "--out"]).args([&records, &path]).output().unwrap();
    assert!(!expand.status.success() && std::fs::metadata(&records).unwrap().len() > 0);
    let more = generate(&path, "makruk", 1, 2).args(["--seed", "4"]).output().unwrap();
    assert!(!more.status.success() && String::from_utf8_lossy(&more.stderr).contains("rukh datagen repair"));
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "a damaged file is left as it is");
    let repair = || rukh().args(["datagen", "repair"]).arg(&path).arg("--out").arg(&repaired).output().unwrap();
    let left = PathBuf::from(format!("{}.half", repaired.display()));
    std::fs::write(&left, b"left by a killed run").unwrap();
    let first = repair();
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert!(String::from_utf8_lossy(&first.stdout).starts_with("4 games in 2 good blocks"));
    assert!(!repair().status.success(), "nothing is overwritten");
    assert!(generate(&repaired, "makruk", 1, 2).args(["--seed", "1"]).status().unwrap().success());
    let info = rukh().args(["datagen", "info", "makruk"]).arg(&repaired).output().unwrap();
    assert!(info.status.success() && String::from_utf8_lossy(&info.stdout).starts_with("games      6 "));
}

fn blocks_or_none(path: &Path) -> usize {
    if path.exists() { blocks(path).len() } else { 0 }
}
