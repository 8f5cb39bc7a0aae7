//! Files of a database (manifest, segments) and of code records: whatever they say, readers answer or refuse.
//!
//! The first byte chooses the file, the others are its text (manifest) or changes to a good one. Checksums are made right
//! again, so that what the file says is believed. One input in forty has everything read.
#![no_main]

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use rukh_code::Codec;
use rukh_core::{Chess, Makruk, Position};
use rukh_fuzz::fuzz_target;
use rukh_store::codes::Records;
use rukh_store::db::{Database, DbError, GameRef};

const HEADER: usize = 512;
const BLOCK: usize = 64 << 10;

/// A database of the first kind: its manifest does not know its files by their checksums.
const FILES: [(&str, &[u8]); 5] = [
    ("MANIFEST", include_bytes!("../../tests/data/database-1/MANIFEST")),
    ("000001.games", include_bytes!("../../tests/data/database-1/000001.games")),
    ("000001.positions", include_bytes!("../../tests/data/database-1/000001.positions")),
    ("000002.games", include_bytes!("../../tests/data/database-1/000002.games")),
    ("000002.positions", include_bytes!("../../tests/data/database-1/000002.positions")),
];
const RECORDS: &[u8] = include_bytes!("../../tests/data/makruk-2.positions");

/// Two bytes say where, one how many, eight what.
fn changed(good: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut file = good.to_vec();
    for change in changes.chunks_exact(11) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % file.len();
        let len = (1 + usize::from(change[2]) % 8).min(file.len() - at);
        file[at..at + len].copy_from_slice(&change[3..3 + len]);
    }
    file
}

/// Makes the checksums of a segment right.
fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    let end = u64::from_le_bytes(file[16..24].try_into().expect("eight bytes"));
    let end = usize::try_from(end).unwrap_or(usize::MAX).clamp(HEADER, file.len());
    file.truncate(end);
    file[16..24].copy_from_slice(&(end as u64).to_le_bytes());
    let sums: Vec<u8> = file[HEADER..].chunks(BLOCK).flat_map(|block| crc32fast::hash(block).to_le_bytes()).collect();
    file[12..16].copy_from_slice(&crc32fast::hash(&sums).to_le_bytes());
    let head = crc32fast::hash(&file[..HEADER - 4]);
    file[HEADER - 4..HEADER].copy_from_slice(&head.to_le_bytes());
    file.extend(sums);
    file
}

fn ask(dir: &Path, all: bool) {
    let Ok(db) = Database::<Chess>::open(dir) else { return };
    let mut pos = Position::<Chess>::startpos();
    for uci in ["e2e4", "e7e5", "g1f3", "b8c6"] {
        if let Ok(found) = db.explore(&pos) {
            found.examples.iter().for_each(|&game| _ = db.headline(game));
        }
        let _ = (db.count(pos.key()), db.code(&pos));
        pos = pos.after(pos.parse_uci(uci).expect("is legal"));
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
    if all {
        let _ = (db.verify(true, |_| ()), db.each_row(dir, |_| Ok::<(), DbError>(())));
    }
}

fn ask_records(path: &Path) {
    let Ok(Some(records)) = Records::<Makruk>::open_existing(path, Codec::makruk()) else { return };
    let numbers = records.len().unwrap_or(0);
    for number in [0, 1, 2, numbers.wrapping_sub(1), numbers, u64::MAX] {
        let _ = records.get(number);
    }
    let _ = records.find(&Position::startpos());
}

fuzz_target!(|bytes: &[u8]| {
    static DIR: OnceLock<std::path::PathBuf> = OnceLock::new();
    let dir = DIR.get_or_init(|| {
        let dir = std::env::temp_dir().join(format!("rukh-fuzz-{}", std::process::id()));
        fs::create_dir_all(dir.join("db")).expect("a folder");
        FILES.iter().for_each(|(name, good)| fs::write(dir.join("db").join(name), good).expect("a file"));
        dir
    });
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let Some((name, good)) = FILES.get(usize::from(choice) % (FILES.len() + 1)) else {
        let path = dir.join("positions");
        let mut file = changed(RECORDS, rest);
        let head = crc32fast::hash(&file[..28]);
        file[28..32].copy_from_slice(&head.to_le_bytes());
        fs::write(&path, file).expect("a file");
        return ask_records(&path);
    };
    let file = if *name == "MANIFEST" {
        let body = String::from_utf8_lossy(rest);
        format!("{body}\ncrc {:08x}\n", crc32fast::hash(body.as_bytes())).into_bytes()
    } else {
        sealed(changed(good, rest))
    };
    let path = dir.join("db").join(name);
    fs::write(&path, file).expect("a file");
    ask(&dir.join("db"), choice >= 250);
    fs::write(&path, good).expect("a file");
});
