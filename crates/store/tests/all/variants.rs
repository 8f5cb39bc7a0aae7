//! Databases of Makruk and Chess960: the same promises as for chess, and one variant in each.

use std::collections::HashMap;

use crate::common::{Folder, games_from, random_games, run, small};
use rukh_core::{Chess, Makruk, Notation, Position, Variant};
use rukh_pgn::{AnyPosition, PgnReader};
use rukh_store::db::{
    Database, DbError, Filter, ImportOptions, Row, Stored, build_from_rows, compact, import, open_any, same_position,
};

fn makruk(count: usize, seed: u64) -> String {
    // Some games begin where a count runs, or soon will.
    let endings = [
        "8/8/4k3/8/8/2K5/4M3/R6R w - - 0 1",
        "8/8/4k3/8/8/2K5/4M3/R6R w - 16 5",
        "8/8/3pk3/8/8/2K2P2/4M3/R6N b - - 0 1",
    ];
    games_from::<Makruk>(count, seed, |i| match i % 5 {
        0 => AnyPosition::Makruk(Position::from_fen(endings[i / 5 % 3]).unwrap()),
        _ => AnyPosition::Makruk(Position::startpos()),
    })
}

fn chess960(count: usize, seed: u64) -> String {
    // In the first two, castling can have the squares of a king's step, or none at all.
    let starts = [
        "rk1r4/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w GBda - 0 1",
        "r5kr/pppp4/8/8/8/8/4PPPP/R5KR w HAha - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    ];
    games_from::<Chess>(count, seed, |i| AnyPosition::Chess960(Position::from_fen(starts[i % 3]).unwrap()))
}

/// A position, its games, and those of each move.
type Plain<R> = (Position<R>, u64, HashMap<String, u64>);

/// Every position of every game is known with as many games and moves as a plain count gives, and games come back whole.
fn check<R: Stored>(folder: &Folder, text: &str, variant: Variant) {
    let db = Database::<R>::open(&folder.join("db")).unwrap();
    assert_eq!(db.variant(), variant);
    let mut plain: HashMap<u64, Plain<R>> = HashMap::new();
    let mut games = 0;
    for game in PgnReader::new("t", std::io::Cursor::new(text.as_bytes().to_vec())).unwrap() {
        let game = game.unwrap();
        let mut pos = *game.start.of::<Position<R>>().unwrap();
        let mut mine = HashMap::new();
        for i in 0..=game.moves.len() {
            let mv = game.moves.get(i).copied();
            // Games that go on when the count has ended: what follows has no notation and is not indexed.
            if Position::<R>::from_fen(&pos.fen()).is_ok() {
                mine.entry(pos.key()).or_insert((pos, mv));
            }
            pos = mv.map_or(pos, |mv| pos.after(mv));
        }
        for (key, (pos, mv)) in mine {
            let entry = plain.entry(key).or_insert_with(|| (pos, 0, HashMap::new()));
            entry.1 += 1;
            if let Some(mv) = mv {
                *entry.2.entry(pos.uci(mv, Notation::Chess960)).or_default() += 1;
            }
        }
        if db.segments().len() == 1 {
            let stored = db.segments()[0].games.game::<R>(games).unwrap();
            assert_eq!((&stored.moves, stored.result, &stored.start), (&game.moves, game.result, &game.start));
        }
        games += 1;
    }
    assert_eq!(db.totals().games, u64::from(games));
    for (pos, count, moves) in plain.values() {
        let found = db.explore(pos).unwrap();
        assert_eq!(found.figures.games, *count, "{}", pos.fen());
        assert_eq!(found.moves.len(), moves.len(), "{}", pos.fen());
        for m in &found.moves {
            assert_eq!(moves.get(&pos.uci(m.mv, Notation::Chess960)), Some(&m.figures.games), "{}", pos.fen());
        }
        let code = db.code(pos).unwrap().unwrap();
        assert!(same_position(&db.position(code).unwrap().unwrap(), pos));
    }
    let verification = db.verify(true, |_| ());
    assert!(verification.problems.is_empty(), "{:?}", verification.problems);
    // As rows: the same positions, sorted, with texts that read back.
    let rows = rows_of(&db, &folder.0);
    assert!(rows.is_sorted_by_key(|row| row.key));
    let mut sums: HashMap<u64, u64> = HashMap::new();
    for row in &rows {
        let pos = Position::<R>::from_fen(&row.position).unwrap();
        assert_eq!(pos.key(), row.key);
        assert!(row.uci.is_empty() || pos.uci(pos.parse_uci(&row.uci).unwrap(), db.notation()) == row.uci);
        *sums.entry(row.key).or_default() += row.figures.games;
    }
    assert_eq!(sums, plain.iter().map(|(&key, entry)| (key, entry.1)).collect());
    let left =
        std::fs::read_dir(&folder.0).unwrap().flatten().any(|f| f.file_name().to_string_lossy().starts_with("tmp-"));
    assert!(!left, "temporary files are removed");
}

#[test]
fn makruk_games_go_in_and_come_out() {
    let folder = Folder::new("makruk");
    let text = makruk(150, 3);
    let file = folder.put("a.pgn", text.as_bytes());
    let report = run(&folder.join("db"), &[file], &small());
    assert_eq!((report.games, report.problems), (150, 0));
    check::<Makruk>(&folder, &text, Variant::Makruk);
    let db = Database::<Makruk>::open(&folder.join("db")).unwrap();
    let found = db.explore(&Position::startpos()).unwrap();
    assert!(found.figures.games == 120 && db.game_name(found.examples[0]).starts_with("makruk:1/"));
    // The wrong rules are refused.
    assert!(matches!(Database::<Chess>::open(&folder.join("db")), Err(DbError::OtherVariant { .. })));
}

/// A game that goes on when the count has ended: the count stands still, and what is repeated then is one position.
#[test]
fn a_count_that_has_ended_stands_still() {
    let folder = Folder::new("makruk-count");
    let moves: String =
        (1..=12).map(|n| format!("{n}. R{} K{} ", ["a2", "a3"][(n - 1) % 2], ["d6", "e6"][(n - 1) % 2])).collect();
    let start = "8/8/4k3/8/8/2K5/4M3/R6R w - 16 5";
    let text = format!("[Variant \"Makruk\"]\n[SetUp \"1\"]\n[FEN \"{start}\"]\n\n{moves}1/2-1/2\n");
    let file = folder.put("a.pgn", text.as_bytes());
    let report = run(&folder.join("db"), &[file], &small());
    assert_eq!((report.games, report.problems), (1, 0));
    check::<Makruk>(&folder, &text, Variant::Makruk);
    let positions = Database::<Makruk>::open(&folder.join("db")).unwrap().totals().positions;
    assert!((1..24).contains(&positions), "{positions} of 25");
}

#[test]
fn chess960_games_go_in_and_come_out() {
    let folder = Folder::new("chess960");
    let text = chess960(150, 5);
    assert!(text.contains("O-O"));
    let file = folder.put("a.pgn", text.as_bytes());
    let report = run(&folder.join("db"), &[file], &small());
    assert_eq!((report.games, report.problems), (150, 0));
    check::<Chess>(&folder, &text, Variant::Chess960);
}

#[test]
fn segments_of_makruk_merge() {
    let folder = Folder::new("makruk-compact");
    let texts = [makruk(40, 7), makruk(40, 8), makruk(40, 9)];
    for (i, text) in texts.iter().enumerate() {
        let file = folder.put(&format!("{i}.pgn"), text.as_bytes());
        run(&folder.join("db"), &[file], &small());
    }
    check::<Makruk>(&folder, &texts.concat(), Variant::Makruk);
    assert_eq!(compact(&folder.join("db"), &small(), &mut ()).unwrap(), (3, 1));
    check::<Makruk>(&folder, &texts.concat(), Variant::Makruk);
}

#[test]
fn one_database_one_variant() {
    let folder = Folder::new("variants");
    let (chess, thai) = (random_games(30, 1), makruk(20, 2));
    // Behind rubbish, the first game decides, and the others are reported.
    let mixed = format!("rubbish %% here\n\n{thai}\n{chess}");
    let file = folder.put("mixed.pgn", mixed.as_bytes());
    let report = run(&folder.join("db"), std::slice::from_ref(&file), &small());
    assert_eq!((report.games, report.problems), (20, 31));
    assert_eq!(open_any(&folder.join("db")).unwrap().variant(), Variant::Makruk);
    check::<Makruk>(&folder, &thai, Variant::Makruk);
    // What the user says comes before what the first game says.
    let said = folder.0.join("said");
    let options = ImportOptions { variant: Some(Variant::Chess), ..small() };
    let report = run(&said, std::slice::from_ref(&file), &options);
    assert_eq!((report.games, report.problems), (30, 21));
    // And cannot be unsaid.
    let other = ImportOptions { variant: Some(Variant::Makruk), ..small() };
    let error = import(&said, &[file], &other, &mut ()).unwrap_err();
    assert!(error.to_string().ends_with("a database of chess games, not makruk"), "{error}");
    // Games without any header are chess.
    let bare = folder.put("bare.pgn", b"1. e4 e5 2. Nf3 *\n");
    assert_eq!(run(&folder.0.join("bare"), &[bare], &small()).games, 1);
    assert_eq!(open_any(&folder.0.join("bare")).unwrap().variant(), Variant::Chess);
    // They decide, too, whatever comes behind them.
    let first = folder.put("first.pgn", format!("1. e4 e5 2. Nf3 *\n\n{thai}").as_bytes());
    let report = run(&folder.0.join("first"), &[first], &small());
    assert_eq!((report.games, report.problems), (1, 20));
    assert_eq!(open_any(&folder.0.join("first")).unwrap().variant(), Variant::Chess);
}

/// Whoever gives other limits than the index has is told its own, as options.
#[test]
fn other_limits_are_refused_with_those_of_the_index() {
    let folder = Folder::new("limits");
    let file = folder.put("a.pgn", random_games(4, 1).as_bytes());
    let with = |min_ply, max_ply, min_games| ImportOptions {
        filter: Filter { min_ply, max_ply, min_games, ..Filter::default() },
        ..small()
    };
    for (i, (limits, words)) in [
        (with(0, None, 0), "at all half-moves"),
        (with(2, None, 0), "with --min-ply 2"),
        (with(0, Some(30), 0), "with --max-ply 30"),
        (with(0, None, 2), "with --min-games 2"),
        (with(2, Some(30), 3), "with --min-ply 2 --max-ply 30 --min-games 3"),
    ]
    .into_iter()
    .enumerate()
    {
        let dir = folder.join(format!("db{i}"));
        run(&dir, std::slice::from_ref(&file), &limits);
        let error = import(&dir, std::slice::from_ref(&file), &with(5, Some(9), 0), &mut ()).unwrap_err().to_string();
        assert!(error.contains(&format!("its positions are indexed {words};")), "{error}");
    }
}

#[test]
fn a_small_bound_splits_an_import() {
    let folder = Folder::new("bound");
    let texts: Vec<String> = (0..6).map(|seed| makruk(50, 100 + seed)).collect();
    let files: Vec<_> =
        texts.iter().enumerate().map(|(i, text)| folder.put(&format!("{i}.pgn"), text.as_bytes())).collect();
    let options = ImportOptions { segment_bytes: 60_000, ..small() };
    run(&folder.join("db"), &files, &options);
    let db = Database::<Makruk>::open(&folder.join("db")).unwrap();
    assert!(db.segments().len() > 2, "{} segments", db.segments().len());
    check::<Makruk>(&folder, &texts.concat(), Variant::Makruk);
}

fn rows_of<R: Stored>(db: &Database<R>, work: &std::path::Path) -> Vec<Row> {
    let mut rows = Vec::new();
    db.each_row(work, |row| {
        rows.push(row);
        Ok::<(), DbError>(())
    })
    .unwrap();
    rows
}

/// A cluster's rows with a small bound: several files of games, several of the index, and the same answers.
fn split_build<R: Stored>(name: &str, texts: &[String], variant: Variant) {
    let folder = Folder::new(name);
    let whole = folder.0.join("whole");
    let files: Vec<_> =
        texts.iter().enumerate().map(|(i, text)| folder.put(&format!("{i}.pgn"), text.as_bytes())).collect();
    run(&whole, &files, &small());
    let rows = rows_of(&Database::<R>::open(&whole).unwrap(), &folder.0);
    let bound = 6_000;
    let options = ImportOptions { segment_bytes: bound, ..small() };
    let given = rows.clone().into_iter().map(Ok);
    let (report, positions) =
        build_from_rows(&folder.join("db"), &files, given, rows.len() as u64, &options, &mut ()).unwrap();
    let db = Database::<R>::open(&folder.join("db")).unwrap();
    let with_games = db.segments().iter().filter(|s| !s.games.is_empty()).count();
    let with_positions = db.segments().iter().filter(|s| !s.positions.is_empty()).count();
    assert!(with_games > 1 && with_positions > 1, "{with_games} and {with_positions}");
    for file in std::fs::read_dir(folder.join("db")).unwrap().flatten() {
        let size = file.metadata().unwrap().len();
        // A batch of text is the least that is committed, so games may pass the bound by one.
        assert!(size <= 2 * bound, "{:?}: {size}", file.path());
    }
    assert_eq!(db.totals().positions, positions);
    assert_eq!(report.games, db.totals().games);
    assert_eq!(rows_of(&db, &folder.0), rows);
    check::<R>(&folder, &texts.concat(), variant);
    // Its segments belong together and stay as they are; more games can be added.
    let before = db.segments().len();
    assert_eq!(compact(&folder.join("db"), &small(), &mut ()).unwrap(), (before, before));
    assert_eq!(run(&folder.join("db"), &files, &small()).games, 0);
}

#[test]
fn a_small_bound_splits_a_build() {
    let texts: Vec<String> = (0..4).map(|seed| makruk(60, 200 + seed)).collect();
    split_build::<Makruk>("split-makruk", &texts, Variant::Makruk);
    let texts: Vec<String> = (0..4).map(|seed| random_games(60, 300 + seed)).collect();
    split_build::<Chess>("split-chess", &texts, Variant::Chess);
}

#[test]
fn filters_by_date_time_and_half_moves() {
    let folder = Folder::new("variant-filters");
    let game =
        |date: &str, time: &str| format!("[Date \"{date}\"]\n[TimeControl \"{time}\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n");
    let text = game("2001.05.06", "300+3")
        + &game("2001.05.07", "60")
        + &game("2001.??.??", "5400+30")
        + &game("2002.01.01", "-");
    let file = folder.put("a.pgn", text.as_bytes());
    let count = |name: &str, filter: Filter| {
        run(&folder.0.join(name), std::slice::from_ref(&file), &ImportOptions { filter, ..small() }).games
    };
    assert_eq!(count("since", Filter { since: Some((2001, 5, 7)), ..Filter::default() }), 2);
    assert_eq!(count("until", Filter { until: Some((2001, 5, 6)), ..Filter::default() }), 2);
    assert_eq!(count("slow", Filter { min_seconds: Some(421), ..Filter::default() }), 1);
    assert_eq!(count("fast", Filter { max_seconds: Some(420), ..Filter::default() }), 2);
    assert_eq!(count("ply", Filter { min_ply: 2, max_ply: Some(3), ..Filter::default() }), 4);
    let db = Database::<Chess>::open(&folder.0.join("ply")).unwrap();
    assert_eq!(db.totals().positions, 2);
    assert!(db.verify(true, |_| ()).problems.is_empty());
    assert_eq!(db.explore(&Position::startpos()).unwrap().figures.games, 0);
}
