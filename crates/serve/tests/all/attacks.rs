//! Clients that hold on to what they take. Where a test is about giving way, the times are so long that only giving way can
//! let the others through; where it is about a time, that time is short.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::page::{Page, connect};
use crate::common::{Folder, PATIENCE, Running};
use rukh_core::{Chess, Position};
use rukh_engine::{Memo, Memory};
use rukh_serve::{Bounds, Config, EngineConfig};
use serde_json::json;

const LONG: Duration = Duration::from_secs(1000);
const SHORT: Duration = Duration::from_millis(300);

/// Nothing ends by itself.
fn patient() -> Bounds {
    Bounds { connections: 16, head: LONG, write: LONG, hello: LONG, idle: LONG, yields: LONG, ..Bounds::default() }
}

fn server(bounds: Bounds) -> Running {
    let engine = EngineConfig { threads: 2, hash: 8, ..EngineConfig::default() };
    Running::start(Config { engine, bounds, sessions: 2, ..Config::default() })
}

/// More than a socket's buffers hold.
fn with_large_file(name: &str, bounds: Bounds) -> (Folder, Running) {
    let folder = Folder::new(name);
    std::fs::write(folder.0.join("index.html"), "<h1>board</h1>").unwrap();
    std::fs::write(folder.0.join("large.bin"), vec![7; 24 << 20]).unwrap();
    let server = Running::start(Config { page: Some(folder.0.clone()), bounds, ..Config::default() });
    (folder, server)
}

