//! The native engine over a WebSocket.

use std::time::{Duration, Instant};

use crate::common::page::{Page, connect};
use crate::common::{PATIENCE, Running};
use rukh_serve::{Config, EngineConfig};
use serde_json::json;
use tungstenite::Message;

/// A server whose searches end by themselves only when a test has gone wrong.
fn server() -> Running {
    server_with(2 * PATIENCE)
}

fn server_with(longest_search: Duration) -> Running {
    let engine = EngineConfig { threads: 2, hash: 16, longest_search, ..EngineConfig::default() };
    Running::start(Config { engine, sessions: 2, ..Config::default() })
}

#[test]
fn a_game_and_an_analysis() {
    let server = server();
    let mut page = Page::open(&server);
    assert!(page.ask(json!({"do": "position", "fen": "startpos", "moves": ["e2e4"]})).get("done").is_some());
    let answer = page.ask(json!({"do": "go", "depth": 10}));
    let best = answer["done"]["bestMove"].as_str().unwrap().to_owned();
    assert!(answer["done"]["depth"].as_u64().unwrap() >= 5, "{answer}");
    assert!(!page.infos.is_empty());
    let info = &page.infos[0]["info"];
    assert_eq!((info["turn"].as_str(), info["multipv"].as_u64()), (Some("black"), Some(1)));
    assert!(page.ask(json!({"do": "makeMove", "uci": best})).get("done").is_some());
    let wrong = page.ask(json!({"do": "makeMove", "uci": "e2e5"}));
    assert!(wrong["error"].as_str().unwrap().contains("e2e5"));
    let makruk = page.ask(json!({"do": "position", "fen": "startpos", "variant": "makruk"}));
    assert!(makruk.get("done").is_some(), "{makruk}");
    let two = page.ask(json!({"do": "go", "nodes": 2000, "multipv": 2}));
    assert_eq!(two["done"]["lines"].as_array().unwrap().len(), 2, "{two}");
    let asked = page.ask(json!({"do": "ask", "question": {"ask": "move", "text": "Nf3"}}));
    assert_eq!(asked["done"]["uci"], "g1f3");
}

#[test]
fn stop_overtakes_and_everything_else_waits_its_turn() {
    let server = server();
    let mut page = Page::open(&server);
    page.ask(json!({"do": "position", "fen": "startpos"}));
    let begin = Instant::now();
    let go = page.send(json!({"do": "go"}));
    std::thread::sleep(Duration::from_millis(150));
    for request in [json!({"do": "go"}), json!({"do": "position"}), json!({"do": "newGame"}), json!({"do": "option"})] {
        assert!(page.ask(request)["error"].as_str().unwrap().contains("stop it first"));
    }
    let stop = page.send(json!({"do": "stop"}));
    assert!(page.answer(go)["done"]["bestMove"].is_string());
    assert!(page.answer(stop).get("done").is_some());
    // Reports come about ten times a second.
    let most = 12 + begin.elapsed().as_millis() / 80;
    assert!((page.infos.len() as u128) < most, "{} in {:?}", page.infos.len(), begin.elapsed());
    assert!(page.ask(json!({"do": "stop"})).get("done").is_some(), "without a search too");
}

/// A busy machine delays whom it likes: the best of many tries counts.
#[test]
fn stop_is_answered_at_once() {
    let server = server();
    let mut page = Page::open(&server);
    let mut times = Vec::new();
    while times.last().is_none_or(|took| *took > Duration::from_millis(200)) {
        assert!(times.len() < 20, "{times:?}");
        let go = page.send(json!({"do": "go"}));
        assert!(page.read().get("info").is_some(), "it has begun");
        let begin = Instant::now();
        let stop = page.send(json!({"do": "stop"}));
        page.answer(go);
        page.answer(stop);
        times.push(begin.elapsed());
    }
}

#[test]
fn a_search_ends_at_the_servers_limit() {
    let server = server_with(Duration::from_secs(2));
    let mut page = Page::open(&server);
    let begin = Instant::now();
    let answer = page.ask(json!({"do": "go", "infinite": true}));
    assert!(answer["done"]["bestMove"].is_string());
    assert!(begin.elapsed() >= Duration::from_secs(1), "{:?}", begin.elapsed());
}

#[test]
fn what_a_page_may_not_have() {
    let server = server();
    let mut page = Page::open(&server);
    for (name, value) in [
        ("SyzygyPath", "/etc"),
        ("EvalFile", "/etc/passwd"),
        ("BookFile", "x"),
        // There is no book here: these would have no effect.
        ("OwnBook", "true"),
        ("BestBookMove", "true"),
        ("BookDepth", "9"),
        ("Learn", "true"),
        ("LearnFile", "/tmp/x"),
        ("MakrukTables", "/"),
        ("Threads", "512"),
        ("Hash", "100000"),
        ("Nonsense", "1"),
    ] {
        assert!(page.ask(json!({"do": "option", "name": name, "value": value}))["error"].is_string(), "{name}");
    }
    assert!(page.ask(json!({"do": "option", "name": "MultiPV", "value": "3"})).get("done").is_some());
    assert!(page.ask(json!({"do": "dance"}))["error"].is_string());
    for bad in ["", "{", "[]", "null", "{\"do\": \"go\"}", "{\"id\": -1}", "\u{1F3B2}"] {
        page.socket.send(Message::text(bad)).unwrap();
        let message = page.read();
        assert!(message["id"] == 0 && message["error"].is_string(), "{bad}: {message}");
    }
    assert!(page.ask(json!({"do": "go", "depth": 3})).get("done").is_some(), "and still it plays");
}

