//! The HTTP server.

use std::future::Future;
use std::io;

use tokio::net::TcpListener;

use crate::routes::router;
use crate::state::AppState;

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
    let live = state.live.clone();
    let stopping = async move {
        shutdown.await;
        // An open live stream would keep its connection, and with it this server, running for ever.
        live.events.close();
    };
    axum::serve(listener, router(state)).with_graceful_shutdown(stopping).await
}
