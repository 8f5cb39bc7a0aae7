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

/// With `--openings` a game follows one of the given games for a while, and its first plies have no scores.
#[test]
fn games_can_be_played_on_from_others() {
    let (games, again, refused) = (NewFile::new("on"), NewFile::new("again"), NewFile::new("refused"));
    let pgn = NewFile::new("openings.pgn");
    std::fs::write(&pgn, "[Event \"?\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 *\n").unwrap();
    let run = |path: &Path, games| generate(path, "chess", 1, games).arg("--openings").arg(&pgn).output().unwrap();
    let first = run(&games, 3);
    assert!(first.status.success(), "{first:?}");
    assert!(String::from_utf8_lossy(&first.stderr).contains("1 game to play on from"));
    assert!(run(&again, 3).status.success());
    assert_eq!(std::fs::read(&games).unwrap(), std::fs::read(&again).unwrap(), "the same seed and openings");
    let moves = NewFile::new("moves.bin");
    let extract = rukh().args(["code", "extract"]).arg(&games).arg("--out").arg(&moves).output().unwrap();
    assert!(extract.status.success(), "{extract:?}");
    // RUKHGM01: lengths, then low bytes and high bytes of the moves; e2e4 is 12 | 28 << 6.
    let bytes = std::fs::read(&moves).unwrap();
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (count, plies) = (number(8), number(12));
    let lengths: Vec<usize> =
        bytes[16..16 + 2 * count].chunks(2).map(|b| usize::from(b[0]) + 256 * usize::from(b[1])).collect();
    let low = &bytes[16 + 2 * count..];
    let mv = |at: usize| u16::from(low[at]) | u16::from(low[plies + at]) << 8;
    let mut at = 0;
    assert_eq!(count, 3);
    for length in lengths {
        assert_eq!([mv(at), mv(at + 1), mv(at + 2)], [12 | 28 << 6, 52 | 36 << 6, 6 | 21 << 6]);
        at += length;
    }
    let foreign = generate(&refused, "chess960", 1, 1).arg("--openings").arg(&pgn).output().unwrap();
    assert!(!foreign.status.success() && String::from_utf8_lossy(&foreign.stderr).contains("--openings"));
    let none = generate(&refused, "makruk", 1, 1).arg("--openings").arg(&pgn).output().unwrap();
    assert!(!none.status.success() && String::from_utf8_lossy(&none.stderr).contains("no game of"), "{none:?}");
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
