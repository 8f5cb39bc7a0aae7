//! Segments made to hurt: whatever their bytes, readers answer or refuse; they do not panic, hang or eat memory.

use std::panic::catch_unwind;
use std::path::Path;

use crate::common::{Folder, random_games};
use rukh_core::rng::Rng;
use rukh_core::{Chess, Position};
use rukh_pgn::PgnReader;
use rukh_store::db::{Database, DbError, GameRef};

const HEADER: usize = 512;
const BLOCK: usize = 64 << 10;

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// Makes all checksums of a file right again, so that only what it says is wrong.
fn seal(file: &mut Vec<u8>) {
    let end = u64::from_le_bytes(file[16..24].try_into().unwrap());
    let end = (end as usize).clamp(HEADER, file.len());
    file.truncate(end);
    put(file, 16, &(end as u64).to_le_bytes());
    let crcs: Vec<u8> = file[HEADER..].chunks(BLOCK).flat_map(|b| crc32fast::hash(b).to_le_bytes()).collect();
    put(file, 12, &crc32fast::hash(&crcs).to_le_bytes());
    let head = crc32fast::hash(&file[..HEADER - 4]);
    put(file, HEADER - 4, &head.to_le_bytes());
    file.extend(crcs);
}

struct Random(Rng);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    /// Numbers at which arithmetic goes wrong.
    fn number(&mut self) -> u64 {
        let small = self.below(700) as u64;
        [0, 1, small, 511, 512, u64::from(u32::MAX), 1 << 40, 1 << 61, u64::MAX / 8, u64::MAX - small, u64::MAX]
            [self.below(11)]
    }
}

fn mutate(good: &[u8], random: &mut Random) -> Vec<u8> {
    let mut file = good.to_vec();
    for _ in 0..1 + random.below(3) {
        match random.below(8) {
            // A number of the header: parameters and sections.
            0..=2 => {
                let at = 16 + 8 * random.below(41);
                let number = random.number();
                put(&mut file, at, &number.to_le_bytes());
            }
            // A number or byte of the content.
            3 | 4 => {
                let at = HEADER + random.below(file.len() - HEADER - 8);
                let number = random.number();
                put(&mut file, at, &number.to_le_bytes());
            }
            5 => {
                let at = HEADER + random.below(file.len() - HEADER);
                file[at] = random.below(256) as u8;
            }
            // A piece of another place.
            6 => {
                let len = random.below(100);
                let (from, to) = (random.below(file.len() - len), HEADER + random.below(file.len() - HEADER - len));
                file.copy_within(from..from + len, to);
            }
            // Torn, and not sealed again.
            _ => {
                file.truncate(random.below(file.len()).max(HEADER + 200));
                return file;
            }
        }
    }
    seal(&mut file);
    file
}

/// Asks for everything. Errors are fine.
fn use_it(dir: &Path, asked: &[Position<Chess>], deep: bool) -> u64 {
    let Ok(db) = Database::<Chess>::open(dir) else { return 0 };
    let mut answers = 0;
    for pos in asked {
        if let Ok(found) = db.explore(pos) {
            answers += 1;
            found.examples.iter().for_each(|&game| _ = db.headline(game));
        }
        let _ = db.count(pos.key());
        let _ = db.code(pos);
    }
    for code in [0, 1, 77, 500, 1 << 40, u64::MAX] {
        let _ = db.position(code);
    }
    for segment in db.segments() {
        for game in [0, 1, segment.games.len().saturating_sub(1), segment.games.len(), u32::MAX] {
            let _ = db.game(GameRef { segment: segment.id, game });
        }
    }
    let _ = db.totals();
    if deep {
        let _ = db.verify(true, |_| ());
        let _ = db.each_row(dir, |_| Ok::<(), DbError>(()));
    }
    answers
}

fn crafted(rounds: usize, seed: u64) {
    let folder = Folder::new(&format!("crafted-{rounds}"));
    std::fs::create_dir_all(folder.join("db")).unwrap();
    // A database of the first kind: its manifest does not know its files by their checksums, so that they are believed.
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/database-1");
    let mut good = Vec::new();
    for entry in std::fs::read_dir(old).unwrap() {
        let (path, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name().into_string().unwrap());
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(folder.join("db").join(&name), &bytes).unwrap();
        if name != "MANIFEST" {
            good.push((folder.join("db").join(name), bytes));
        }
    }
    let text = random_games(25, 901).into_bytes();
    let mut asked = Vec::new();
    for game in PgnReader::new("t", std::io::Cursor::new(text)).unwrap().take(4) {
        let mut pos = Position::<Chess>::startpos();
        for mv in game.unwrap().moves {
            asked.push(pos);
            pos = pos.after(mv);
        }
    }
    let all = asked.len();
    let mut random = Random(Rng::plain(seed));
    assert_eq!(use_it(&folder.join("db"), &asked, true), all as u64);
    let (mut answered, mut panics) = (0, 0);
    for round in 0..rounds {
        let (path, bytes) = &good[random.below(good.len())];
        std::fs::write(path, mutate(bytes, &mut random)).unwrap();
        let from = random.below(all - 12);
        let used = catch_unwind(|| use_it(&folder.join("db"), &asked[from..from + 12], round % 64 == 0));
        std::fs::write(path, bytes).unwrap();
        match used {
            Ok(answers) => answered += answers,
            Err(_) => panics += 1,
        }
    }
    assert_eq!(panics, 0, "of {rounds} crafted segments");
    // The mutants get far enough to be asked.
    assert!(answered > rounds as u64, "{answered}");
}

#[test]
fn crafted_segments_never_panic() {
    crafted(1_500, 0x9e37_79b9_7f4a_7c15);
}

#[test]
#[ignore = "long: 300,000 crafted segments"]
fn many_crafted_segments_never_panic() {
    crafted(300_000, 0x1234_5678_9abc_def1);
}
