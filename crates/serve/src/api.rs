//! Questions to the database and to the table of openings, as JSON.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Query, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode, Uri};
use axum::routing::get;
use rukh_api::reports;
use rukh_core::{Notation, Position, Variant, dispatch};
use rukh_store::codes::{OpenTables, resolve_with};
use rukh_store::db::{AnyDatabase, Database, DbError, GameRef, Stored, position};
use rukh_store::openings::{Opening, openings};

use crate::listener::Peer;
use crate::server::Shared;
use crate::shelf::Library;
use crate::{users, words};

/// Longest text of a question: a FEN, or some three hundred moves.
const LONGEST: usize = 4096;

pub fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/healthz", get(health))
        .route("/api/status", get(status))
        .route("/api/explore", get(explore))
        .route("/api/games", get(games))
        .route("/api/stats", get(stats))
        .route("/api/openings", get(find_openings))
        .route("/api/position", get(about_position))
        .route("/api/user", get(users::fetch))
        .route("/api/user/games", get(users::games))
        .route("/api/", get(nothing))
        .route("/api/{*nothing}", get(nothing))
}

async fn nothing() -> Response<Body> {
    problem(StatusCode::NOT_FOUND, "there is no such question")
}

/// What a client may ask with.
#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub struct Question {
    fen: Option<String>,
    moves: Option<String>,
    /// A position code.
    code: Option<String>,
    variant: Option<String>,
    /// A game, as answers name it.
    id: Option<String>,
    /// Part of an opening's name, or its code.
    name: Option<String>,
}

impl Question {
    fn variant(&self) -> Result<Variant, Refusal> {
        let text = self.variant.as_deref().unwrap_or("chess");
        text.parse().map_err(|_| Refusal(StatusCode::BAD_REQUEST, format!("there is no variant '{}'", shorten(text))))
    }

    /// The variant that was named; else that of the only database, else chess.
    fn variant_or_only(&self, library: &Library) -> Result<Variant, Refusal> {
        let mut all = library.variants();
        match (all.next(), all.next()) {
            (Some(only), None) if self.variant.is_none() => Ok(only),
            _ => self.variant(),
        }
    }

    /// The position asked about; codes of the database are known, too.
    fn position<R: Stored>(&self, variant: Variant, games: Option<&Database<R>>) -> Result<Position<R>, Refusal> {
        // Moves have no `/`, and neither has `startpos` or a code, which may stand wherever a FEN may.
        let (text, coded) = match (&self.fen, &self.moves, &self.code) {
            (Some(text), None, None) => (text.as_str(), (!text.contains('/')).then_some("fen")),
            (None, Some(text), None) => (text.as_str(), None),
            (None, None, Some(text)) => (text.as_str(), Some("code")),
            (None, None, None) => ("", None),
            _ => return Err(bad("one of fen, moves and code")),
        };
        if text.len() > LONGEST {
            return Err(bad("too long"));
        }
        if let Some(name) = coded {
            let open = OpenTables { games, learned: None };
            let fen = resolve_with(variant, open, text)
                .map_err(|error| bad(format!("{name}: {}", words::argument(error))))?;
            return Position::from_fen(&fen).map_err(|error| bad(format!("{name}: {error}")));
        }
        position(text).map_err(bad)
    }
}

/// An answer. One that is not whole, because something could not be read, may be better next time: it is not kept.
struct Found {
    body: String,
    whole: bool,
}

impl From<String> for Found {
    fn from(body: String) -> Found {
        Found { body, whole: true }
    }
}

pub struct Refusal(pub StatusCode, pub String);

pub fn bad(why: impl std::fmt::Display) -> Refusal {
    Refusal(StatusCode::BAD_REQUEST, why.to_string())
}

