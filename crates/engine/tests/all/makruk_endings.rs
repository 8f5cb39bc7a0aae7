//! The engine and the count: pairs of positions at the limit and just over it.

use rukh_engine::{Engine, Limits, Options};
use rukh_tables::{Material, Table, Tables};
use rukh_testing::Folder;

/// Bare Khun to move, the count just started; in how many moves the attacker mates, or `None` where the count saves him.
const FOUR_MEN: &[(&str, Option<i32>)] = &[
    ("8/8/8/8/1R6/8/8/K1k5 b - 32 6 1", Some(13)),
    ("8/8/8/2R5/8/8/8/K1k5 b - 32 6 1", None),
    ("8/8/8/8/8/8/8/KRk1R3 b - 16 8 1", Some(4)),
    ("8/8/8/8/8/8/8/KRk2R2 b - 16 8 1", None),
    ("8/8/8/8/8/8/M7/KRk5 b - 32 8 1", Some(12)),
    ("8/8/8/8/8/8/8/KRk1M3 b - 32 8 1", None),
    ("8/8/8/8/8/8/2N5/K1k1R3 b - 32 8 1", Some(12)),
    ("8/8/8/8/8/2N5/8/K1kR4 b - 32 8 1", None),
    ("8/8/8/8/8/8/8/KRk4S b - 32 8 1", Some(12)),
    ("8/8/8/8/8/8/1S6/KRk5 b - 32 8 1", None),
    ("8/8/8/8/8/8/6Sk/K4S2 b - 44 8 1", Some(18)),
    ("8/8/8/8/8/8/4S3/K4Sk1 b - 44 8 1", None),
    ("8/8/3M4/8/8/8/8/KSk5 b - 88 8 1", Some(40)),
    ("1M6/8/8/8/8/8/8/KSk5 b - 88 8 1", None),
    ("5M2/1N6/8/8/8/8/8/k1K5 b - 128 8 1", Some(36)),
    ("1K6/7S/8/8/8/8/1N1k4/8 b - 88 8 1", Some(38)),
    ("1K6/M7/8/1k5S/8/8/8/8 b - 88 8 1", None),
];

const FIVE_MEN: &[(&str, Option<i32>)] = &[
    ("M6M/6M1/8/7k/8/8/8/K7 b - 128 10 1", Some(40)),
    ("8/8/8/8/8/4M3/8/KSk3S1 b - 44 10 1", Some(17)),
    ("8/8/8/8/8/5M2/8/KSk1S3 b - 44 10 1", None),
    ("8/8/8/8/8/8/M7/KRkM4 b - 32 10 1", Some(11)),
    ("8/8/8/8/1M6/8/8/KRk1M3 b - 32 10 1", None),
    ("8/8/8/8/8/8/N5M1/K1k1N3 b - 64 10 1", Some(27)),
    ("N7/8/8/8/8/4M3/8/K1k1N3 b - 64 10 1", None),
    ("4M3/8/8/8/8/8/8/KSkM4 b - 88 10 1", Some(39)),
    ("8/4M3/8/8/8/8/8/KSkM4 b - 88 10 1", None),
    ("4M3/8/8/8/8/8/8/KSkN4 b - 88 10 1", Some(39)),
    ("8/4M3/8/8/8/8/8/KSkN4 b - 88 10 1", None),
];

fn engine() -> Engine {
    let engine = Engine::new(Options::default()).unwrap();
    engine.set_option("UCI_Variant", "makruk").unwrap();
    engine.new_game();
    // The tables are made beside: a first search from few men waits for them.
    engine.set_position(FOUR_MEN[0].0).unwrap();
    engine.go(Limits::depth(1), |_| {});
    engine
}

fn judge(engine: &Engine, cases: &[(&str, Option<i32>)]) {
    for &(fen, wanted) in cases {
        engine.set_position(fen).unwrap();
        // Much less than a second's nodes, and the same on every machine.
        let answer = engine.go(Limits::nodes(100_000), |_| {});
        assert_eq!(answer.score.mate(), wanted.map(|n| -n), "{fen}");
        assert!(wanted.is_some() || answer.score.value() == 0, "{fen}: {}", answer.score);
        assert!(answer.best_move.is_some());
    }
}

#[test]
fn tells_won_from_drawn_by_count() {
    judge(&engine(), FOUR_MEN);
}

/// Without the tables of five men the search, with those of four below it, still tells these pairs apart within a second's
/// nodes; KSSM and KNNM need their own tables.
#[test]
fn tells_pairs_of_five_men_apart_by_search() {
    let engine = engine();
    let score = |fen: &str| {
        engine.new_game();
        engine.set_position(fen).unwrap();
        engine.go(Limits::nodes(300_000), |_| {}).score
    };
    for at in [3, 7, 9] {
        let (won, drawn) = (FIVE_MEN[at], FIVE_MEN[at + 1]);
        assert!(won.1.is_some() && drawn.1.is_none());
        let (lost, saved) = (score(won.0), score(drawn.0));
        assert!(lost.value() + 200 < saved.value(), "{}: {lost}, {}: {saved}", won.0, drawn.0);
    }
}

#[test]
#[ignore = "long: makes six 5-man tables, a minute or more"]
fn tells_won_from_drawn_by_count_with_five_men() {
    let folder = Folder::new("makruk");
    for name in ["KMMM", "KSSM", "KRMM", "KNNM", "KSMM", "KNSM"] {
        let material: Material = name.parse().unwrap();
        Table::generate(material, Tables::four_men(), 2, &mut |_| {}).unwrap().save(&folder).unwrap();
    }
    let engine = engine();
    engine.set_option("MakrukTables", folder.to_str().unwrap()).unwrap();
    judge(&engine, FIVE_MEN);
    judge(&engine, FOUR_MEN);
}

/// Two engines: one plays both sides from positions at the limit, and mates with the last move that the count allows.
#[test]
fn mates_in_exactly_the_moves_there_are() {
    let engine = engine();
    for &(fen, wanted) in FOUR_MEN {
        engine.set_position(fen).unwrap();
        let mut plies = 0;
        loop {
            let answer = engine.go(Limits::nodes(2000), |_| {});
            let Some(mv) = answer.best_move else { break };
            engine.make_move(&mv).unwrap();
            plies += 1;
            let pos = rukh_core::Position::<rukh_core::Makruk>::from_fen(&engine.fen());
            // A FEN past the limit is refused unless it is mate: the count has ended the game.
            if !pos.is_ok_and(|pos| !pos.is_count_draw() || pos.is_checkmate()) {
                plies = -1;
                break;
            }
        }
        assert_eq!(plies, wanted.map_or(-1, |n| 2 * n), "{fen}");
    }
}

#[test]
fn bad_folders_are_refused() {
    let engine = engine();
    assert!(engine.set_option("MakrukTables", "no/such/folder").is_err());
    let folder = Folder::new("makruk-bad");
    let path = folder.to_str().unwrap();
    let error = engine.set_option("MakrukTables", path).unwrap_err().to_string();
    assert!(error.contains("rukh tables"), "{error}");
    std::fs::write(folder.join("KR.mkt"), b"RukhMkT1 but nothing behind it").unwrap();
    let error = engine.set_option("MakrukTables", path).unwrap_err().to_string();
    assert!(error.contains("damaged"), "{error}");
    assert_eq!(engine.options().makruk_tables, "");
}
