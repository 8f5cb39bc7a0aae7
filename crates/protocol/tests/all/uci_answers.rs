//! Every `go` is answered: once, with a legal move where there is one, which the last line shown begins with.

use crate::common::{Talk, count};
use rukh_core::Variant;
use rukh_core::rng::Rng;
use rukh_protocol::game::AnyGame;

/// The last move shown as best, and the answer.
fn answer(said: &[String]) -> (Option<String>, String) {
    let shown = said.iter().rev().find(|line| line.contains(" multipv 1 ")).and_then(|line| {
        let pv = line.split(" pv ").nth(1)?;
        pv.split(' ').next().map(str::to_owned)
    });
    let best: Vec<&String> = said.iter().filter(|line| line.starts_with("bestmove ")).collect();
    assert_eq!(best.len(), 1, "{said:#?}");
    (shown, best[0].split(' ').nth(1).unwrap().to_owned())
}

/// Sends a `go` in this position and looks at the answer.
fn check(talk: &Talk, game: &AnyGame, go: &str) {
    talk.said.take();
    talk.send(go);
    if go.contains("infinite") {
        std::thread::sleep(std::time::Duration::from_millis(1));
        talk.send("stop");
    }
    let said = talk.settled(go);
    let what = format!("{} {go}: {said:#?}", game.fen());
    let (shown, best) = answer(&said);
    assert!(said[0].starts_with("info "), "{what}");
    if game.legal_moves().is_empty() {
        assert_eq!(best, "(none)", "{what}");
        return;
    }
    assert!(game.parse_uci(&best).is_ok(), "{what}");
    assert_eq!(shown.as_deref(), Some(best.as_str()), "{what}");
}

