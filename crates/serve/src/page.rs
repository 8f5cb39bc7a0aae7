//! The page: a few files, packed into the binary or read from a folder, each with a version tag.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use flate2::read::GzDecoder;
use thiserror::Error;

include!("hash.rs");

/// A file as `build.rs` lists it.
struct Packed {
    path: &'static str,
    hash: u64,
    gzip: bool,
    bytes: &'static [u8],
    br: Option<&'static [u8]>,
}

static PACKED: &[Packed] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Most bytes of a page's file, and of all: a wrong folder must not eat the memory.
const MOST: u64 = 64 << 20;

/// Why a folder is no page.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PageError {
    /// It could not be read.
    #[error("cannot read the page's folder {path}: {problem}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        problem: std::io::Error,
    },
    /// There is no `index.html`.
    #[error("there is no index.html in {0}: build the page first (`cargo xtask play` does)")]
    NoIndex(PathBuf),
    /// Far too big for a page.
    #[error("{0} is too big for a page")]
    TooBig(PathBuf),
}

struct File {
    tag: HeaderValue,
    gzip: bool,
    bytes: Bytes,
    /// The same packed with brotli, by the page's own build.
    br: Option<Bytes>,
}

/// The files of the page by path.
pub struct Page(HashMap<String, File>);

impl Page {
    /// The page in this binary; empty if it was built without one.
    pub fn embedded() -> Page {
        let file = |packed: &Packed| {
            let bytes = Bytes::from_static(packed.bytes);
            let br = packed.br.map(Bytes::from_static);
            let file = File { tag: tag(packed.hash), gzip: packed.gzip, bytes, br };
            (packed.path.to_owned(), file)
        };
        Page(PACKED.iter().map(file).collect())
    }

    /// A page built into a folder, read now.
    pub fn from_folder(folder: &Path) -> Result<Page, PageError> {
        let mut files = HashMap::new();
        let mut room = MOST;
        collect(folder, String::new(), &mut files, &mut room)?;
        if !files.contains_key("/index.html") {
            return Err(PageError::NoIndex(folder.to_owned()));
        }
        let packed: Vec<String> = files.keys().filter(|name| name.ends_with(".br")).cloned().collect();
        for name in packed {
            let br = files.remove(&name).map(|file: File| file.bytes);
            if let Some(file) = files.get_mut(name.trim_end_matches(".br")) {
                file.br = br;
            }
        }
        Ok(Page(files))
    }

    /// Whether there is a page at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The answer to a request for `path`.
    pub fn answer(&self, path: &str, headers: &HeaderMap) -> Response<Body> {
        let path = if path == "/" { "/index.html" } else { path };
        let Some(file) = self.0.get(path) else {
            return match path {
                "/index.html" => html(StatusCode::OK, UNBUILT),
                _ => html(StatusCode::NOT_FOUND, MISSING),
            };
        };
        // Vite puts a hash into the names under /assets: such a file never changes. The others are asked for again.
        let cache = if path.starts_with("/assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
        let known = headers.get_all(header::IF_NONE_MATCH).iter().any(|value| {
            value
                .to_str()
                .is_ok_and(|value| value.split(',').any(|tag| tag.trim().trim_start_matches("W/") == file.tag))
        });
        let mut response = Response::new(Body::empty());
        let out = response.headers_mut();
        out.insert(header::ETAG, file.tag.clone());
        out.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
        out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        out.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(path)));
        let body = if let Some(br) = file.br.as_ref().filter(|_| takes(headers, "br")) {
            out.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
            Body::from(br.clone())
        } else if file.gzip && !takes(headers, "gzip") {
            let mut plain = Vec::new();
            // What build.rs packed can be unpacked.
            let _ = GzDecoder::new(&*file.bytes).take(MOST).read_to_end(&mut plain);
            Body::from(plain)
        } else {
            if file.gzip {
                out.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
            Body::from(file.bytes.clone())
        };
        *response.body_mut() = body;
        response
    }
}

fn collect(dir: &Path, name: String, files: &mut HashMap<String, File>, room: &mut u64) -> Result<(), PageError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |problem| PageError::Read { path, problem }
    };
    for entry in fs::read_dir(dir).map_err(failed(dir))? {
        let entry = entry.map_err(failed(dir))?;
        let path = entry.path();
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(failed(&path))?;
        if kind.is_dir() && name.matches('/').count() < 8 {
            collect(&path, name, files, room)?;
        } else if kind.is_file() {
            let size = entry.metadata().map_err(failed(&path))?.len();
            *room = room.checked_sub(size).ok_or_else(|| PageError::TooBig(dir.to_owned()))?;
            let bytes = fs::read(&path).map_err(failed(&path))?;
            files.insert(name, File { tag: tag(hash(&bytes)), gzip: false, bytes: bytes.into(), br: None });
        }
    }
    Ok(())
}

fn tag(hash: u64) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{hash:016x}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

fn takes(headers: &HeaderMap, wanted: &str) -> bool {
    headers.get_all(header::ACCEPT_ENCODING).iter().any(|value| {
        value.to_str().is_ok_and(|value| {
            value.split(',').any(|coding| {
                let mut parts = coding.split(';').map(str::trim);
                parts.next().is_some_and(|name| name == wanted || name == "*")
                    && !parts.any(|q| q.strip_prefix("q=").is_some_and(|q| q.parse::<f32>().is_ok_and(|q| q <= 0.0)))
            })
        })
    })
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// A small page of the server's own.
pub(crate) fn html(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

const UNBUILT: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Rukh</title>
<h1>Rukh is running, without its page</h1>
<p>This binary was built before the page. <code>cargo xtask play</code> builds both and starts again;
<code>rukh serve --page web/dist</code> serves a page built by hand (<code>npm run build</code> in <code>web</code>).
<p>The engine answers at <code>/engine</code> (a WebSocket), databases at <code>/api/explore</code>.
";

const MISSING: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Not here</title>
<h1>There is nothing here</h1><p><a href=/>The page</a>
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        let takes = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_str(text).unwrap());
            super::takes(&headers, "gzip")
        };
        assert!(takes("gzip, deflate, br") && takes("br;q=1.0, gzip;q=0.8") && takes("*"));
        assert!(!takes("br") && !takes("gzip;q=0") && !takes("") && !takes("gzip; q=0.0"));
    }

    #[test]
    fn no_page_still_answers() {
        let page = Page(HashMap::new());
        assert_eq!(page.answer("/", &HeaderMap::new()).status(), StatusCode::OK);
        assert_eq!(page.answer("/../etc/passwd", &HeaderMap::new()).status(), StatusCode::NOT_FOUND);
        assert!(matches!(Page::from_folder(Path::new("/nowhere/at/all")), Err(PageError::Read { .. })));
    }
}
