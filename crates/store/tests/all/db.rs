//! The database: what goes in comes out, twice is once, damage is named, and a kill loses nothing that was committed.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::common::{Folder, random_games, run, small};
use rukh_core::{Chess, Notation, Position};
use rukh_pgn::{GameResult, PgnReader};
use rukh_store::db::{
    Database, DbError, Filter, GameRef, ImportObserver, ImportOptions, ImportReport, import, remove_scratch,
};

/// Games per position and per move, counted the plain way.
type Plain = HashMap<String, (u64, HashMap<String, u64>)>;

fn plain(text: &str) -> Plain {
    let mut all = Plain::new();
    for game in PgnReader::new("t", std::io::Cursor::new(text.as_bytes().to_vec())).unwrap() {
        let game = game.unwrap();
        let mut mine = HashMap::new();
        let mut pos = Position::<Chess>::startpos();
        for i in 0..=game.moves.len() {
            let fen = pos.fen();
            let board = fen.rsplitn(3, ' ').nth(2).unwrap().to_owned();
            let mv = game.moves.get(i);
            mine.entry(board).or_insert(mv.map(|&mv| pos.uci(mv, Notation::Standard)));
            if let Some(&mv) = mv {
                pos = pos.after(mv);
            }
        }
        for (board, mv) in mine {
            let entry = all.entry(board).or_default();
            entry.0 += 1;
            if let Some(mv) = mv {
                *entry.1.entry(mv).or_default() += 1;
            }
        }
    }
    all
}

fn compare(db: &Database, want: &Plain) {
    for (board, (games, moves)) in want {
        let pos = Position::from_fen(&format!("{board} 0 1")).unwrap();
        let found = db.explore(&pos).unwrap();
        assert_eq!(found.figures.games, *games, "{board}");
        assert_eq!(found.moves.len(), moves.len(), "{board}");
        for m in &found.moves {
            assert_eq!(moves.get(&pos.uci(m.mv, Notation::Standard)), Some(&m.figures.games), "{board}");
            let f = m.figures;
            assert!(f.white + f.draws + f.black <= f.games && f.first_year <= f.last_year);
        }
        assert_eq!(db.count(pos.key()).unwrap(), *games);
        // Code and position are inverse.
        let code = db.code(&pos).unwrap().unwrap();
        assert_eq!(db.position(code).unwrap().unwrap().key(), pos.key());
    }
    let total: u64 = want.len() as u64;
    if db.segments().len() == 1 {
        assert_eq!(db.totals().positions, total);
    }
}

#[test]
fn figures_equal_a_plain_count() {
    let folder = Folder::new("plain");
    let text = random_games(400, 11);
    let file = folder.put("a.pgn", text.as_bytes());
    let report = run(&folder.join("db"), &[file], &small());
    assert_eq!((report.games, report.problems, report.duplicates), (400, 0, 0));
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    compare(&db, &plain(&text));
    let unknown = Position::from_fen("8/8/8/4k3/8/8/8/KQ6 w - - 0 1").unwrap();
    assert_eq!(db.explore(&unknown).unwrap().figures.games, 0);
    let [plain, deep] = [false, true].map(|deep| db.verify(deep, |_| ()));
    assert!(plain.problems.is_empty() && deep.problems.is_empty());
    assert!(plain.positions == 0 && deep.positions > 0, "only a deep look asks the index");
}

#[test]
fn games_come_back_whole() {
    let folder = Folder::new("games");
    let text =
        random_games(150, 5) + "\n[White \"Müller\"]\n[FEN \"4k2r/8/8/8/8/8/8/R3K3 w Qk - 2 9\"]\n\n9. O-O-O 1-0\n";
    let file = folder.put("a.pgn", text.as_bytes());
    run(&folder.join("db"), std::slice::from_ref(&file), &small());
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    let segment = &db.segments()[0];
    for (i, game) in PgnReader::open(&file).unwrap().enumerate() {
        let game = game.unwrap();
        let stored = segment.games.game::<Chess>(i as u32).unwrap();
        assert_eq!(stored.moves, game.moves);
        assert_eq!(stored.result, game.result);
        assert_eq!(stored.start, game.start);
        for tag in ["White", "Black", "Date", "Round", "WhiteElo"] {
            assert_eq!(stored.tags.get(tag), game.tags.get(tag));
        }
    }
}

