//! Who may ask: requests that a page of another site makes a browser send are refused, other computers need the token and
//! are counted, and every answer carries the headers that keep the page to itself.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;

use crate::api::problem;
use crate::crowd::{client, is_remote};
use crate::listener::Peer;
use crate::page::html;
use crate::rate::Rates;
use crate::token::{Shown, Token};

/// What the guard knows.
pub struct Gate {
    pub names: Names,
    /// Demanded of everybody, if there is one.
    pub token: Option<Token>,
    pub rates: Rates,
}

/// A request with a wrong token costs as much as so many others.
const WRONG_TOKEN: f64 = 20.0;

/// The names under which this server may be addressed.
#[derive(Debug, Clone, Default)]
pub struct Names(Vec<String>);

impl Names {
    pub fn new(names: &[String]) -> Names {
        Names(names.iter().map(|name| name.to_ascii_lowercase()).collect())
    }

    /// Whether a `Host` header means us. An address cannot be rebound to another machine by a hostile name server, nor can
    /// `localhost`; any other name must have been allowed.
    fn know(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        bare.parse::<IpAddr>().is_ok() || name == "localhost" || name.ends_with(".localhost") || self.0.contains(&name)
    }
}

/// The host without its port; an IPv6 address keeps its brackets.
fn without_port(host: &str) -> &str {
    match host.rfind(':') {
        Some(at) if host[at + 1..].bytes().all(|b| b.is_ascii_digit()) && !host[at..].contains(']') => &host[..at],
        _ => host,
    }
}

/// Why a request is refused, whoever sends it.
fn refusal(names: &Names, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("\u{0}"));
    let (forbidden, bad) = (StatusCode::FORBIDDEN, StatusCode::BAD_REQUEST);
    // Of two, this server would check one and a proxy before it perhaps the other.
    for name in [header::HOST, header::ORIGIN, HeaderName::from_static("sec-fetch-site")] {
        if headers.get_all(name).iter().nth(1).is_some() {
            return Some((bad, "a header that tells who asks stands there twice"));
        }
    }
    let Some(host) = text(header::HOST) else {
        return Some((bad, "the Host header is missing"));
    };
    if uri.authority().is_some_and(|authority| !authority.as_str().eq_ignore_ascii_case(host)) {
        return Some((bad, "the address and the Host header differ"));
    }
    if !names.know(host) {
        return Some((forbidden, "this name is not mine: use the address, or start with --allow-host"));
    }
    // A browser names the page that asks, for every request but plain navigation.
    if let Some(origin) = text(header::ORIGIN) {
        let ours = ["http://", "https://"]
            .iter()
            .any(|scheme| origin.strip_prefix(scheme).is_some_and(|origin| origin.eq_ignore_ascii_case(host)));
        if !ours {
            return Some((forbidden, "pages of other sites are refused"));
        }
    }
    if is_private(uri.path())
        && matches!(text(HeaderName::from_static("sec-fetch-site")), Some("cross-site" | "same-site"))
    {
        return Some((forbidden, "pages of other sites are refused"));
    }
    if !matches!(*method, Method::GET | Method::HEAD) {
        return Some((StatusCode::METHOD_NOT_ALLOWED, "there is only GET here"));
    }
    None
}

fn is_private(path: &str) -> bool {
    path.starts_with("/api/") || path == "/engine"
}

impl Gate {
    /// The answer to those who may not ask, or not so often; and to those whom a link has led here.
    fn answer(&self, peer: IpAddr, request: &Request) -> Option<Response> {
        let (uri, headers) = (request.uri(), request.headers());
        if let Some((status, why)) = refusal(&self.names, request.method(), uri, headers) {
            return Some(problem(status, why));
        }
        let may = |cost| !is_remote(peer) || self.rates.take(client(peer), cost);
        if !may(1.0) {
            return Some(too_often());
        }
        // Whoever looks after the machine may know that it runs.
        let token = self.token.as_ref().filter(|_| uri.path() != "/healthz")?;
        match token.shown(uri, headers) {
            Shown::Token => return None,
            // A program that asks so wants the answer, not the page.
            Shown::Link if is_private(uri.path()) => return None,
            Shown::Link => return Some(token.welcome()),
            Shown::Wrong => {
                tracing::warn!(%peer, "a wrong token");
                if !may(WRONG_TOKEN) {
                    return Some(too_often());
                }
            }
            Shown::Nothing => {}
        }
        let mut response = match is_private(uri.path()) {
            true => problem(
                StatusCode::UNAUTHORIZED,
                "the token is missing or wrong: open the link that the server printed",
            ),
            false => html(StatusCode::UNAUTHORIZED, NO_TOKEN),
        };
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        Some(response)
    }
}

