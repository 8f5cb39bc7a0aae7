//! The games of a user of Lichess or chess.com, fetched because a page asks for them.
//!
//! A page asks again and again until all have come; nobody asking for some time means that nobody wants them any more.

use std::fs::File;
use std::io::Read;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Extension, Query, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode, Uri};
use futures_util::stream;
use rukh_api::reports;
use rukh_engine::lock;
use rukh_store::source::{Access, SourceError, fetch_user, fetch_user_while};
use tokio::sync::{mpsc, watch};

use crate::api::{Refusal, answer, bad, problem};
use crate::config::Services;
use crate::crowd::is_foreign;
use crate::listener::Peer;
use crate::server::Shared;
use crate::words;

const LONGEST_NAME: usize = 60;
const CHUNK: usize = 64 << 10;

/// What may be fetched, and what is being fetched now: one user at a time, as the services wish.
pub struct Users {
    services: Services,
    forgotten: Duration,
    ending: watch::Receiver<bool>,
    job: Mutex<Option<Arc<Job>>>,
}

/// A user's games on their way.
struct Job {
    what: String,
    games: AtomicU64,
    asked: Mutex<Instant>,
    outcome: Mutex<Option<Result<(), String>>>,
}

/// Whose games.
#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub struct Wanted {
    site: String,
    name: String,
}

impl Users {
    pub fn new(services: Services, forgotten: Duration, ending: watch::Receiver<bool>) -> Users {
        Users { services, forgotten, ending, job: Mutex::new(None) }
    }

    /// The user as sources are named. A name never leads to another server or file.
    fn what(&self, wanted: &Wanted) -> Result<String, Refusal> {
        let name = wanted.name.trim();
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if name.is_empty() || name.len() > LONGEST_NAME || !plain {
            return Err(bad("a user's name has letters, digits, - and _ only"));
        }
        match wanted.site.as_str() {
            "lichess" => Ok(format!("lichess-user:{name}@{}", self.services.lichess)),
            "chesscom" => Ok(format!("chesscom-user:{name}@{}", self.services.chesscom)),
            _ => Err(bad("site: lichess or chesscom")),
        }
    }

    fn access(&self, online: bool) -> Access {
        let Services { token, folder, .. } = self.services.clone();
        Access { online, token, cache: Some(folder), ..Access::default() }
    }

    /// How far the fetching is; begins it where nobody has. What has ended is told once, and not to somebody who comes much later: who asks
    /// then asks for newer games.
    fn progress(self: &Arc<Self>, wanted: &Wanted) -> Result<String, Refusal> {
        let what = self.what(wanted)?;
        let mut current = lock(&self.job);
        let old = |job: &Job| lock(&job.outcome).is_some() && lock(&job.asked).elapsed() >= self.forgotten;
        let job = match &*current {
            Some(job) if job.what == what && !old(job) => job.clone(),
            Some(job) if lock(&job.outcome).is_none() => {
                let why = "the games of another user are being fetched: the services want one question at a time";
                return Err(Refusal(StatusCode::CONFLICT, why.into()));
            }
            _ => {
                let (asked, outcome) = (Mutex::new(Instant::now()), Mutex::new(None));
                let job = Arc::new(Job { what, games: AtomicU64::new(0), asked, outcome });
                let (users, working) = (self.clone(), job.clone());
                tokio::task::spawn_blocking(move || users.work(&working));
                *current = Some(job.clone());
                job
            }
        };
        *lock(&job.asked) = Instant::now();
        let games = job.games.load(Ordering::Relaxed);
        let outcome = lock(&job.outcome).clone();
        if outcome.is_some() {
            *current = None;
        }
        match outcome {
            None => Ok(reports::fetched(games, false)),
            Some(Ok(())) => Ok(reports::fetched(games, true)),
            Some(Err(why)) => Err(Refusal(StatusCode::BAD_GATEWAY, why)),
        }
    }

