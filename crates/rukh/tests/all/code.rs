//! `rukh code` from outside.

use std::path::PathBuf;
use std::process::{Command, Output};

use rukh_testing::Folder;

use crate::common::rukh;

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// One move in a position that no direct code holds.
const WILD: &str = "[Event \"?\"]\n[FEN \"q2n1k2/1P1b1R1p/nB2r1P1/2p1Qb2/1N3p1r/p1P1q1B1/1R1p1N2/3K1n2 b - - 0 1\"]\n\
                    [SetUp \"1\"]\n[Result \"*\"]\n\n1... Kg8 *\n\n";
const TAME: &str = "[Event \"?\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *\n\n";

#[test]
fn codes_there_and_back() {
    let fen = "r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 1";
    let code = stdout(&rukh(&["code", "encode", fen]));
    assert_eq!(code.trim().len(), 13);
    assert_eq!(stdout(&rukh(&["code", "decode", code.trim()])).trim(), fen);
    let number = stdout(&rukh(&["code", "encode", "--number", fen]));
    assert_eq!(stdout(&rukh(&["code", "decode", "--number", number.trim()])).trim(), fen);

    let mut slip = code.trim().to_owned();
    let last = slip.pop().unwrap();
    slip.push(if last == '0' { '1' } else { '0' });
    for (words, wanted) in [
        (["code", "decode", slip.as_str()], "check character"),
        (["code", "decode", "000"], "13 characters"),
        (["code", "encode", "8/8/8/8/8/8/8/8 w - - 0 1"], "king"),
        (["code", "stats", "no-such-file.pgn"], "no-such-file.pgn"),
    ] {
        let output = rukh(&words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(wanted), "{words:?}: {error}");
    }
}

/// A position that no direct code holds.
const FEN: &str = "q2n1k2/1P1b1R1p/nB2r1P1/2p1Qb2/1N3p1r/p1P1q1B1/1R1p1N2/3K1n2 b - - 0 1";

#[test]
fn every_position_has_a_code() {
    let folder = Folder::new("every");
    let home = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rukh"));
        command.args(words).env("RUKH_DATA", &folder.0).output().expect("rukh starts")
    };
    let code = stdout(&home(&["code", "encode", FEN]));
    let code = code.trim();
    assert_eq!(code.len(), 13);
    assert!(folder.0.join("positions.chess").exists());
    assert_eq!(stdout(&home(&["code", "encode", FEN])).trim(), code, "once for ever");
    assert_eq!(stdout(&home(&["code", "decode", code])).trim(), FEN);
    assert_eq!(stdout(&home(&["code", "encode", code])).trim(), code, "a code is a position too");
    // Without tables, and with clocks.
    let long = stdout(&home(&["code", "encode", "--long", FEN]));
    assert!((14..36).contains(&long.trim().len()), "{long}");
    let late = FEN.replace(" 0 1", " 7 40");
    let clocks = stdout(&rukh(&["code", "encode", "--clocks", &late]));
    assert_eq!(stdout(&rukh(&["code", "decode", long.trim(), clocks.trim()])), format!("{FEN}\n{late}\n"));
    // Makruk has three versions.
    let makruk = |words: &[&str]| home(&[&["code", words[0], "--variant", "makruk"], &words[1..]].concat());
    for (version, text) in [("2", "7c3j2t3pdie_g"), ("3", "7bss11l8p3x9w"), ("4", "7coi6_c09wuep")] {
        assert_eq!(stdout(&makruk(&["encode", "--version", version, "startpos"])).trim(), text);
        assert!(stdout(&makruk(&["decode", "--version", version, text])).starts_with("rnsmksnr/"));
    }
    assert_eq!(stdout(&makruk(&["encode", "startpos"])).trim(), "7coi6_c09wuep");
    // Chess has two.
    for (version, text) in [("2", "fd1i81yan7yas"), ("4", "fdc_yeyowhwg-")] {
        assert_eq!(stdout(&home(&["code", "encode", "--version", version, "startpos"])).trim(), text);
        for words in [&["code", "decode", "--version", version, text][..], &["code", "decode", text]] {
            assert!(stdout(&home(words)).starts_with("rnbqkbnr/"));
        }
    }
    // The openings are built in.
    assert!(stdout(&rukh(&["code", "decode", "--number", "5"])).contains(" KQkq - 0 1"));
    // Elsewhere the record is not known, and the error says where it would be.
    let other = folder.path("other");
    for (words, wanted) in [
        (&["code", "decode", "--positions", &other, code][..], format!("{other}, which does not exist").as_str()),
        (&["code", "decode", "--number", "288230376151711744"], "'rukh code decode --db FOLDER'"),
        (&["code", "decode", "--variant", "makruk", "--number", "5"], "no built-in openings for makruk"),
        (&["code", "decode", "--version", "3", "fd1i81yan7yas"], "unknown version 3 of the position codes for chess"),
    ] {
        let output = home(words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(wanted), "{words:?}: {error}");
    }
}

