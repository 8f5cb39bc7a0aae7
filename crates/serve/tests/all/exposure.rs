//! Beyond this computer: the token, encryption, and what strangers do not get.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};

use crate::common::page::{Page, connect_with};
use crate::common::{Answer, Folder, PATIENCE, Running};
use rukh_core::{Chess, Position};
use rukh_engine::{Memo, Memory};
use rukh_serve::{Bounds, Config, EngineConfig, ServeError, Server, Tls};
use serde_json::json;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{self, ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};

fn guarded(config: Config) -> (Running, String) {
    let server = Running::start(Config { token: true, ..config });
    let token = server.token.clone().unwrap();
    (server, token)
}

#[test]
fn everything_but_health_asks_for_the_token() {
    let (server, token) = guarded(Config::default());
    let host = server.address.to_string();
    assert_eq!(server.url, format!("http://{host}/?token={token}"));
    for path in ["/", "/api/status", "/engine", "/assets/x.js", "/nothing"] {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some("Bearer")), "{path}");
        assert!(!answer.text().contains(&token));
    }
    assert_eq!(server.get("/healthz").status, 200);
    let bearer = |token: &str| format!("Bearer {token}");
    let status = |name: &str, value: &str| server.ask("GET", "/api/status", &[("Host", &host), (name, value)]).status;
    assert_eq!(status("Authorization", &bearer(&token)), 200);
    for wrong in ["", "0", &token[1..], &token.to_uppercase().replace(char::is_numeric, "A"), &format!("{token}0")] {
        assert_eq!(status("Authorization", &bearer(wrong)), 401, "{wrong}");
    }
    // The link gives the cookie and leads to the page without the token; the cookie is enough from then on.
    let link = server.get(&format!("/?token={token}"));
    let cookie = link.header("set-cookie").unwrap().to_owned();
    assert_eq!(
        (link.status, link.header("refresh"), link.header("cache-control")),
        (200, Some("0;url=/"), Some("no-store"))
    );
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains("Secure"),
        "{cookie}"
    );
    assert_eq!(status("Cookie", cookie.split(';').next().unwrap()), 200);
    assert_eq!(server.get("/?token=0123").status, 401);
    // A program may ask with it, and gets the answer.
    let asked = server.get(&format!("/api/status?token={token}"));
    assert_eq!(
        (asked.status, asked.header("content-type"), asked.header("set-cookie")),
        (200, Some("application/json"), None)
    );
    assert_eq!(server.get("/api/status?token=0123").status, 401);
    // The fences stand before the token.
    let evil = [("Host", host.as_str()), ("Authorization", &bearer(&token)), ("Origin", "http://evil.example")];
    assert_eq!(server.ask("GET", "/api/status", &evil).status, 403);
}

#[test]
fn the_engine_asks_for_it_too() {
    let (server, token) = guarded(Config::default());
    assert!(connect_with(&server, &[]).is_err());
    assert!(connect_with(&server, &[("Authorization", "Bearer 00")]).is_err());
    let mut page = Page::on(connect_with(&server, &[("Authorization", &format!("Bearer {token}"))]).unwrap());
    assert_eq!(page.ask(json!({"do": "hello", "hash": 1}))["done"]["kind"], "native");
}

#[test]
fn only_this_computer_needs_none_and_tokens_differ() {
    assert!(Running::start(Config::default()).token.is_none());
    let open = || Server::bind(&Config { port: 0, bind: Ipv4Addr::UNSPECIFIED.into(), ..Config::default() }).unwrap();
    let (one, two) = (open(), open());
    assert!(one.token().is_some() && one.token() != two.token());
    assert!(one.url().contains("?token=") && !one.url().contains("0.0.0.0"), "{}", one.url());
}

/// Remembers that it was asked.
#[derive(Default)]
struct Diary(Mutex<usize>);

impl Memory<Chess> for Diary {
    fn recall(&self, _: &Position<Chess>, _: usize, _: std::time::Duration) -> Vec<(Position<Chess>, Memo)> {
        *self.0.lock().unwrap() += 1;
        Vec::new()
    }
    fn record(&self, _: Vec<(Position<Chess>, Memo)>) {
        *self.0.lock().unwrap() += 1;
    }
}

#[test]
fn nothing_is_learned_from_strangers() {
    let diary = Arc::new(Diary::default());
    let memory: Arc<dyn Memory<Chess>> = diary.clone();
    let engine = EngineConfig { threads: 1, hash: 4, chess_memory: Some(memory), ..EngineConfig::default() };
    let server = Running::start(Config { engine, ..Config::default() });
    let play = |headers: &[(&str, &str)]| {
        let mut page = Page::on(connect_with(&server, headers).unwrap());
        page.ask(json!({"do": "hello"}));
        page.ask(json!({"do": "go", "nodes": 20_000}));
        page.ask(json!({"do": "option", "name": "Learn", "value": "true"}))
    };
    // A proxy on this computer sends on what strangers ask.
    let answer = play(&[("X-Forwarded-For", "203.0.113.9")]);
    assert!(answer["error"].as_str().unwrap().contains("other computers"), "{answer}");
    assert_eq!(*diary.0.lock().unwrap(), 0);
    assert!(play(&[]).get("done").is_some());
    assert!(*diary.0.lock().unwrap() > 0, "one's own searches are remembered");
}

