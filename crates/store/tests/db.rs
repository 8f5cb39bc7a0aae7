//! The database: what goes in comes out, twice is once, damage is named, and a kill loses nothing that was committed.

mod common;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use common::{Folder, random_games, run, small};
use rukh_core::{Chess, Notation, Position};
use rukh_store::db::{Database, Filter, ImportOptions, ImportReport, import};
use rukh_store::pgn::{GameResult, PgnReader};

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
    let file = folder.file("a.pgn", text.as_bytes());
    let report = run(&folder.db(), &[file], &small());
    assert_eq!((report.games, report.problems, report.duplicates), (400, 0, 0));
    let db = Database::<Chess>::open(&folder.db()).unwrap();
    compare(&db, &plain(&text));
    let unknown = Position::from_fen("8/8/8/4k3/8/8/8/KQ6 w - - 0 1").unwrap();
    assert_eq!(db.explore(&unknown).unwrap().figures.games, 0);
    assert!(db.verify(true, |_| ()).problems.is_empty());
}

#[test]
fn games_come_back_whole() {
    let folder = Folder::new("games");
    let text =
        random_games(150, 5) + "\n[White \"Müller\"]\n[FEN \"4k2r/8/8/8/8/8/8/R3K3 w Qk - 2 9\"]\n\n9. O-O-O 1-0\n";
    let file = folder.file("a.pgn", text.as_bytes());
    run(&folder.db(), std::slice::from_ref(&file), &small());
    let db = Database::<Chess>::open(&folder.db()).unwrap();
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
    let a = folder.file("a.pgn", one.as_bytes());
    let b = folder.file("b.pgn", two.as_bytes());
    // The same games under another name, with one broken game among them.
    let c = folder.file("c.pgn", (one.clone() + "\n[Event \"x\"]\n\n1. e4 Ke2 *\n").as_bytes());
    assert_eq!(run(&folder.db(), std::slice::from_ref(&a), &small()).games, 120);
    let again = run(&folder.db(), std::slice::from_ref(&a), &small());
    assert_eq!((again.games, again.resumed), (0, 120));
    let copy = run(&folder.db(), &[c], &small());
    assert_eq!((copy.games, copy.duplicates, copy.problems), (0, 120, 1));
    assert_eq!(run(&folder.db(), &[b], &small()).games, 130);
    let db = Database::<Chess>::open(&folder.db()).unwrap();
    assert_eq!(db.totals().games, 250);
    compare(&db, &plain(&(one + &two)));
}

#[test]
fn small_commits_give_the_same_answers() {
    let folder = Folder::new("commits");
    let text = random_games(300, 3);
    let file = folder.file("a.pgn", text.as_bytes());
    let options = ImportOptions { commit_every: 1, threads: 2, ..small() };
    // Several files, as one batch is the least that is committed.
    let other = folder.file("b.pgn", random_games(50, 4).as_bytes());
    assert_eq!(run(&folder.db(), &[file, other], &options).games, 350);
    let db = Database::<Chess>::open(&folder.db()).unwrap();
    assert!(db.segments().len() >= 2);
    compare(&db, &plain(&(text + &random_games(50, 4))));
}

#[test]
fn filters() {
    let folder = Folder::new("filters");
    let file = folder.file("a.pgn", random_games(200, 9).as_bytes());
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
    let a = folder.file("a.pgn", random_games(300, 21).as_bytes());
    let b = folder.file("b.pgn", random_games(300, 22).as_bytes());
    run(&folder.db(), &[a], &small());
    run(&folder.db(), &[b], &small());
    let whole = Database::<Chess>::open(&folder.db()).unwrap();
    assert_eq!(whole.segments().len(), 2);
    for name in ["000001.games", "000001.positions"] {
        let path = folder.db().join(name);
        let good = std::fs::read(&path).unwrap();
        for at in (0..good.len()).step_by(good.len() / 40) {
            let mut bent = good.clone();
            bent[at] ^= 4;
            replace(&path, &bent);
            let db = Database::<Chess>::open(&folder.db()).unwrap();
            let problems = db.verify(false, |_| ()).problems;
            assert!(!problems.is_empty(), "{name}: byte {at} bent and nobody saw it");
            assert!(problems.iter().any(|p| p.to_string().contains(name)), "{problems:?}");
            // The other segment answers.
            assert!(db.segments().iter().any(|s| s.id == 2 && db.entry(s, &Position::startpos()).unwrap().is_some()));
        }
        for len in [0, 100, 511, 512, good.len() / 2, good.len() - 1] {
            replace(&path, &good[..len]);
            let db = Database::<Chess>::open(&folder.db()).unwrap();
            assert_eq!((db.segments().len(), db.damaged().len()), (1, 1));
            let found = db.explore(&Position::startpos()).unwrap();
            assert_eq!((found.figures.games, found.missing.segments, found.missing.games), (300, 1, 300));
            assert!(found.missing.why[0].contains(name));
            let json = db.explore_json(&Position::startpos(), Notation::Standard).unwrap();
            assert!(json.contains("\"missing\": {\"segments\": 1, \"games\": 300}"), "{json}");
            assert!(db.totals().json().contains("\"missing\": {\"segments\": 1, \"games\": 300}"));
            assert!(db.whole().is_err());
        }
        replace(&path, &good);
    }
    let manifest = folder.db().join("MANIFEST");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("segment 1 300", "segment 1 301")).unwrap();
    assert!(Database::<Chess>::open(&folder.db()).err().unwrap().to_string().contains("checksum"));
    assert!(Database::<Chess>::open(&folder.0).err().unwrap().to_string().contains("not a Rukh database"));
}