/// `startpos` and codes wherever a position is taken.
#[test]
fn codes_are_positions_everywhere() {
    let folder = Folder::new("everywhere");
    let (pgn, db) = (folder.path("tame.pgn"), folder.path("db"));
    std::fs::write(&pgn, TAME).unwrap();
    stdout(&rukh(&["db", "import", "--db", &db, &pgn]));
    let start = "fdc_yeyowhwg-";
    assert_eq!(stdout(&rukh(&["perft", "2", "--fen", start])), "400\n");
    assert_eq!(stdout(&rukh(&["perft", "2", "--fen", "startpos"])), "400\n");
    assert_eq!(stdout(&rukh(&["eval", start])), stdout(&rukh(&["eval"])));
    let asked = stdout(&rukh(&["db", "explore", "--db", &db, "--json", start]));
    assert_eq!(asked, stdout(&rukh(&["db", "explore", "--db", &db, "--json", "startpos"])));
    assert!(asked.contains("\"code\":\"fdc_yeyowhwg-\"") && asked.contains("\"games\":1"), "{asked}");
    // What is open anyway knows its own codes.
    let (wild, table) = (folder.path("wild.pgn"), folder.path("table"));
    std::fs::write(&wild, format!("[FEN \"{FEN}\"]\n\nKg8 *\n")).unwrap();
    stdout(&rukh(&["db", "import", "--db", &db, &wild]));
    let code = stdout(&rukh(&["code", "encode", "--db", &db, FEN]));
    assert!(stdout(&rukh(&["code", "encode", "--db", &db, "--json", FEN])).contains("\"game\""));
    for action in ["explore", "games"] {
        let found = stdout(&rukh(&["db", action, "--db", &db, "--json", code.trim()]));
        assert!(found.contains("q2n1k2/1P1b1R1p") && found.contains("Kg8"), "{found}");
    }
    let code = stdout(&rukh(&["code", "encode", "--learned", &table, FEN]));
    assert_eq!(stdout(&rukh(&["learn", "show", "--file", &table, code.trim()])), "not known\n");
    let lines = stdout(&rukh(&["analyse", start, "--depth", "3", "--eval-file", "<classical>"]));
    assert!(lines.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "{lines}");
    let slip = rukh(&["eval", "fdc_yeyowhwg0"]);
    assert!(String::from_utf8_lossy(&slip.stderr).contains("check character"), "{slip:?}");
}

#[test]
fn a_learned_table_gives_numbers() {
    let folder = Folder::new("learned");
    let (table, records) = (folder.path("table"), folder.path("records"));
    let fen = "q2n2k1/1P1b1R1p/nB2r1P1/2p1Qb2/1N3p1r/p1P1q1B1/1R1p1N2/3K1n2 w - - 0 1";
    let words = ["code", "encode", "--learned", &table, "--positions", &records, fen];
    let code = stdout(&rukh(&words));
    assert_eq!((code.trim().len(), stdout(&rukh(&words))), (13, code.clone()));
    assert!(!PathBuf::from(&records).exists(), "no record is needed");
    assert_eq!(stdout(&rukh(&["code", "decode", "--learned", &table, code.trim()])).trim(), fen);
    let without = rukh(&["code", "decode", code.trim()]);
    assert!(String::from_utf8_lossy(&without.stderr).contains("--learned"), "{without:?}");
    // A slip is no new table.
    let other = folder.path("other");
    let none = rukh(&["code", "decode", "--learned", &other, code.trim()]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("there is no table"), "{none:?}");
    assert!(!PathBuf::from(&other).exists());
    stdout(&rukh(&["code", "encode", "--learned", &other, "startpos"]));
    let early = rukh(&["code", "decode", "--learned", &other, code.trim()]);
    assert!(String::from_utf8_lossy(&early.stderr).contains("another table of learned positions"), "{early:?}");
}