#[test]
fn twice_is_once_and_extending_adds() {
    let folder = Folder::new("twice");
    let (one, two) = (random_games(120, 1), random_games(130, 2));
    let a = folder.put("a.pgn", one.as_bytes());
    let b = folder.put("b.pgn", two.as_bytes());
    // The same games under another name, with one broken game among them.
    let c = folder.put("c.pgn", (one.clone() + "\n[Event \"x\"]\n\n1. e4 Ke2 *\n").as_bytes());
    assert_eq!(run(&folder.join("db"), std::slice::from_ref(&a), &small()).games, 120);
    let again = run(&folder.join("db"), std::slice::from_ref(&a), &small());
    assert_eq!((again.games, again.resumed), (0, 120));
    let copy = run(&folder.join("db"), &[c], &small());
    assert_eq!((copy.games, copy.duplicates, copy.problems), (0, 120, 1));
    assert_eq!(run(&folder.join("db"), &[b], &small()).games, 130);
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    assert_eq!(db.totals().games, 250);
    compare(&db, &plain(&(one + &two)));
}

#[test]
fn an_import_that_is_stopped_keeps_what_it_has_read_and_goes_on_later() {
    struct Enough;
    impl ImportObserver for Enough {
        fn goes_on(&mut self) -> bool {
            false
        }
    }
    let folder = Folder::new("stopped");
    let text = random_games(1500, 9);
    assert!(text.len() > 300 << 10, "more than one piece of text");
    let file = folder.put("a.pgn", text.as_bytes());
    let stopped = import(&folder.join("db"), std::slice::from_ref(&file), &small(), &mut Enough);
    assert!(matches!(stopped, Err(DbError::Stopped(_))), "{stopped:?}");
    let kept = Database::<Chess>::open(&folder.join("db")).unwrap().totals().games;
    assert!(0 < kept && kept < 1500, "{kept}");
    let rest = run(&folder.join("db"), &[file], &small());
    assert_eq!((rest.games, rest.resumed), (1500 - kept, kept));
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    assert_eq!(db.explore(&Position::startpos()).unwrap().figures.games, 1500);
}

#[test]
fn an_edited_file_is_not_taken_for_the_old_one() {
    let folder = Folder::new("edited");
    let text = random_games(400, 7);
    assert!(text.len() > 100 << 10);
    let file = folder.put("a.pgn", text.as_bytes());
    let before = std::fs::metadata(&file).unwrap();
    assert_eq!(run(&folder.join("db"), std::slice::from_ref(&file), &small()).games, 400);
    // Same name, size, time and beginning; one letter of a player's name near the end is another.
    let at = text.rfind("[White \"Player").unwrap() + 8;
    let edited = [&text[..at], "p", &text[at + 1..]].concat();
    folder.put("a.pgn", edited.as_bytes());
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(before.modified().unwrap()).unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().len(), before.len());
    let again = run(&folder.join("db"), std::slice::from_ref(&file), &small());
    assert_eq!((again.games, again.duplicates, again.resumed), (1, 399, 0));
    // And the edited one is known from now on.
    assert_eq!(run(&folder.join("db"), &[file], &small()).resumed, 400);
}

#[test]
fn small_commits_give_the_same_answers() {
    let folder = Folder::new("commits");
    let text = random_games(300, 3);
    let file = folder.put("a.pgn", text.as_bytes());
    let options = ImportOptions { commit_every: 1, threads: 2, ..small() };
    // Several files, as one batch is the least that is committed.
    let other = folder.put("b.pgn", random_games(50, 4).as_bytes());
    assert_eq!(run(&folder.join("db"), &[file, other], &options).games, 350);
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    assert!(db.segments().len() >= 2);
    compare(&db, &plain(&(text + &random_games(50, 4))));
}

#[test]
fn filters() {
    let folder = Folder::new("filters");
    let file = folder.put("a.pgn", random_games(200, 9).as_bytes());
    let with = |name: &str, filter: Filter| {
        let dir = folder.0.join(name);
        let report = run(&dir, std::slice::from_ref(&file), &ImportOptions { filter, ..small() });
        assert_eq!(report.games + report.filtered, 200);
        (report.games, Database::<Chess>::open(&dir).unwrap())
    };
    let (rated, _) = with("rated", Filter { min_rating: Some(2400), ..Filter::default() });
    assert!((40..140).contains(&rated));
    let (white, db) = with("white", Filter { result: Some(GameResult::White), ..Filter::default() });
    let start = db.explore(&Position::startpos()).unwrap().figures;
    assert_eq!((start.games, start.white), (white, white));
    let (_, db) = with("short", Filter { max_ply: Some(4), ..Filter::default() });
    assert!(db.totals().positions < 100);
    assert!(db.verify(true, |_| ()).problems.is_empty());
    let (_, db) = with("often", Filter { min_games: 2, ..Filter::default() });
    assert_eq!(db.totals().positions, db.totals().repeated);
    assert!(db.verify(true, |_| ()).problems.is_empty());
    let (years, db) =
        with("years", Filter { since: Some((2000, 0, 0)), until: Some((2009, 99, 99)), ..Filter::default() });
    let start = db.explore(&Position::startpos()).unwrap().figures;
    assert!(years > 0 && start.first_year >= 2000 && start.last_year <= 2009);
}

