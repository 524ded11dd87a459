//! Serving on a listener until told to stop.

use std::future::Future;
use std::io;

use tokio::net::TcpListener;

use crate::routes::router;
use crate::state::AppState;

/// Serves on `listener` until `shutdown` resolves; then live streams end, requests under way are answered,
/// and it returns.
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
        // A live stream would otherwise keep its connection, and with it this server, open for ever.
        live.events.close();
    };
    axum::serve(listener, router(state)).with_graceful_shutdown(stopping).await
}
