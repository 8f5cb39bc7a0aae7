//! Damage, power failures and older tables: what comes out is what went in, or an error.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rukh_core::{Chess, Makruk, Position};

use super::head::{HEAD, Head};
use super::medium::{InMemory, Medium};
use super::tests::{ROOMY, exact, walk};
use super::*;
use rukh_core::rng::Rng;
use rukh_testing::NewFile;

/// What a table holds: FEN, value, number where it has one.
pub(super) type Rows = Vec<(String, Learned, Option<u64>)>;

/// All rows, looked up one by one as well.
pub(super) fn rows(store: &LearnStore<Chess>) -> Result<Rows, LearnError> {
    let mut list = Vec::new();
    store.each(|variant, code, learned| {
        list.push((Chess::codec(variant).decode_any(code).unwrap().fen(), *learned, None));
    })?;
    for (fen, learned, number) in &mut list {
        let pos = Position::<Chess>::from_fen(fen).unwrap();
        assert_eq!(store.get(&pos)?, Some(*learned));
        *number = store.number(&pos)?;
        if let Some(number) = number {
            assert_eq!(store.position(*number)?.unwrap().fen(), *fen);
        }
    }
    Ok(list)
}

fn open(medium: &(impl Medium + Clone)) -> LearnStore<Chess> {
    LearnStore::assemble(Box::new(medium.clone()), Path::new("<memory>"), ROOMY).unwrap()
}

struct Images {
    rows: Rows,
    sealed: Vec<u8>,
    /// As a killed process leaves it.
    unclean: Vec<u8>,
}

fn images() -> Images {
    let medium = InMemory::default();
    let store = open(&medium);
    let batches: Vec<Vec<_>> = walk(700)
        .chunks(50)
        .enumerate()
        .map(|(n, chunk)| chunk.iter().map(|pos| (*pos, exact(n as i16, 5 * n as i32))).collect())
        .collect();
    batches[..6].iter().for_each(|news| store.record(news).unwrap());
    for pos in walk(60) {
        store.give_number(&pos).unwrap();
    }
    store.prune(260).unwrap();
    batches[6..].iter().for_each(|news| store.record(news).unwrap());
    for pos in walk(90) {
        store.give_number(&pos).unwrap();
    }
    let rows = rows(&store).unwrap();
    assert!(rows.iter().filter(|row| row.2.is_some()).count() > 20);
    let unclean = medium.bytes();
    drop(store);
    Images { rows, sealed: medium.bytes(), unclean }
}

/// Damages a file where it holds something.
fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let mut at = rng.below(bytes.len());
    for _ in 0..20 {
        let page = at / 4096 * 4096;
        if bytes[page..(page + 4096).min(bytes.len())].iter().any(|&byte| byte != 0) {
            break;
        }
        at = rng.below(bytes.len());
    }
    if rng.below(8) == 0 {
        at = rng.below(512.min(bytes.len()));
    }
    let most = [2, 16, 600, 9000][rng.below(4)];
    let run = 1 + rng.below(most).min(bytes.len() - at - 1);
    match rng.below(9) {
        0..3 => bytes[at] ^= 1 << rng.below(8),
        3 => bytes[at] = rng.below(256) as u8,
        4 => bytes[at..at + run].iter_mut().for_each(|b| *b = rng.below(256) as u8),
        5 => bytes[at..at + run].fill(0),
        6 => {
            // A page in the place of another one: each is sound by itself.
            let pages = bytes.len() / 4096;
            if pages > 0 {
                let (from, to) = (rng.below(pages) * 4096, rng.below(pages) * 4096);
                bytes.copy_within(from..from + 4096, to);
            }
        }
        7 => drop(bytes.drain((at + 1).min(bytes.len())..at + run)),
        _ => bytes.truncate(at.max(1)),
    }
}

/// Uses a table as an engine does: everything right, or an error that speaks of damage. Tells whether all was right.
fn survives(bytes: Vec<u8>, expected: &Rows) -> bool {
    let judge = |error: LearnError| {
        assert!(matches!(error, LearnError::Damaged { .. } | LearnError::Foreign(_)), "{error}");
        false
    };
    let store = match LearnStore::<Chess>::from_bytes(bytes, ROOMY) {
        Ok(store) => store,
        Err(error) => return judge(error),
    };
    let start = Position::startpos();
    let used = || -> Result<Rows, LearnError> {
        store.near(&start, 50, Duration::MAX)?;
        let found = rows(&store)?;
        store.record(&[(start, exact(1, 1))])?;
        store.prune(100)?;
        Ok(found)
    };
    match used() {
        Ok(found) => {
            assert_eq!(found, *expected, "wrong or missing rows");
            true
        }
        Err(error) => judge(error),
    }
}