#[test]
fn damage_is_named_and_the_rest_stays_readable() {
    let folder = Folder::new("damage");
    let a = folder.put("a.pgn", random_games(300, 21).as_bytes());
    let b = folder.put("b.pgn", random_games(300, 22).as_bytes());
    run(&folder.join("db"), &[a], &small());
    run(&folder.join("db"), &[b], &small());
    let whole = Database::<Chess>::open(&folder.join("db")).unwrap();
    assert_eq!((whole.segments().len(), whole.totals().segments), (2, 2));
    for name in ["000001.games", "000001.positions"] {
        let path = folder.join("db").join(name);
        let good = std::fs::read(&path).unwrap();
        for at in (0..good.len()).step_by(good.len() / 40) {
            let mut bent = good.clone();
            bent[at] ^= 4;
            replace(&path, &bent);
            let db = Database::<Chess>::open(&folder.join("db")).unwrap();
            let problems = db.verify(false, |_| ()).problems;
            assert!(!problems.is_empty(), "{name}: byte {at} bent and nobody saw it");
            assert!(problems.iter().any(|p| p.to_string().contains(name)), "{problems:?}");
            let different: HashSet<String> = problems.iter().map(ToString::to_string).collect();
            assert_eq!(different.len(), problems.len(), "each is said once");
            // The other segment answers.
            assert!(db.segments().iter().any(|s| s.id == 2 && db.entry(s, &Position::startpos()).unwrap().is_some()));
        }
        for len in [0, 100, 511, 512, good.len() / 2, good.len() - 1] {
            replace(&path, &good[..len]);
            let db = Database::<Chess>::open(&folder.join("db")).unwrap();
            assert_eq!((db.segments().len(), db.damaged().len()), (1, 1));
            let found = db.explore(&Position::startpos()).unwrap();
            assert_eq!((found.figures.games, found.missing.segments, found.missing.games), (300, 1, 300));
            assert!(found.missing.why[0].contains(name));
            assert_eq!(db.totals().missing, found.missing);
            assert!(db.whole().is_err());
        }
        replace(&path, &good);
    }
    let manifest = folder.join("db").join("MANIFEST");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("segment 1 300", "segment 1 301")).unwrap();
    assert!(Database::<Chess>::open(&folder.join("db")).err().unwrap().to_string().contains("checksum"));
    assert!(Database::<Chess>::open(&folder.0).err().unwrap().to_string().contains("not a Rukh database"));
}

