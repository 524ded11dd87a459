//! Topology, ports and configuration findings.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use model::{PortRef, Topology};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::problem::Problem;
use crate::series::{PortPoint, PortSample};
use crate::state::AppState;

/// Get the topology
#[utoipa::path(get, path = "/topology", operation_id = "get_topology", tag = "network", responses(
    (status = 200, description = "Nodes and links, in the order of the topology's source", body = Topology),
    (status = 503, description = "No topology has been loaded yet", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn topology(State(state): State<AppState>) -> Result<Json<Topology>, Problem> {
    let topology = state.live.topology().ok_or_else(|| {
        let detail = "no topology has been loaded yet";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-topology", "No topology", detail).retry_after(1)
    })?;
    Ok(Json(Topology::clone(&topology)))
}

/// The latest sample of every port.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ports {
    /// The samples, ordered by port.
    ports: Vec<PortSample>,
}

/// List the latest sample of every port
#[utoipa::path(get, path = "/ports", operation_id = "list_ports", tag = "network", responses(
    (status = 200, description = "Samples, ordered by port", body = Ports),
))]
pub(crate) async fn ports(State(state): State<AppState>) -> Json<Ports> {
    Json(Ports { ports: state.live.ports() })
}

/// Selects samples.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeriesQuery {
    /// At or after this time, in nanoseconds of switch time.
    since: Option<u64>,
}

/// Recent samples of a port.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PortSeries {
    /// The egress port.
    port: PortRef,
    /// The port at the other end of its link.
    peer: Option<PortRef>,
    /// The link's rate in bits per second.
    rate_bps: Option<u64>,
    /// The samples, oldest first; at most 1024.
    samples: Vec<PortPoint>,
}

/// List the recent samples of a port: queue, pauses, rate
#[utoipa::path(get, path = "/ports/{port}/series", operation_id = "get_port_series", tag = "network",
    params(("port" = PortRef, Path, description = "The port, e.g. `sw4:1`"), SeriesQuery), responses(
    (status = 200, description = "The samples of the port", body = PortSeries),
    (status = 400, description = "The path does not name a port, or a parameter is malformed", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "There is no such port", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn series(
    State(state): State<AppState>,
    Path(port): Path<String>,
    Query(query): Query<SeriesQuery>,
) -> Result<Json<PortSeries>, Problem> {
    let port: PortRef =
        port.parse().map_err(|error: model::port::ParsePortError| Problem::bad_query(error.to_string()))?;
    let samples = state
        .live
        .port_series(&port, query.since.unwrap_or(0))
        .ok_or_else(|| Problem::not_found(format!("the topology has no port `{port}`")))?;
    let topology = state.live.topology();
    let topology = topology.as_deref();
    let peer = topology.and_then(|t| t.peer(&port)).cloned();
    let rate_bps = topology.and_then(|t| t.link_of(&port)).map(|link| link.rate.0);
    Ok(Json(PortSeries { port, peer, rate_bps, samples }))
}

/// Findings of the configuration checker.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Findings {
    /// The findings, ordered by code; each in the format of `harrier check --format json`.
    #[schema(value_type = Vec<Object>)]
    findings: Vec<serde_json::Value>,
}

/// List the findings of the configuration checker
#[utoipa::path(get, path = "/findings", operation_id = "list_findings", tag = "network", responses(
    (status = 200, description = "All stored findings", body = Findings),
))]
pub(crate) async fn findings(State(state): State<AppState>) -> Result<Json<Findings>, Problem> {
    let findings = state.live.store().findings().await?;
    Ok(Json(Findings { findings: findings.into_iter().map(|finding| finding.body).collect() }))
}