fn mutants(name: &str, whole: &[u8], expected: &Rows, count: usize) {
    assert!(survives(whole.to_vec(), expected));
    let mut rng = Rng::plain(whole.len() as u64);
    let mut detected = 0;
    for _ in 0..count {
        let mut bad = whole.to_vec();
        for _ in 0..1 + rng.below(3) {
            damage(&mut bad, &mut rng);
        }
        detected += usize::from(!survives(bad, expected));
    }
    println!("{name}: {detected} of {count} damaged tables refused, the others gave all rows");
    assert!(detected > count / 2);
}

#[test]
fn no_damage_of_a_closed_table_is_silent() {
    let Images { rows, sealed, .. } = images();
    mutants("closed", &sealed, &rows, 1500);
}

#[test]
fn no_damage_of_a_killed_table_is_silent() {
    let Images { rows, unclean, .. } = images();
    mutants("killed", &unclean, &rows, 500);
}

#[test]
fn no_damage_of_an_old_table_is_silent() {
    let old = include_bytes!("../../tests/data/learned-v1.redb");
    let expected = rows(&LearnStore::from_bytes(old.to_vec(), ROOMY).unwrap()).unwrap();
    mutants("version 1", old, &expected, 300);
    for (name, image) in [("version 2", second()), ("version 2, killed", second_killed())] {
        let expected = rows(&LearnStore::from_bytes(image.clone(), ROOMY).unwrap()).unwrap();
        mutants(name, &image, &expected, 200);
    }
}

fn second() -> Vec<u8> {
    zstd::decode_all(&include_bytes!("../../tests/data/learned-v2.redb.zst")[..]).unwrap()
}

/// As a killed program left it.
fn second_killed() -> Vec<u8> {
    zstd::decode_all(&include_bytes!("../../tests/data/learned-v2-killed.redb.zst")[..]).unwrap()
}

#[test]
fn every_bit_of_a_head_counts() {
    let Images { rows, sealed, unclean } = images();
    for whole in [sealed, unclean] {
        for bit in (0..8 * 512).step_by(3) {
            let mut bad = whole.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(!survives(bad, &rows), "bit {bit}");
        }
    }
}

/// A change of a medium.
#[derive(Clone, Debug)]
enum Change {
    Write(u64, Vec<u8>),
    Length(u64),
    Sync,
    Replace(Vec<u8>),
}

/// A medium that remembers all changes, so that the power can fail at any of them.
#[derive(Clone, Debug, Default)]
struct Remembering(InMemory, Arc<Mutex<Vec<Change>>>, Option<Box<Remembering>>);

impl Remembering {
    fn note(&self, change: Change) {
        self.1.lock().unwrap().push(change);
    }
}