/// A new file in place of the old one.
fn replace(path: &Path, bytes: &[u8]) {
    let _ = std::fs::remove_file(path);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn only_its_own_files_are_ever_removed() {
    let folder = Folder::new("strangers");
    let (a, b) =
        (folder.put("a.pgn", random_games(50, 31).as_bytes()), folder.put("b.pgn", random_games(50, 32).as_bytes()));
    let strangers = ["own.games", "w.positions", "tmp-n", "tmp-work/deep/file"];
    let put = |dir: &Path| {
        std::fs::create_dir_all(dir.join("tmp-work/deep")).unwrap();
        strangers.iter().for_each(|name| std::fs::write(dir.join(name), b"mine").unwrap());
    };
    let kept = |dir: &Path| strangers.iter().all(|name| std::fs::read(dir.join(name)).unwrap() == b"mine");
    // A folder of other things is no place for a database, and not even a lock is put there.
    let other = folder.0.join("other");
    put(&other);
    let refused = import(&other, std::slice::from_ref(&a), &small(), &mut ()).unwrap_err();
    assert!(refused.to_string().contains("neither empty"), "{refused}");
    assert!(kept(&other) && std::fs::read_dir(&other).unwrap().count() == 4);
    // Nor does a database touch what it has not made, whatever its name.
    run(&folder.join("db"), &[a], &small());
    put(&folder.join("db"));
    std::fs::write(folder.join("db").join("000002.games"), b"mine").unwrap();
    assert_eq!(run(&folder.join("db"), std::slice::from_ref(&b), &small()).games, 50);
    rukh_store::db::compact(&folder.join("db"), &small(), &mut ()).unwrap();
    assert!(kept(&folder.join("db")));
    assert_eq!(std::fs::read(folder.join("db").join("000002.games")).unwrap(), b"mine");
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    assert_eq!(db.totals().games, 100);
    assert!(db.verify(true, |_| ()).problems.is_empty());
    // Without its manifest it is refused, not taken for an empty one.
    std::fs::remove_file(folder.join("db").join("000002.games")).unwrap();
    std::fs::rename(folder.join("db").join("MANIFEST"), folder.0.join("MANIFEST")).unwrap();
    let count = || std::fs::read_dir(folder.join("db")).unwrap().count();
    let before = count();
    let refused = import(&folder.join("db"), std::slice::from_ref(&b), &small(), &mut ()).unwrap_err();
    assert!(refused.to_string().contains("db repair"), "{refused}");
    assert!(Database::<Chess>::open(&folder.join("db")).err().unwrap().to_string().contains("db repair"));
    assert_eq!(count(), before);
    assert_eq!(rukh_store::db::repair(&folder.join("db")).unwrap().games, 100);
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    assert!(db.verify(true, |_| ()).problems.is_empty());
    assert_eq!(run(&folder.join("db"), &[b], &small()).duplicates, 50);
}

#[test]
fn files_that_took_the_place_of_others_are_found() {
    let folder = Folder::new("swapped");
    let (a, b) =
        (folder.put("a.pgn", random_games(80, 61).as_bytes()), folder.put("b.pgn", random_games(80, 62).as_bytes()));
    run(&folder.join("db"), std::slice::from_ref(&a), &small());
    run(&folder.join("db"), std::slice::from_ref(&b), &small());
    // An index of the same games, but with another limit.
    let short = ImportOptions { filter: Filter { max_ply: Some(6), ..Filter::default() }, ..small() };
    let other = folder.0.join("short");
    run(&other, std::slice::from_ref(&a), &short);
    let games = || {
        let db = Database::<Chess>::open(&folder.join("db")).unwrap();
        (db.explore(&Position::startpos()).unwrap().figures.games, db.missing().clone())
    };
    assert_eq!(games().0, 160);
    let place = folder.join("db").join("000001.positions");
    let good = std::fs::read(&place).unwrap();
    for from in [other.join("000001.positions"), folder.join("db").join("000002.positions")] {
        replace(&place, &std::fs::read(from).unwrap());
        let (found, missing) = games();
        assert_eq!((found, missing.segments, missing.games), (80, 1, 80));
        assert!(missing.why[0].contains("000001.positions"), "{:?}", missing.why);
        assert!(import(&folder.join("db"), std::slice::from_ref(&a), &small(), &mut ()).is_err());
    }
    replace(&place, &good);
    // Both files of another segment: right by themselves, and not what the manifest means.
    let pair =
        |id: u32| [format!("{id:06}.games"), format!("{id:06}.positions")].map(|name| folder.join("db").join(name));
    for (to, from) in pair(1).iter().zip(pair(2)) {
        replace(to, &std::fs::read(from).unwrap());
    }
    assert_eq!(games().1.segments, 1);
    // One index has one limit: another is refused, none is that of the database.
    let refused = import(
        &other,
        std::slice::from_ref(&b),
        &ImportOptions { filter: Filter { max_ply: Some(9), ..Filter::default() }, ..small() },
        &mut (),
    )
    .unwrap_err();
    assert!(refused.to_string().contains("--max-ply 6"), "{refused}");
    run(&other, &[b], &small());
    let db = Database::<Chess>::open(&other).unwrap();
    assert_eq!(db.explore(&Position::startpos()).unwrap().figures.games, 160);
    assert!(db.verify(true, |_| ()).problems.is_empty());
}

#[test]
fn an_edited_file_is_read_again() {
    let folder = Folder::new("edited");
    let text = random_games(300, 63);
    assert!(text.len() > 80 << 10);
    let file = folder.put("a.pgn", text.as_bytes());
    run(&folder.join("db"), std::slice::from_ref(&file), &small());
    // The last game has another player: same name, same size, same first 64 KiB.
    let at = text.rfind("Player ").unwrap();
    folder.put("a.pgn", format!("{}Payler {}", &text[..at], &text[at + 7..]).as_bytes());
    let report = run(&folder.join("db"), &[file], &small());
    assert_eq!((report.games, report.duplicates, report.resumed), (1, 299, 0));
}

#[test]
fn a_file_that_is_cut_while_it_is_open_ends_nobody() {
    let folder = Folder::new("cut");
    let (a, b) =
        (folder.put("a.pgn", random_games(200, 64).as_bytes()), folder.put("b.pgn", random_games(200, 65).as_bytes()));
    run(&folder.join("db"), &[a], &small());
    run(&folder.join("db"), &[b], &small());
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    for name in ["000001.games", "000001.positions"] {
        std::fs::OpenOptions::new().write(true).open(folder.join("db").join(name)).unwrap().set_len(600).unwrap();
    }
    let found = db.explore(&Position::startpos()).unwrap();
    assert_eq!((found.figures.games, found.missing.segments, found.missing.games), (200, 1, 200));
    assert!(!db.verify(false, |_| ()).problems.is_empty());
}

#[test]
fn a_database_of_the_first_kind_is_read_and_becomes_one_of_today() {
    let folder = Folder::new("old");
    std::fs::create_dir_all(folder.join("db")).unwrap();
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/database-1");
    for entry in std::fs::read_dir(old).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.join("db").join(entry.file_name())).unwrap();
    }
    let title =
        || std::fs::read_to_string(folder.join("db").join("MANIFEST")).unwrap().lines().next().unwrap().to_owned();
    let mut text = random_games(25, 901) + &random_games(25, 902);
    compare(&Database::<Chess>::open(&folder.join("db")).unwrap(), &plain(&text));
    assert_eq!(title(), "rukh database 1");
    let more = random_games(10, 903);
    text += &more;
    let file = folder.put("more.pgn", more.as_bytes());
    assert_eq!(run(&folder.join("db"), &[file], &small()).games, 10);
    assert_eq!(title(), "rukh database 2");
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    compare(&db, &plain(&text));
    assert!(db.verify(true, |_| ()).problems.is_empty());
}

