//! Who may ask: requests that a page of another site makes a browser send are refused, and every answer carries the
//! headers that keep the page to itself.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::api::problem;

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

/// Why a request is refused.
fn refusal(names: &Names, method: &Method, path: &str, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("\u{0}"));
    let forbidden = StatusCode::FORBIDDEN;
    let Some(host) = text(header::HOST) else {
        return Some((StatusCode::BAD_REQUEST, "the Host header is missing"));
    };
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
    let private = path.starts_with("/api/") || path == "/engine";
    if private && matches!(text(HeaderName::from_static("sec-fetch-site")), Some("cross-site" | "same-site")) {
        return Some((forbidden, "pages of other sites are refused"));
    }
    if !matches!(*method, Method::GET | Method::HEAD) {
        return Some((StatusCode::METHOD_NOT_ALLOWED, "there is only GET here"));
    }
    None
}

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
pub async fn guard(State(names): State<Names>, request: Request, next: Next) -> Response {
    let refused = refusal(&names, request.method(), request.uri().path(), request.headers());
    let mut response = match refused {
        Some((status, why)) => problem(status, why),
        None => next.run(request).await,
    };
    for &(name, value) in HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
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
        refusal(&Names::new(&["Chess.example".into()]), &Method::GET, path, &headers).is_none()
    }

    #[test]
    fn hosts() {
        for good in [
            "127.0.0.1:8373",
            "localhost",
            "LOCALHOST:1",
            "[::1]:8373",
            "[::1]",
            "192.168.1.7:80",
            "chess.example:8373",
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
        // A link on another page may lead here.
        assert!(ask(host, &[("sec-fetch-site", "cross-site")], "/"));
        assert!(ask(host, &[("sec-fetch-site", "same-origin")], "/api/stats"));
    }
}