#[test]
fn sources_give_the_positions_of_games() {
    let folder = Folder::new("source");
    let pgn = folder.path("tame.pgn");
    std::fs::write(&pgn, TAME).unwrap();
    let text = stdout(&rukh(&["source", "positions", &pgn]));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 9);
    assert_eq!(lines[0], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -");
    assert_eq!(lines[8], "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R w KQkq -");
}

#[test]
fn stats_count_positions_by_format() {
    let folder = Folder::new("stats");
    let (one, two) = (folder.path("one.pgn"), folder.path("two.pgn"));
    std::fs::write(&one, TAME.repeat(3)).unwrap();
    std::fs::write(&two, format!("{TAME}{WILD}")).unwrap();
    let json = |words: &[&str]| stdout(&rukh(&[&["code", "stats", "--json"], words].concat()));
    let all = json(&[&one, &two]);
    let head = "{\"positions\":33,\"format1\":1,\"format2\":32,\"aux\":0,\"byPly\":[{\"ply\":1,\"positions\":5,";
    assert!(all.starts_with(head), "{all}");
    assert!(all.contains("\"byMen\":[{\"men\":26,"), "{all}");
    // No room to learn: a record.
    assert!(json(&["--room", "0", &two]).starts_with("{\"positions\":9,\"format1\":0,\"format2\":8,\"aux\":1,"));
    // Games are counted over all files.
    assert!(json(&["--skip", "4", &one, &two]).starts_with("{\"positions\":1,"));
    assert!(json(&["--games", "2", &one, &two]).starts_with("{\"positions\":16,"));
    let text = stdout(&rukh(&["code", "stats", &one, &two]));
    assert!(text.contains("5 games, 33 positions"), "{text}");
    assert!(text.contains("not direct: opening 0, game 0, reachability 1, auxiliary record 0"), "{text}");
    let makruk = rukh(&["code", "stats", "--variant", "makruk", "--json", &one]);
    assert!(String::from_utf8_lossy(&makruk.stderr).contains("3 games of another variant"), "{makruk:?}");
}

#[test]
fn stats_know_databases_and_own_games() {
    let folder = Folder::new("db");
    let (pgn, db, own) = (folder.path("wild.pgn"), folder.path("db"), folder.path("own.games"));
    std::fs::write(&pgn, WILD).unwrap();
    stdout(&rukh(&["db", "import", "--db", &db, &pgn]));
    let text = stdout(&rukh(&["code", "stats", "--db", &db, "--room", "0", &pgn]));
    assert!(text.contains("not direct: opening 0, game 1, reachability 0, auxiliary record 0"), "{text}");
    let error = rukh(&["code", "stats", "--variant", "makruk", "--db", &db, &pgn]);
    assert!(String::from_utf8_lossy(&error.stderr).contains("a database of chess games, not makruk"), "{error:?}");

    let settings = ["--soft", "30", "--hard", "60", "--seed", "3", "--eval-file", "<classical>", "--threads", "1"];
    let words = [&["datagen", "makruk", "--games", "3", "--out", &own][..], &settings].concat();
    stdout(&rukh(&words));
    let json = stdout(&rukh(&["code", "stats", "--variant", "makruk", "--json", &own]));
    assert!(json.starts_with("{\"positions\":") && json.contains("{\"ply\":30,"), "{json}");
    // In a database of Makruk every position of its games has a code.
    let (thai, thai_db) = (folder.path("thai.pgn"), folder.path("thai"));
    std::fs::write(&thai, stdout(&rukh(&["source", "games", &own]))).unwrap();
    stdout(&rukh(&["db", "import", "--db", &thai_db, &thai]));
    let text = stdout(&rukh(&["code", "stats", "--variant", "makruk", "--db", &thai_db, "--room", "0", &thai]));
    assert!(text.contains("reachability 0, auxiliary record 0"), "{text}");
    let wrong = rukh(&["code", "stats", &own]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("contains makruk games, not chess"), "{wrong:?}");
}
