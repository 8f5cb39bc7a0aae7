//! `rukh serve` as a process: its address, two of them on one database, its end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rukh_testing::Folder;

struct Serve {
    child: Child,
    host: String,
}

impl Serve {
    fn start(args: &[&str]) -> Serve {
        Serve::with(args, Stdio::inherit())
    }

    fn with(args: &[&str], log: Stdio) -> Serve {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rukh"))
            .args(["serve", "--no-learn", "--port", "0"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let host = url.trim().strip_prefix("http://").expect("an address").trim_end_matches('/').to_owned();
        Serve { child, host }
    }

    fn get(&self, target: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(crate::common::PATIENCE)).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.host).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text.split_once("\r\n\r\n").expect("an answer").1.to_owned()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks a server to end, as systems do: it ends well, and soon.
fn end(child: &mut Child) {
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(begin.elapsed() < crate::common::PATIENCE);
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(status.success(), "{status}");
}

fn rukh(args: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_rukh")).args(args).output().unwrap()
}

#[test]
fn two_servers_answer_like_the_command_from_one_database() {
    let dir = Folder::new("serve-two");
    let (pgn, db) = (dir.join("g.pgn"), dir.join("db"));
    std::fs::write(&pgn, "[White \"A\"]\n[Black \"B\"]\n\n1. e4 c5 2. Nf3 1-0\n\n[White \"C\"]\n\n1. e4 e5 0-1\n")
        .unwrap();
    let (pgn, db) = (pgn.to_str().unwrap(), db.to_str().unwrap());
    assert!(rukh(&["db", "import", "--db", db, pgn]).status.success());
    let servers = [Serve::start(&["--db", db]), Serve::start(&["--db", db])];
    let printed = String::from_utf8(rukh(&["db", "explore", "--json", "--db", db, "e4"]).stdout).unwrap();
    for server in &servers {
        assert_eq!(server.get("/api/explore?moves=e4"), printed.trim_end());
    }
    // The port of a running server is taken.
    let port = servers[0].host.rsplit(':').next().unwrap();
    let second = rukh(&["serve", "--no-learn", "--port", port]);
    assert!(!second.status.success());
    assert!(String::from_utf8_lossy(&second.stderr).contains(&format!("port {port} is in use")));
    // An interrupt is a good end, and does not wait for idle connections.
    let idle = TcpStream::connect(&servers[0].host).unwrap();
    let [mut first, _second] = servers;
    end(&mut first.child);
    drop(idle);
}

/// `rukh serve 2>&1 | head -1`: the log has no reader any more, the page has.
#[test]
fn a_closed_log_stops_no_server() {
    let mut server = Serve::with(&["--log", "debug"], Stdio::piped());
    drop(server.child.stderr.take());
    for _ in 0..3 {
        assert!(!server.get("/healthz").is_empty());
    }
}

#[test]
fn wrong_words_are_refused() {
    for (args, part) in [
        (&["--port", "99999"][..], "--port"),
        (&["--bind", "nowhere"], "--bind"),
        (&["--db", "/nonexistent/db"], "/nonexistent/db"),
        (&["--page", "/nonexistent/page"], "/nonexistent/page"),
        (&["what"], "what"),
    ] {
        let out = rukh(&[&["serve", "--no-learn"], args].concat());
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && text.contains(part) && text.lines().count() == 1, "{args:?}: {text}");
    }
}

#[test]
fn the_log_tells_beginning_and_end_and_no_secret() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rukh"))
        .args(["serve", "--no-learn", "--port", "0", "--token", "--log", "info", "--log-json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let token = url.trim().split_once("?token=").expect("a link with a token").1.to_owned();
    // It says that it serves before it does; only then is it ended.
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let begun = lines.by_ref().find(|line| line.contains("\"serving\"")).expect("the line of the beginning");
    assert!(begun.starts_with('{') && begun.ends_with('}') && begun.contains("\"level\":\"INFO\""), "{begun}");
    end(&mut child);
    let rest: Vec<String> = lines.collect();
    assert!(rest.iter().any(|line| line.contains("\"ended\"")), "{rest:?}");
    // Standard error is a file here: no code is drawn into it, and the token stays out of the log.
    for line in rest.iter().chain([&begun]) {
        assert!(!line.contains(&token) && !line.contains('█') && line.starts_with('{'), "{line}");
    }
}
