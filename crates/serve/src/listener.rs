//! Accepting connections: a bounded number at a time, none that only waits, and a graceful end.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

/// Connections at one time. A page needs about eight.
const CONNECTIONS: usize = 128;

/// A client must send its whole head within this time, also the next one on a connection that is kept.
const HEAD: Duration = Duration::from_secs(15);

/// Longest head. A question is far shorter.
const HEAD_BYTES: usize = 32 << 10;

/// How long requests in progress may take after the end has come.
const GRACE: Duration = Duration::from_secs(3);

/// Answers connections until `ending` becomes true.
pub async fn serve(listener: TcpListener, router: Router, mut ending: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            // The semaphore is never closed, so a place always comes.
            accepted = async { (places.clone().acquire_owned().await, listener.accept().await) } => accepted,
            () = ended(&mut ending) => break,
        };
        let (place, stream) = match accepted {
            (place, Ok((stream, _))) => (place, stream),
            // Out of sockets, or the client has gone already: the next one may fare better.
            (_, Err(_)) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        // Small messages go at once; a connection without that still works.
        let _ = stream.set_nodelay(true);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_buf_size(HEAD_BYTES)
            // A client may close its side once it has asked.
            .half_close(true)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router.clone()))
            .with_upgrades();
        let mut ending = ending.clone();
        tokio::spawn(async move {
            let mut connection = pin!(connection);
            // A broken connection concerns nobody but its client.
            tokio::select! {
                _ = connection.as_mut() => {}
                () = ended(&mut ending) => {
                    connection.as_mut().graceful_shutdown();
                    let _ = tokio::time::timeout(GRACE, connection).await;
                }
            }
            drop(place);
        });
    }
    drop(listener);
    // All places free: all connections closed.
    let _ = tokio::time::timeout(GRACE, places.acquire_many(CONNECTIONS as u32)).await;
}

/// Waits for the server's end.
pub async fn ended(ending: &mut watch::Receiver<bool>) {
    let _ = ending.wait_for(|&ended| ended).await;
}
