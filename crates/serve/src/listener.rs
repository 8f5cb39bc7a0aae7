//! Accepting connections: a bounded number at a time, none that only waits, and a graceful end.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use crate::config::Bounds;
use crate::crowd::{Crowd, Place};

/// Longest head. A question is far shorter.
const HEAD_BYTES: usize = 32 << 10;

/// Who asks; every request carries it.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// What a connection needs.
struct Door {
    router: Router,
    tls: Option<TlsAcceptor>,
    bounds: Bounds,
    ending: watch::Receiver<bool>,
}

/// Answers connections until `ending` becomes true.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    tls: Option<TlsAcceptor>,
    bounds: Bounds,
    mut ending: watch::Receiver<bool>,
) {
    let crowd = Crowd::new(bounds.connections, bounds.per_address);
    let door = Arc::new(Door { router, tls, bounds, ending: ending.clone() });
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = ended(&mut ending) => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            // Out of sockets, or the client has gone already: the next one may fare better.
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let place = tokio::select! {
            place = crowd.admit(peer.ip()) => place,
            () = ended(&mut ending) => break,
        };
        let Some(place) = place else {
            tracing::warn!(%peer, "refused: too many connections of this address");
            continue;
        };
        tokio::spawn(welcome(door.clone(), stream, peer, place));
    }
    drop(listener);
    if tokio::time::timeout(door.bounds.grace, crowd.gone()).await.is_err() {
        tracing::warn!("connections were cut off: they did not end in time");
    }
}

/// Serves a connection until its client or the crowd ends it. A broken connection concerns nobody but its client.
async fn welcome(door: Arc<Door>, stream: TcpStream, peer: SocketAddr, place: Place) {
    // Small messages go at once; a connection without that still works.
    let _ = stream.set_nodelay(true);
    let mut stream = Box::pin(TimeoutStream::new(stream));
    stream.as_mut().set_write_timeout_pinned(Some(door.bounds.write));
    let visitor = place.visitor().clone();
    let talk = async {
        match &door.tls {
            None => converse(&door, stream, peer, &place).await,
            Some(tls) => match tokio::time::timeout(door.bounds.head, tls.accept(stream)).await {
                Ok(Ok(stream)) => converse(&door, stream, peer, &place).await,
                Ok(Err(error)) => tracing::debug!(%peer, %error, "no encrypted connection"),
                Err(_) => tracing::debug!(%peer, "no encrypted connection in time"),
            },
        }
    };
    tokio::select! {
        () = talk => {}
        () = visitor.told_to_leave() => tracing::debug!(%peer, "closed: waited longest, and others came"),
    }
}

async fn converse<S>(door: &Door, stream: S, peer: SocketAddr, place: &Place)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let visitor = place.visitor();
    let service = service_fn(|request: Request<Incoming>| {
        visitor.works();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer));
        let answer = door.router.clone().oneshot(request);
        let visitor = visitor.clone();
        async move {
            let answer = answer.await;
            visitor.waits();
            answer
        }
    });
    // Not hyper-util's builder: it waits for the first bytes without a timer.
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(door.bounds.head)
        .max_buf_size(HEAD_BYTES)
        // A client may close its side once it has asked.
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let (mut connection, mut ending) = (pin!(connection), door.ending.clone());
    let result = tokio::select! {
        result = connection.as_mut() => result,
        () = ended(&mut ending) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%peer, %error, "connection ended");
    }
}

/// Waits for the server's end.
pub async fn ended(ending: &mut watch::Receiver<bool>) {
    let _ = ending.wait_for(|&ended| ended).await;
}
