//! A careful HTTP client: it asks only when it may, not too often, and not twice for the same.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use ureq::Agent;

use super::{Access, SourceError};

/// Largest answer to a question.
const MOST_BYTES: u64 = 4 << 20;
/// Answers kept in memory.
const MOST_KEPT: usize = 4096;
/// Kept answers are asked for again after this time.
const FRESH: Duration = Duration::from_secs(30 * 24 * 3600);
/// A service that says 429 without a time wants a minute.
const DEFAULT_WAIT: u64 = 60;

/// The way to one service.
pub(super) struct Client {
    name: String,
    agent: Agent,
    token: Option<String>,
    folder: Option<PathBuf>,
    kept: HashMap<String, String>,
    pause: Duration,
    patience: Duration,
    /// Not before this time.
    next: Instant,
}

impl Client {
    /// A client for the service `name`; refused unless the network was asked for.
    pub fn new(name: &str, access: &Access) -> Result<Client, SourceError> {
        if !access.online {
            return Err(SourceError::Offline(name.to_owned()));
        }
        let agent = Agent::config_builder();
        let agent = match &access.certificates {
            Some(path) => agent.tls_config(trusting(name, path)?),
            None => agent,
        };
        let agent = agent
            .timeout_connect(Some(Duration::from_secs(20)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            .http_status_as_error(false)
            .max_redirects(5)
            .user_agent(concat!("rukh/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Client {
            name: name.to_owned(),
            agent: agent.into(),
            token: access.token.clone(),
            folder: access.cache.clone(),
            kept: HashMap::new(),
            pause: access.pause,
            patience: access.patience,
            next: Instant::now(),
        })
    }

    /// The text at an address, from the cache if it was asked for lately. It is kept if it is `good`.
    pub fn text(&mut self, url: &str, good: impl FnOnce(&str) -> bool) -> Result<String, SourceError> {
        if let Some(text) = self.kept.get(url) {
            return Ok(text.clone());
        }
        if let Some(text) = self.read_kept(url) {
            self.keep(url, &text);
            return Ok(text);
        }
        let response = self.get(url, None)?;
        let mut text = String::new();
        response
            .into_body()
            .into_reader()
            .take(MOST_BYTES)
            .read_to_string(&mut text)
            .map_err(|error| self.unreachable(&error))?;
        if !good(&text) {
            return Ok(text);
        }
        if let Some(folder) = &self.folder {
            // A cache that cannot be written is no reason to fail.
            let whole = format!("{url}\n{text}");
            let path = self.path_of(url).unwrap_or_default();
            let _ = fs::create_dir_all(folder);
            let _ = rukh_files::replace(&path, whole.as_bytes());
        }
        self.keep(url, &text);
        Ok(text)
    }

    /// A reader of the bytes at an address, from `offset` on if the service can; and whether it could.
    pub fn bytes(&mut self, url: &str, offset: u64) -> Result<(bool, impl Read + Send + 'static), SourceError> {
        let response = self.get(url, (offset > 0).then_some(offset))?;
        let partial = response.status() == 206;
        Ok((partial, response.into_body().into_reader()))
    }

    fn get(&mut self, url: &str, offset: Option<u64>) -> Result<ureq::http::Response<ureq::Body>, SourceError> {
        for last in [false, true] {
            std::thread::sleep(self.next.saturating_duration_since(Instant::now()));
            self.next = Instant::now() + self.pause;
            let mut request = self.agent.get(url);
            if let Some(token) = &self.token {
                request = request.header("Authorization", format!("Bearer {token}"));
            }
            if let Some(offset) = offset {
                request = request.header("Range", format!("bytes={offset}-"));
            }
            let response = request.call().map_err(|error| self.unreachable(&error))?;
            match response.status().as_u16() {
                200 | 206 => return Ok(response),
                404 | 410 => return Err(SourceError::Missing(self.name.clone())),
                401 | 403 => return Err(SourceError::Token(self.name.clone())),
                429 => {
                    let wait =
                        response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
                    let seconds: u64 = wait.unwrap_or(DEFAULT_WAIT);
                    self.next = Instant::now() + Duration::from_secs(seconds);
                    if last || Duration::from_secs(seconds) > self.patience {
                        return Err(SourceError::TooOften { name: self.name.clone(), seconds });
                    }
                }
                status => {
                    let problem = format!("it answered {status}");
                    return Err(SourceError::Unreachable { name: self.name.clone(), problem });
                }
            }
        }
        Err(SourceError::TooOften { name: self.name.clone(), seconds: DEFAULT_WAIT })
    }

    fn unreachable(&self, error: &dyn std::fmt::Display) -> SourceError {
        SourceError::Unreachable { name: self.name.clone(), problem: error.to_string() }
    }

    fn keep(&mut self, url: &str, text: &str) {
        if self.kept.len() >= MOST_KEPT {
            self.kept.clear();
        }
        self.kept.insert(url.to_owned(), text.to_owned());
    }

    fn path_of(&self, url: &str) -> Option<PathBuf> {
        let hash = url
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Some(self.folder.as_ref()?.join(format!("{hash:016x}.answer")))
    }

    /// A kept answer: its first line is the address, because two may have one hash.
    fn read_kept(&self, url: &str) -> Option<String> {
        let path = self.path_of(url)?;
        let age = SystemTime::now().duration_since(fs::metadata(&path).ok()?.modified().ok()?).unwrap_or_default();
        if age > FRESH {
            return None;
        }
        let whole = rukh_files::read_text_at_most(&path, MOST_BYTES + url.len() as u64 + 1).ok()?;
        let (first, text) = whole.split_once('\n')?;
        (first == url).then(|| text.to_owned())
    }
}

/// Trusts the certificates of a PEM file and no others.
fn trusting(name: &str, path: &std::path::Path) -> Result<ureq::tls::TlsConfig, SourceError> {
    use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
    let wrong = |problem: &dyn std::fmt::Display| SourceError::bad(name, format!("{}: {problem}", path.display()));
    let pem = rukh_files::read_at_most(path, 4 << 20).map_err(|error| wrong(&error))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| wrong(&error))? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        return Err(wrong(&"there is no certificate in it"));
    }
    let roots = RootCerts::Specific(std::sync::Arc::new(certificates));
    Ok(TlsConfig::builder().root_certs(roots).build())
}

/// A text as part of an address.
pub(super) fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// The address after `name:` in what was asked for, or the service's own.
pub(super) fn address<'a>(what: &'a str, name: &str, own: &'a str) -> Option<&'a str> {
    match what.strip_prefix(name)? {
        "" => Some(own),
        rest => rest.strip_prefix(':').filter(|url| url.starts_with("http://") || url.starts_with("https://")),
    }
}