const STARTS: [(Variant, &str); 9] = [
    (Variant::Chess, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    // Drawn by the rules, and still there are moves.
    (Variant::Chess, "8/8/8/8/8/2k5/8/K7 w - - 0 1"),
    (Variant::Chess, "8/8/8/8/8/2k5/7R/K7 w - - 148 120"),
    (Variant::Chess, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    (Variant::Chess, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
    (Variant::Chess960, "nrk2bbr/pppppppp/8/8/8/8/PPPPPPPP/NRK2BBR w HBhb - 0 1"),
    (Variant::Makruk, "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1"),
    (Variant::Makruk, "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 84 1"),
    (Variant::Makruk, "7k/8/8/8/8/8/8/K7 w - - 0 1"),
];

#[test]
fn thousands_of_positions_and_limits() {
    const LIMITS: [&str; 14] = [
        "depth 1",
        "depth 3",
        "nodes 1",
        "nodes 40",
        "nodes 900",
        "wtime 1 btime 1",
        "wtime -7 btime -7 winc -3",
        "movetime 1",
        "infinite",
        "nodes 300 depth",
        "depth zwei nodes 200",
        "nodes 100 joho 17",
        "depth 2 mate x movestogo -1",
        "nodes 200 searchmoves a1a1 e2e4 0000",
    ];
    let mut random = Rng::plain(1);
    for (variant, fen) in STARTS {
        let talk = Talk::new();
        talk.send(match variant {
            Variant::Chess => "isready",
            Variant::Chess960 => "setoption name UCI_Chess960 value true",
            Variant::Makruk => "setoption name UCI_Variant value makruk",
        });
        if variant == Variant::Makruk {
            // Makes the end-game tables.
            talk.send(&format!("position fen {}\ngo depth 1", STARTS[7].1));
            talk.settled("tables");
        }
        for round in 0..3 {
            talk.send(&format!("setoption name MultiPV value {}", [1, 3, 200][round]));
            let level = [20, 20, 2][round];
            talk.send(&format!("setoption name Skill Level value {level}"));
            let mut game = AnyGame::from_fen(variant, fen).unwrap();
            for _ in 0..50 {
                talk.send(&format!("position fen {fen} moves {}", game.moves_uci().join(" ")));
                check(&talk, &game, &format!("go {}", random.pick(&LIMITS)));
                let moves = game.legal_moves();
                if moves.is_empty() {
                    break;
                }
                game.play(moves[random.below(moves.len())]);
            }
        }
    }
}

/// The same position again and again, and the seventy-five moves: the game is over by the rules, and `go` wants a move.
#[test]
fn a_draw_by_the_rules_may_be_played_on() {
    let talk = Talk::new();
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(6);
    let mut game = AnyGame::new(Variant::Chess);
    for text in moves.split_whitespace() {
        let mv = game.parse_uci(text).unwrap();
        game.play(mv);
    }
    assert!(game.finished().is_some(), "five-fold");
    for go in ["go depth 4", "go nodes 500", "go infinite", "go movetime 10"] {
        talk.send(&format!("position startpos moves {moves}"));
        check(&talk, &game, go);
    }
    // Nothing is said before `stop`.
    for fen in ["8/8/8/8/8/2k5/7R/K7 w - - 150 120", "8/8/8/8/8/2k5/8/K7 w - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
        talk.send(&format!("position fen {fen}\ngo infinite"));
        std::thread::sleep(std::time::Duration::from_millis(60));
        assert_eq!(count(&talk.said.take(), "bestmove"), 0, "{fen}");
        talk.send("stop");
        assert_eq!(count(&talk.settled(fen), "bestmove"), 1, "{fen}");
    }
}

/// After a position that was refused any move might be wrong: none is given until a position is understood.
#[test]
fn no_move_for_a_position_that_was_refused() {
    let talk = Talk::new();
    for bad in [
        "position startpos moves e2e4 e7e6 e4e6",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position",
        "position rubbish",
        "position fen 9/8/8/8/8/2k5/7P/K7 w - - 0 1 moves h2h4",
    ] {
        talk.send(&format!("position startpos moves d2d4\n{bad}"));
        assert!(talk.settled(bad).iter().any(|line| line.starts_with("info string ")), "{bad}");
        for go in ["go depth 3", "go wtime 100 btime 100", "go depth x"] {
            talk.send(go);
            let said = talk.settled(go);
            assert_eq!(said.last().map(String::as_str), Some("bestmove (none)"), "{bad}: {said:#?}");
            assert!(said.iter().any(|line| line.contains("refused")), "{bad}: {said:#?}");
        }
        talk.send("go ponder wtime 100 btime 100");
        assert!(!talk.session.is_idle());
        talk.send("ponderhit");
        assert_eq!(count(&talk.settled("ponderhit"), "bestmove (none)"), 1);
    }
    talk.send("position fen 8/8/8/8/8/8/8/8 w - - 0 1\ngo depth 1");
    let said = talk.settled("why");
    let why = "bad FEN: White has no king";
    assert_eq!(
        said[said.len() - 3..said.len() - 1],
        [
            format!("info string position refused: {why}"),
            format!("info string no search, because the last position was refused: {why}"),
        ],
        "{said:#?}"
    );
    for good in ["position startpos moves e2e4", "ucinewgame"] {
        talk.send(&format!("position rubbish\n{good}\ngo depth 2"));
        let said = talk.settled(good);
        assert!(said.last().is_some_and(|line| line.starts_with("bestmove ") && !line.contains("none")), "{said:#?}");
    }
}

/// What cannot be read is named, and the search ends by itself all the same.
#[test]
fn every_go_is_answered() {
    let talk = Talk::new();
    for (go, expected) in [
        ("go depth", "depth"),
        ("go depth deep", "'deep'"),
        ("go nodes -1", "'-1'"),
        ("go movetime soon", "'soon'"),
        ("go wtime", "wtime"),
        ("go wtime 1e3 btime 50", "'1e3'"),
        ("go winc x btime 50", "'x'"),
        ("go movestogo many wtime 40", "many"),
        ("go mate -2", "-2"),
        ("go depth 3 searchmoves", "at least one move"),
        ("go searchmoves e2e5 depth 3", "e2e5"),
        ("go searchmoves nonsense depth 3", "nonsense"),
        ("go btime 40", ""),
    ] {
        talk.send(&format!("position startpos\n{go}"));
        let said = talk.settled(go);
        let strings: Vec<&String> = said.iter().filter(|line| line.starts_with("info string ")).collect();
        assert!(expected.is_empty() || strings.iter().any(|line| line.contains(expected)), "{go}: {said:#?}");
        let (shown, best) = answer(&said);
        assert_eq!(shown, Some(best), "{go}: {said:#?}");
    }
    talk.send("go searchmoves a2a3 e2e5 depth 4");
    assert_eq!(answer(&talk.settled("some")).1, "a2a3", "the legal ones are kept");
}

/// Random words in random order: as many answers as `go`s, and nothing breaks.
#[test]
fn random_streams_owe_nothing() {
    const LINES: &str = "\
        uci|isready|ucinewgame|stop|stop|stop|ponderhit|d|eval|flip|go perft 2|position startpos|\
        position startpos moves e2e4 e7e5|position startpos moves e2e5|position fen x|\
        position fen 8/8/8/8/8/2k5/7P/K7 w - - 0 1|go depth 2|go depth 60|go infinite|go nodes 400|go x|\
        go ponder wtime 100 btime 100|go wtime 10 btime 10|go searchmoves a1a8 depth 2|go movetime 2|\
        go mate 1 nodes 50|setoption name MultiPV value 4|setoption name Hash value 2|\
        setoption name UCI_Variant value makruk|setoption name UCI_Variant value chess";
    let known: Vec<&str> = LINES.split('|').collect();
    let mut random = Rng::plain(7);
    let talk = Talk::new();
    for round in 0..60 {
        let lines: Vec<&str> = (0..1 + random.below(12)).map(|_| *random.pick(&known)).collect();
        let script = lines.join("\n");
        talk.send(&script);
        talk.send("stop\nisready");
        let said = talk.settled(&script);
        let owed = lines.iter().filter(|line| line.starts_with("go ") && !line.contains("perft")).count();
        assert_eq!(count(&said, "bestmove "), owed, "{round}: {script}\n{said:#?}");
        assert_eq!(count(&said, "readyok"), 1 + lines.iter().filter(|line| **line == "isready").count());
    }
}