#[test]
fn another_computer_is_counted() {
    let bounds = Bounds { rate: 2, ..Bounds::default() };
    let server = Running::start(Config { bind: Ipv4Addr::UNSPECIFIED.into(), bounds, ..Config::default() });
    let far: SocketAddr = server.url.split('/').nth(2).unwrap().parse().unwrap();
    if far.ip().is_loopback() {
        eprintln!("skipped: this machine has no address but its own");
        return;
    }
    // By its outer address this machine is a stranger to itself.
    let token = server.token.clone().unwrap();
    let ask = |address: SocketAddr| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let text = format!(
            "GET /api/status HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(text.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Answer::of(&bytes).status
    };
    let answers: Vec<u16> = (0..200).map(|_| ask(far)).collect();
    assert_eq!(answers[..20], [200; 20], "ten seconds' worth");
    assert!(answers.contains(&429), "{answers:?}");
    let near = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), far.port());
    assert!((0..40).all(|_| ask(near) == 200), "not so this computer");
}

/// Takes any certificate and writes down which.
#[derive(Debug, Default)]
struct Notary(Mutex<String>);

impl ServerCertVerifier for Notary {
    fn verify_server_cert(
        &self,
        cert: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let digest = ring::digest::digest(&ring::digest::SHA256, cert);
        *self.0.lock().unwrap() = digest.as_ref().iter().map(|b| format!("{b:02X}")).collect::<Vec<_>>().join(":");
        Ok(ServerCertVerified::assertion())
    }
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, signed, &known)
    }
    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, signed, &known)
    }
    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        default_provider().signature_verification_algorithms.supported_schemes()
    }
}

/// Asks over an encrypted connection; the answer, and the certificate's fingerprint.
fn ask_encrypted(server: &Running, path: &str) -> (Answer, String) {
    let notary = Arc::new(Notary::default());
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(notary.clone())
        .with_no_client_auth();
    let client = ClientConnection::new(Arc::new(config), ServerName::try_from("localhost").unwrap()).unwrap();
    let stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut stream = StreamOwned::new(client, stream);
    let text = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
    stream.write_all(text.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    (Answer::of(&bytes), notary.0.lock().unwrap().clone())
}

#[test]
fn encrypted_with_a_certificate_made_here() {
    let (server, token) = guarded(Config { tls: Tls::SelfSigned, ..Config::default() });
    assert!(server.url.starts_with("https://"), "{}", server.url);
    let (answer, fingerprint) = ask_encrypted(&server, &format!("/?token={token}"));
    assert_eq!(answer.status, 200);
    assert!(answer.header("set-cookie").unwrap().contains("; Secure"));
    assert_eq!(Some(fingerprint), server.fingerprint);
    // Who does not encrypt gets nothing, and does no harm.
    let plain = server.send(format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes());
    assert!(!String::from_utf8_lossy(&plain).contains("ok"));
    assert_eq!(ask_encrypted(&server, "/healthz").0.status, 200);
}

#[test]
fn encrypted_with_ones_own_certificate() {
    let folder = Folder::new("cert");
    let made = rcgen::generate_simple_self_signed(vec!["chess.example".into()]).unwrap();
    let (cert, key) = (folder.0.join("cert.pem"), folder.0.join("key.pem"));
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let tls = Tls::Files { cert: cert.clone(), key: key.clone() };
    let server = Running::start(Config { tls, ..Config::default() });
    let (answer, fingerprint) = ask_encrypted(&server, "/healthz");
    assert_eq!((answer.status, Some(fingerprint)), (200, server.fingerprint.clone()));
    // What cannot be used is said at the start, with the file's name.
    let other = rcgen::generate_simple_self_signed(vec!["other.example".into()]).unwrap();
    let foreign = folder.0.join("foreign.pem");
    std::fs::write(&foreign, other.signing_key.serialize_pem()).unwrap();
    let empty = folder.0.join("empty.pem");
    std::fs::write(&empty, "nothing").unwrap();
    for (cert, key, word) in
        [(&cert, &empty, "empty.pem"), (&empty, &key, "empty.pem"), (&cert, &foreign, "certificate and key")]
    {
        let tls = Tls::Files { cert: cert.clone(), key: key.clone() };
        match Server::bind(&Config { port: 0, tls, ..Config::default() }) {
            Err(ServeError::Tls(why)) => assert!(why.contains(word), "{why}"),
            other => panic!("{:?}", other.err()),
        }
    }
}
