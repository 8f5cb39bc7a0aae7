//! The XBoard protocol through pipes.

use crate::common::Dialogue;
use std::time::Duration;

fn engine() -> Dialogue {
    let mut engine = Dialogue::start(&["xboard"]);
    engine.send("xboard\nprotover 2");
    engine.until("feature done=1");
    engine.send("new\nnopost\nst 0.1");
    engine
}

/// Everything said up to the answer of a ping.
fn ask(engine: &mut Dialogue, lines: &str) -> Vec<String> {
    engine.send(lines);
    engine.send("ping 77");
    let mut said = engine.until("pong 77");
    said.pop();
    said
}

#[test]
fn features() {
    let mut engine = Dialogue::start(&["xboard"]);
    engine.send("xboard\nprotover 2");
    let said = engine.until("feature done=1").join("\n");
    for feature in ["ping=1", "setboard=1", "usermove=1", "playother=1", "analyze=1", "memory=1", "smp=1", "sigint=0"] {
        assert!(said.contains(feature), "{feature}: {said}");
    }
    assert!(said.contains("variants=\"normal,fischerandom,makruk\""), "{said}");
    assert!(said.contains("option=\"Skill Level -spin 20 0 20\""), "{said}");
    assert!(!said.contains("option=\"Hash"), "{said}");
}

#[test]
fn a_game() {
    let mut engine = engine();
    // After `new` the engine plays Black.
    engine.send("usermove e2e4");
    let reply = engine.find("move ");
    assert_eq!(reply.len(), "move e7e5".len(), "{reply}");
    assert_eq!(ask(&mut engine, "usermove e2e4"), ["Illegal move: e2e4"]);
    assert_eq!(ask(&mut engine, "e2e5"), ["Illegal move: e2e5"]);
    // Take both moves back, play on by hand, change sides.
    assert!(ask(&mut engine, "remove\nforce\nusermove d2d4\nd7d5").is_empty());
    engine.send("go");
    engine.find("move ");
    assert!(ask(&mut engine, "force\nundo\nundo\nundo").is_empty());
    assert_eq!(ask(&mut engine, "undo"), ["Error (nothing to take back): undo"]);
    engine.send("playother\nusermove g1f3");
    engine.find("move ");
}

#[test]
fn thinking_output_and_move_now() {
    let mut engine = engine();
    engine.send("post\nst 100\nusermove e2e4");
    let line = engine.line().1;
    let numbers: Vec<i64> = line.split_whitespace().take(4).filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers.len(), 4, "{line}");
    // A ping waits for the move.
    engine.send("ping 1\n?");
    let said = engine.until("pong 1");
    assert!(said.iter().any(|line| line.starts_with("move ")), "{said:?}");
}

#[test]
fn clocks_and_limits() {
    let mut engine = engine();
    for control in ["level 40 0:01 0", "level 0 0:01 0.1", "level 0 1 0\ntime 50\notim 50", "sd 3", "st 0.05"] {
        engine.send(&format!("new\nnopost\n{control}\nusermove e2e4"));
        engine.find("move ");
    }
}

#[test]
fn the_end_is_announced() {
    let mut engine = engine();
    let said = ask(&mut engine, "force\nsetboard 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1\nusermove a1a8");
    assert!(said.len() == 1 && said[0].starts_with("1-0 {"), "{said:?}");
    let said = ask(&mut engine, "usermove g8h8");
    assert!(said[0].starts_with("Illegal move (the game is over)"), "{said:?}");
    // The engine mates by itself.
    engine.send("new\nforce\nsetboard 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1\nst 1\ngo");
    assert_eq!(engine.find("move "), "move a1a8");
    assert!(engine.find("1-0").starts_with("1-0 {"));
    let said = ask(&mut engine, "new\nforce\nsetboard 7k/8/6K1/8/8/8/5Q2/8 w - - 0 1\nusermove f2f7");
    assert!(said[0].starts_with("1/2-1/2 {"), "{said:?}");
}

