//! Kills imports and compactions at random moments: what was committed stays, and the next import completes the job.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rukh_testing::Folder;

fn rukh() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rukh"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Games that differ in their players; the text is what is imported, so its size sets the length of the run.
fn games(count: usize) -> String {
    let lines = [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 1-0",
        "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. e3 O-O 5. Bd3 d5 6. Nf3 c5 7. O-O Nc6 8. a3 Bxc3 9. bxc3 dxc4 10. Bxc4 Qc7 1/2-1/2",
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 Be7 8. Qf3 Qc7 9. O-O-O Nbd7 10. g4 b5 0-1",
    ];
    (0..count)
        .map(|i| format!("[White \"W{i}\"]\n[Black \"B{}\"]\n[Date \"2020.01.01\"]\n\n{}\n\n", i / 7, lines[i % 3]))
        .collect()
}

fn kills(rounds: u64, count: usize) {
    let dir = Folder::new("kill");
    std::fs::create_dir_all(&dir).unwrap();
    let files: Vec<PathBuf> = (0..4).map(|i| dir.join(format!("{i}.pgn"))).collect();
    let text = games(count);
    let quarter = text.len() / 4;
    let mut from = 0;
    for (i, file) in files.iter().enumerate() {
        let to =
            if i == 3 { text.len() } else { text[quarter * (i + 1)..].find("\n\n[").unwrap() + quarter * (i + 1) + 2 };
        std::fs::write(file, &text[from..to]).unwrap();
        from = to;
    }
    let db = dir.join("db");
    let import = |db: &Path| {
        let mut command = rukh();
        command.args(["db", "import", "--memory", "48", "--commit-every", "1e-6", "--db"]).arg(db).args(&files);
        command
    };
    // Kills come at any moment of an import, its commits and its end included.
    let begin = Instant::now();
    assert!(import(&dir.join("whole")).status().unwrap().success());
    let longest = begin.elapsed().as_micros() as usize;
    let mut rng = rukh_core::rng::Rng::plain(99);
    let (mut last, mut alive, mut complete) = (0, 0, 0);
    for round in 0..rounds {
        if last == count {
            // There is nothing left to add: from the beginning.
            std::fs::remove_dir_all(&db).unwrap();
            (last, complete) = (0, complete + 1);
        }
        // Every fourth time a compaction, if there is something to compact.
        let mut child = match round % 4 == 3 && db.join("MANIFEST").exists() {
            true => rukh().args(["db", "compact", "--memory", "48", "--db"]).arg(&db).spawn().unwrap(),
            false => import(&db).spawn().unwrap(),
        };
        std::thread::sleep(Duration::from_micros(rng.below(longest) as u64));
        alive += u64::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        let _ = child.wait();
        if !db.join("MANIFEST").exists() {
            continue;
        }
        let out = rukh().args(["db", "stats", "--json", "--db"]).arg(&db).stdout(Stdio::piped()).output().unwrap();
        let json = String::from_utf8(out.stdout).unwrap();
        assert!(json.contains("\"damagedSegments\":0"), "round {round}: {json}");
        let now: usize = json.split("\"games\":").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
        assert!(now >= last, "round {round}: {now} games after {last}");
        last = now;
        if round % 8 == 0 && rounds < 100 || round % 64 == 0 {
            assert!(rukh().args(["db", "verify", "--deep", "--db"]).arg(&db).status().unwrap().success());
        }
    }
    eprintln!("{alive} of {rounds} were killed at work, {complete} databases were completed under kills");
    assert!(import(&db).status().unwrap().success());
    let out = rukh().args(["db", "stats", "--json", "--db"]).arg(&db).stdout(Stdio::piped()).output().unwrap();
    let json = String::from_utf8(out.stdout).unwrap();
    assert!(json.contains(&format!("\"games\":{count},")), "{json}");
    assert!(rukh().args(["db", "verify", "--deep", "--db"]).arg(&db).status().unwrap().success());
    // Nothing is left lying about: the manifest, the lock and two files of each segment.
    let segments: usize = json.split("\"segments\":").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    let names: Vec<_> = std::fs::read_dir(&db).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    // A kill between the two calls that make a nameless file leaves an empty one.
    let strays = names.iter().filter(|name| name.to_string_lossy().starts_with("tmp-"));
    assert_eq!(names.len() - strays.count(), 2 + 2 * segments, "{names:?}");
}

#[test]
fn a_few_kills_during_import() {
    kills(6, 4_000);
}

#[test]
#[ignore = "long: a thousand kills of imports and compactions"]
fn a_thousand_kills() {
    kills(1_000, 12_000);
}