#[test]
fn one_import_at_a_time() {
    let folder = Folder::new("lock");
    std::fs::create_dir_all(folder.join("db")).unwrap();
    let lock = std::fs::File::create(folder.join("db").join("LOCK")).unwrap();
    lock.lock().unwrap();
    let error = import(&folder.join("db"), &[], &small(), &mut ()).unwrap_err();
    assert!(error.to_string().contains("another import"));
    drop(lock);
    assert!(import(&folder.join("db"), &[], &small(), &mut ()).is_ok());
}

#[test]
fn every_position_of_the_games_has_a_code_and_comes_back() {
    use rukh_code::{Codec, Format, Selector, Table};
    use rukh_store::codes::StoreTables;
    let folder = Folder::new("codes");
    let text = random_games(60, 77);
    let file = folder.put("a.pgn", text.as_bytes());
    run(&folder.join("db"), &[file], &small());
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    let learned = rukh_store::learn::LearnStore::open(&folder.0.join("learned"), 1 << 20).unwrap();
    let tables = StoreTables::new(Some(&db), 0).with_learned(&learned);
    let mut selector = Selector::new(Codec::<Chess>::chess(), tables);
    let mut indexed = 0;
    for board in plain(&text).keys() {
        let pos = Position::from_fen(&format!("{board} 0 1")).unwrap();
        let code = selector.find(&pos).unwrap().expect("the database knows it");
        assert_eq!(selector.decode(code).unwrap().fen(), pos.fen());
        indexed += usize::from(matches!(code.format(), Format::Indexed { table: Table::Game, .. }));
    }
    assert!(indexed > 100, "random games hardly fit Format 2: {indexed}");
    // What no table knows is learned.
    let strange = Position::from_fen("qrbnkbnr/pppppppp/8/8/8/8/PPPPPPPP/QRBNKBNR w - - 0 1").unwrap();
    if selector.find(&strange).unwrap().is_none() {
        let code = selector.encode(&strange).unwrap();
        assert!(matches!(code.format(), Format::Indexed { table: Table::Reachability, .. }));
        assert_eq!(selector.decode(code).unwrap().fen(), strange.fen());
        assert_eq!(selector.encode(&strange).unwrap(), code);
    }
}

