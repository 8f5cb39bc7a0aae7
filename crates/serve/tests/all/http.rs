//! The server as a browser, a stranger and a broken client see it.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use crate::common::{Folder, GAMES, Running, fill};
use rukh_api::reports::explored;
use rukh_code::{Codec, Selector};
use rukh_core::{Chess, Notation};
use rukh_serve::{Bounds, Config, ServeError, Server, Services};
use rukh_store::codes::StoreTables;
use rukh_store::db::{Database, position};

fn with_games(name: &str) -> (Folder, Running) {
    let folder = Folder::new(name);
    fill(&folder.0, GAMES);
    let server = Running::start(Config { databases: vec![folder.0.join("db")], ..Config::default() });
    (folder, server)
}

#[test]
fn the_answer_is_that_of_the_command() {
    let (folder, server) = with_games("same");
    let database = Database::<Chess>::open(&folder.0.join("db")).unwrap();
    for (query, text) in [
        ("", ""),
        ("?moves=e4", "e4"),
        ("?moves=e2e4,c7c5,g1f3", "e4 c5 Nf3"),
        ("?fen=rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR%20b%20KQkq%20-%200%201", "e4"),
        ("?moves=a3", "a3"),
        ("?fen=startpos", ""),
        ("?fen=fdc_yeyowhwg-", ""),
        ("?code=startpos", ""),
        ("?code=fdc_yeyowhwg-", ""),
    ] {
        let answer = server.get(&format!("/api/explore{query}"));
        assert_eq!(answer.status, 200, "{query}");
        let pos = position::<Chess>(text).unwrap();
        let wanted = explored(&database, &pos, &database.explore(&pos).unwrap(), Notation::Standard).unwrap();
        assert_eq!(answer.text(), wanted, "{query}");
        answer.json();
    }
    for wrong in ["?fen=x", "?fen=fdc_yeyowhwg0", "?code=x", "?fen=startpos&code=fdc_yeyowhwg-"] {
        assert_eq!(server.get(&format!("/api/explore{wrong}")).status, 400, "{wrong}");
    }
    let start = server.get("/api/explore").json();
    assert_eq!((start["games"].as_u64(), start["moves"][0]["uci"].as_str()), (Some(2), Some("e2e4")));
    assert_eq!(server.get("/api/stats").json()["games"], 2);
    assert_eq!(server.get("/api/status").json()["database"], true);
    server.stop();
}

/// A position that has no direct code has one of the database that is served, and that database can be asked with it.
#[test]
fn codes_of_the_database_are_known() {
    const WILD: &str = "q2n1k2/1P1b1R1p/nB2r1P1/2p1Qb2/1N3p1r/p1P1q1B1/1R1p1N2/3K1n2 b - - 0 1";
    let folder = Folder::new("codes");
    fill(&folder.0, &format!("[FEN \"{WILD}\"]\n\nKg8 *\n"));
    let dir = folder.0.join("db");
    let database = Database::<Chess>::open(&dir).unwrap();
    let tables = StoreTables::lasting(Some(&database), None);
    let code = Selector::new(Codec::chess(), tables).find(&position::<Chess>(WILD).unwrap()).unwrap().unwrap();
    let server = Running::start(Config { databases: vec![dir], ..Config::default() });
    for question in ["position", "explore"] {
        let answer = server.get(&format!("/api/{question}?code={code}"));
        assert_eq!((answer.status, answer.json()["fen"].as_str()), (200, Some(WILD)), "{question}");
    }
    assert_eq!(server.get(&format!("/api/games?code={code}")).json()["games"].as_array().unwrap().len(), 1);
    server.stop();
    let without = Running::start(Config::default());
    let answer = without.get(&format!("/api/position?code={code}"));
    assert!(answer.status == 400 && answer.text().contains("'rukh code decode --db FOLDER'"), "{}", answer.text());
    without.stop();
}

