//! The HTTP server of daemons without REST: `/healthz`, `/readyz`, `/metrics`.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus_client::encoding::text::{encode, encode_registry};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use crate::exposition;
use crate::probe::{Collected, HealthProblem, Probe};
use crate::tls::Bound;

/// Serves health and metrics of a daemon until `shutdown` resolves.
///
/// # Errors
/// The listener fails.
pub async fn serve_health(
    bound: Bound,
    probe: Arc<dyn Probe>,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let router = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(probe);
    bound.serve(crate::headers::secure(router), shutdown).await
}

async fn ready(State(probe): State<Arc<dyn Probe>>) -> impl IntoResponse {
    match probe.problems().as_slice() {
        [] => (StatusCode::OK, "ready\n".to_string()),
        problems => (StatusCode::SERVICE_UNAVAILABLE, lines(problems)),
    }
}

/// Returns problems as text, one on each line.
pub(crate) fn lines(problems: &[HealthProblem]) -> String {
    problems.iter().map(|problem| format!("{}: {}\n", problem.subject, problem.reason)).collect()
}

async fn metrics(State(probe): State<Arc<dyn Probe>>, headers: HeaderMap) -> Response {
    let mut registry = Registry::with_prefix("harrier");
    let version = ("version", env!("CARGO_PKG_VERSION"));
    registry.register("build", "Version of this build", Info::new(vec![version]));
    registry.register_collector(Box::new(Collected(probe)));
    let mut text = String::new();
    let written = encode_registry(&mut text, &crate::process::registry());
    if let Err(error) = written.and_then(|()| encode(&mut text, &registry)) {
        // Writing to a `String` cannot fail; only a metric type could return an error.
        tracing::error!(%error, "metrics cannot be written");
    }
    exposition::respond(&headers, text)
}