    fn work(&self, job: &Arc<Job>) {
        let mut wanted = true;
        let mut go_on = |games| {
            job.games.store(games, Ordering::Relaxed);
            wanted = lock(&job.asked).elapsed() < self.forgotten && !*self.ending.borrow();
            wanted
        };
        // A fault here must not leave everybody waiting for an end.
        let fetched = catch_unwind(AssertUnwindSafe(|| fetch_user_while(&job.what, &self.access(true), &mut go_on)));
        if !wanted {
            // What has come is not all: the next one who asks has the rest fetched.
            lock(&self.job).take_if(|current| Arc::ptr_eq(current, job));
            return;
        }
        *lock(&job.outcome) = Some(match fetched {
            Ok(fetched) => fetched.map(drop).map_err(|error| self.words(error)),
            Err(_) => Err("the games could not be fetched: an internal error".into()),
        });
    }

    /// An error without addresses and paths, and without options of the command line.
    fn words(&self, error: SourceError) -> String {
        match error {
            SourceError::Offline(_) => "nothing of this user was fetched yet".into(),
            SourceError::Token(name) => format!("{name} needs a token: set the environment variable LICHESS_TOKEN"),
            other => words::of_folder(&other, &self.services.folder),
        }
    }

    fn files(&self, wanted: &Wanted) -> Result<Vec<PathBuf>, Refusal> {
        let not_there = |error| Refusal(StatusCode::NOT_FOUND, self.words(error));
        fetch_user(&self.what(wanted)?, &self.access(false)).map_err(not_there)
    }
}

/// Games are fetched for this computer alone: they fill its disk, and the services ask it to be modest.
pub fn may_ask(shared: &Shared, peer: SocketAddr, headers: &HeaderMap) -> bool {
    shared.users.is_some() && !is_foreign(peer.ip(), headers)
}

/// Who is asked, and for whom.
fn question(
    shared: &Shared,
    peer: SocketAddr,
    headers: &HeaderMap,
    uri: &Uri,
) -> Result<(Arc<Users>, Wanted), Refusal> {
    let off = |why: &str| Refusal(StatusCode::NOT_FOUND, why.into());
    let users = shared.users.clone().ok_or_else(|| off("this server fetches no games"))?;
    if !may_ask(shared, peer, headers) {
        return Err(off("games are fetched for the server's own computer only"));
    }
    let Query(wanted) = Query::try_from_uri(uri).map_err(|error| bad(error.body_text()))?;
    Ok((users, wanted))
}

/// Begins to fetch a user's games, or says how far that is.
pub async fn fetch(
    State(shared): State<Arc<Shared>>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
    uri: Uri,
) -> Response<Body> {
    match question(&shared, peer, &headers, &uri).and_then(|(users, wanted)| users.progress(&wanted)) {
        Ok(body) => answer(StatusCode::OK, body),
        Err(Refusal(status, why)) => problem(status, &why),
    }
}

/// The games of a user that were fetched, as one PGN.
pub async fn games(
    State(shared): State<Arc<Shared>>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
    uri: Uri,
) -> Response<Body> {
    let asked = question(&shared, peer, &headers, &uri);
    let found = tokio::task::spawn_blocking(move || asked.and_then(|(users, wanted)| users.files(&wanted))).await;
    let files = match found {
        Ok(Ok(files)) => files,
        Ok(Err(Refusal(status, why))) => return problem(status, &why),
        Err(_) => return problem(StatusCode::INTERNAL_SERVER_ERROR, "the games could not be read"),
    };
    let (send, receive) = mpsc::channel(4);
    tokio::task::spawn_blocking(move || {
        for file in files {
            // Between two files there is an empty line.
            let whole = send_file(&file, &send) && send.blocking_send(Ok(Bytes::from_static(b"\n\n"))).is_ok();
            if !whole {
                return;
            }
        }
    });
    let pieces = stream::unfold(receive, |mut receive| async move { Some((receive.recv().await?, receive)) });
    let mut response = Response::new(Body::from_stream(pieces));
    let kind = HeaderValue::from_static("application/x-chess-pgn; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Sends a file in pieces; false when nobody listens any more or it cannot be read, which breaks the answer off.
fn send_file(path: &PathBuf, send: &mpsc::Sender<std::io::Result<Bytes>>) -> bool {
    let mut piece = vec![0; CHUNK];
    let mut read = || -> std::io::Result<bool> {
        let mut file = File::open(path)?;
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(true),
                n if send.blocking_send(Ok(Bytes::copy_from_slice(&piece[..n]))).is_err() => return Ok(false),
                _ => {}
            }
        }
    };
    read().unwrap_or_else(|error| {
        let _ = send.blocking_send(Err(error));
        false
    })
}