#[test]
fn a_database_of_each_variant() {
    let (folder, chess) = with_games("variants");
    let thai = folder.0.join("thai");
    fill(&thai, "[White \"Somchai\"]\n[Black \"Malee\"]\n[Variant \"Makruk\"]\n\n1. d4 d5 2. Sd2 Sd7 1-0\n");
    let fischer = "[Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/8/5KR1 w G - 0 1\"]\n\n1. O-O Kd7 *\n";
    fill(&folder.0.join("fischer"), fischer);
    assert_eq!(chess.get("/api/explore?variant=makruk").status, 404);
    let all = ["db", "thai/db", "fischer/db"].map(|name| folder.0.join(name));
    let server = Running::start(Config { databases: all.to_vec(), ..Config::default() });
    assert_eq!(server.get("/api/status").json()["databases"], serde_json::json!(["chess", "makruk", "chess960"]));
    let found = server.get("/api/explore?variant=makruk&moves=d3d4").json();
    assert_eq!((found["games"].as_u64(), found["moves"][0]["san"].as_str()), (Some(1), Some("d5")));
    assert_eq!(found["fen"], "rnsmksnr/8/pppppppp/8/3P4/PPP1PPPP/8/RNSKMSNR b - - 0 1");
    // The name of a game leads to its database without further words.
    let id = found["examples"][0]["id"].as_str().unwrap();
    let game = server.get(&format!("/api/games?id={id}")).json();
    assert!(game["games"][0]["pgn"].as_str().unwrap().contains("[Variant \"Makruk\"]"), "{game}");
    assert_eq!(server.get("/api/games?variant=makruk").json()["games"][0]["id"], id);
    assert_eq!(server.get("/api/explore").json()["games"], 2);
    assert_eq!(server.get("/api/stats?variant=makruk").json()["variant"], "makruk");
    let castling = server.get("/api/explore?variant=chess960&fen=4k3/8/8/8/8/8/8/5KR1%20w%20G%20-%200%201").json();
    assert_eq!(
        (castling["moves"][0]["uci"].as_str(), castling["moves"][0]["san"].as_str()),
        (Some("f1g1"), Some("O-O"))
    );
    assert_eq!(
        server
            .get("/api/explore?variant=makruk&fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20-%20-%200%201")
            .status,
        400
    );
    // Alone, a database needs no word either; two of one variant would be a riddle.
    let alone = Running::start(Config { databases: vec![thai.join("db")], ..Config::default() });
    assert_eq!(alone.get("/api/stats").json()["games"], 1);
    let twice = Config { port: 0, databases: vec![thai.join("db"), thai.join("db")], ..Config::default() };
    assert!(matches!(Server::bind(&twice), Err(ServeError::Database(_))));
}

#[test]
fn games_and_openings() {
    let (_folder, server) = with_games("games");
    let id = server.get("/api/explore?moves=e4,e5").json()["examples"][0]["id"].as_str().unwrap().to_owned();
    let game = server.get(&format!("/api/games?id={id}")).json();
    let pgn = game["games"][0]["pgn"].as_str().unwrap();
    assert!(pgn.contains("1. e4 e5 2. Nf3 Nc6") && pgn.contains("Dora"), "{pgn}");
    assert_eq!(server.get("/api/games?moves=e4").json()["games"].as_array().unwrap().len(), 2);
    assert_eq!(server.get("/api/games?id=9/9").status, 404);
    assert_eq!(server.get("/api/games?id=x").status, 400);
    let najdorf = server.get("/api/openings?moves=e4,c5,Nf3,d6,d4,cxd4,Nxd4,Nf6,Nc3,a6,h4,h5").json();
    assert_eq!(najdorf["eco"], "B90");
    let found = server.get("/api/openings?name=najdorf").json();
    assert!(found["openings"].as_array().unwrap().iter().any(|o| o["eco"] == "B90"));
    assert_eq!(server.get("/api/openings").json()["name"], serde_json::Value::Null);
}

#[test]
fn bad_questions_are_refused_with_a_reason() {
    let (_folder, server) = with_games("bad");
    for query in [
        "fen=nonsense",
        "fen=8/8/8/8/8/8/8/8%20w%20-%20-%200%201",
        "moves=e4,e4",
        "moves=%00%FF",
        "fen=8/8&moves=e4",
        "variant=xiangqi",
        "moves=%ZZ",
        &format!("moves={}", "e4,".repeat(3000)),
    ] {
        let answer = server.get(&format!("/api/explore?{query}"));
        assert_eq!(answer.status, 400, "{query}: {}", answer.text());
        assert!(!answer.body.is_empty());
    }
    assert_eq!((server.get("/api/nothing").status, server.get("/api/user/no/such").status), (404, 404));
    let host = server.address.to_string();
    assert_eq!(server.ask("POST", "/api/stats", &[("Host", &host)]).status, 405);
    let bare = Running::start(Config::default());
    let answer = bare.get("/api/explore");
    assert!(answer.status == 404 && answer.json()["error"].as_str().unwrap().contains("--db"));
}

