//! Accepts connections and serves HTTP on them, with limits on what a slow or silent client can hold.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use axum::serve::Listener;
use axum::{Extension, Router};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::access::Peer;
use crate::limits::{BODY_TIMEOUT, CONNECTIONS, HANDSHAKE_TIMEOUT, HEADER_TIMEOUT, HTTP2_STREAMS};

/// The protocol of a connection, known before its first byte: without TLS it is HTTP/1.1, with TLS it is negotiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Http1,
    Http2,
}

/// Serves until `shutdown` resolves; then it completes pending requests and returns. At [`CONNECTIONS`] connections,
/// further ones wait in the backlog of the system.
pub(crate) async fn serve(
    mut listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let router = router.layer(RequestBodyTimeoutLayer::new(BODY_TIMEOUT));
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = async {
            let slot = slots.clone().acquire_owned().await;
            // The trait's method, which logs and retries.
            let (socket, address) = Listener::accept(&mut listener).await;
            (slot, socket, address)
        };
        let (slot, socket, address) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut shutdown => break,
        };
        // For the login through a proxy.
        let router = router.clone().layer(Extension(Peer(address.ip())));
        let (tls, watcher) = (tls.clone(), graceful.watcher());
        tokio::spawn(async move {
            match tls {
                None => one(socket, Protocol::Http1, router, watcher).await,
                Some(acceptor) => {
                    let handshake = tokio::time::timeout(HANDSHAKE_TIMEOUT, acceptor.accept(socket));
                    if let Ok(Ok(stream)) = handshake.await {
                        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                        let protocol = if is_http2 { Protocol::Http2 } else { Protocol::Http1 };
                        one(stream, protocol, router, watcher).await;
                    }
                }
            }
            drop(slot);
        });
    }
    graceful.shutdown().await;
    Ok(())
}

/// Serves one connection. A client that breaks off or is too slow is no error of this server.
async fn one<S>(stream: S, protocol: Protocol, router: Router, watcher: Watcher)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = Builder::new(TokioExecutor::new());
    // The time also ends connections that are idle between two requests.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(HTTP2_STREAMS)
        .keep_alive_interval(HEADER_TIMEOUT)
        .keep_alive_timeout(HEADER_TIMEOUT);
    let builder = match protocol {
        Protocol::Http1 => builder.http1_only(),
        Protocol::Http2 => builder.http2_only(),
    };
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, "a connection ended early");
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use axum::routing::{get, post};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

    use super::*;

    /// Connects to a server whose clock advances as soon as nothing else can happen.
    fn connect(graceful: &GracefulShutdown) -> DuplexStream {
        let router = Router::new()
            .route("/", get(|| async { "hello" }))
            .route("/body", post(|body: Bytes| async move { body.len().to_string() }))
            .layer(RequestBodyTimeoutLayer::new(BODY_TIMEOUT));
        let (client, server) = tokio::io::duplex(64 * 1024);
        tokio::spawn(one(server, Protocol::Http1, router, graceful.watcher()));
        client
    }

    /// Sends a text and returns all that the server answers until it closes the connection.
    async fn answer(request: &str) -> String {
        let graceful = GracefulShutdown::new();
        let mut client = connect(&graceful);
        client.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_connection_and_half_a_request_are_closed() {
        for request in ["", "GET / HTTP/1.1\r\nHost: x\r\nA: "] {
            assert_eq!(answer(request).await, "", "{request:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_connection_is_closed_after_its_answer() {
        let answer = answer("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello"), "{answer}");
    }

    #[tokio::test(start_paused = true)]
    async fn half_a_body_is_an_error_of_the_request() {
        let answer = answer("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc").await;
        assert!(answer.starts_with("HTTP/1.1 400") || answer.starts_with("HTTP/1.1 408"), "{answer}");
    }
}
