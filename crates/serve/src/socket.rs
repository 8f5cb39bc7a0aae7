//! The WebSocket at `/engine`: between the network's tasks and a session's thread.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::{Response, StatusCode};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::Instant;

use crate::api::problem;
use crate::listener::ended;
use crate::server::Shared;
use crate::session::{self, Event};

/// Longest message: a game file may be pasted.
const MESSAGE: usize = 1 << 20;
/// Requests that may wait; a page awaits most of its answers.
const REQUESTS: usize = 64;
/// Messages that may wait for a slow reader.
const ANSWERS: usize = 1024;
/// A sign of life from time to time, so that a page that has gone is noticed.
const PING: Duration = Duration::from_secs(30);

/// Opens a session, if one is free.
pub async fn engine(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response<Body> {
    let Ok(place) = shared.sessions.clone().try_acquire_owned() else {
        return problem(StatusCode::SERVICE_UNAVAILABLE, "all engine sessions are in use: close another page");
    };
    upgrade.max_message_size(MESSAGE).max_frame_size(MESSAGE).on_upgrade(move |socket| serve(shared, socket, place))
}

async fn serve(shared: Arc<Shared>, socket: WebSocket, place: OwnedSemaphorePermit) {
    // Held until the last word is said: the server's end waits for it.
    let _talk = shared.talks.clone().acquire_owned().await;
    let (events, inbox) = sync_channel(REQUESTS);
    let (outbox, mut messages) = mpsc::channel::<String>(ANSWERS);
    // A full outbox means that nobody reads: what is not read need not be sent.
    let send = move |text: String| outbox.try_send(text).is_ok();
    let config = shared.engine.clone();
    let session = move || {
        session::run(config, inbox, Arc::new(send));
        // The place is free when the engine has gone.
        drop(place);
    };
    if std::thread::Builder::new().name("session".into()).spawn(session).is_err() {
        return;
    }
    let (mut sink, mut stream) = socket.split();
    let mut ending = shared.ending.clone();
    let mut ping = tokio::time::interval_at(Instant::now() + PING, PING);
    loop {
        tokio::select! {
            text = messages.recv() => match text {
                Some(text) => {
                    if sink.send(Message::text(text)).await.is_err() {
                        break;
                    }
                }
                // The session has ended.
                None => break,
            },
            message = stream.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    if !give(&events, text.as_str()) {
                        break;
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                // Binary frames, a closed or broken connection, a message that is too long.
                _ => break,
            },
            _ = ping.tick() => {
                if sink.send(Message::Ping(Vec::new().into())).await.is_err() {
                    break;
                }
            }
            () = ended(&mut ending) => {
                let _ = events.try_send(Event::Ending);
                drop(events);
                // The last words, as long as somebody listens.
                while let Ok(Some(text)) = tokio::time::timeout(Duration::from_secs(1), messages.recv()).await {
                    let _ = sink.send(Message::text(text)).await;
                }
                let _ = sink.send(Message::Close(None)).await;
                return;
            }
        }
    }
    let _ = sink.close().await;
}

/// Whether the session takes the message. Whoever sends faster than the engine answers is cut off.
fn give(events: &SyncSender<Event>, text: &str) -> bool {
    match events.try_send(Event::Text(text.to_owned())) {
        Ok(()) => true,
        Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
    }
}