#[test]
fn strangers_are_refused() {
    let (_folder, server) = with_games("strangers");
    let host = server.address.to_string();
    let status = |headers: &[(&str, &str)]| server.ask("GET", "/api/stats", headers).status;
    assert_eq!(status(&[("Host", &host), ("Origin", &format!("http://{host}"))]), 200);
    assert_eq!(status(&[("Host", &host), ("Origin", "http://evil.example")]), 403);
    assert_eq!(status(&[("Host", &host), ("Sec-Fetch-Site", "cross-site")]), 403);
    // A hostile name that now points to this machine.
    assert_eq!(status(&[("Host", "evil.example")]), 403);
    assert_eq!(status(&[("Host", "evil.example"), ("Origin", "http://evil.example")]), 403);
    assert_eq!(status(&[]), 400);
    // Of two hosts, one may be checked here and the other obeyed by a proxy.
    assert_eq!(status(&[("Host", &host), ("Host", &host)]), 400);
    assert_eq!(status(&[("Host", &host), ("Host", "evil.example")]), 400);
    assert_eq!(server.ask("GET", "http://evil.example/api/stats", &[("Host", &host)]).status, 400);
    assert_eq!(server.get("/healthz").json()["status"], "ok");
}

#[test]
fn rubbish_does_not_stop_the_server() {
    let (_folder, server) = with_games("rubbish");
    for bytes in [&b"\x16\x03\x01\x02\x00\x01\x00"[..], b"GET", b"\r\n\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"] {
        let mut bytes = bytes.to_vec();
        bytes.extend(b"\r\n\r\n");
        server.send(&bytes);
    }
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(1 << 20));
    server.send(long.as_bytes());
    assert_eq!(server.get("/api/stats").status, 200);
    server.stop();
}

