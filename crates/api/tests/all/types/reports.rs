//! What databases answer, as the page has declared it.

use super::typescript::Type;
use super::{declarations, read};
use rukh_api::reports;
use rukh_core::{Chess, Makruk, Notation, Position, Variant};
use rukh_store::db::{Database, GameRef, ImportOptions, Stored, import};
use rukh_testing::Folder;

/// A folder that is removed when the test ends.
fn database<R: Stored>(name: &str, pgn: &str) -> (Folder, Database<R>) {
    let folder = Folder::new(name);
    let file = folder.put("games.pgn", pgn);
    let db = folder.0.join("db");
    import(&db, &[file], &ImportOptions::default(), &mut ()).unwrap();
    let database = Database::open(&db).unwrap();
    (folder, database)
}

#[test]
fn databases_answer_as_declared() {
    let all = declarations();
    let pgn =
        "[White \"A \\\"B\\\"\"]\n[WhiteElo \"2600\"]\n[BlackElo \"2700\"]\n[Date \"2001.02.03\"]\n\n1. e4 c5 1-0\n";
    let (folder, db) = database::<Chess>("chess", pgn);
    for moves in ["", "e4", "a3"] {
        let pos = rukh_store::db::position::<Chess>(moves).unwrap();
        let found = db.explore(&pos).unwrap();
        let text = reports::explored(&db, &pos, &found, Notation::Standard).unwrap();
        all.check(&Type::Named("Explored".into()), &read(&text), "explored").unwrap();
    }
    let start = Position::startpos();
    let text = reports::explored(&db, &start, &db.explore(&start).unwrap(), Notation::Standard).unwrap();
    assert!(
        text.contains(r#""code":"fdc_yeyowhwg-","games":1,"white":1,"draws":0,"black":0,"meanRating":2650"#),
        "{text}"
    );
    assert!(text.contains(r#""moves":[{"uci":"e2e4","san":"e4","games":1"#), "{text}");
    assert!(text.contains(r#""opening":"King's Pawn Game","bestGame":"1/0""#), "{text}");
    assert!(text.contains(r#""white":"A \"B\"""#) && text.contains(r#""missing":null"#), "{text}");

    let game = GameRef { segment: 1, game: 0 };
    let text = reports::games(&db, &[(game, db.game(game).unwrap())], db.missing());
    all.check(&Type::Named("DatabaseGames".into()), &read(&text), "games").unwrap();

    // Half a segment is no segment, and the answers say so.
    drop(db);
    let damaged = std::fs::read_dir(folder.0.join("db")).unwrap().flatten().map(|entry| entry.path());
    for path in damaged.filter(|path| path.file_name().is_some_and(|name| name != "MANIFEST" && name != "LOCK")) {
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    }
    let db = Database::<Chess>::open(&folder.0.join("db")).unwrap();
    let text = reports::explored(&db, &start, &db.explore(&start).unwrap(), Notation::Standard).unwrap();
    assert!(text.contains(r#""missing":{"segments":1,"games":1}"#), "{text}");
    all.check(&Type::Named("Explored".into()), &read(&text), "explored").unwrap();
    assert!(reports::totals(&db.totals()).ends_with(r#""damagedSegments":1,"missing":{"segments":1,"games":1}}"#));
    let unseen = all.unseen(&["Explored", "ExploredMove", "Missing", "DatabaseGames"]);
    assert_eq!(unseen, Vec::<String>::new(), "declared, and in no answer");

    let status = reports::Status {
        threads: 2,
        databases: vec![Variant::Chess, Variant::Makruk],
        engines: vec!["Stockfish".into()],
        page: true,
        users: true,
    };
    all.check(&Type::Named("ServerStatus".into()), &read(&reports::status(&status)), "status").unwrap();
    all.check(&Type::Named("Fetched".into()), &read(&reports::fetched(7, false)), "user").unwrap();
}

#[test]
fn makruk_has_names_and_codes_of_its_own() {
    let (_folder, db) = database::<Makruk>("makruk", "[Variant \"Makruk\"]\n\n1. d4 d5 1/2-1/2\n");
    let start = Position::startpos();
    let text = reports::explored(&db, &start, &db.explore(&start).unwrap(), db.notation()).unwrap();
    let head = r#"{"fen":"rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1","code":"7coi6_c09wuep","games":1,"#;
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains(r#""id":"makruk:1/0""#) && !text.contains("opening"), "{text}");
}