#[test]
fn merged_segments_answer_alike_and_keep_their_codes() {
    let folder = Folder::new("compact");
    let texts: Vec<String> = (40..44).map(|seed| random_games(60, seed)).collect();
    for (i, text) in texts.iter().enumerate() {
        let file = folder.put(&format!("{i}.pgn"), text.as_bytes());
        run(&folder.join("db"), &[file], &small());
    }
    let want = plain(&texts.concat());
    let codes: HashMap<&String, u64> = {
        let db = Database::<Chess>::open(&folder.join("db")).unwrap();
        assert_eq!(db.segments().len(), 4);
        let code = |board: &String| {
            let pos = Position::from_fen(&format!("{board} 0 1")).unwrap();
            db.code(&pos).unwrap().unwrap()
        };
        want.keys().map(|board| (board, code(board))).collect()
    };
    assert_eq!(rukh_store::db::compact(&folder.join("db"), &small(), &mut ()).unwrap(), (4, 1));
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    compare(&db, &want);
    for (board, code) in codes {
        let pos = Position::from_fen(&format!("{board} 0 1")).unwrap();
        assert_eq!(db.code(&pos).unwrap(), Some(code));
    }
    assert!(db.verify(true, |_| ()).problems.is_empty());
    assert_eq!(std::fs::read_dir(folder.join("db")).unwrap().count(), 4, "manifest, lock and two files");
    // The games are still known.
    let again = folder.put("again.pgn", texts[2].as_bytes());
    let report = run(&folder.join("db"), &[again], &small());
    assert_eq!((report.games, report.duplicates), (0, 60));
}

#[test]
fn a_failing_disk_ends_the_import_with_an_error() {
    /// Takes the folder away while the import runs, as a full or removed disk would.
    struct Saboteur(PathBuf);
    impl rukh_store::db::ImportObserver for Saboteur {
        fn progress(&mut self, _: &ImportReport, _: &str) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
    let folder = Folder::new("disk");
    // Enough text that the reader has to wait for the others, which must not become for ever.
    let text = random_games(300, 50);
    let games: String = (0..60).map(|i| text.replace("Player", &format!("Copy {i} of Player"))).collect();
    let file = folder.put("a.pgn", games.as_bytes());
    let error = import(&folder.join("db"), &[file], &small(), &mut Saboteur(folder.join("db"))).unwrap_err();
    assert!(error.to_string().contains("tmp-") || error.to_string().contains("db"), "{error}");
}

/// A database is removed only if it was made for one process alone, and then without what is somebody's.
#[test]
fn only_scratch_databases_are_removed() {
    let folder = Folder::new("scratch");
    let file = folder.put("a.pgn", random_games(5, 1).as_bytes());
    let scratch = ImportOptions { scratch: true, ..small() };
    let [kept, work, shared] = ["kept", "work", "shared"].map(|name| folder.join(name));
    remove_scratch(&work).unwrap();
    run(&kept, std::slice::from_ref(&file), &small());
    assert!(matches!(remove_scratch(&kept), Err(DbError::NotOurs(_))));
    assert_eq!(Database::<Chess>::open(&kept).unwrap().totals().games, 5);
    run(&work, std::slice::from_ref(&file), &scratch);
    remove_scratch(&work).unwrap();
    assert!(!work.exists());
    run(&shared, &[file], &scratch);
    std::fs::write(shared.join("000001.games.copy"), "mine").unwrap();
    assert!(remove_scratch(&shared).is_err());
    let left: Vec<_> = std::fs::read_dir(&shared).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["000001.games.copy"]);
    assert!(remove_scratch(&shared).is_err() && shared.join("000001.games.copy").exists());
}

/// Games come back by their names, each as it was read, and there are no others.
#[test]
fn games_are_found_by_their_names() {
    let folder = Folder::new("by-name");
    let text = random_games(5, 3);
    run(&folder.join("db"), &[folder.put("a.pgn", text.as_bytes())], &small());
    let db = Database::<Chess>::open(&folder.join("db")).unwrap();
    let segment = db.segments()[0].id;
    let games = PgnReader::new("t", std::io::Cursor::new(text.into_bytes())).unwrap();
    for (game, wanted) in (0..).zip(games) {
        let place = GameRef { segment, game };
        assert!(db.has(place));
        assert_eq!(db.game(place).unwrap().moves, wanted.unwrap().moves);
    }
    for place in [GameRef { segment, game: 5 }, GameRef { segment: segment + 1, game: 0 }] {
        assert!(!db.has(place));
        let said = db.game(place).unwrap_err().to_string();
        assert!(said.contains("there is no game"), "{said}");
    }
}