#[test]
fn page_files_are_cached_packed_and_fenced() {
    let folder = Folder::new("page");
    std::fs::create_dir_all(folder.0.join("assets")).unwrap();
    std::fs::write(folder.0.join("index.html"), "<h1>board</h1>").unwrap();
    std::fs::write(folder.0.join("assets/app-1a2b.js"), "let x = 1;").unwrap();
    std::fs::write(folder.0.join("assets/app-1a2b.js.br"), "packed").unwrap();
    let server = Running::start(Config { page: Some(folder.0.clone()), ..Config::default() });
    let index = server.get("/");
    assert_eq!((index.status, index.text().as_str()), (200, "<h1>board</h1>"));
    assert_eq!(index.header("cache-control"), Some("no-cache"));
    assert!(index.header("server").unwrap().starts_with("rukh/"));
    assert_eq!(index.header("cross-origin-opener-policy"), Some("same-origin"));
    assert_eq!(index.header("cross-origin-embedder-policy"), Some("require-corp"));
    assert!(index.header("content-security-policy").unwrap().contains("default-src 'self'"));
    let tag = index.header("etag").unwrap();
    let host = server.address.to_string();
    let again = server.ask("GET", "/", &[("Host", &host), ("If-None-Match", tag)]);
    assert_eq!((again.status, again.body.len()), (304, 0));
    let script = server.get("/assets/app-1a2b.js");
    assert!(script.header("cache-control").unwrap().contains("immutable"));
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    let packed = server.ask("GET", "/assets/app-1a2b.js", &[("Host", &host), ("Accept-Encoding", "gzip, br")]);
    assert_eq!((packed.header("content-encoding"), packed.text().as_str()), (Some("br"), "packed"));
    for path in ["/assets/app-1a2b.js.br", "/assets/../index.html", "/..%2f..%2fetc/passwd", "/%2e%2e/x", "/assets/"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn what_is_wrong_is_said_at_once() {
    let server = Server::bind(&Config { port: 0, ..Config::default() }).unwrap();
    let port = server.address().port();
    let second = Server::bind(&Config { port, ..Config::default() });
    assert!(matches!(second, Err(ServeError::PortInUse(p)) if p == port));
    let folder = Folder::new("empty");
    let none = Server::bind(&Config { port: 0, databases: vec![folder.0.clone()], ..Config::default() });
    assert!(matches!(none, Err(ServeError::Database(_))));
    let none = Server::bind(&Config { port: 0, page: Some(folder.0.clone()), ..Config::default() });
    assert!(matches!(none, Err(ServeError::Page(_))));
}

#[test]
fn an_import_is_seen_without_a_restart_and_two_servers_share_one_database() {
    let (folder, one) = with_games("two");
    let two = Running::start(Config { databases: vec![folder.0.join("db")], ..Config::default() });
    assert_eq!(one.get("/api/explore").text(), two.get("/api/explore").text());
    fill(&folder.0, "[White \"Emil\"]\n[Black \"Fay\"]\n\n1. d4 d5 2. c4 1-0\n");
    let begin = std::time::Instant::now();
    for server in [&one, &two] {
        while server.get("/api/stats").json()["games"] != 3 {
            assert!(begin.elapsed() < crate::common::PATIENCE, "the new games do not appear");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert_eq!(server.get("/api/explore?moves=d4,d5").json()["moves"][0]["san"], "c4");
    }
    one.stop();
    assert_eq!(two.get("/api/stats").status, 200);
}

#[test]
fn answers_of_a_damaged_database_say_what_they_lack() {
    let (folder, server) = with_games("damaged");
    for path in ["/api/explore", "/api/games", "/api/stats"] {
        assert_eq!(server.get(path).json()["missing"], serde_json::Value::Null, "{path}");
    }
    let first = server.get("/api/games").json()["games"][0]["id"].as_str().unwrap().to_owned();
    fill(&folder.0, "[White \"Emil\"]\n[Black \"Fay\"]\n\n1. e4 e6 2. d4 1-0\n");
    server.stop();
    // The first segment's games, two of three, cannot be read.
    let segment = crate::common::files(&folder.0.join("db"), "games").remove(0);
    let mut bytes = std::fs::read(&segment).unwrap();
    bytes[64] ^= 1;
    std::fs::write(&segment, bytes).unwrap();
    let server = Running::start(Config { databases: vec![folder.0.join("db")], ..Config::default() });
    // Twice: an answer that lacks something is not kept, and says so again.
    for path in ["/api/explore", "/api/games", "/api/stats"].repeat(2) {
        let answer = server.get(path).json();
        assert_eq!(answer["missing"], serde_json::json!({ "segments": 1, "games": 2 }), "{path}: {answer}");
    }
    assert_eq!(server.get("/api/explore").json()["games"], 1);
    let there = server.get("/api/games").json()["games"][0]["id"].as_str().unwrap().to_owned();
    let one = server.get(&format!("/api/games?id={there}")).json();
    assert!(one["games"][0]["pgn"].as_str().unwrap().contains("Emil") && one["missing"]["games"] == 2, "{one}");
    // A game that cannot be read is not one that never was.
    let lost = server.get(&format!("/api/games?id={first}"));
    assert!(lost.status == 500 && lost.text().contains("damaged"), "{}", lost.text());
}

/// Where the server's files are is nobody's business.
#[test]
fn errors_name_no_folder_of_the_server() {
    let (folder, server) = with_games("folders");
    let id = server.get("/api/games").json()["games"][0]["id"].as_str().unwrap().to_owned();
    server.stop();
    let server = Running::start(Config { databases: vec![folder.0.join("db")], ..Config::default() });
    for segment in crate::common::files(&folder.0.join("db"), "games") {
        std::fs::OpenOptions::new().write(true).open(segment).unwrap().set_len(70).unwrap();
    }
    let lost = server.get(&format!("/api/games?id={id}"));
    let said = lost.json()["error"].as_str().unwrap().to_owned();
    assert!(lost.status == 500 && said.contains(".games: ") && !said.contains(['/', '\\']), "{said}");
}

/// As Lichess answers: Anna has two games, Carl three with a pause after the first, nobody else any.
fn lichess() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
                head.push(byte[0]);
            }
            let game = |day| {
                format!(
                    "[Event \"A\"]\n[Site \"{day}\"]\n[UTCDate \"2026.01.0{day}\"]\n[UTCTime \"00:00:00\"]\n\n1. e4 *\n\n\n"
                )
            };
            let slow = head.starts_with(b"GET /api/games/user/carl?");
            let known = slow || head.starts_with(b"GET /api/games/user/anna?");
            let (first, rest) = if known { (game(1), game(2)) } else { Default::default() };
            let rest = if slow { rest + &game(3) } else { rest };
            let status = if known { "200 OK" } else { "404 Not Found" };
            let length = first.len() + rest.len();
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{first}");
            if slow {
                std::thread::sleep(PAUSE);
            }
            let _ = stream.write_all(rest.as_bytes());
        }
    });
    address
}

/// Between the games of Carl.
const PAUSE: Duration = Duration::from_millis(900);

