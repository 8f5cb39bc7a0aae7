//! Files: written whole, read back, and never trusted when damaged.

use rukh_core::{Makruk, Position};
use rukh_tables::{Material, Table, TableError, Tables, Verdict};
use rukh_testing::Folder;

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

#[test]
fn every_changed_byte_is_noticed() {
    let folder = Folder::new("bytes");
    let tables = Tables::with_men(3, 1);
    let kr = tables.table(material("KR")).unwrap();
    let path = kr.save(&folder).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len(), kr.size());
    assert!(Table::read(bytes.clone()).unwrap().check());
    // Every byte of the head, and bytes all over the rest.
    for at in (0..2200).chain((2200..bytes.len()).step_by(97)) {
        let mut bad = bytes.clone();
        bad[at] ^= 1 << (at % 8);
        assert!(!Table::read(bad).is_ok_and(|table| table.check()), "byte {at}");
    }
    for length in [0, 7, 72, 2120, 5000, bytes.len() - 1] {
        assert!(Table::read(bytes[..length].to_vec()).is_err(), "length {length}");
    }
    // Under another ending's name.
    std::fs::copy(&path, Table::path(&folder, material("KS"))).unwrap();
    assert!(matches!(Table::open(&folder, material("KS")), Err(TableError::Damaged { .. })));
    assert!(matches!(Table::open(&folder, material("KN")), Err(TableError::Io { .. })));
}

#[test]
fn a_damaged_block_answers_nothing() {
    let folder = Folder::new("block");
    let path = Tables::four_men().table(material("KR")).unwrap().save(&folder).unwrap();
    let pos = Position::<Makruk>::from_fen("8/8/8/8/1R6/8/8/K1k5 b - 32 6 1").unwrap();
    let (tables, errors) = Tables::open(&folder);
    assert!(errors.is_empty());
    assert_eq!(tables.verdict(&pos), Some(Verdict::Mated(26)));

    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.len() - bytes.len() / 2;
    bytes[at..].fill(0x55);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, bytes).unwrap();
    let (tables, errors) = Tables::open(&folder);
    assert!(errors.is_empty(), "head and index are whole");
    assert!(!tables.table(material("KR")).unwrap().check());
    assert!(tables.table(material("KR")).unwrap().is_damaged());
    assert_eq!(tables.verdict(&pos), None);
}

/// Once mapped, such a file ended the process with a bus error.
#[test]
fn a_file_cut_short_while_it_is_in_use_answers_nothing() {
    let folder = Folder::new("cut");
    let path = Tables::four_men().table(material("KR")).unwrap().save(&folder).unwrap();
    let (tables, errors) = Tables::open(&folder);
    assert!(errors.is_empty());
    std::fs::File::options().write(true).open(&path).unwrap().set_len(100).unwrap();
    let pos = Position::<Makruk>::from_fen("8/8/8/8/1R6/8/8/K1k5 b - 32 6 1").unwrap();
    assert_eq!(tables.verdict(&pos), None);
    assert!(tables.table(material("KR")).unwrap().is_damaged());
}