#[test]
fn strangers_crowds_and_floods_are_refused() {
    let server = server();
    assert!(connect(&server, Some("http://evil.example")).is_err());
    assert!(connect(&server, Some("null")).is_err());
    let mut first = connect(&server, None).unwrap();
    first.send(Message::text(r#"{"id": 1, "do": "go"}"#)).unwrap();
    assert!(first.read().unwrap().to_text().unwrap().contains("hello"), "hello comes first");
    first.send(Message::text(r#"{"id": 2, "do": "hello", "hash": 4}"#)).unwrap();
    assert!(first.read().unwrap().to_text().unwrap().contains("done"));
    let second = Page::open(&server);
    assert!(connect(&server, None).is_err(), "two sessions are all");
    drop(second);
    let begin = Instant::now();
    let mut third = loop {
        // The engine of the page that has gone takes a moment to end.
        match connect(&server, None) {
            Ok(socket) => break socket,
            Err(_) => assert!(begin.elapsed() < PATIENCE, "the place does not become free"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    // A message beyond the limit ends the connection, not the server.
    let _ = third.send(Message::text("x".repeat(3 << 20)));
    while let Ok(message) = third.read() {
        assert!(!message.is_text(), "{message}");
    }
    assert_eq!(server.get("/api/status").status, 200);
}

#[test]
fn a_search_does_not_hold_the_server_up_when_it_ends() {
    let server = server();
    let mut page = Page::open(&server);
    page.send(json!({"do": "go", "infinite": true}));
    assert!(page.read().get("info").is_some(), "it has begun");
    let begin = Instant::now();
    let reader = std::thread::spawn(move || {
        let mut texts = Vec::new();
        while let Ok(message) = page.socket.read() {
            texts.push(message.to_string());
        }
        texts
    });
    server.stop();
    // By itself the search would go on for longer.
    assert!(begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
    let texts = reader.join().unwrap();
    assert!(texts.iter().any(|text| text.contains("bestMove")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("the server ends")), "{texts:?}");
}

/// Other people's engines, good and bad, as shell scripts that speak UCI.
#[cfg(unix)]
mod guests {
    use super::*;
    use rukh_serve::guests;

    const GOOD: &str = r#"while read -r line; do case "$line" in
        uci) echo "id name Good 1.0"; echo "option name Hash type spin default 16 min 1 max 64"
             echo "option name UCI_Elo type spin default 1500 min 1000 max 2000"
             echo "option name MultiPV type spin default 1 min 1 max 9"; echo uciok;;
        isready) echo readyok;;
        "go infinite"*) echo "info depth 3 score cp 20 nodes 10 pv e2e4 e7e5";;
        go*) echo "info depth 5 seldepth 7 score cp 33 nodes 99 pv d2d4 d7d5"; echo "bestmove d2d4 ponder d7d5";;
        stop) echo "bestmove e2e4";;
        quit) exit 0;;
    esac; done"#;

    /// A server with engines by name and script.
    fn server(scripts: &[(&str, &str)]) -> Running {
        let folder = std::env::temp_dir();
        let mut texts = Vec::new();
        for (name, script) in scripts {
            let file = folder.join(format!("rukh-guest-{}-{name}.sh", std::process::id()));
            std::fs::write(&file, script).unwrap();
            texts.push(format!("name={name} cmd=/bin/sh args='{}'", file.display()));
        }
        let engine = EngineConfig {
            threads: 2,
            hash: 16,
            longest_search: 2 * PATIENCE,
            guests: guests(&texts).unwrap(),
            guest_patience: Duration::from_secs(2),
            ..EngineConfig::default()
        };
        Running::start(Config { engine, sessions: 2, ..Config::default() })
    }

    fn error(answer: &serde_json::Value) -> &str {
        answer["error"].as_str().unwrap_or_else(|| panic!("{answer}"))
    }

    #[test]
    fn another_engine_analyses_and_plays() {
        let server = server(&[("Good", GOOD)]);
        let status = server.get("/api/status");
        assert!(String::from_utf8_lossy(&status.body).contains(r#""engines":["Good"]"#));
        let mut page = Page::open(&server);
        let hello = page.ask(json!({"do": "hello", "engine": "Good", "hash": 16}));
        assert_eq!(hello["done"]["name"], "Good 1.0", "{hello}");
        assert_eq!(hello["done"]["elo"], json!({"least": 1000, "most": 2000}));
        assert!(page.ask(json!({"do": "position", "fen": "startpos", "moves": []})).get("done").is_some());
        let answer = page.ask(json!({"do": "go", "nodes": 1000}));
        assert_eq!((answer["done"]["bestMove"].as_str(), answer["done"]["san"].as_str()), (Some("d2d4"), Some("d4")));
        assert_eq!(page.infos.last().unwrap()["info"]["score"]["cp"], 33);
        let go = page.send(json!({"do": "go"}));
        assert!(page.read().get("info").is_some(), "it has begun");
        assert!(page.ask(json!({"do": "position", "fen": "startpos"}))["error"].is_string());
        let stop = page.send(json!({"do": "stop"}));
        assert_eq!(page.answer(go)["done"]["bestMove"], "e2e4");
        assert!(page.answer(stop).get("done").is_some());
        // It has no levels below its range, no option of files, and no other variant.
        assert!(page.ask(json!({"do": "option", "name": "UCI_Elo", "value": "500"})).get("done").is_some());
        assert!(error(&page.ask(json!({"do": "option", "name": "SyzygyPath", "value": "/"}))).contains("started"));
        let limit = page.ask(json!({"do": "option", "name": "UCI_LimitStrength", "value": "true"}));
        assert!(error(&limit).contains("full strength"));
        let makruk = page.ask(json!({"do": "position", "fen": "startpos", "variant": "makruk"}));
        assert!(error(&makruk).contains("does not play makruk"), "{makruk}");
        assert!(error(&page.ask(json!({"do": "makeMove", "uci": "e2e5"}))).contains("e2e5"));
        // Our own again, in the same session.
        assert!(page.ask(json!({"do": "hello"}))["done"]["name"].as_str().unwrap().starts_with("Rukh"));
        assert!(page.ask(json!({"do": "go", "depth": 3}))["done"]["bestMove"].is_string());
        assert!(error(&page.ask(json!({"do": "hello", "engine": "/bin/sh"}))).contains("no engine called"));
    }

    #[test]
    fn hostile_engines_are_told_of_and_harm_nobody() {
        let ready = r#"uci) echo uciok;; isready) echo readyok;;"#;
        let with = |go: &str| format!("while read -r line; do case \"$line\" in {ready} {go} esac; done");
        let scripts = [
            ("Crash", with("go*) echo 'on purpose' >&2; exit 3;;"), "crashed"),
            ("Illegal", with("go*) echo bestmove e2e5;;"), "`e2e5`, which is not a legal move"),
            ("Empty", with("go*) echo bestmove;;"), "without a move"),
            ("Garbage", with("go*) head -c 100000 /dev/urandom; echo; echo bestmove 'zz zz';;"), "not a legal move"),
            ("Deaf", with("go*) exec sleep 600;;"), "no answer to 'stop'"),
        ];
        let list: Vec<(&str, &str)> = scripts.iter().map(|(name, script, _)| (*name, script.as_str())).collect();
        let server = server(&[&list[..], &[("Mute", "exec sleep 600"), ("Gone", "exit 1")]].concat());
        let mut page = Page::open(&server);
        assert!(error(&page.ask(json!({"do": "hello", "engine": "Mute"}))).contains("Mute gave no answer to 'uci'"));
        assert!(error(&page.ask(json!({"do": "hello", "engine": "Gone"}))).contains("Gone crashed"));
        for (name, _, words) in &scripts {
            assert!(page.ask(json!({"do": "hello", "engine": name})).get("done").is_some(), "{name}");
            // Twice: it is started anew.
            for _ in 0..2 {
                let go = page.send(json!({"do": "go", "nodes": 10}));
                let stop = (*name == "Deaf").then(|| page.send(json!({"do": "stop"})));
                let answer = page.answer(go);
                if let Some(stop) = stop {
                    page.answer(stop);
                }
                assert!(error(&answer).starts_with(name) && error(&answer).contains(words), "{answer}");
            }
        }
        assert!(page.ask(json!({"do": "hello"})).get("done").is_some());
        assert!(page.ask(json!({"do": "go", "depth": 3}))["done"]["bestMove"].is_string());
    }

    /// Where its program should be is the server's business.
    #[test]
    fn an_engine_that_is_gone_is_named_without_its_path() {
        let engine = EngineConfig {
            threads: 2,
            guests: guests(&["name=Lost cmd=/srv/secret/engine".into()]).unwrap(),
            ..EngineConfig::default()
        };
        let server = Running::start(Config { engine, ..Config::default() });
        let answer = Page::open(&server).ask(json!({"do": "hello", "engine": "Lost"}));
        assert!(error(&answer).starts_with("Lost crashed (cannot start its program: "), "{answer}");
    }

    #[test]
    fn names_are_their_own() {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(guests(&texts(&["cmd=/usr/games/stockfish"])).unwrap()[0].name, "stockfish");
        assert!(guests(&texts(&["cmd=a name=x", "cmd=b name=x"])).unwrap_err().contains("called x"));
        assert!(guests(&texts(&["cmd=a name=Rukh"])).is_err());
        assert!(guests(&texts(&["name=x"])).unwrap_err().contains("cmd="));
    }
}