fn open(server: &Running, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

fn large(server: &Running) -> String {
    format!("GET /large.bin HTTP/1.1\r\nHost: {}\r\n\r\n", server.address)
}

#[test]
fn sockets_that_never_read_give_way() {
    let (_folder, server) = with_large_file("never-read", patient());
    let text = large(&server);
    let held: Vec<TcpStream> = (0..48).map(|_| open(&server, &text)).collect();
    for _ in 0..20 {
        assert_eq!(server.get("/healthz").status, 200);
    }
    assert_eq!(server.get("/").text(), "<h1>board</h1>");
    drop(held);
}

#[test]
fn idle_and_slow_sockets_give_way() {
    let server = server(patient());
    for text in ["", "GET / HTTP/1.1\r\nHost: local"] {
        let mut held: Vec<TcpStream> = (0..200).map(|_| open(&server, text)).collect();
        for _ in 0..20 {
            assert_eq!(server.get("/api/status").status, 200, "{text:?}");
            // The slow ones go on.
            held.iter_mut().for_each(|stream| drop(stream.write_all(b"h")));
        }
    }
}

/// Waits until the server has closed a connection whose client writes on.
fn until_refused(mut stream: TcpStream, what: &str) {
    let begin = Instant::now();
    while stream.write_all(b"x").is_ok() {
        assert!(begin.elapsed() < PATIENCE, "{what} is held for ever");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn nobody_waits_for_a_client_for_ever() {
    let bounds = Bounds { head: SHORT, write: SHORT, ..patient() };
    let (_folder, server) = with_large_file("slow", bounds);
    until_refused(open(&server, "GET / HTTP/1.1\r\nHost: "), "a head that does not end");
    let answered = open(&server, &format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address));
    until_refused(answered, "a connection that is kept");
    let mut silent = open(&server, "");
    assert_eq!(silent.read(&mut [0; 9]).expect("a connection without a word is closed"), 0);
    until_refused(open(&server, &large(&server)), "an answer that nobody reads");
}

#[test]
fn slow_readers_get_all_the_same() {
    let (_folder, server) = with_large_file("reader", Bounds { write: Duration::from_secs(20), ..patient() });
    let mut stream = open(&server, &large(&server).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    let (mut total, mut buffer) = (0, vec![0; 1 << 20]);
    loop {
        match stream.read(&mut buffer).unwrap() {
            0 => break,
            n => total += n,
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(total > 24 << 20, "{total}");
}

#[test]
fn silent_sessions_give_way() {
    let server = server(patient());
    let held: Vec<_> = (0..8).map(|_| connect(&server, None).unwrap()).collect();
    let mut page = Page::open(&server);
    assert!(page.ask(json!({"do": "go", "depth": 4}))["done"]["bestMove"].is_string());
    drop(held);
}

#[test]
fn a_session_that_does_nothing_is_ended_with_a_word() {
    let server = server(Bounds { hello: SHORT, idle: 4 * SHORT, ..patient() });
    let mut silent = Page::on(connect(&server, None).unwrap());
    let last = silent.read();
    assert!(last["error"].as_str().unwrap().contains("hello") && last["again"] == true, "{last}");
    let mut idle = Page::open(&server);
    let last = idle.read();
    assert!(last["error"].as_str().unwrap().contains("long time") && last["again"] == true, "{last}");
    // One that searches does something.
    let mut busy = Page::open(&server);
    let go = busy.send(json!({"do": "go", "infinite": true}));
    std::thread::sleep(6 * SHORT);
    let stop = busy.send(json!({"do": "stop"}));
    assert!(busy.answer(go)["done"]["bestMove"].is_string());
    assert!(busy.answer(stop).get("done").is_some());
}

#[test]
fn an_idle_session_gives_way_and_a_searching_one_does_not() {
    let server = server(Bounds { yields: Duration::ZERO, ..patient() });
    let mut busy = Page::open(&server);
    busy.send(json!({"do": "go", "infinite": true}));
    assert!(busy.read().get("info").is_some(), "it has begun");
    let mut idle = Page::open(&server);
    let mut newcomer = Page::open(&server);
    let last = idle.read();
    assert!(last["error"].as_str().unwrap().contains("another page"), "{last}");
    newcomer.send(json!({"do": "go", "infinite": true}));
    assert!(newcomer.read().get("info").is_some());
    assert!(connect(&server, None).is_err(), "both search");
}

#[test]
fn memory_is_bounded_for_all_together() {
    let engine = EngineConfig { threads: 2, hash: 16, hash_total: 16, ..EngineConfig::default() };
    let server = Running::start(Config { engine, bounds: patient(), sessions: 4, ..Config::default() });
    let mut granted = Vec::new();
    let mut pages = Vec::new();
    for _ in 0..3 {
        let mut page = Page::on(connect(&server, None).unwrap());
        granted.push(page.ask(json!({"do": "hello", "hash": 16}))["done"]["hash"].as_u64().unwrap());
        pages.push(page);
    }
    assert_eq!(granted, [8, 4, 2]);
    let option = json!({"do": "option", "name": "hash", "value": "16"});
    assert_eq!(pages[2].ask(option)["done"]["hash"], 2, "half of what is left is no more");
    let less = json!({"do": "option", "name": "Hash", "value": "1"});
    assert_eq!(pages[0].ask(less)["done"]["hash"], 1);
    let more = json!({"do": "option", "name": "Hash", "value": "16"});
    assert_eq!(pages[1].ask(more)["done"]["hash"], 6, "now there is more");
}

/// What is remembered of 1. e4 is a fault of the program.
struct Trap;

impl Memory<Chess> for Trap {
    fn recall(&self, root: &Position<Chess>, _: usize, _: Duration) -> Vec<(Position<Chess>, Memo)> {
        assert!(!root.fen().contains("4P3"), "a fault on purpose");
        Vec::new()
    }
    fn record(&self, _: Vec<(Position<Chess>, Memo)>) {}
}

#[test]
fn a_panic_ends_its_own_search_only() {
    let engine = EngineConfig { threads: 2, hash: 8, chess_memory: Some(Arc::new(Trap)), ..EngineConfig::default() };
    let server = Running::start(Config { engine, bounds: patient(), sessions: 2, ..Config::default() });
    let mut other = Page::open(&server);
    let running = other.send(json!({"do": "go", "infinite": true}));
    let mut page = Page::open(&server);
    for _ in 0..3 {
        page.ask(json!({"do": "position", "fen": "startpos", "moves": ["e2e4"]}));
        let answer = page.ask(json!({"do": "go", "nodes": 100_000}));
        assert!(answer["error"].is_string(), "{answer}");
        page.ask(json!({"do": "position", "fen": "startpos"}));
        assert!(page.ask(json!({"do": "go", "depth": 3}))["done"]["bestMove"].is_string());
    }
    let stop = other.send(json!({"do": "stop"}));
    assert!(other.answer(running)["done"]["bestMove"].is_string());
    assert!(other.answer(stop).get("done").is_some());
}

#[test]
fn the_end_waits_for_nobody() {
    let bounds = Bounds { grace: Duration::from_secs(1), ..patient() };
    let (_folder, server) = with_large_file("end", bounds);
    let text = large(&server);
    let mut held: Vec<TcpStream> = ["", "GET /", &text].iter().map(|text| open(&server, text)).collect();
    let mut page = connect(&server, None).unwrap();
    assert_eq!(server.get("/healthz").status, 200);
    let address = server.address;
    server.stop();
    assert!(page.read().is_ok_and(|message| message.to_string().contains("the server ends")));
    assert!(TcpStream::connect(address).is_err());
    held[0].read_exact(&mut [0]).expect_err("closed");
}
