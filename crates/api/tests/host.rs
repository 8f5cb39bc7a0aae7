//! A connection: requests, a search, and questions about the engine's own memory.

use rukh_api::{Host, Json, Reporter, limits};
use rukh_engine::{Engine, Options};

fn host() -> Host {
    Host::new(Engine::new(Options::default()).unwrap())
}

fn request(host: &Host, text: &str) -> Json {
    Json::parse(&host.request(&Json::parse(text).unwrap()).unwrap_or_else(|e| panic!("{text}: {e}"))).unwrap()
}

#[test]
fn a_whole_conversation() {
    let host = host();
    let hello = request(&host, r#"{"do":"hello","hash":1,"variant":"makruk"}"#);
    assert!(hello.str("name").unwrap().starts_with("Rukh "));
    request(&host, r#"{"do":"position","fen":"startpos","moves":["e2e4","e7e5"],"variant":"chess"}"#);
    request(&host, r#"{"do":"makeMove","uci":"g1f3"}"#);
    let wrong = Json::parse(r#"{"do":"makeMove","uci":"g1f3"}"#).unwrap();
    assert!(host.request(&wrong).unwrap_err().contains("illegal move"));

    let mut reporter = Reporter::new(host.engine());
    let mut infos = Vec::new();
    let go = limits(&Json::parse(r#"{"depth":6,"multipv":2}"#).unwrap());
    let result = host.engine().go(go, |info| infos.push(reporter.info(info)));
    let info = Json::parse(infos.last().unwrap()).unwrap();
    assert_eq!(info.str("turn"), Some("black"));
    assert_eq!(info.get("pv").unwrap().list().len(), info.get("san").unwrap().list().len());
    let answer = Json::parse(&reporter.result(&result)).unwrap();
    assert_eq!(answer.get("lines").unwrap().list().len(), 2);
    assert!(answer.str("san").is_some());

    let probe = request(&host, r#"{"do":"ask","question":{"ask":"hashProbe","moves":["e2e4","e7e5","g1f3"]}}"#);
    let entries = probe.get("entries").unwrap().list();
    let hit = &entries[probe.uint("hit").expect("the root is in the table") as usize];
    // The table has the first line's move; the second line may have overtaken it.
    let lines = answer.get("lines").unwrap().list().iter();
    let firsts: Vec<_> = lines.map(|line| line.get("pv").unwrap().list()[0].text()).collect();
    assert!(firsts.contains(&hit.str("move")), "{firsts:?}");
    let map = request(&host, r#"{"do":"ask","question":{"ask":"hashMap","cells":64}}"#);
    assert_eq!(map.get("used").unwrap().list().len(), 64);
    assert!(map.get("used").unwrap().list().iter().any(|n| n.number() != Some(0.0)));
}

#[test]
fn limits_are_read() {
    let read = |text: &str| limits(&Json::parse(text).unwrap());
    assert!(read("{}").infinite);
    let timed = read(r#"{"wtime":1000,"btime":900,"winc":5,"searchmoves":["e2e4",3]}"#);
    assert!(!timed.infinite);
    assert_eq!((timed.time, timed.inc, timed.searchmoves.len()), ([Some(1000), Some(900)], [5, 0], 1));
    assert_eq!(read(r#"{"depth":-4,"nodes":1e30}"#).nodes, Some(u64::MAX));
}

#[test]
fn bad_requests_change_nothing() {
    let host = host();
    for text in [
        "{}",
        r#"{"do":"dance"}"#,
        r#"{"do":"position","fen":"x"}"#,
        r#"{"do":"position","fen":"startpos","moves":["e2e5"]}"#,
        r#"{"do":"hello","variant":"go"}"#,
        r#"{"do":"option","name":"Hash","value":"lots"}"#,
        r#"{"do":"ask"}"#,
    ] {
        assert!(host.request(&Json::parse(text).unwrap()).is_err(), "{text}");
    }
    assert_eq!(host.engine().options(), Options::default());
    assert!(host.engine().fen().ends_with("w KQkq - 0 1"));
}
