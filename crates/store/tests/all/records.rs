//! Records of positions on the disk: numbers that stay, whatever happens to the program that asked for them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rukh_code::{AnyCode, CodeError, Codec, Coded, Stamp, without_clocks};
use rukh_core::{Chess, Makruk, Position, Variant};
use rukh_store::codes::{RecordError, Records};
use rukh_store::learn::{KnownBound, LearnError, LearnStore, Learned};
use rukh_testing::Folder;

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
    assert!(records.len().unwrap() == 3 && !records.is_empty().unwrap());
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
    assert!(matches!(Records::open_existing(&path, Codec::chess()), Err(RecordError::Foreign(_))));
    // A kill or a full disk while the head was written: there are no records yet, and no bad file.
    for start in ["", "RUKH", "RUKHPOSN\u{1}"] {
        std::fs::write(&path, start).unwrap();
        assert!(Records::open_existing(&path, Codec::chess()).unwrap().is_none(), "{start}");
        drop(Records::open(&path, Codec::chess()).unwrap());
        assert!(Records::open_existing(&path, Codec::chess()).unwrap().unwrap().is_empty().unwrap(), "{start}");
    }
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

/// A number that nobody could look up is not given.
#[cfg(unix)]
#[test]
fn nothing_is_added_to_a_file_that_is_gone() {
    let folder = Folder::new("gone");
    let (path, aside) = (folder.0.join("positions"), folder.0.join("aside"));
    let positions = wild(3, 3);
    let records = Records::open(&path, Codec::chess()).unwrap();
    assert_eq!(records.add(&positions[0]).unwrap(), 0);
    std::fs::rename(&path, &aside).unwrap();
    let gone =
        |added: Result<u64, RecordError>| added.is_err_and(|error| error.to_string().contains("removed or replaced"));
    assert!(gone(records.add(&positions[1])));
    assert!(records.find(&positions[0]).is_err());
    assert_eq!(records.get(0).unwrap().as_ref(), Some(&positions[0]), "what is open can be read");
    let other = Records::open(&path, Codec::chess()).unwrap();
    assert_eq!(other.add(&positions[2]).unwrap(), 0);
    assert!(gone(records.add(&positions[1])));
    std::fs::rename(&aside, &path).unwrap();
    assert_eq!(records.add(&positions[1]).unwrap(), 1);
    assert!(gone(other.add(&positions[1])));
}

/// Makruk positions with their codes of version 2: some of either length in both versions, some in one of them.
const OLD_CODES: &str = include_str!("../data/makruk-2.codes.tsv");

/// A file that version 2 of Makruk's codes began: its numbers stay, and it is continued in its own codes.
#[test]
fn records_of_older_codes_are_read_and_continued() {
    let folder = Folder::new("older");
    let path = folder.0.join("positions.makruk");
    let old: &[u8] = include_bytes!("../data/makruk-2.positions");
    std::fs::write(&path, old).unwrap();
    let rows = include_str!("../data/makruk-2.positions.tsv").lines().map(|line| line.split_once('\t').unwrap());
    let rows: Vec<(u64, Position<Makruk>)> =
        rows.filter_map(|(number, fen)| Some((number.parse().ok()?, Position::from_fen(fen).unwrap()))).collect();
    let check = |records: &Records<'_, Makruk>| {
        for (number, pos) in &rows {
            assert_eq!(records.get(*number).unwrap().as_ref(), Some(pos), "{number}");
            assert_eq!(records.find(pos).unwrap(), Some(*number));
        }
        assert_eq!(records.edition(), 79);
    };
    check(&Records::open_existing(&path, Codec::makruk()).unwrap().unwrap());
    assert_eq!(std::fs::read(&path).unwrap(), old, "who reads changes nothing");

    // What no direct code of today has is added, whether version 2 had one or not.
    let records = Records::open(&path, Codec::makruk()).unwrap();
    let all = OLD_CODES.lines().map(|line| line.split_once('\t').unwrap());
    let all = all.map(|(code, fen)| (code.parse::<AnyCode>().unwrap(), Position::<Makruk>::from_fen(fen).unwrap()));
    let (mut added, mut direct) = (Vec::new(), 0);
    for (code, pos) in all {
        match (code, Codec::makruk().encode(&pos)) {
            (AnyCode::Short(_), Err(CodeError::DoesNotFit)) => added.push((records.add(&pos).unwrap(), pos)),
            (AnyCode::Short(_), _) => {
                assert!(matches!(records.add(&pos), Err(RecordError::Position(CodeError::Direct))));
            }
            (AnyCode::Long(_), fits) => direct += usize::from(fits.is_ok()),
        }
    }
    let numbers: Vec<u64> = added.iter().map(|(number, _)| *number).collect();
    assert_eq!((numbers, direct), (vec![20, 21, 22], 9));
    drop(records);
    for codec in [Codec::makruk(), Makruk::codec_of_version(Variant::Makruk, 2).unwrap()] {
        let again = Records::open(&path, codec).unwrap();
        check(&again);
        for (number, pos) in &added {
            assert_eq!(again.get(*number).unwrap().as_ref(), Some(pos));
        }
    }
    let again = Records::open(&path, Codec::makruk()).unwrap();
    assert!(added.iter().all(|(number, pos)| again.add(pos).unwrap() == *number));
    assert!(std::fs::read(&path).unwrap().starts_with(old));
}

