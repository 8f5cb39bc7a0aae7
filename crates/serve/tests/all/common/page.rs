//! A page that speaks to the engine.

use std::net::TcpStream;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client::IntoClientRequest, handshake::client::generate_key, http::Request};

use super::{PATIENCE, Running};

/// A page's side of a session.
pub struct Page {
    pub socket: WebSocket<TcpStream>,
    next: u64,
    pub infos: Vec<Value>,
}

/// Opens a WebSocket, without a word.
pub fn connect(server: &Running, origin: Option<&str>) -> Result<WebSocket<TcpStream>, String> {
    let headers: Vec<(&str, &str)> = origin.map(|origin| ("Origin", origin)).into_iter().collect();
    connect_with(server, &headers)
}

/// Opens a WebSocket with further headers.
pub fn connect_with(server: &Running, headers: &[(&str, &str)]) -> Result<WebSocket<TcpStream>, String> {
    let stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let host = server.address.to_string();
    let mut request = Request::builder()
        .uri(format!("ws://{host}/engine"))
        .header("Host", &host)
        .header("Upgrade", "websocket")
        .header("Connection", "Upgrade")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", generate_key());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(()).unwrap().into_client_request().unwrap();
    tungstenite::client(request, stream).map(|(socket, _)| socket).map_err(|e| e.to_string())
}

impl Page {
    /// A page of the server's own.
    pub fn open(server: &Running) -> Page {
        let origin = format!("http://{}", server.address);
        let mut page = Page::on(connect(server, Some(&origin)).unwrap());
        let hello = page.ask(json!({"do": "hello", "hash": 4, "threads": 999}));
        assert_eq!(hello["done"]["kind"], "native");
        assert_eq!(hello["done"]["threads"], 2, "no more than granted");
        page
    }

    pub fn on(socket: WebSocket<TcpStream>) -> Page {
        Page { socket, next: 1, infos: Vec::new() }
    }

    pub fn send(&mut self, mut request: Value) -> u64 {
        self.next += 1;
        request["id"] = self.next.into();
        self.socket.send(Message::text(request.to_string())).unwrap();
        self.next
    }

    pub fn read(&mut self) -> Value {
        loop {
            match self.socket.read().unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// The answer to a request; reports on the way are kept.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.read();
            if message.get("info").is_some() {
                self.infos.push(message);
            } else {
                assert_eq!(message["id"], id, "{message}");
                return message;
            }
        }
    }

    pub fn ask(&mut self, request: Value) -> Value {
        let id = self.send(request);
        self.answer(id)
    }
}
