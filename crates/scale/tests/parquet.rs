//! A database as Parquet and back.
#![cfg(feature = "parquet")]

use std::path::Path;

use rukh_core::Chess;
use rukh_scale::{RowReader, count_rows, files_of, write_games, write_positions};
use rukh_store::db::{Database, DbError, ImportOptions, Row, build_from_rows, import};
use rukh_testing::Folder;

const GAMES: &str = "[White \"A\"]\n[Black \"B\"]\n[UTCDate \"2017.04.30\"]\n[WhiteElo \"2000\"]\n[BlackElo \"2100\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 1-0\n\n[White \"C\"]\n[Black \"D\"]\n[Date \"1999.??.??\"]\n\n1. e4 c5 2. Nf3 d6 1/2-1/2\n\n\
    [White \"E\"]\n\n1. Nf3 e5 2. e4 0-1\n";

fn database(dir: &Path, pgn: &str) -> Database {
    std::fs::write(dir.join("g.pgn"), pgn).unwrap();
    import(&dir.join("db"), &[dir.join("g.pgn")], &ImportOptions::default(), &mut ()).unwrap();
    Database::<Chess>::open(&dir.join("db")).unwrap()
}

fn rows(database: &Database) -> Vec<Row> {
    let mut rows = Vec::new();
    database
        .each_row(&std::env::temp_dir(), |row| {
            rows.push(row);
            Ok::<(), DbError>(())
        })
        .unwrap();
    rows
}

#[test]
fn there_and_back() {
    let dir = Folder::new("back");
    let first = database(&dir, GAMES);
    let tables = dir.join("tables");
    std::fs::create_dir_all(&tables).unwrap();
    let written = write_positions(&first, &tables.join("part-0.parquet")).unwrap();
    assert_eq!(write_games(&first, "g.pgn", &dir.join("games.parquet")).unwrap(), 3);
    let files = files_of(&tables, "parquet").unwrap();
    assert_eq!(count_rows(&files).unwrap(), written);
    let read: Vec<Row> = RowReader::new(files.clone()).map(Result::unwrap).collect();
    assert_eq!(read, rows(&first));
    assert!(read.windows(2).all(|pair| pair[0].key <= pair[1].key));
    let (again, options) = (dir.join("again"), ImportOptions::default());
    let games = [dir.join("g.pgn")];
    let (report, positions) =
        build_from_rows(&again, &games, RowReader::new(files.clone()), written, &options, &mut ()).unwrap();
    assert_eq!((report.games, positions), (3, first.totals().positions));
    let second = Database::<Chess>::open(&again).unwrap();
    assert_eq!(rows(&second), rows(&first));
    assert!(second.verify(true, |_| {}).problems.is_empty());
    // A database is not built over another.
    assert!(build_from_rows(&again, &games, RowReader::new(files), written, &options, &mut ()).is_err());
}

#[test]
fn bad_rows_are_refused_and_leave_an_empty_database() {
    let dir = Folder::new("bad");
    let first = database(&dir, GAMES);
    let good = rows(&first);
    let spoil: [fn(&mut Vec<Row>); 5] = [
        |rows| rows.reverse(),
        |rows| rows[3].uci = "a1a8".into(),
        |rows| rows[2].position = "nonsense".into(),
        |rows| rows[1].best_game ^= 1,
        |rows| rows[1].first_ply = 60_000,
    ];
    for (number, spoil) in spoil.iter().enumerate() {
        let mut rows = good.clone();
        spoil(&mut rows);
        let target = dir.join(format!("db{number}"));
        let games = [dir.join("g.pgn")];
        let rows = rows.into_iter().map(Ok);
        assert!(build_from_rows(&target, &games, rows, 20, &ImportOptions::default(), &mut ()).is_err(), "{number}");
        let left = Database::<Chess>::open(&target).unwrap();
        assert!(left.totals().games == 0 && left.missing().is_empty(), "{number}");
        // The same folder takes the right rows.
        let rows = good.clone().into_iter().map(Ok);
        build_from_rows(&target, &games, rows, 20, &ImportOptions::default(), &mut ()).unwrap();
        assert_eq!(Database::<Chess>::open(&target).unwrap().totals().games, first.totals().games, "{number}");
    }
    std::fs::write(dir.join("x.parquet"), b"PAR1 not really PAR1").unwrap();
    assert!(RowReader::new(vec![dir.join("x.parquet")]).next().unwrap().is_err());
    assert!(files_of(&dir.join("db"), "parquet").is_err());
}

#[test]
fn known_rows_there_and_back() {
    use rukh_scale::{KnownReader, KnownRow, KnownWriter};
    let dir = Folder::new("known");
    let path = dir.join("known.parquet");
    let row = |n: i32| KnownRow {
        variant: "chess".into(),
        code: format!("code{n}"),
        depth: n,
        score: -3 * n,
        bound: "exact".into(),
        uci: "e2e4".into(),
        visits: i64::from(n) << 33,
    };
    let rows: Vec<KnownRow> = (0..2500).map(row).collect();
    let mut writer = KnownWriter::create(&path).unwrap();
    rows.iter().for_each(|row| writer.push(row.clone()).unwrap());
    assert!(!path.exists(), "the name appears when the file is whole");
    writer.finish().unwrap();
    let read: Vec<KnownRow> = KnownReader::new(vec![path.clone()]).map(Result::unwrap).collect();
    assert_eq!(read, rows);
    std::fs::write(&path, "no table").unwrap();
    assert!(KnownReader::new(vec![path]).next().unwrap().is_err());
}