impl Medium for Remembering {
    fn len(&mut self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(at, out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()> {
        self.note(Change::Write(at, data.to_vec()));
        self.0.write(at, data)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.note(Change::Length(len));
        self.0.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.note(Change::Sync);
        Ok(())
    }

    fn beside(&self) -> io::Result<Box<dyn Medium>> {
        Ok(Box::new(Remembering(InMemory::default(), Arc::default(), Some(Box::new(self.clone())))))
    }

    fn take_place(&mut self) -> io::Result<()> {
        let old = self.2.take().unwrap();
        old.note(Change::Replace(self.0.bytes()));
        let mut place = old.0.beside()?;
        place.write(0, &self.0.bytes())?;
        place.take_place()?;
        *self = *old;
        Ok(())
    }
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let mut medium = InMemory::new(std::mem::take(bytes));
    match change {
        Change::Write(at, data) => medium.write(*at, data).unwrap(),
        Change::Length(len) => medium.set_len(*len).unwrap(),
        Change::Sync => {}
        Change::Replace(new) => medium = InMemory::new(new.clone()),
    }
    *bytes = medium.bytes();
}

#[test]
fn the_power_may_fail_at_any_moment() {
    let medium = Remembering::default();
    // The changes after which a state is certainly there, and the state.
    let mut states = vec![(0, Vec::new())];
    let positions = walk(120);
    for (session, part) in positions.chunks(60).enumerate() {
        let store = open(&medium);
        for chunk in part.chunks(20) {
            let news: Vec<_> = chunk.iter().map(|pos| (*pos, exact(session as i16, 7))).collect();
            store.record(&news).unwrap();
            states.push((medium.1.lock().unwrap().len(), rows(&store).unwrap()));
            for pos in chunk {
                store.give_number(pos).unwrap();
                states.push((medium.1.lock().unwrap().len(), rows(&store).unwrap()));
            }
        }
        store.prune(40).unwrap();
        states.push((medium.1.lock().unwrap().len(), rows(&store).unwrap()));
    }
    let changes = medium.1.lock().unwrap().clone();
    let mut rng = Rng::plain(1);
    let (mut safe, mut since) = (Vec::new(), Vec::new());
    let mut failures = 0;
    for (n, change) in changes.iter().enumerate() {
        since.push(change);
        // The folder is synced with the new file.
        if matches!(change, Change::Sync | Change::Replace(_)) {
            since.drain(..).for_each(|change| apply(&mut safe, change));
        }
        for round in 0..if since.is_empty() { 1 } else { 3 } {
            // What was not synced is there or not, piece by piece.
            let mut disk = safe.clone();
            for change in &since {
                if round == 0 || rng.below(2) == 0 {
                    apply(&mut disk, change);
                }
            }
            let store = LearnStore::<Chess>::from_bytes(disk, ROOMY).unwrap_or_else(|e| panic!("change {n}: {e}"));
            let found = rows(&store).unwrap();
            let at = states.iter().rposition(|(done, _)| *done <= n + 1).unwrap();
            let next = states.get(at + 1).unwrap_or(&states[at]);
            assert!(found == states[at].1 || found == next.1, "change {n}: neither the old state nor the new");
            failures += 1;
        }
    }
    println!("{failures} power failures at {} changes", changes.len());
    assert!(changes.len() > 100 && changes.iter().any(|change| matches!(change, Change::Replace(_))));
}

/// A medium on a disk that is full from now on.
#[derive(Clone, Debug, Default)]
struct Full(InMemory, Arc<std::sync::atomic::AtomicBool>);

impl Full {
    fn room(&self) -> io::Result<()> {
        if self.1.load(Relaxed) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

impl Medium for Full {
    fn len(&mut self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(at, out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()> {
        self.room().and_then(|()| self.0.write(at, data))
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.room().and_then(|()| self.0.set_len(len))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.room()
    }

    fn beside(&self) -> io::Result<Box<dyn Medium>> {
        self.room().and_then(|()| self.0.beside())
    }

    fn take_place(&mut self) -> io::Result<()> {
        self.room()
    }
}

#[test]
fn a_full_disk_is_no_damage() {
    let disk = Full::default();
    let store = open(&disk);
    let pos = Position::startpos();
    store.record(&[(pos, exact(3, 3))]).unwrap();
    disk.1.store(true, Relaxed);
    let refused = store.record(&[(walk(2)[1], exact(4, 4))]).unwrap_err();
    assert!(matches!(refused, LearnError::Store { .. }), "such a table must not be set aside: {refused}");
    assert!(matches!(store.compact(), Err(LearnError::Store { .. })));
    assert_eq!(rows(&store).unwrap().len(), 1);
    // Room again: it goes on.
    disk.1.store(false, Relaxed);
    store.record(&[(walk(3)[2], exact(4, 4))]).unwrap();
    drop(store);
    let store = LearnStore::<Chess>::from_bytes(disk.0.bytes(), ROOMY).unwrap();
    assert_eq!(rows(&store).unwrap().len(), 2);
}

/// A row as text: FEN, depth, score, bound, best move, visits.
fn line((fen, l, _): &(String, Learned, Option<u64>)) -> String {
    let pos = Position::<Chess>::from_fen(fen).unwrap();
    let mv = pos.move_from_u16(l.best).filter(|_| l.best != 0);
    let best = mv.map_or("-".into(), |mv| pos.uci(mv, rukh_core::Notation::Standard));
    format!("{fen}\t{}\t{}\t{}\t{best}\t{}", l.depth, l.score, l.bound.name(), l.visits)
}

fn is_of_today(path: &Path) -> bool {
    std::fs::read(path).unwrap().starts_with(b"RUKHLRND\x03\0")
}

#[test]
fn a_table_of_version_2_becomes_one_of_today() {
    let expected: Vec<&str> = include_str!("../../tests/data/learned-v2.tsv").lines().collect();
    for image in [second(), second_killed()] {
        let file = NewFile::new("second");
        std::fs::write(&file, &image).unwrap();
        assert!(matches!(LearnStore::<Makruk>::open(&file, 10), Err(LearnError::Variant(_))));
        assert_eq!(std::fs::read(&file).unwrap(), image, "left as it was");
        for _ in 0..2 {
            let store = LearnStore::<Chess>::open(&file, ROOMY).unwrap();
            let found: Vec<_> = rows(&store).unwrap();
            assert_eq!(found.len(), expected.len());
            let mut numbered = 0;
            for (row, expected) in found.iter().zip(&expected) {
                let (expected, number) = expected.rsplit_once('\t').unwrap();
                assert_eq!(line(row), expected);
                // Codes were given to those without a direct one only; they stay what they are.
                if let Some(ours) = row.2 {
                    assert_eq!(ours.to_string(), number);
                    numbered += 1;
                } else {
                    assert!(Name::of(&Position::<Chess>::from_fen(&row.0).unwrap()).unwrap().is_direct());
                }
            }
            assert!(numbered > 3, "{numbered}");
            assert_eq!(store.stats().unwrap().numbers, 42, "numbers go on where they were");
            drop(store);
            assert!(is_of_today(&file) && std::fs::metadata(&file).unwrap().len() < 2048);
        }
    }
}

#[test]
fn a_table_of_version_1_becomes_one_of_today() {
    let file = NewFile::new("old");
    std::fs::write(&file, include_bytes!("../../tests/data/learned-v1.redb")).unwrap();
    let expected: Vec<&str> = include_str!("../../tests/data/learned-v1.tsv").lines().collect();
    for _ in 0..2 {
        let store = LearnStore::<Chess>::open(&file, ROOMY).unwrap();
        assert_eq!(rows(&store).unwrap().iter().map(line).collect::<Vec<_>>(), expected);
        assert_eq!(store.stats().unwrap().numbers, 21, "numbers go on where they were");
        drop(store);
        assert!(is_of_today(&file));
    }
    // Of another variant, or another program's: left as it is.
    let old = include_bytes!("../../tests/data/learned-v1.redb");
    std::fs::write(&file, old).unwrap();
    assert!(matches!(LearnStore::<Makruk>::open(&file, 10), Err(LearnError::Variant(_))));
    let other = NewFile::new("redb");
    {
        let db = redb::Database::create(&other).unwrap();
        let txn = db.begin_write().unwrap();
        txn.open_table(redb::TableDefinition::<u64, u64>::new("others")).unwrap().insert(1, 2).unwrap();
        txn.commit().unwrap();
    }
    assert!(matches!(LearnStore::<Chess>::open_or_set_aside(&other, 10), Err(LearnError::Foreign(_))));
    assert!(redb::Database::open(&other).is_ok());
}

#[test]
fn a_damaged_table_is_set_aside_and_nothing_is_overwritten() {
    let file = NewFile::new("aside");
    let aside = |n: u32| PathBuf::from(format!("{}.damaged-{n}", file.display()));
    let names = [aside(1), aside(2), aside(3)];
    std::fs::write(&names[0], "another file").unwrap();
    let pos = Position::startpos();
    for name in &names[1..] {
        let (store, said) = LearnStore::<Chess>::open_or_set_aside(&file, 10).unwrap();
        assert!(said.is_none() && store.get(&pos).unwrap().is_none());
        store.record(&[(pos, exact(3, 3))]).unwrap();
        drop(store);
        let mut bytes = std::fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&file, &bytes).unwrap();
        // Who only looks does not rename.
        let looked = LearnStore::<Chess>::open(&file, 10).and_then(|store| store.stats());
        assert!(matches!(looked, Err(LearnError::Damaged { .. })), "{looked:?}");
        let (store, said) = LearnStore::<Chess>::open_or_set_aside(&file, 10).unwrap();
        let said = said.unwrap();
        assert_eq!((said.path, said.problem.is_empty()), (name.clone(), false));
        assert_eq!(store.stats().unwrap().positions, 0);
        assert!(name.metadata().unwrap().len() >= bytes.len() as u64 / 2);
    }
    assert_eq!(std::fs::read(&names[0]).unwrap(), b"another file");
}

#[test]
fn one_program_at_a_time_and_only_tables() {
    let file = NewFile::new("busy");
    let store = LearnStore::<Chess>::open(&file, 10).unwrap();
    assert!(matches!(LearnStore::<Chess>::open(&file, 10), Err(LearnError::Busy(_))));
    assert!(matches!(LearnStore::<Chess>::open_or_set_aside(&file, 10), Err(LearnError::Busy(_))));
    drop(store);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[8] = 4;
    let crc = crc32fast::hash(&bytes[..508]);
    bytes[508..512].copy_from_slice(&crc.to_le_bytes());
    for (bytes, foreign) in [(&bytes[..], false), (b"[Event \"My games\"]", true), (&[0; 5000], true)] {
        std::fs::write(&file, bytes).unwrap();
        let refused = LearnStore::<Chess>::open_or_set_aside(&file, 10).err().unwrap();
        let expected = match foreign {
            true => matches!(refused, LearnError::Foreign(_)),
            false => matches!(refused, LearnError::Newer { version: 4, .. }),
        };
        assert!(expected, "{refused}");
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "left as it was");
    }
}

/// Codes of another model mean other positions: such a table is refused, and not set aside as if it were damaged.
#[test]
fn a_table_with_other_codes_is_refused() {
    let file = NewFile::new("codes");
    drop(LearnStore::<Chess>::open(&file, ROOMY).unwrap());
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[20] ^= 1;
    let crc = crc32fast::hash(&bytes[..508]);
    bytes[508..].copy_from_slice(&crc.to_le_bytes());
    std::fs::write(&file, &bytes).unwrap();
    let refused = LearnStore::<Chess>::open_or_set_aside(&file, ROOMY).err().unwrap();
    assert!(matches!(refused, LearnError::Codes { .. }), "{refused}");
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
}

/// What somebody else keeps beside the table is not overwritten, be it a table (it was) or not.
#[test]
fn a_file_in_the_way_is_left_alone() {
    let file = NewFile::new("way");
    let beside = |end: &str| PathBuf::from(format!("{}{end}", file.display()));
    std::fs::write(beside(".new"), "my own notes").unwrap();
    let table = LearnStore::<Chess>::open(&beside(".new-2"), ROOMY).unwrap();
    table.record(&[(Position::startpos(), exact(5, 5))]).unwrap();
    let store = LearnStore::<Chess>::open(&file, ROOMY).unwrap();
    store.record(&[(Position::startpos(), exact(3, 3))]).unwrap();
    // While it is in use, and afterwards.
    store.compact().unwrap();
    drop(table);
    let kept = std::fs::read(beside(".new-2")).unwrap();
    std::fs::write(beside(".new-3"), [0; 5000]).unwrap();
    // What a killed program left: it packed, and either was not done or had only the renaming to do.
    for rest in [&[][..], &kept[HEAD..]] {
        let left = Head { beside: true, ..Head::new::<Chess>() };
        std::fs::write(beside(".new-4"), [&left.encode(), rest].concat()).unwrap();
        store.compact().unwrap();
        assert!(!beside(".new-4").exists());
    }
    assert_eq!(std::fs::read(beside(".new-3")).unwrap(), [0; 5000]);
    assert_eq!(std::fs::read(beside(".new")).unwrap(), b"my own notes");
    assert_eq!(std::fs::read(beside(".new-2")).unwrap(), kept);
    assert_eq!(rows(&store).unwrap().len(), 1);
    (3..=9).for_each(|number| std::fs::write(beside(&format!(".new-{number}")), "notes").unwrap());
    let refused = store.compact().unwrap_err().to_string();
    assert!(refused.contains("are in the way"), "{refused}");
    assert_eq!(rows(&store).unwrap().len(), 1);
}