/// The same for version 2 of Chess960's codes, whose positions are also in learned tables of chess.
#[test]
fn records_and_rows_of_older_chess960_codes_stay() {
    let folder = Folder::new("older960");
    let (records, table) = (folder.0.join("positions.chess960"), folder.0.join("table"));
    std::fs::write(&records, include_bytes!("../data/chess960-2.positions")).unwrap();
    std::fs::write(&table, include_bytes!("../data/chess960-2.learned")).unwrap();
    let rows = include_str!("../data/chess960-2.tsv").lines().map(|line| line.split_once('\t').unwrap());
    let rows: Vec<(&str, Position<Chess>)> = rows.map(|(kind, fen)| (kind, Position::from_fen(fen).unwrap())).collect();
    let opened = Records::open_existing(&records, Codec::chess960()).unwrap().unwrap();
    let recorded: Vec<_> = rows.iter().filter(|(kind, _)| *kind == "record").map(|(_, pos)| pos).collect();
    for (number, pos) in recorded.iter().enumerate() {
        assert_eq!(opened.get(number as u64).unwrap().as_ref(), Some(*pos), "{number}");
    }
    assert_eq!((rows.len(), recorded.len()), (24, 18));
    let known = LearnStore::<Chess>::open(&table, 1 << 20).unwrap();
    for (n, (_, pos)) in rows.iter().enumerate() {
        let found = known.get(pos).unwrap().unwrap();
        assert_eq!((found.depth, found.score, found.visits), (n as i16 + 4, 7 * n as i32 - 53, n as u32 + 1));
    }
    assert_eq!(known.stats().unwrap().positions, 24);
}

/// Records and learned tables of the versions before version 4: records go on in their own codes, tables are written anew in those of today, and
/// every number stays.
#[test]
fn records_and_tables_before_version_4_stay() {
    fn stay<R: Coded>(
        variant: Variant,
        version: u16,
        positions: &[u8],
        learned: &[u8],
        rows: &str,
        counts: [usize; 3],
    ) {
        let stamp = Stamp::from_bytes(positions[12..24].try_into().unwrap()).unwrap();
        assert_eq!((stamp.variant, stamp.version), (variant, version));
        let folder = Folder::new("version3");
        let (records, table) = (folder.0.join("positions"), folder.0.join("table"));
        std::fs::write(&records, positions).unwrap();
        std::fs::write(&table, learned).unwrap();
        let records = Records::open(&records, R::codec(variant)).unwrap();
        let known = LearnStore::<R>::open(&table, 1 << 20).unwrap();
        let mut seen = [0; 3];
        for row in rows.lines().filter(|row| !row.starts_with('#')) {
            let cells: Vec<&str> = row.split('\t').collect();
            let pos = Position::<R>::from_fen(cells[3]).unwrap();
            if let Ok(number) = cells[0].parse::<u64>() {
                assert_eq!(records.get(number).unwrap().as_ref(), Some(&pos), "{row}");
                assert_eq!(records.add(&pos).unwrap(), number, "{row}");
                seen[0] += 1;
            }
            if let Ok(number) = cells[1].parse::<u64>() {
                assert_eq!(known.position(number).unwrap().as_ref(), Some(&pos), "{row}");
                seen[1] += 1;
            }
            if let Ok(depth) = cells[2].parse::<i16>() {
                assert_eq!(known.get(&pos).unwrap().map(|found| found.depth), Some(depth), "{row}");
                seen[2] += 1;
            }
        }
        assert_eq!(seen, counts);
        // A table is written anew, a file of records is not.
        let kept = |path: &Path| Stamp::from_bytes(std::fs::read(path).unwrap()[12..24].try_into().unwrap()).unwrap();
        drop((records, known));
        assert_eq!(kept(&folder.0.join("positions")), stamp);
        assert_eq!(kept(&folder.0.join("table")), R::codec(R::VARIANT).stamp());
    }
    stay::<Makruk>(
        Variant::Makruk,
        3,
        include_bytes!("../data/makruk-3.positions"),
        include_bytes!("../data/makruk-3.learned"),
        include_str!("../data/makruk-3.tsv"),
        [15, 15, 34],
    );
    stay::<Chess>(
        Variant::Chess960,
        3,
        include_bytes!("../data/chess960-3.positions"),
        include_bytes!("../data/chess960-3.learned"),
        include_str!("../data/chess960-3.tsv"),
        [15, 0, 24],
    );
    stay::<Chess>(
        Variant::Chess,
        2,
        include_bytes!("../data/chess-2.positions"),
        include_bytes!("../data/chess-2.learned"),
        include_str!("../data/chess-2.tsv"),
        [16, 16, 30],
    );
}

