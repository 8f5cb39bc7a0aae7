//! A small HTTP client and databases to ask.

pub mod page;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use rukh_pgn::PgnError;
use rukh_serve::{Config, Server, Stopper};
use rukh_store::db::{ImportObserver, ImportOptions, ImportReport, import};
pub use rukh_testing::Folder;

/// Long enough for any machine; only a test that fails waits so long.
pub const PATIENCE: Duration = Duration::from_secs(120);

struct Silent;

impl ImportObserver for Silent {
    fn problem(&mut self, error: &PgnError) {
        panic!("{error}");
    }
    fn progress(&mut self, _: &ImportReport, _: &str) {}
}

pub const GAMES: &str = r#"[Event "A"]
[White "Anna"]
[Black "Björn"]
[Date "2019.03.01"]
[WhiteElo "2400"]
[BlackElo "2300"]

1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 1-0

[Event "B"]
[White "Chen"]
[Black "Dora \"the rook\""]
[Date "2021.03.01"]

1. e4 e5 2. Nf3 Nc6 1/2-1/2
"#;

/// Adds games to a database in `dir`.
pub fn fill(dir: &Path, pgn: &str) {
    let file = dir.join("games.pgn");
    std::fs::create_dir_all(dir).unwrap();
    std::fs::write(&file, pgn).unwrap();
    import(&dir.join("db"), &[file], &ImportOptions::default(), &mut Silent).unwrap();
}

/// The files of a database with such an ending, in order.
pub fn files(db: &Path, ending: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(db).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = all.filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
    files.sort();
    files
}

/// A server in a thread; stopped when dropped.
pub struct Running {
    pub address: SocketAddr,
    pub url: String,
    pub token: Option<String>,
    pub fingerprint: Option<String>,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub fn start(config: Config) -> Running {
        let server = Server::bind(&Config { port: 0, ..config }).unwrap();
        Running {
            address: server.address(),
            url: server.url(),
            token: server.token().map(str::to_owned),
            fingerprint: server.fingerprint().map(str::to_owned),
            stopper: server.stopper(),
            thread: Some(std::thread::spawn(|| server.run())),
        }
    }

    pub fn get(&self, target: &str) -> Answer {
        self.ask("GET", target, &[("Host", &self.address.to_string())])
    }

    pub fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Answer {
        let mut text = format!("{method} {target} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        Answer::of(&self.send(format!("{text}\r\n").as_bytes()))
    }

    /// Sends bytes and reads until the server closes.
    pub fn send(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // The server may close before it has read all.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    pub fn stop(mut self) {
        self.stopper.stop();
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

pub struct Answer {
    pub status: u16,
    head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn of(bytes: &[u8]) -> Answer {
        let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").expect("an HTTP answer");
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: bytes[end + 4..].to_vec() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }
}