fn too_often() -> Response {
    let mut response = problem(StatusCode::TOO_MANY_REQUESTS, "too many requests: wait a moment");
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

const NO_TOKEN: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Rukh</title>
<h1>This engine asks for its link</h1>
<p>Open the link that <code>rukh serve</code> printed where it was started, or scan the code below it.
";

/// Headers of every answer. `wasm-unsafe-eval` compiles WebAssembly and allows nothing else; styles may stand in elements.
const HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    // By this the page knows that `/api/` and `/engine` exist; other hosts of the same files send another name.
    ("server", concat!("rukh/", env!("CARGO_PKG_VERSION"))),
];

/// The middleware: refuse, or answer with all headers.
pub async fn guard(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    // Every request has its peer; without one it would be a stranger's.
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::from([0; 4]), |peer| peer.0.ip());
    let begin = Instant::now();
    let asked =
        tracing::enabled!(tracing::Level::DEBUG).then(|| (request.method().clone(), request.uri().path().to_owned()));
    let mut response = match gate.answer(peer, &request) {
        Some(response) => response,
        None => next.run(request).await,
    };
    for &(name, value) in HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some((method, path)) = asked {
        // The path only: a link's question has the token in it.
        let (status, micros) = (response.status().as_u16(), begin.elapsed().as_micros() as u64);
        tracing::debug!(%peer, %method, ?path, status, micros, "answered");
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(host: &str, more: &[(&'static str, &str)], path: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
        for (name, value) in more {
            headers.insert(*name, HeaderValue::from_str(value).unwrap());
        }
        let uri = path.parse().unwrap();
        refusal(&Names::new(&["Chess.example".into()]), &Method::GET, &uri, &headers).is_none()
    }

    #[test]
    fn hosts() {
        for good in [
            "127.0.0.1:8373", "localhost", "LOCALHOST:1", "[::1]:8373", "[::1]", "192.168.1.7:80", "chess.example:8373",
        ] {
            assert!(ask(good, &[], "/"), "{good}");
        }
        for bad in
            ["evil.example", "127.0.0.1.evil.example:8373", "localhost.evil.example", "", "chess.example.evil:80"]
        {
            assert!(!ask(bad, &[], "/"), "{bad}");
        }
    }

    #[test]
    fn origins() {
        let host = "127.0.0.1:8373";
        assert!(ask(host, &[("origin", "http://127.0.0.1:8373")], "/engine"));
        for bad in ["http://evil.example", "null", "http://127.0.0.1:9999", "file://", "http://localhost:8373"] {
            assert!(!ask(host, &[("origin", bad)], "/engine"), "{bad}");
        }
        assert!(!ask(host, &[("sec-fetch-site", "cross-site")], "/api/stats"));
        // What a request names twice, or in two ways, may be checked here and obeyed elsewhere.
        assert!(ask(host, &[], "http://127.0.0.1:8373/"));
        assert!(!ask(host, &[], "http://evil.example/"));
        let mut headers = HeaderMap::new();
        for value in [host, host] {
            headers.append(header::HOST, HeaderValue::from_str(value).unwrap());
        }
        let twice = refusal(&Names::default(), &Method::GET, &Uri::from_static("/"), &headers);
        assert_eq!(twice.map(|(status, _)| status), Some(StatusCode::BAD_REQUEST));
        // A link on another page may lead here.
        assert!(ask(host, &[("sec-fetch-site", "cross-site")], "/"));
        assert!(ask(host, &[("sec-fetch-site", "same-origin")], "/api/stats"));
    }
}
