//! Records of positions on the disk: numbers that stay, whatever happens to the program that asked for them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rukh_code::{CodeError, Codec, without_clocks};
use rukh_core::{Chess, Makruk, Position};
use rukh_store::codes::{RecordError, Records};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rukh-records-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Positions of random games that have no direct code.
fn wild(seed: u64, count: usize) -> Vec<Position<Chess>> {
    let mut rng = rukh_core::rng::Rng::plain(seed);
    let (mut found, mut pos) = (Vec::new(), Position::<Chess>::startpos());
    while found.len() < count {
        let moves = pos.legal_moves();
        if moves.is_empty() || pos.fullmove() > 60 {
            pos = Position::startpos();
            continue;
        }
        pos = pos.after(moves[rng.below(moves.len())]);
        if Codec::chess().encode(&pos) == Err(CodeError::DoesNotFit) {
            found.push(without_clocks(&pos).unwrap());
        }
    }
    found
}

#[test]
fn numbers_stay_and_are_shared() {
    let folder = Folder::new("share");
    let path = folder.0.join("deep/positions.chess");
    let positions = wild(1, 40);
    let first = Records::open(&path, Codec::chess()).unwrap();
    let second = Records::open(&path, Codec::chess()).unwrap();
    assert!(first.is_empty().unwrap() && first.edition() == second.edition() && first.edition() > 0);
    let mut numbers = Vec::new();
    for (at, pos) in positions.iter().enumerate() {
        // Two programs in turn; each sees what the other has added.
        let (one, other) = if at % 2 == 0 { (&first, &second) } else { (&second, &first) };
        let number = one.add(pos).unwrap();
        assert_eq!(other.find(pos).unwrap(), Some(number));
        assert_eq!(other.add(pos).unwrap(), number);
        assert_eq!(other.get(number).unwrap().as_ref(), Some(pos));
        numbers.push(number);
    }
    let unique: std::collections::HashSet<_> = numbers.iter().collect();
    assert_eq!(unique.len(), wild(1, 40).iter().map(Position::fen).collect::<std::collections::HashSet<_>>().len());
    drop((first, second));
    let again = Records::open(&path, Codec::chess()).unwrap();
    assert_eq!(again.add_all(&positions).unwrap(), numbers);
    assert_eq!(again.get(10_000).unwrap(), None);
    assert!(matches!(again.add(&Position::startpos()), Err(RecordError::Position(CodeError::Direct))));
    assert_eq!(again.find(&Position::startpos()).unwrap(), None);
}

#[test]
fn torn_and_damaged_records_cost_themselves() {
    let folder = Folder::new("torn");
    let path = folder.0.join("positions");
    let positions = wild(2, 6);
    let records = Records::open(&path, Codec::chess()).unwrap();
    assert_eq!(records.add_all(&positions[..3]).unwrap(), [0, 1, 2]);
    // A kill in the middle of a record.
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(&[7; 11]).unwrap();
    assert_eq!(records.len().unwrap(), 3);
    assert_eq!(records.find(&positions[3]).unwrap(), None);
    let fourth = records.add(&positions[3]).unwrap();
    assert_eq!(fourth, 4, "the torn record's number is not given to another");
    assert!(matches!(records.get(3), Err(RecordError::Damaged { number: 3, .. })));
    // A damaged record is found out and leaves the others alone; its position gets another number.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[32 + 28 + 20] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let records = Records::open(&path, Codec::chess()).unwrap();
    assert!(matches!(records.get(1), Err(RecordError::Damaged { number: 1, .. })));
    assert_eq!(records.get(2).unwrap().as_ref(), Some(&positions[2]));
    assert_eq!(records.add_all(&positions[..3]).unwrap(), [0, 5, 2]);
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = Folder::new("other");
    let path = folder.0.join("positions");
    std::fs::write(&path, "dear diary").unwrap();
    assert!(matches!(Records::open(&path, Codec::chess()), Err(RecordError::Foreign(_))));
    assert_eq!(std::fs::read(&path).unwrap(), b"dear diary");
    assert!(Records::open_existing(&folder.0.join("none"), Codec::chess()).unwrap().is_none());
    // A kill while the head was written.
    std::fs::write(&path, "RUKHPOSN\u{1}").unwrap();
    drop(Records::open(&path, Codec::chess()).unwrap());
    assert!(matches!(Records::<Makruk>::open(&path, Codec::makruk()), Err(RecordError::Codes { .. })));
    assert!(matches!(Records::open(&path, Codec::chess960()), Err(RecordError::Codes { .. })));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8] = 9;
    let sum = crc32(&bytes[..28]);
    bytes[28..32].copy_from_slice(&sum.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(Records::open(&path, Codec::chess()), Err(RecordError::Newer { version: 9, .. })));
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 != 0 { 0xedb8_8320 } else { 0 })
    })
}

/// Names the file for a program that adds until it is killed.
const ADDER: &str = "RUKH_TEST_ADDER";

/// Not a test by itself: `kills` starts it as programs of their own.
#[test]
fn adder() {
    let Ok(job) = std::env::var(ADDER) else { return };
    let (seed, path) = job.split_once(' ').unwrap();
    let records = Records::open(Path::new(path), Codec::chess()).unwrap();
    let mut out = std::io::stdout().lock();
    for pos in wild(seed.parse().unwrap(), 5_000) {
        let number = records.add(&pos).unwrap();
        writeln!(out, "answered {number} {}", pos.fen()).unwrap();
        out.flush().unwrap();
    }
}

fn start(seed: usize, path: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["records::adder", "--exact", "--nocapture"]).env(ADDER, format!("{seed} {}", path.display()));
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Two programs add at once; one after the other is killed in the middle. What was answered stays.
fn kills(count: usize) {
    let folder = Folder::new(&format!("kills{count}"));
    let path = folder.0.join("positions");
    let mut answered = HashMap::new();
    let mut note = |line: &str| {
        let words = line.strip_prefix("answered ")?;
        let (number, fen) = words.split_once(' ')?;
        let before = answered.insert(number.parse::<u64>().ok()?, fen.to_owned());
        assert!(before.is_none_or(|before| before == fen), "{number} was given twice");
        Some(())
    };
    for round in 0..count.div_ceil(2) {
        // Some seeds come back: positions that are there already keep their numbers.
        let children = [start(round % 17, &path), start(round % 13 + 1, &path)];
        let mut outputs = Vec::new();
        for (at, mut child) in children.into_iter().enumerate() {
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let mut seen = 0;
            while seen < 1 + (round * 7 + at * 3) % 9 {
                seen += usize::from(note(&lines.next().unwrap().unwrap()).is_some());
            }
            child.kill().unwrap();
            outputs.push((child, lines));
        }
        for (mut child, lines) in outputs {
            // What it had said before it was killed; the last line may be cut.
            let rest: Vec<String> = lines.map_while(Result::ok).collect();
            for line in &rest[..rest.len().saturating_sub(1)] {
                note(line);
            }
            child.wait().unwrap();
        }
    }
    let records = Records::open(&path, Codec::chess()).unwrap();
    assert!(answered.len() > count / 2, "{}", answered.len());
    for (number, fen) in &answered {
        let pos = records.get(*number).unwrap().unwrap();
        assert_eq!(pos.fen(), *fen, "{number}");
        assert_eq!(records.find(&pos).unwrap(), Some(*number));
    }
}

#[test]
fn a_few_kills() {
    kills(6);
}

#[test]
#[ignore = "long: 200 kills while two programs add"]
fn two_hundred_kills() {
    kills(200);
}
