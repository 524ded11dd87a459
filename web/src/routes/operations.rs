//! Routes about the server itself: OpenAPI document, metrics, health.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use utoipa::openapi::OpenApi;

use crate::problem::Problem;
use crate::state::AppState;

/// Media type of the OpenMetrics text format 1.0.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Returns the OpenAPI document of `/api/v1`.
pub(crate) async fn openapi() -> Json<OpenApi> {
    Json(super::openapi())
}

/// Rejects configuration checks over REST, which are not implemented.
pub(crate) async fn checks() -> Problem {
    let detail = "this server has no configuration checker; use the command `harrier check`";
    Problem::new(StatusCode::NOT_IMPLEMENTED, "no-checker", "Not implemented", detail)
}

/// Returns all metrics.
pub(crate) async fn metrics(State(state): State<AppState>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, OPEN_METRICS)], state.live.metrics.text())
}

/// Liveness: the process responds.
pub(crate) async fn healthy() -> &'static str {
    "ok\n"
}

/// Readiness: the store responds and a topology is loaded.
pub(crate) async fn ready(State(state): State<AppState>) -> Result<&'static str, Problem> {
    let not_yet = |detail: String| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not-ready", "Not ready", detail).retry_after(1)
    };
    state.live.store().ping().await.map_err(|error| not_yet(error.to_string()))?;
    state.live.topology().ok_or_else(|| not_yet("no topology has been loaded yet".into()))?;
    Ok("ready\n")
}
