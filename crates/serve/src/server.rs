//! The server: what its parts share, its life.

use std::any::Any;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::Response;
use axum::{Router, body::Body, routing::get};
use rukh_engine::{Engine, EngineError, Options};
use rukh_store::db::DbError;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, watch};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::TimeoutLayer;

use crate::cache::Cache;
use crate::config::{Bounds, Config, EngineConfig};
use crate::guard::{Gate, Names, guard};
use crate::listener::serve;
use crate::page::{Page, PageError};
use crate::rate::Rates;
use crate::seats::Seats;
use crate::shelf::Library;
use crate::tls::Encryption;
use crate::token::Token;
use crate::users::Users;
use crate::{api, socket};

/// Why the server does not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The port is taken.
    #[error("port {0} is in use, perhaps by another rukh: choose one with --port, or --port 0 for any")]
    PortInUse(u16),
    /// The address cannot be used.
    #[error("cannot listen on {0}: {1}")]
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
    /// Connections cannot be encrypted as wanted.
    #[error("{0}")]
    Tls(String),
    /// The system refuses threads or sockets.
    #[error("cannot start the server: {0}")]
    Start(std::io::Error),
}

/// What all requests share.
pub struct Shared {
    pub page: Page,
    pub library: Arc<Library>,
    pub users: Option<Arc<Users>>,
    pub answers: Cache,
    pub engine: Arc<EngineConfig>,
    pub seats: Arc<Seats>,
    /// Mebibytes for the tables of all sessions.
    pub memory: Arc<Semaphore>,
    /// Sockets that are not closed yet take from these.
    pub talks: Arc<Semaphore>,
    pub bounds: Bounds,
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
    encryption: Option<Encryption>,
    token: Option<Token>,
    bounds: Bounds,
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
        let library = Arc::new(Library::open(&config.databases)?);
        let names: Vec<String> = config.allowed_hosts.clone();
        let encryption = Encryption::new(&config.tls, &[seen_at(config.bind)], &names)?;
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
        let token = match config.demands_token() {
            false => None,
            true => {
                let no_randomness = || ServeError::Start(std::io::Error::other("the system gives no random numbers"));
                Some(Token::new(address.port(), encryption.is_some()).ok_or_else(no_randomness)?)
            }
        };
        let (send, ending) = watch::channel(false);
        let talks = Arc::new(Semaphore::new(TALKS as usize));
        let bounds = config.bounds.clone();
        let shared = Shared {
            page,
            library,
            users: config
                .services
                .clone()
                .map(|services| Arc::new(Users::new(services, bounds.forgotten, ending.clone()))),
            answers: Cache::new(bounds.cache),
            engine: Arc::new(engine.clone()),
            seats: Seats::new(config.sessions, bounds.yields),
            memory: Arc::new(Semaphore::new(engine.hash_total.min(u32::MAX as usize))),
            talks: talks.clone(),
            bounds: bounds.clone(),
            ending: ending.clone(),
        };
        let gate = Gate { names: Names::new(&names), token: token.clone(), rates: Rates::new(bounds.rate) };
        let router = Router::new()
            .merge(api::routes())
            .route("/engine", get(socket::engine))
            .fallback(page_file)
            .with_state(Arc::new(shared))
            .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, bounds.answer))
            .layer(CatchPanicLayer::custom(fault))
            .layer(middleware::from_fn_with_state(Arc::new(gate), guard));
        let stopper = Stopper(Arc::new(send));
        Ok(Server { runtime, listener, address, router, encryption, token, bounds, stopper, ending, talks })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for a browser, with the token where one is demanded.
    pub fn url(&self) -> String {
        let host = match seen_at(self.address.ip()) {
            IpAddr::V6(ip) => format!("[{ip}]"),
            ip => ip.to_string(),
        };
        let scheme = if self.encryption.is_some() { "https" } else { "http" };
        let token = self.token().map(|token| format!("?token={token}")).unwrap_or_default();
        format!("{scheme}://{host}:{}/{token}", self.address.port())
    }

    /// The token that is demanded, if one is.
    pub fn token(&self) -> Option<&str> {
        self.token.as_ref().map(Token::text)
    }

    /// The SHA-256 of the certificate, as browsers show it, if connections are encrypted.
    pub fn fingerprint(&self) -> Option<&str> {
        self.encryption.as_ref().map(|encryption| encryption.fingerprint.as_str())
    }

    /// What ends it.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Answers until it is stopped.
    pub fn run(self) {
        let Server { runtime, listener, router, encryption, bounds, ending, talks, address, token, .. } = self;
        tracing::info!(%address, token = token.is_some(), encrypted = encryption.is_some(), "serving");
        let grace = bounds.grace;
        runtime.block_on(async {
            serve(listener, router, encryption.map(|encryption| encryption.acceptor), bounds, ending).await;
            // All of them back: all sockets are closed.
            let _ = tokio::time::timeout(grace, talks.acquire_many(TALKS)).await;
        });
        runtime.shutdown_timeout(Duration::from_secs(1));
        tracing::info!("ended");
    }
}

/// Under which address others see this computer. Of all its addresses, the one by which it would speak to the world: to
/// "connect" such a socket sends nothing.
fn seen_at(bind: IpAddr) -> IpAddr {
    if !bind.is_unspecified() {
        return bind;
    }
    let far = if bind.is_ipv4() { "192.0.2.1:9" } else { "[2001:db8::1]:9" };
    let address = UdpSocket::bind((bind, 0)).and_then(|socket| {
        socket.connect(far)?;
        socket.local_addr()
    });
    let loopback: IpAddr = if bind.is_ipv4() { [127, 0, 0, 1].into() } else { [0, 0, 0, 0, 0, 0, 0, 1].into() };
    address.map_or(loopback, |address| address.ip())
}

/// The answer to a request that ran into a fault of the program.
fn fault(_: Box<dyn Any + Send + 'static>) -> Response<Body> {
    tracing::error!("a request has panicked");
    api::problem(StatusCode::INTERNAL_SERVER_ERROR, "the server had a fault")
}

async fn page_file(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    shared.page.answer(request.uri().path(), request.headers())
}
