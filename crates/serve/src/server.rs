//! The server: what it is told, what its parts share, its life.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware;
use axum::response::Response;
use axum::{Router, body::Body, routing::get};
use rukh_core::{Chess, Makruk};
use rukh_engine::{Engine, EngineError, Memory, Options};
use rukh_store::db::DbError;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, watch};

use crate::guard::{Names, guard};
use crate::listener::serve;
use crate::page::{Page, PageError};
use crate::shelf::Shelf;
use crate::{api, socket};

/// What the server is told.
#[derive(Clone)]
pub struct Config {
    /// The address to listen at; anything but a loopback address lets other machines in.
    pub bind: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// Names other than `localhost` and addresses under which a browser may ask.
    pub allowed_hosts: Vec<String>,
    /// A folder with the page, instead of the one in the binary.
    pub page: Option<PathBuf>,
    /// Databases, at most one of each variant.
    pub databases: Vec<PathBuf>,
    /// The engine of each session.
    pub engine: EngineConfig,
    /// Most sessions at one time.
    pub sessions: usize,
}

/// What an engine session gets.
#[derive(Clone)]
pub struct EngineConfig {
    /// Search threads.
    pub threads: usize,
    /// Most mebibytes of its table.
    pub hash: usize,
    /// A longer search is ended.
    pub longest_search: Duration,
    /// Folders with Syzygy tables; empty for none.
    pub syzygy: String,
    /// The folder with Makruk's tables; empty for those made in memory.
    pub makruk_tables: String,
    /// What chess is learned in.
    pub chess_memory: Option<Arc<dyn Memory<Chess>>>,
    /// What Makruk is learned in.
    pub makruk_memory: Option<Arc<dyn Memory<Makruk>>>,
}

impl Default for EngineConfig {
    fn default() -> EngineConfig {
        EngineConfig {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            hash: 512,
            longest_search: Duration::from_secs(600),
            syzygy: String::new(),
            makruk_tables: String::new(),
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
            page: None,
            databases: Vec::new(),
            engine: EngineConfig::default(),
            sessions: 8,
        }
    }
}

/// Why the server does not run.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The port is taken.
    #[error("port {0} is in use, perhaps by another rukh: choose one with --port, or --port 0 for any")]
    PortInUse(u16),
    /// The address cannot be used.
    #[error("cannot listen at {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] DbError),
    /// The page cannot be used.
    #[error(transparent)]
    Page(#[from] PageError),
    /// Sessions could not have their engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system refuses threads or sockets.
    #[error("cannot start the server: {0}")]
    Start(std::io::Error),
}

/// What all requests share.
pub struct Shared {
    pub page: Page,
    pub shelves: Vec<Shelf>,
    pub engine: Arc<EngineConfig>,
    /// Free engine sessions.
    pub sessions: Arc<Semaphore>,
    /// Sockets that are not closed yet take from these.
    pub talks: Arc<Semaphore>,
    /// Becomes true when the server ends.
    pub ending: watch::Receiver<bool>,
}

/// Ends a running server; may be called from any thread, and more than once.
#[derive(Clone)]
pub struct Stopper(Arc<watch::Sender<bool>>);

impl Stopper {
    /// Lets requests in progress finish and closes the rest.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// A server that listens but does not answer yet.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
    stopper: Stopper,
    ending: watch::Receiver<bool>,
    talks: Arc<Semaphore>,
}

/// Sockets at one time, whatever the number of sessions.
const TALKS: u32 = 1024;

impl Server {
    /// Opens page and database and takes the port, so that what is wrong is known at once.
    pub fn bind(config: &Config) -> Result<Server, ServeError> {
        let page = match &config.page {
            Some(folder) => Page::from_folder(folder)?,
            None => Page::embedded(),
        };
        // Wrong tables are known now, not when the first page asks.
        let engine = &config.engine;
        Engine::new(Options::default())?.set_option("SyzygyPath", &engine.syzygy)?;
        Engine::new(Options::default())?.set_option("MakrukTables", &engine.makruk_tables)?;
        let shelves = Shelf::open_all(&config.databases)?;
        let wanted = SocketAddr::new(config.bind, config.port);
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(16)
            .thread_name("serve")
            .enable_all()
            .build()
            .map_err(ServeError::Start)?;
        let listener = runtime.block_on(TcpListener::bind(wanted)).map_err(|error| match error.kind() {
            std::io::ErrorKind::AddrInUse => ServeError::PortInUse(config.port),
            _ => ServeError::Listen(wanted, error),
        })?;
        let address = listener.local_addr().map_err(ServeError::Start)?;
        let (send, ending) = watch::channel(false);
        let talks = Arc::new(Semaphore::new(TALKS as usize));
        let shared = Shared {
            page,
            shelves,
            engine: Arc::new(config.engine.clone()),
            sessions: Arc::new(Semaphore::new(config.sessions.min(Semaphore::MAX_PERMITS))),
            talks: talks.clone(),
            ending: ending.clone(),
        };
        let router = Router::new()
            .merge(api::routes())
            .route("/engine", get(socket::engine))
            .fallback(page_file)
            .with_state(Arc::new(shared))
            .layer(middleware::from_fn_with_state(Names::new(&config.allowed_hosts), guard));
        Ok(Server { runtime, listener, address, router, stopper: Stopper(Arc::new(send)), ending, talks })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for a browser.
    pub fn url(&self) -> String {
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V6(ip) => format!("[{ip}]"),
            ip => ip.to_string(),
        };
        format!("http://{host}:{}/", self.address.port())
    }

    /// What ends it.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Answers until it is stopped.
    pub fn run(self) {
        let Server { runtime, listener, router, ending, talks, .. } = self;
        runtime.block_on(async {
            serve(listener, router, ending).await;
            // All of them back: all sockets are closed.
            let _ = tokio::time::timeout(Duration::from_secs(3), talks.acquire_many(TALKS)).await;
        });
        runtime.shutdown_timeout(Duration::from_secs(1));
    }
}

async fn page_file(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    shared.page.answer(request.uri().path(), request.headers())
}
