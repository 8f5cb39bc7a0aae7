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
