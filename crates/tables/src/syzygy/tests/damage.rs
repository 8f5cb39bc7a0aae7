//! Damaged tables: an error or a value, never a panic, a hang or an overflow of the stack.

use std::fs;
use std::thread;

use super::super::{Miss, OpenError, Tables};
use super::{Dice, folder, position};
use rukh_testing::Folder;

const NAMES: [&str; 6] = ["KRvK", "KQvK", "KPvK", "KNNvK", "KBvKP", "KRvKR"];

/// Opens the files and asks about some positions; says whether they could be opened.
fn ask(files: Vec<(String, Vec<u8>)>, name: &str, dice: &mut Dice) -> bool {
    let Ok(tables) = Tables::from_bytes(files) else { return false };
    for _ in 0..12 {
        let pos = dice.position(name);
        let _ = tables.wdl(&pos);
        let _ = tables.dtz(&pos);
        let _ = tables.root(&pos, &pos.legal_moves());
    }
    assert!(tables.complaints().iter().all(|complaint| complaint.contains("damaged")));
    true
}

fn damage(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let head = bytes.len().min(400);
    match dice.roll(8) {
        // One bit anywhere, or some in the head.
        0 => {
            let at = dice.roll(bytes.len());
            bytes[at] ^= 1 << dice.roll(8);
        }
        1..=3 => {
            for _ in 0..=dice.roll(3) {
                let at = 4 + dice.roll(head - 4);
                bytes[at] ^= 1 << dice.roll(8);
            }
        }
        // A byte, a word or a run of the head replaced.
        4 | 5 => {
            let (at, len) = (4 + dice.roll(head - 4), 1 + dice.roll(12));
            let with = [0, 0xFF, dice.roll(256) as u8][dice.roll(3)];
            for byte in bytes.iter_mut().skip(at).take(len) {
                *byte = with;
            }
        }
        // Cut, or cut so that the length is that of a table.
        6 => bytes.truncate(dice.roll(bytes.len())),
        _ => {
            let units = bytes.len() / 64;
            bytes.truncate(64 * dice.roll(units + 1) + 16);
        }
    }
}

/// Thousands of damaged copies, on a stack too small for a recursion that a file could deepen.
#[test]
fn damaged_copies() {
    let Some(folder) = folder() else { return };
    let files = NAMES.map(|name| {
        ["rtbw", "rtbz"]
            .map(|kind| (format!("{name}.{kind}"), fs::read(folder.join(format!("{name}.{kind}"))).unwrap()))
    });
    let work = move || {
        let mut dice = Dice::new(0x1234_5678_9ABC_DEF1);
        let mut opened = 0;
        for round in 0..3_000 {
            let which = round % NAMES.len();
            let mut set = files[which].to_vec();
            let hit = dice.roll(2);
            damage(&mut set[hit].1, &mut dice);
            opened += u32::from(ask(set, NAMES[which], &mut dice));
        }
        opened
    };
    let opened = thread::Builder::new().stack_size(192 << 10).spawn(work).unwrap().join().unwrap();
    // Much is refused at once; the rest was probed.
    assert!((150..2_850).contains(&opened), "{opened}");
}

/// Each symbol made of itself, of its neighbour, of one that does not exist.
#[test]
fn crafted_symbols() {
    let Some(folder) = folder() else { return };
    let bytes = fs::read(folder.join("KRvK.rtbw")).unwrap();
    // KRvK with White to move is one value; Black's part begins at 12: ten bytes, five words of codes, the symbols.
    let (words, count) = (5, 10);
    assert_eq!((bytes[20] - bytes[21] + 1, bytes[22 + 2 * words]), (words as u8, count));
    let mut dice = Dice::new(5);
    let mut refused = 0;
    for symbol in 0..usize::from(count) {
        let at = 24 + 2 * words + 3 * symbol;
        let next = (symbol as u16 + 1) % u16::from(count);
        for half in [symbol as u16, next, u16::from(count), 0xFFE] {
            let mut bytes = bytes.clone();
            // A pair of the same two halves; its neighbour made of it in turn.
            let pair = |half: u16| [half as u8, (half >> 8 | half << 4) as u8, (half >> 4) as u8];
            bytes[at..at + 3].copy_from_slice(&pair(half));
            let other = 24 + 2 * words + 3 * usize::from(next);
            bytes[other..other + 3].copy_from_slice(&pair(symbol as u16));
            refused += u32::from(!ask(vec![("KRvK.rtbw".into(), bytes)], "KRvK", &mut dice));
        }
    }
    assert_eq!(refused, 4 * u32::from(count));
}

/// A table that opens well and goes wrong later is left aside and complained of once.
#[test]
fn said_once() {
    let Some(folder) = folder() else { return };
    let mut bytes = fs::read(folder.join("KRvK.rtbw")).unwrap();
    // The block of the only entry of the sparse index, behind ten symbols.
    let index = 24 + 2 * 5 + 3 * 10;
    bytes[index..index + 4].fill(0xFF);
    let tables = Tables::from_bytes([("KRvK.rtbw".into(), bytes)]).unwrap();
    let pos = position("8/8/8/3k4/8/3K4/8/7R b - - 0 1");
    assert_eq!(tables.wdl(&pos), Err(Miss::Damaged));
    assert_eq!(tables.wdl(&pos), Err(Miss::Damaged));
    let complaints = tables.complaints();
    assert!(complaints.len() == 1 && complaints[0].contains("KRvK.rtbw"), "{complaints:?}");
    assert!(tables.complaints().is_empty());
}

/// A file that is cut while it is in use: an error, where a memory map would end the process.
#[test]
fn cut_while_in_use() {
    let Some(folder) = folder() else { return };
    let dir = Folder::new("syzygy-cut");
    let file = dir.join("KRvK.rtbw");
    let bytes = fs::read(folder.join("KRvK.rtbw")).unwrap();
    fs::write(&file, &bytes).unwrap();
    let tables = Tables::open([&dir]).unwrap();
    fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(64).unwrap();
    assert_eq!(tables.wdl(&position("8/8/8/3k4/8/3K4/8/7R b - - 0 1")), Err(Miss::Damaged));
    assert_eq!(tables.complaints().len(), 1);
    fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
    assert!(matches!(Tables::open([&dir]), Err(OpenError::Damaged(..))));
}