impl From<DbError> for Refusal {
    fn from(error: DbError) -> Refusal {
        Refusal(StatusCode::INTERNAL_SERVER_ERROR, words::database(&error))
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}

/// An answer that says what is wrong.
pub fn problem(status: StatusCode, why: &str) -> Response<Body> {
    answer(status, reports::problem(why))
}

pub fn answer(status: StatusCode, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Body::from(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Another import may change the answer.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Answers a question to the databases: from memory where the same edition was asked the same before, else beside the network
/// threads, because a cold file may make it wait for the disk.
async fn ask<F>(shared: Arc<Shared>, uri: Uri, work: F) -> Response<Body>
where
    F: FnOnce(&Library, &Question) -> Result<Found, Refusal> + Send + 'static,
{
    let asked = uri.path_and_query().map_or("", |text| text.as_str());
    let edition = shared.library.edition().await;
    if let Some(body) = shared.answers.get(edition, asked) {
        return answer(StatusCode::OK, body);
    }
    let question = match Query::<Question>::try_from_uri(&uri) {
        Ok(Query(question)) => question,
        Err(error) => return problem(StatusCode::BAD_REQUEST, &error.body_text()),
    };
    let library = shared.library.clone();
    match tokio::task::spawn_blocking(move || work(&library, &question)).await {
        Ok(Ok(Found { body, whole })) => {
            let body = Bytes::from(body);
            if whole {
                shared.answers.put(edition, asked.to_owned(), body.clone());
            }
            answer(StatusCode::OK, body)
        }
        Ok(Err(Refusal(status, why))) => problem(status, &why),
        Err(error) => {
            tracing::error!(%error, path = uri.path(), "a question could not be answered");
            problem(StatusCode::INTERNAL_SERVER_ERROR, "the question could not be answered")
        }
    }
}

/// The database of a variant. One of chess answers for Chess960 too: the rules are the same.
fn database(library: &Library, variant: Variant) -> Result<Arc<AnyDatabase>, Refusal> {
    let fallback = || if variant == Variant::Chess960 { library.database(Variant::Chess) } else { None };
    library.database(variant).or_else(fallback).ok_or_else(|| {
        let why = match library.variants().len() {
            0 => "no database: start with `rukh serve --db <dir>`".into(),
            _ => format!("there is no database of {variant}"),
        };
        Refusal(StatusCode::NOT_FOUND, why)
    })
}

/// For whoever looks after the machine: the server runs and takes questions.
async fn health(State(shared): State<Arc<Shared>>) -> Response<Body> {
    let ending = *shared.ending.borrow();
    answer(if ending { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }, reports::health(ending))
}

async fn status(
    State(shared): State<Arc<Shared>>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
) -> Response<Body> {
    let databases = shared.library.variants().collect();
    let engines = shared.engine.guests.iter().map(|guest| guest.name.clone()).collect();
    let status = reports::Status {
        threads: shared.engine.threads,
        databases,
        engines,
        page: !shared.page.is_empty(),
        users: users::may_ask(&shared, peer, &headers),
    };
    answer(StatusCode::OK, reports::status(&status))
}

async fn explore(State(shared): State<Arc<Shared>>, uri: Uri) -> Response<Body> {
    ask(shared, uri, |library, question| {
        let variant = question.variant()?;
        let notation = if variant == Variant::Chess960 { Notation::Chess960 } else { Notation::Standard };
        dispatch!(&*database(library, variant)?, db => {
            let pos = question.position(variant, Some(db))?;
            let found = db.explore(&pos)?;
            Ok(Found { body: reports::explored(db, &pos, &found, notation)?, whole: found.missing.is_empty() })
        })
    })
    .await
}

/// A position by any of its names: its FEN, and its code without tables. Needs no database, but knows the codes of one.
async fn about_position(State(shared): State<Arc<Shared>>, uri: Uri) -> Response<Body> {
    fn about<R: Stored>(question: &Question, games: Option<&Database<R>>) -> Result<Found, Refusal> {
        let variant = question.variant()?;
        Ok(reports::position(variant, &question.position(variant, games)?).map_err(bad)?.into())
    }
    ask(shared, uri, |library, question| match library.database(question.variant()?) {
        Some(games) => dispatch!(&*games, db => about(question, Some(db))),
        None => dispatch!(type R of question.variant()? => about::<R>(question, None)),
    })
    .await
}

async fn stats(State(shared): State<Arc<Shared>>, uri: Uri) -> Response<Body> {
    ask(shared, uri, |library, question| {
        let variant = question.variant_or_only(library)?;
        dispatch!(&*database(library, variant)?, db => {
            let totals = db.totals();
            Ok(Found { body: reports::totals(&totals), whole: totals.missing.is_empty() })
        })
    })
    .await
}

/// One game by its name, or the example games of a position.
async fn games(State(shared): State<Arc<Shared>>, uri: Uri) -> Response<Body> {
    ask(shared, uri, |library, question| {
        let named = question
            .id
            .as_deref()
            .map(|id| GameRef::named(id).ok_or_else(|| bad("id: expected segment/game, as in 1/250")));
        let variant = match named.transpose()? {
            Some((Some(variant), _)) => variant,
            Some((None, _)) => question.variant_or_only(library)?,
            None => question.variant()?,
        };
        dispatch!(&*database(library, variant)?, db => some_games(db, question))
    })
    .await
}

fn some_games<R: Stored>(database: &Database<R>, question: &Question) -> Result<Found, Refusal> {
    let (wanted, missing) = match question.id.as_deref().and_then(GameRef::named) {
        Some((_, game)) if database.has(game) => (vec![game], database.missing().clone()),
        // It may be one of those that could not be read.
        Some(_) if !database.missing().is_empty() => {
            let why = "there is no such game in what could be read of the damaged database";
            return Err(Refusal(StatusCode::INTERNAL_SERVER_ERROR, why.into()));
        }
        Some(_) => return Err(Refusal(StatusCode::NOT_FOUND, "there is no such game".into())),
        None => {
            let found = database.explore(&question.position(question.variant()?, Some(database))?)?;
            (found.examples, found.missing)
        }
    };
    let games: Vec<_> =
        wanted.into_iter().map(|game| Ok((game, database.game(game)?))).collect::<Result<_, DbError>>()?;
    Ok(Found { body: reports::games(database, &games, &missing), whole: missing.is_empty() })
}

/// The opening of a position or of a line of moves, or the openings whose name or code holds a text.
async fn find_openings(State(shared): State<Arc<Shared>>, uri: Uri) -> Response<Body> {
    ask(shared, uri, |_, question| {
        if let Some(name) = question.name.as_deref().filter(|name| !name.trim().is_empty()) {
            return Ok(openings_named(&shorten(name)).into());
        }
        let variant = question.variant()?;
        if variant == Variant::Makruk {
            return Err(Refusal(StatusCode::NOT_FOUND, "the table of openings is one of chess".into()));
        }
        let pos = question.position(variant, None)?;
        let found = match &question.moves {
            // A game is called after the last named position on its way.
            Some(text) => last_named(text),
            None => openings().find(&pos),
        };
        Ok(reports::opening(found.as_ref()).into())
    })
    .await
}

fn last_named(text: &str) -> Option<Opening<'static>> {
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    (1..=words.len().min(40)).rev().find_map(|n| openings().find(&position(&words[..n].join(" ")).ok()?))
}

/// At most fifty, in the table's order.
fn openings_named(wanted: &str) -> String {
    let wanted = wanted.trim().to_lowercase();
    let fits = |opening: &Opening<'_>| {
        opening.name.to_lowercase().contains(&wanted) || opening.eco().eq_ignore_ascii_case(&wanted)
    };
    reports::openings(openings().named().filter(|(opening, _)| fits(opening)).take(50))
}
