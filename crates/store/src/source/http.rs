//! A careful HTTP client: it asks only when it may, not too often, and not twice for the same.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
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

type Response = ureq::http::Response<ureq::Body>;

/// What is there of a file already.
pub(super) struct Have {
    /// So many bytes from its beginning …
    pub bytes: u64,
    /// … of the version that the service called so.
    pub version: String,
}

/// What a service sends of a file.
pub(super) struct Sent<R> {
    /// Where it begins in the file.
    pub offset: u64,
    /// What the service calls this version of the file. Without it, two parts cannot be known to belong together.
    pub version: Option<String>,
    /// The bytes from there to the end.
    pub bytes: R,
}

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
        self.body(response).take(MOST_BYTES).read_to_string(&mut text).map_err(|error| self.unreachable(&error))?;
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

    /// A reader of the bytes at an address.
    pub fn bytes(&mut self, url: &str) -> Result<impl Read + Send + 'static, SourceError> {
        let response = self.get(url, None)?;
        Ok(self.body(response))
    }

    fn body(&self, response: Response) -> Body {
        Body::new(response.into_body().into_reader(), self.patience)
    }

    /// The bytes at an address behind those that are there already, if they are of the same version; else all of them.
    pub fn rest(&mut self, url: &str, have: Option<Have>) -> Result<Sent<impl Read + use<>>, SourceError> {
        let mut response = self.get(url, have.as_ref())?;
        let offset = match (response.status().as_u16(), &have) {
            (200, _) => 0,
            (206, Some(have)) if first_byte(&response) == Some(have.bytes) => have.bytes,
            // There is nothing behind it, or the service sends another part than it was asked for.
            _ => {
                response = self.get(url, None)?;
                0
            }
        };
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        // A weak tag says that two versions mean the same, not that their bytes are.
        let version = header("etag").filter(|tag| !tag.starts_with("W/")).or_else(|| header("last-modified"));
        Ok(Sent { offset, version, bytes: self.body(response) })
    }

    fn get(&mut self, url: &str, have: Option<&Have>) -> Result<Response, SourceError> {
        for last in [false, true] {
            std::thread::sleep(self.next.saturating_duration_since(Instant::now()));
            self.next = Instant::now() + self.pause;
            let mut request = self.agent.get(url);
            if let Some(token) = &self.token {
                request = request.header("Authorization", format!("Bearer {token}"));
            }
            if let Some(have) = have {
                request = request.header("Range", format!("bytes={}-", have.bytes)).header("If-Range", &have.version);
            }
            let response = request.call().map_err(|error| self.unreachable(&error))?;
            match response.status().as_u16() {
                200 => return Ok(response),
                206 | 416 if have.is_some() => return Ok(response),
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

/// What a service sends, read by a thread of its own: where nothing comes any more, because a computer slept or a network went
/// away without a word, that is an error after a while and not a wait without end.
struct Body {
    parts: Receiver<io::Result<Vec<u8>>>,
    part: io::Cursor<Vec<u8>>,
    patience: Duration,
}

impl Body {
    fn new(mut from: impl Read + Send + 'static, patience: Duration) -> Body {
        let (send, parts) = sync_channel(4);
        std::thread::spawn(move || {
            loop {
                let mut part = vec![0; 1 << 16];
                let read = match from.read(&mut part) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let ends = !matches!(read, Ok(1..));
                part.truncate(*read.as_ref().unwrap_or(&0));
                if send.send(read.map(|_| part)).is_err() || ends {
                    break;
                }
            }
        });
        Body { parts, part: io::Cursor::default(), patience }
    }
}

impl Read for Body {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.part.position() == self.part.get_ref().len() as u64 {
            self.part = match self.parts.recv_timeout(self.patience) {
                Ok(part) => io::Cursor::new(part?),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) => {
                    let text = format!("nothing has come for {} seconds", self.patience.as_secs());
                    return Err(io::Error::new(io::ErrorKind::TimedOut, text));
                }
            };
        }
        self.part.read(out)
    }
}

/// Where the part of a file begins that an answer holds: `Content-Range: bytes 40-99/100`.
fn first_byte(response: &Response) -> Option<u64> {
    let range = response.headers().get("content-range")?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
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
