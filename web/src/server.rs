//! The HTTP server.

use std::future::Future;
use std::io;

use axum::Router;
use tokio::net::TcpListener;

use crate::access::protect;
use crate::routes::router;
use crate::state::AppState;
use crate::tls::Bound;

/// Serves on `listener` until `shutdown` resolves. Then it ends all live streams, completes pending requests and
/// returns.
///
/// # Errors
/// The listener fails.
pub async fn serve(
    listener: TcpListener,
    state: AppState,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    serve_bound(Bound::plain(listener), state, shutdown).await
}

/// As [`serve`], with or without TLS.
///
/// # Errors
/// The listener fails.
pub async fn serve_bound(
    bound: Bound,
    state: AppState,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let live = state.live.clone();
    let stopping = async move {
        shutdown.await;
        // An open live stream would keep its connection, and with it this server, running for ever.
        live.events.close();
    };
    bound.serve(service(state), stopping).await
}

/// Returns all routes behind the access control of `state`: what [`serve`] serves.
pub fn service(state: AppState) -> Router {
    let access = state.access.clone();
    protect(router(state), access)
}
