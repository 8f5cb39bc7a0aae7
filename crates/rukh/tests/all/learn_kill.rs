//! Kills writers of the learned table at random moments: each transaction is there whole or not at all.

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use rukh_testing::Folder;

fn rukh() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rukh"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Distinct positions: two kings and two pawns in many places.
fn positions(count: usize) -> String {
    let mut text = String::new();
    let mut n = 0;
    for (white, black) in (0..8).flat_map(|w| (0..8).map(move |b| (w, b))) {
        for pawns in (0..4096usize).filter(|p| p.count_ones() <= 8) {
            if n == count {
                return text;
            }
            let rank = |mut bits: usize| {
                (0..6).fold(String::new(), |row, _| {
                    let cell = if bits & 1 == 1 { "P" } else { "1" };
                    bits >>= 1;
                    row + cell
                })
            };
            let king = |file: usize, k: &str| format!("{}{k}{}", "1".repeat(file), "1".repeat(7 - file));
            let _ = writeln!(
                text,
                "{}/8/8/8/{}11/{}11/8/{} w - - 0 1\t{}\t12\texact\t-\t1",
                king(black, "k"),
                rank(pawns),
                rank(pawns >> 6),
                king(white, "K"),
                1 + n % 30
            );
            n += 1;
        }
    }
    text
}

fn known(table: &std::path::Path) -> usize {
    let out = rukh().args(["learn", "stats", "--json", "--file"]).arg(table).stdout(Stdio::piped()).output().unwrap();
    let json = String::from_utf8(out.stdout).unwrap();
    json.split("\"positions\":").nth(1).unwrap().split(',').next().unwrap().parse().unwrap()
}

fn kills(rounds: u64, count: usize) {
    let dir = Folder::new("kill");
    std::fs::create_dir_all(&dir).unwrap();
    let (news, table) = (dir.join("news.tsv"), dir.join("table"));
    std::fs::write(&news, positions(count)).unwrap();
    let import = || {
        let mut command = rukh();
        command.args(["learn", "import", "--file"]).arg(&table).arg(&news);
        command
    };
    let mut rng = rukh_core::rng::Rng::plain(99);
    let mut last = 0;
    for round in 0..rounds {
        let mut child = import().spawn().unwrap();
        std::thread::sleep(Duration::from_micros(rng.below(150_000) as u64));
        let _ = child.kill();
        let _ = child.wait();
        if !table.exists() {
            continue;
        }
        let now = known(&table);
        assert!(now.is_multiple_of(1000) || now == count, "round {round}: {now} positions are no whole transactions");
        assert!(now >= last, "round {round}: {now} after {last}");
        last = now;
    }
    let end = import().stderr(Stdio::piped()).output().unwrap();
    assert!(end.status.success(), "{}", String::from_utf8_lossy(&end.stderr));
    assert_eq!(known(&table), count);
}

#[test]
fn a_few_kills_during_learning() {
    kills(5, 6_000);
}

#[test]
#[ignore = "long: fifty kills"]
fn fifty_kills_during_learning() {
    kills(50, 60_000);
}
