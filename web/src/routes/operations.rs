//! Routes about the server itself: OpenAPI document, metrics, health.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::OpenApi;

use crate::exposition;
use crate::health::lines;
use crate::probe::{DaemonState, HealthProblem};
use crate::problem::Problem;
use crate::state::AppState;

/// Returns the OpenAPI document of `/api/v1`.
pub(crate) async fn openapi() -> Json<OpenApi> {
    Json(super::openapi())
}

/// Returns all metrics.
pub(crate) async fn metrics(State(state): State<AppState>, headers: HeaderMap) -> Response {
    let open = state.live.store().open_incidents().await.inspect_err(|error| {
        tracing::error!(%error, "metrics lack the open incidents");
    });
    let size = state.live.store().size().await.inspect_err(|error| {
        tracing::error!(%error, "metrics lack the size of the store");
    });
    let text = state.live.metrics.text(state.probe.as_ref(), open.ok().as_ref(), size.ok().as_ref());
    exposition::respond(&headers, text)
}

/// Liveness: the process responds.
pub(crate) async fn healthy() -> &'static str {
    "ok\n"
}

/// The daemons that have been connected since the server's start.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Daemons {
    /// The daemons, ordered by kind and name.
    daemons: Vec<DaemonState>,
    /// What keeps the server and the daemons from their work.
    problems: Vec<HealthProblem>,
}

/// List agents and controllers, and what keeps them and the server from their work
#[utoipa::path(get, path = "/daemons", operation_id = "list_daemons", tag = "network", responses(
    (status = 200, description = "Daemons, ordered by kind and name", body = Daemons),
))]
pub(crate) async fn daemons(State(state): State<AppState>) -> Json<Daemons> {
    let probe = state.probe.as_ref();
    Json(Daemons {
        daemons: probe.map(|probe| probe.daemons()).unwrap_or_default(),
        problems: probe.map(|p| [p.problems(), p.daemon_problems()].concat()).unwrap_or_default(),
    })
}

/// Readiness: the store responds, a topology is loaded, and nothing keeps the program from its work.
pub(crate) async fn ready(State(state): State<AppState>) -> Result<String, Problem> {
    let not_yet = |detail: String| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not-ready", "Not ready", detail).retry_after(1)
    };
    state.live.store().ping().await.map_err(|error| not_yet(error.to_string()))?;
    let no_network = || state.probe.as_ref().and_then(|probe| probe.no_network());
    state
        .live
        .topology()
        .ok_or_else(|| not_yet(no_network().unwrap_or_else(|| "no topology has been loaded yet".into())))?;
    match state.probe.as_ref().map(|probe| probe.problems()).unwrap_or_default().as_slice() {
        [] => Ok(ready_text(state.probe.as_ref().map(|probe| probe.daemon_problems()).unwrap_or_default())),
        problems => Err(not_yet(lines(problems).trim_end().replace('\n', "; "))),
    }
}

/// The text of a ready server: what keeps daemons from their work follows, so that a person sees it.
fn ready_text(daemon_problems: Vec<HealthProblem>) -> String {
    format!("ready\n{}", lines(&daemon_problems))
}