/// Games that nobody waited for are not all games: whoever asks later was told that they were.
#[test]
fn games_that_nobody_waited_for_are_fetched_on() {
    let folder = Folder::new("forgotten");
    let services = Services { lichess: lichess(), ..Services::in_folder(folder.0.clone()) };
    let bounds = Bounds { forgotten: PAUSE / 3, ..Bounds::default() };
    let server = Running::start(Config { services: Some(services), bounds, ..Config::default() });
    let ask = || server.get("/api/user?site=lichess&name=carl");
    let kept = || server.get("/api/user/games?site=lichess&name=carl").text().matches("[Event ").count();
    assert_eq!(ask().json()["done"], false);
    std::thread::sleep(2 * PAUSE);
    assert_eq!(kept(), 2, "when the second had come, nobody had asked for some time");
    let again = ask();
    assert_eq!((again.status, &again.json()["done"]), (200, &false.into()));
    while ask().json()["done"] == false {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(kept(), 3);
    // What ended while nobody asked was told to whoever asked next, however much later, and newer games were not looked for.
    let anna = || server.get("/api/user?site=lichess&name=anna").json()["done"].clone();
    assert_eq!(anna(), false);
    std::thread::sleep(PAUSE);
    assert_eq!(anna(), false);
}

#[test]
fn the_games_of_a_user() {
    let folder = Folder::new("users");
    let services = Services { lichess: lichess(), ..Services::in_folder(folder.0.clone()) };
    let server = Running::start(Config { services: Some(services), ..Config::default() });
    assert_eq!(server.get("/api/status").json()["users"], true);
    let finished = |target: &str| {
        loop {
            let answer = server.get(target);
            if answer.status != 200 || answer.json()["done"] == true {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let none = server.get("/api/user/games?site=lichess&name=Anna");
    assert_eq!((none.status, none.json()["error"].as_str()), (404, Some("nothing of this user was fetched yet")));
    assert_eq!(finished("/api/user?site=lichess&name=Anna").json()["games"], 2);
    let games = server.get("/api/user/games?site=lichess&name=Anna");
    assert_eq!((games.status, games.text().matches("[Event ").count()), (200, 2));
    assert_eq!(games.header("content-type"), Some("application/x-chess-pgn; charset=utf-8"));
    let nobody = finished("/api/user?site=lichess&name=nobody");
    let why = "Lichess: there is no user nobody with public games";
    assert_eq!((nobody.status, nobody.json()["error"].as_str()), (502, Some(why)));
    // No name leads to another server or to another file.
    for name in ["", "..%2Fx", "anna@http://127.0.0.1:1", "a%2Fb", "a%20b"] {
        assert_eq!(server.get(&format!("/api/user?site=lichess&name={name}")).status, 400, "{name}");
        assert_eq!(server.get(&format!("/api/user/games?site=lichess&name={name}")).status, 400, "{name}");
    }
    assert_eq!(server.get("/api/user?site=elsewhere&name=anna").status, 400);
    // Refusals were text here, and a page where there is nothing.
    for target in
        ["/api/user?name=a&name=b", "/api/user/games?site=a&site=b", "/api/", "/api/nothing", "/api/user/no/such"]
    {
        assert!(server.get(target).json()["error"].is_string(), "{target}");
    }
    // Whoever comes from elsewhere would fill the disk of this computer, and ask the services in its name.
    let folder_then = folder.names();
    for target in ["/api/user?site=lichess&name=carl", "/api/user/games?site=lichess&name=anna"] {
        let far =
            server.ask("GET", target, &[("Host", &server.address.to_string()), ("X-Forwarded-For", "203.0.113.9")]);
        assert_eq!((far.status, far.json()["error"].is_string()), (404, true), "{target}");
    }
    let far = [("Host", &*server.address.to_string()), ("Via", "1.1 far")];
    assert_eq!(server.ask("GET", "/api/status", &far).json()["users"], false);
    assert_eq!(folder.names(), folder_then);
    let host = server.address.to_string();
    let foreign = [("Host", host.as_str()), ("Sec-Fetch-Site", "cross-site")];
    assert_eq!(server.ask("GET", "/api/user?site=lichess&name=anna", &foreign).status, 403, "only the page asks");
    let without = Running::start(Config::default());
    assert_eq!(without.get("/api/user?site=lichess&name=anna").status, 404);
    assert_eq!(without.get("/api/status").json()["users"], false);
}