/// A learned table of version 2 of Makruk's codes is written anew in those of today: rows, numbers, clock.
#[test]
fn learned_tables_of_older_codes_are_written_anew() {
    let folder = Folder::new("learned");
    let path = folder.0.join("table");
    let old: &[u8] = include_bytes!("../data/makruk-2.learned");
    std::fs::write(&path, old).unwrap();
    assert!(matches!(LearnStore::<Chess>::open(&path, 1 << 20), Err(LearnError::Variant(_))));
    assert_eq!(std::fs::read(&path).unwrap(), old, "another variant's table is left alone");
    let bounds = [KnownBound::None, KnownBound::Upper, KnownBound::Lower, KnownBound::Exact];
    let rows: Vec<_> = include_str!("../data/makruk-2.learned.tsv")
        .lines()
        .map(|line| {
            let cells: Vec<_> = line.split('\t').collect();
            let learned = Learned {
                depth: cells[1].parse().unwrap(),
                score: cells[2].parse().unwrap(),
                bound: bounds[cells[3].parse::<usize>().unwrap()],
                best: cells[4].parse().unwrap(),
                visits: cells[5].parse().unwrap(),
            };
            (Position::<Makruk>::from_fen(cells[0]).unwrap(), learned, cells[6].parse::<u64>().ok())
        })
        .collect();
    let stamp = || Stamp::from_bytes(std::fs::read(&path).unwrap()[12..24].try_into().unwrap()).unwrap();
    assert_eq!(stamp().version, 2);
    for _ in 0..2 {
        let table = LearnStore::<Makruk>::open(&path, 1 << 20).unwrap();
        assert_eq!(stamp(), Codec::makruk().stamp());
        let mut direct = 0;
        for (pos, learned, number) in &rows {
            assert_eq!(table.get(pos).unwrap(), Some(*learned), "{}", pos.fen());
            let Some(number) = *number else { continue };
            // Codes that somebody has keep their meaning, also where the position has a direct one now.
            assert_eq!(table.position(number).unwrap().as_ref(), Some(pos));
            let fits = Codec::makruk().encode(pos).is_ok();
            assert_eq!(table.number(pos).unwrap(), Some(number).filter(|_| !fits));
            direct += usize::from(fits);
        }
        let stats = table.stats().unwrap();
        assert_eq!((stats.positions, stats.numbers), (rows.len() as u64, 10));
        assert!((1..10).contains(&direct), "{direct}");
        let mut codes = 0;
        let known = |code| Codec::makruk().decode_any(code).is_ok();
        table.each(|_, code, _| codes += usize::from(known(code))).unwrap();
        assert_eq!(codes, rows.len());
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "nothing is left beside it");
    // Codes that this program does not know: refused, and left alone.
    let mut unknown = old.to_vec();
    unknown[14] = 9;
    let sum = crc32(&unknown[..508]);
    unknown[508..512].copy_from_slice(&sum.to_le_bytes());
    std::fs::write(&path, &unknown).unwrap();
    let refused = LearnStore::<Makruk>::open_or_set_aside(&path, 1 << 20).err();
    assert!(matches!(refused, Some(LearnError::Codes { reason: CodeError::Version(Variant::Makruk, 9), .. })));
    assert_eq!(std::fs::read(&path).unwrap(), unknown);
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
