//! The server: what it is told, what its parts share, its life.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware;
use axum::response::Response;
use axum::{Router, body::Body};
use rukh_store::db::DbError;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::api;
use crate::guard::{Names, guard};
use crate::listener::serve;
use crate::page::{Page, PageError};
use crate::shelf::Shelf;

/// What the server is told.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address to listen at; anything but a loopback address lets other machines in.
    pub bind: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// Names other than `localhost` and addresses under which a browser may ask.
    pub allowed_hosts: Vec<String>,
    /// A folder with the page, instead of the one in the binary.
    pub page: Option<PathBuf>,
    /// A database.
    pub database: Option<PathBuf>,
    /// Search threads of a session.
    pub threads: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 8373,
            allowed_hosts: Vec::new(),
            page: None,
            database: None,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
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
    /// The system refuses threads or sockets.
    #[error("cannot start the server: {0}")]
    Start(std::io::Error),
}

/// What all requests share.
pub struct Shared {
    pub page: Page,
    pub shelf: Option<Shelf>,
    pub threads: usize,
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
}

impl Server {
    /// Opens page and database and takes the port, so that what is wrong is known at once.
    pub fn bind(config: &Config) -> Result<Server, ServeError> {
        let page = match &config.page {
            Some(folder) => Page::from_folder(folder)?,
            None => Page::embedded(),
        };
        let shelf = config.database.as_deref().map(Shelf::open).transpose()?;
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
        let shared = Shared { page, shelf, threads: config.threads };
        let router = Router::new()
            .merge(api::routes())
            .fallback(page_file)
            .with_state(Arc::new(shared))
            .layer(middleware::from_fn_with_state(Names::new(&config.allowed_hosts), guard));
        Ok(Server { runtime, listener, address, router, stopper: Stopper(Arc::new(send)), ending })
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
        let Server { runtime, listener, router, ending, .. } = self;
        runtime.block_on(serve(listener, router, ending));
        runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    }
}

async fn page_file(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    shared.page.answer(request.uri().path(), request.headers())
}
