//! A connection: requests, a search, and questions about the engine's own memory.

use rukh_api::{Host, Json, Reporter, limits};
use rukh_core::AnyPosition;
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
    assert!(host.request(&wrong).unwrap_err().starts_with("`g1f3` is not a legal move"));

    let mut reporter = Reporter::new(host.engine());
    let mut infos = Vec::new();
    let go = limits(&Json::parse(r#"{"depth":6,"multipv":2}"#).unwrap(), &host.engine().position()).unwrap();
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
    let start = AnyPosition::default();
    let tried = |text: &str| limits(&Json::parse(text).unwrap(), &start);
    let read = |text: &str| tried(text).unwrap();
    assert!(read("{}").infinite);
    let timed = read(r#"{"wtime":1000,"btime":900,"winc":5,"searchmoves":["e2e4",3]}"#);
    assert!(!timed.infinite);
    assert_eq!((timed.time, timed.inc, timed.searchmoves.len()), ([Some(1000), Some(900)], [5, 0], 1));
    assert_eq!(read(r#"{"depth":4,"nodes":1e30}"#).nodes, Some(u64::MAX));
    assert_eq!(read(r#"{"movetime":99.9}"#).movetime, Some(99));
    assert_eq!(read(r#"{"wtime":-30,"btime":900}"#).time, [Some(0), Some(900)]);
    // Left out, it would be a search without end.
    for wrong in [r#"{"depth":-4}"#, r#"{"nodes":null}"#, r#"{"movetime":"100"}"#, r#"{"depth":4,"multipv":[]}"#] {
        assert!(tried(wrong).unwrap_err().contains("must be a number"), "{wrong}");
    }
    // All moves were searched, and the answer was one of them.
    assert!(tried(r#"{"depth":4,"searchmoves":["e2e5",7]}"#).unwrap_err().contains("searchmoves"));
    assert!(read(r#"{"depth":4,"searchmoves":[]}"#).searchmoves.is_empty());
}

#[test]
fn bad_requests_change_nothing() {
    let host = host();
    for text in [
        "{}",
        r#"{"do":"dance"}"#,
        r#"{"do":"position","fen":"x"}"#,
        // The variant changes with the position or not at all.
        r#"{"do":"position","fen":"x","variant":"makruk"}"#,
        r#"{"do":"position","fen":"startpos","moves":["e2e5"]}"#,
        r#"{"do":"hello","variant":"go"}"#,
        // Numbers are numbers; and where one is refused, the others and the variant stay as they are.
        r#"{"do":"hello","hash":"32"}"#,
        r#"{"do":"hello","hash":1.5}"#,
        r#"{"do":"hello","threads":-1}"#,
        r#"{"do":"hello","hash":32,"threads":1e9,"variant":"makruk"}"#,
        r#"{"do":"option","name":"Hash","value":"lots"}"#,
        // A worker and a socket have neither a book nor a table of their own: what would have no effect is refused.
        r#"{"do":"option","name":"OwnBook","value":"true"}"#,
        r#"{"do":"option","name":"BookFile","value":"book.bin"}"#,
        r#"{"do":"option","name":"BestBookMove","value":"true"}"#,
        r#"{"do":"option","name":"BookDepth","value":"10"}"#,
        r#"{"do":"option","name":"Learn","value":"true"}"#,
        r#"{"do":"option","name":"LearnFile","value":"learned.redb"}"#,
        r#"{"do":"ask"}"#,
    ] {
        assert!(host.request(&Json::parse(text).unwrap()).is_err(), "{text}");
    }
    assert_eq!(host.engine().options(), Options::default());
    assert!(host.engine().fen().ends_with("w KQkq - 0 1"));
}

/// Draws and the count as the engine wants them, for whoever has its score.
#[test]
fn manners_are_asked_for() {
    let ask = |rest: &str| {
        let text = format!(r#"{{"ask":"manners","variant":"makruk","honour":"unclaimed",{rest}}}"#);
        Json::parse(&rukh_api::answer(&text).unwrap()).unwrap()
    };
    let board = r#""fen":"4k3/8/4n3/8/8/3RK3/3S4/8 b - - 0 30""#;
    let worse = ask(&format!(r#"{board},"opinion":-400"#));
    assert_eq!(
        (worse.flag("agrees"), worse.flag("claims"), worse.str("count")),
        (Some(true), Some(true), Some("start"))
    );
    let better = ask(&format!(r#"{board},"opinion":400"#));
    assert_eq!((better.flag("agrees"), better.flag("claims"), better.str("count")), (Some(false), Some(false), None));
    assert!(rukh_api::answer(r#"{"ask":"manners"}"#).is_err());
}
