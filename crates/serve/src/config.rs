//! What the server is told.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rukh_arena::spec::EngineSpec;
use rukh_core::{Chess, Makruk};
use rukh_engine::Memory;

/// What the server is told.
#[derive(Clone)]
pub struct Config {
    /// The address to listen at; anything but a loopback address lets other machines in, with a token.
    pub bind: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// Names other than `localhost` and addresses under which a browser may ask.
    pub allowed_hosts: Vec<String>,
    /// Whether connections are encrypted, and with whose certificate.
    pub tls: Tls,
    /// Whether a token is demanded on this computer too, as behind a proxy.
    pub token: bool,
    /// A folder with the page, instead of the one in the binary.
    pub page: Option<PathBuf>,
    /// Databases, at most one of each variant.
    pub databases: Vec<PathBuf>,
    /// Where users' games are fetched from, if they are.
    pub services: Option<Services>,
    /// The engine of each session.
    pub engine: EngineConfig,
    /// Most sessions at one time.
    pub sessions: usize,
    /// How much and how long.
    pub bounds: Bounds,
}

/// Services that have the games of users. They are asked when a page asks, and never else.
#[derive(Debug, Clone)]
pub struct Services {
    /// Where Lichess is, or another server that answers as it does.
    pub lichess: String,
    /// Where chess.com's public data is.
    pub chesscom: String,
    /// A token of Lichess, which answers faster with one.
    pub token: Option<String>,
    /// Where fetched games stay.
    pub folder: PathBuf,
}

impl Services {
    /// The services themselves.
    pub fn in_folder(folder: PathBuf) -> Services {
        let (lichess, chesscom) = ("https://lichess.org".into(), "https://api.chess.com".into());
        Services { lichess, chesscom, token: None, folder }
    }

    /// The address of a service, as its pages are asked for.
    pub fn address(url: &str) -> Result<String, String> {
        let good = url.starts_with("http://") || url.starts_with("https://");
        let wrong = || format!("'{url}' is not an address (http://… or https://…)");
        good.then(|| url.trim_end_matches('/').to_owned()).ok_or_else(wrong)
    }
}

/// Encryption.
#[derive(Debug, Clone, Default)]
pub enum Tls {
    /// None.
    #[default]
    Off,
    /// With a certificate made at the start, which nobody vouches for.
    SelfSigned,
    /// With a certificate (chain) and its key, files in PEM.
    Files {
        /// The certificate, its issuers after it.
        cert: PathBuf,
        /// Its private key.
        key: PathBuf,
    },
}

impl Tls {
    /// With files if there are both, with a new certificate if that is wanted; none for half of a pair.
    pub fn of(cert: Option<PathBuf>, key: Option<PathBuf>, own: bool) -> Option<Tls> {
        match (cert, key) {
            (Some(cert), Some(key)) => Some(Tls::Files { cert, key }),
            (None, None) => Some(if own { Tls::SelfSigned } else { Tls::Off }),
            _ => None,
        }
    }
}

/// What an engine session gets.
#[derive(Clone)]
pub struct EngineConfig {
    /// Search threads.
    pub threads: usize,
    /// Most mebibytes of its table.
    pub hash: usize,
    /// Most mebibytes of all sessions' tables together.
    pub hash_total: usize,
    /// A longer search is ended.
    pub longest_search: Duration,
    /// Folders with Syzygy tables; empty for none.
    pub syzygy: String,
    /// The folder with Makruk's tables; empty for those made in memory.
    pub makruk_tables: String,
    /// Other engines that a page may ask for by name, and no others. Each has a name of its own.
    pub guests: Vec<EngineSpec>,
    /// How long they may take to start, and to end a search after `stop`.
    pub guest_patience: Duration,
    /// What chess is learned in.
    pub chess_memory: Option<Arc<dyn Memory<Chess>>>,
    /// What Makruk is learned in.
    pub makruk_memory: Option<Arc<dyn Memory<Makruk>>>,
}

/// How many clients, and how long they may take.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Connections at one time. A page needs about eight; a newcomer takes the place of whoever has done nothing for longest.
    pub connections: usize,
    /// Connections of one other computer.
    pub per_address: usize,
    /// Requests a second of one other computer; ten seconds' worth may come at once.
    pub rate: u32,
    /// A client must send its whole head within this time, also the next one on a connection that is kept.
    pub head: Duration,
    /// A client must take some of its answer within this time.
    pub write: Duration,
    /// An answer must be found within this time.
    pub answer: Duration,
    /// A session must begin with `hello` within this time.
    pub hello: Duration,
    /// A session that asks nothing for so long is ended.
    pub idle: Duration,
    /// A session that asks nothing for so long gives way when all are in use.
    pub yields: Duration,
    /// A page that has games of a user fetched asks for them again within this time, or they are not fetched any further.
    pub forgotten: Duration,
    /// How long what is going on may take once the server is to end.
    pub grace: Duration,
    /// Bytes of answers of the database that are kept.
    pub cache: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            connections: 512,
            per_address: 64,
            rate: 50,
            head: Duration::from_secs(10),
            write: Duration::from_secs(10),
            answer: Duration::from_secs(30),
            hello: Duration::from_secs(10),
            idle: Duration::from_secs(30 * 60),
            yields: Duration::from_secs(60),
            forgotten: Duration::from_secs(30),
            grace: Duration::from_secs(3),
            cache: 64 << 20,
        }
    }
}

impl Default for EngineConfig {
    fn default() -> EngineConfig {
        EngineConfig {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            hash: 512,
            hash_total: 1024,
            longest_search: Duration::from_secs(600),
            syzygy: String::new(),
            makruk_tables: String::new(),
            guests: Vec::new(),
            guest_patience: Duration::from_secs(10),
            chess_memory: None,
            makruk_memory: None,
        }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 8373,
            allowed_hosts: Vec::new(),
            tls: Tls::Off,
            token: false,
            page: None,
            databases: Vec::new(),
            services: None,
            engine: EngineConfig::default(),
            sessions: 8,
            bounds: Bounds::default(),
        }
    }
}

impl Config {
    /// Whether other computers can come in, or a token is wanted anyway.
    pub(crate) fn demands_token(&self) -> bool {
        self.token || !self.bind.is_loopback()
    }
}