#[test]
fn variants() {
    let mut engine = engine();
    engine.send("variant makruk\nforce\nsetboard 4k3/8/8/6P1/8/8/8/R3K3 w - - 0 1");
    assert!(ask(&mut engine, "usermove g5g6").is_empty());
    assert!(ask(&mut engine, "undo\nusermove g5g6m").is_empty());
    engine.send("new\nvariant makruk\nst 0.1\nusermove e3e4");
    engine.find("move ");
    engine.send("new\nvariant fischerandom\nforce\nsetboard r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1");
    assert!(ask(&mut engine, "usermove O-O\nusermove e8a8\nundo\nusermove O-O-O").is_empty());
    let said = ask(&mut engine, "variant xiangqi");
    assert!(said[0].contains("unsupported variant"), "{said:?}");
}

#[test]
fn analysis() {
    let mut engine = engine();
    engine.send("post\nforce\nanalyze");
    engine.find("6 ");
    engine.send(".");
    engine.find("stat01: ");
    // Moves are followed, and nothing is played.
    engine.send("usermove e2e4\nusermove e7e5\nundo\nundo\nping 3");
    let said = engine.until("pong 3");
    assert!(!said.iter().any(|line| line.starts_with("move ") || line.starts_with("Illegal")), "{said:?}");
    engine.send("exit\nping 4");
    engine.find("pong 4");
    std::thread::sleep(Duration::from_millis(50));
    assert!(ask(&mut engine, "").iter().all(|line| !line.starts_with("move ")));
}

#[test]
fn errors_in_the_protocol_s_own_words() {
    let mut engine = engine();
    for (line, expected) in [
        ("xyzzy", "Error (unknown command): xyzzy"),
        ("level 40", "Error (too few parameters): level 40"),
        ("level a b c", "Error (bad parameter 'a'): level a b c"),
        ("st soon", "Error (bad parameter 'soon'): st soon"),
        ("ping", "Error (too few parameters): ping"),
        ("edit", "Error (command not supported): edit"),
        ("usermove", "Error (too few parameters): usermove"),
        ("usermove castle", "Illegal move: castle"),
        ("setboard 8/8/8/8/8/8/8/8 w - - 0 1", "tellusererror Illegal position: White has no king"),
        ("memory lots", "Error (bad parameter 'lots'): memory lots"),
        ("egtpath gaviota /x", "Error (unsupported tables): gaviota"),
        ("option Nonsense=3", "option Nonsense"),
        ("cores 100000", "option Threads"),
    ] {
        let said = ask(&mut engine, line);
        assert!(said.len() == 1 && said[0].contains(expected), "{line}: {said:?}");
    }
    for line in ["accepted ping", "rejected san", "random", "computer", "hard", "easy", "post", "nopost", "memory 8"] {
        assert!(ask(&mut engine, line).is_empty(), "{line}");
    }
    // Without a book: the blank line that ends its list.
    assert_eq!(ask(&mut engine, "bk"), [""]);
    engine.send("hint");
    assert!(engine.find("Hint: ").len() >= "Hint: e2e4".len());
}

#[test]
fn pondering_does_not_confuse_it() {
    let mut engine = engine();
    engine.send("hard\nst 0.1\nforce\nsetboard 7k/8/8/p1p1p1p1/P1P1P1P1/8/8/6K1 w - - 0 1\nusermove g1h1\ngo");
    // A locked board: the king's walk is always legal, sometimes what the engine expects and sometimes not.
    for (n, mv) in ["h1g1", "g1f1", "f1e1", "e1d1", "d1c1", "c1b1", "b1a1"].into_iter().enumerate() {
        engine.find("move ");
        std::thread::sleep(Duration::from_millis(15));
        engine.send(&format!("ping {n}\nusermove {mv}"));
    }
    engine.find("move ");
    engine.send("force\nping 5");
    engine.find("pong 5");
}

#[test]
fn the_end_of_input_is_quit() {
    for lines in ["", "xboard\nprotover 2", "new\nst 100\ngo", "analyze"] {
        let mut engine = Dialogue::start(&["xboard"]);
        engine.send(lines);
        engine.close();
        assert!(engine.end().1, "{lines}");
    }
}
