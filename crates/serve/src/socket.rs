//! The WebSocket at `/engine`: between the network's tasks and a session's thread.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use axum::body::Body;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, Response, StatusCode};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::api::problem;
use crate::config::Bounds;
use crate::crowd::is_foreign;
use crate::listener::{Peer, ended};
use crate::seats::{Seat, Share, Taken};
use crate::server::Shared;
use crate::session::{self, Event, Terms};

/// Longest message: a game file may be pasted.
const MESSAGE: usize = 1 << 20;
/// Requests that may wait; a page awaits most of its answers.
const REQUESTS: usize = 64;
/// Messages that may wait for a slow reader.
const ANSWERS: usize = 1024;
/// A sign of life from time to time, so that a page that has gone is noticed: it answers, or it is gone.
const PING: Duration = Duration::from_secs(30);

/// Opens a session, if one is free.
pub async fn engine(
    State(shared): State<Arc<Shared>>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response<Body> {
    let Some(taken) = shared.seats.take(peer.ip()) else {
        tracing::warn!(%peer, "refused: all engine sessions are in use");
        return problem(StatusCode::SERVICE_UNAVAILABLE, "all engine sessions are in use: close another page");
    };
    let remote = is_foreign(peer.ip(), &headers);
    let upgrade = upgrade.max_message_size(MESSAGE).max_frame_size(MESSAGE);
    upgrade.on_upgrade(move |socket| serve(shared, socket, taken, peer.ip(), remote))
}

/// Why the server ends a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Ending,
    Silent,
    Idle,
    GaveWay,
}

impl Why {
    fn words(self) -> &'static str {
        match self {
            Why::Ending => "the server ends",
            Why::Silent => "no `hello` came: the session is closed",
            Why::Idle => "nothing was asked for a long time: the session is closed",
            Why::GaveWay => "nothing was asked for a while, and another page needs the engine: the session is closed",
        }
    }

    /// Whether the page may open another session when it needs one.
    fn again(self) -> bool {
        self != Why::Ending
    }

    fn close(self) -> Message {
        // 1001 is "going away"; 4000 and above are an application's own.
        let code = if self == Why::Ending { 1001 } else { 4000 };
        Message::Close(Some(CloseFrame { code, reason: self.words().into() }))
    }
}

/// The reason to end a session that does nothing.
fn too_quiet(seat: &Seat, bounds: &Bounds) -> Option<Why> {
    match seat.is_greeted() {
        false => (seat.idle() >= Some(bounds.hello)).then_some(Why::Silent),
        true => (seat.idle() >= Some(bounds.idle)).then_some(Why::Idle),
    }
}

async fn serve(shared: Arc<Shared>, socket: WebSocket, taken: Taken, peer: IpAddr, remote: bool) {
    // Held until the last word is said: the server's end waits for it.
    let _talk = shared.talks.clone().acquire_owned().await;
    tracing::info!(%peer, remote, "session opened");
    let begin = Instant::now();
    let why = converse(&shared, socket, taken, remote).await;
    tracing::info!(%peer, seconds = begin.elapsed().as_secs(), why = why.map_or("gone", Why::words), "session closed");
}

/// Carries messages between socket and session until either ends, or the server has a reason to end both.
async fn converse(shared: &Shared, socket: WebSocket, taken: Taken, remote: bool) -> Option<Why> {
    let seat = taken.seat().clone();
    let (events, inbox) = sync_channel(REQUESTS);
    let (outbox, mut messages) = mpsc::channel::<String>(ANSWERS);
    // A full outbox means that nobody reads: what is not read need not be sent.
    let send = move |text: String| outbox.try_send(text).is_ok();
    let (config, share) = (shared.engine.clone(), Share::new(shared.memory.clone()));
    let session = move || {
        session::run(Terms { config, seat: taken.seat().clone(), share, remote }, inbox, Arc::new(send));
        // The seat is free when the engine has gone.
        drop(taken);
    };
    if std::thread::Builder::new().name("session".into()).spawn(session).is_err() {
        tracing::error!("no thread for a session");
        return None;
    }
    let (mut sink, mut stream) = socket.split();
    let mut ending = shared.ending.clone();
    let bounds = &shared.bounds;
    let mut look =
        interval((bounds.hello.min(bounds.idle) / 4).clamp(Duration::from_millis(5), Duration::from_secs(1)));
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut heard, mut pinged) = (Instant::now(), Instant::now());
    let why = loop {
        tokio::select! {
            text = messages.recv() => match text {
                Some(text) => {
                    if sink.send(Message::text(text)).await.is_err() {
                        return None;
                    }
                }
                // The session has ended.
                None => break None,
            },
            message = stream.next() => {
                heard = Instant::now();
                match message {
                    Some(Ok(Message::Text(text))) if give(&events, text.as_str()) => {}
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    // Binary frames, a closed or broken connection, a message that is too long or one too many.
                    _ => break None,
                }
            }
            _ = look.tick() => {
                if let Some(why) = too_quiet(&seat, bounds) {
                    break Some(why);
                }
                if heard.elapsed() >= 3 * PING {
                    break None;
                }
                if pinged.elapsed() >= PING {
                    pinged = Instant::now();
                    if sink.send(Message::Ping(Vec::new().into())).await.is_err() {
                        return None;
                    }
                }
            }
            () = seat.told_to_leave() => break Some(Why::GaveWay),
            () = ended(&mut ending) => break Some(Why::Ending),
        }
    };
    let Some(why) = why else {
        let _ = sink.close().await;
        return None;
    };
    let _ = events.try_send(Event::End(why.words(), why.again()));
    drop(events);
    // The last words, as long as somebody listens.
    let last = async {
        while let Some(text) = messages.recv().await {
            sink.send(Message::text(text)).await?;
        }
        sink.send(why.close()).await
    };
    let _ = timeout(Duration::from_secs(1), last).await;
    Some(why)
}

/// Whether the session takes the message. Whoever sends faster than the engine answers is cut off.
fn give(events: &SyncSender<Event>, text: &str) -> bool {
    match events.try_send(Event::Text(text.to_owned())) {
        Ok(()) => true,
        Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
    }
}