/// A new file in place of the old one: a mapped file must not change under its readers.
fn replace(path: &Path, bytes: &[u8]) {
    let _ = std::fs::remove_file(path);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn strays_of_an_interrupted_import_are_ignored_and_removed() {
    let folder = Folder::new("strays");
    let a = folder.file("a.pgn", random_games(50, 31).as_bytes());
    run(&folder.db(), &[a], &small());
    for stray in ["tmp-run-0", "tmp-manifest", "000002.games", "000002.positions"] {
        std::fs::write(folder.db().join(stray), b"half a file").unwrap();
    }
    assert_eq!(Database::<Chess>::open(&folder.db()).unwrap().totals().games, 50);
    let b = folder.file("b.pgn", random_games(50, 32).as_bytes());
    assert_eq!(run(&folder.db(), &[b], &small()).games, 50);
    let db = Database::<Chess>::open(&folder.db()).unwrap();
    assert_eq!(db.totals().games, 100);
    assert!(!folder.db().join("tmp-run-0").exists());
    assert!(db.verify(true, |_| ()).problems.is_empty());
}

#[test]
fn one_import_at_a_time() {
    let folder = Folder::new("lock");
    std::fs::create_dir_all(folder.db()).unwrap();
    let lock = std::fs::File::create(folder.db().join("LOCK")).unwrap();
    lock.lock().unwrap();
    let error = import(&folder.db(), &[], &small(), &mut ()).unwrap_err();
    assert!(error.to_string().contains("another import"));
    drop(lock);
    assert!(import(&folder.db(), &[], &small(), &mut ()).is_ok());
}

#[test]
fn json_of_an_answer() {
    let folder = Folder::new("json");
    let text =
        "[White \"A \\\"B\\\"\"]\n[WhiteElo \"2600\"]\n[BlackElo \"2700\"]\n[Date \"2001.02.03\"]\n\n1. e4 c5 1-0\n";
    let file = folder.file("a.pgn", text.as_bytes());
    run(&folder.db(), &[file], &small());
    let db = Database::<Chess>::open(&folder.db()).unwrap();
    let json = db.explore_json(&Position::startpos(), Notation::Standard).unwrap();
    assert!(json.contains("\"games\": 1, \"white\": 1, \"draws\": 0, \"black\": 0, \"mean_rating\": 2650"), "{json}");
    assert!(json.contains("\"moves\": [{\"uci\": \"e2e4\", \"san\": \"e4\", \"games\": 1"), "{json}");
    assert!(json.contains("\"opening\": \"King's Pawn Game\""), "{json}");
    assert!(json.contains("\"white\": \"A \\\"B\\\"\""), "{json}");
    assert!(json.contains("\"missing\": null"), "{json}");
    assert!(db.whole().is_ok());
}

#[test]
fn every_position_of_the_games_has_a_code_and_comes_back() {
    use rukh_code::{Codec, Format, Selector, Table};
    use rukh_store::tables::StoreTables;
    let folder = Folder::new("codes");
    let text = random_games(60, 77);
    let file = folder.file("a.pgn", text.as_bytes());
    run(&folder.db(), &[file], &small());
    let db = Database::<Chess>::open(&folder.db()).unwrap();
    let learned = rukh_store::learn::LearnStore::open(&folder.0.join("learned"), 100).unwrap();
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
        let file = folder.file(&format!("{i}.pgn"), text.as_bytes());
        run(&folder.db(), &[file], &small());
    }
    let want = plain(&texts.concat());
    let codes: HashMap<&String, u64> = {
        let db = Database::<Chess>::open(&folder.db()).unwrap();
        assert_eq!(db.segments().len(), 4);
        let code = |board: &String| {
            let pos = Position::from_fen(&format!("{board} 0 1")).unwrap();
            db.code(&pos).unwrap().unwrap()
        };
        want.keys().map(|board| (board, code(board))).collect()
    };
    assert_eq!(rukh_store::db::compact(&folder.db(), &small(), &mut ()).unwrap(), (4, 1));
    let db = Database::<Chess>::open(&folder.db()).unwrap();
    compare(&db, &want);
    for (board, code) in codes {
        let pos = Position::from_fen(&format!("{board} 0 1")).unwrap();
        assert_eq!(db.code(&pos).unwrap(), Some(code));
    }
    assert!(db.verify(true, |_| ()).problems.is_empty());
    assert_eq!(std::fs::read_dir(folder.db()).unwrap().count(), 4, "manifest, lock and two files");
    // The games are still known.
    let again = folder.file("again.pgn", texts[2].as_bytes());
    let report = run(&folder.db(), &[again], &small());
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
    let file = folder.file("a.pgn", games.as_bytes());
    let error = import(&folder.db(), &[file], &small(), &mut Saboteur(folder.db())).unwrap_err();
    assert!(error.to_string().contains("tmp-") || error.to_string().contains("db"), "{error}");
}
