//! Encrypted sources against a server with a certificate made for the test.
#![cfg(feature = "online")]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rukh_core::{Chess, Position};
use rukh_store::source::{Access, SourceError, open};
use rukh_testing::NewFile;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

const ANSWER: &str = "{\"white\":7,\"draws\":2,\"black\":4,\"moves\":[{\"uci\":\"e2e4\",\"san\":\"e4\",\
    \"averageRating\":2200,\"white\":6,\"draws\":1,\"black\":3,\"game\":null}],\"topGames\":[],\"opening\":null}";

/// Starts a server; returns its address and the certificate as PEM.
fn serve() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut reader = BufReader::new(StreamOwned::new(connection, stream));
            let mut head = String::new();
            while reader.read_line(&mut head).unwrap_or(0) > 2 {}
            // A client that does not trust us has sent nothing.
            if head.starts_with("GET ") {
                let mut stream = reader.into_inner();
                let length = ANSWER.len();
                let _ =
                    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{ANSWER}");
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    (format!("https://localhost:{port}"), made.cert.pem())
}

fn online(certificates: Option<PathBuf>) -> Access {
    Access { online: true, pause: Duration::ZERO, certificates, ..Access::default() }
}

#[test]
fn an_encrypted_service_is_asked_and_a_stranger_is_not_trusted() {
    let (address, pem) = serve();
    let what = format!("explorer:{address}");
    let path = NewFile::new("tls.pem");
    std::fs::write(&path, pem).unwrap();
    let start = Position::<Chess>::startpos().into();
    let mut known = open(&what, &online(Some(path.to_path_buf()))).unwrap();
    let entry = known.ask(&start).unwrap().unwrap();
    assert_eq!((entry.moves.len(), entry.moves[0].games), (1, 10));
    // A PGN file from there, too: whatever it holds is read as games.
    let mut games = open(&format!("{address}/games.pgn"), &online(Some(path.to_path_buf()))).unwrap();
    assert!(games.next().is_none_or(|item| item.is_err()), "the answer is no game");
    // With the built-in certificates nobody vouches for this server.
    let mut stranger = open(&what, &online(None)).unwrap();
    let error = stranger.ask(&start).unwrap_err();
    assert!(matches!(error, SourceError::Unreachable { .. }), "{error}");
    std::fs::write(&path, "no certificate").unwrap();
    let error = open(&what, &online(Some(path.to_path_buf()))).err().unwrap();
    assert!(error.to_string().contains("no certificate"), "{error}");
}
