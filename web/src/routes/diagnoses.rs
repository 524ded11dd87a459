//! Diagnoses, their graphs and the telemetry they rest on.

use std::net::IpAddr;

use axum::Json;
use axum::extract::{Path, Query, State};
use model::flow::{PROTO_TCP, PROTO_UDP};
use model::{Diagnosis, ProvenanceGraph, Snapshot};
use serde::{Deserialize, Deserializer, Serialize};
use store::{Cursor, DiagnosisFilter};
use utoipa::{IntoParams, ToSchema};

use crate::problem::Problem;
use crate::state::AppState;

/// Which diagnoses are wanted. What is absent matches all.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiagnosesQuery {
    /// Source address of the victim.
    #[param(value_type = Option<String>)]
    src: Option<IpAddr>,
    /// Destination address of the victim.
    #[param(value_type = Option<String>)]
    dst: Option<IpAddr>,
    /// Source port of the victim.
    sport: Option<u16>,
    /// Destination port of the victim.
    dport: Option<u16>,
    /// Protocol of the victim: `udp`, `tcp` or an IP protocol number.
    #[param(value_type = Option<String>)]
    #[serde(default, deserialize_with = "protocol")]
    proto: Option<u8>,
    /// Not earlier than this, in nanoseconds of the fabric's clock.
    since: Option<u64>,
    /// Earlier than this, in nanoseconds of the fabric's clock.
    until: Option<u64>,
    /// Only those of one incident.
    incident: Option<String>,
    /// Rows of a page: 50 when absent, 500 at most.
    limit: Option<u32>,
    /// The `next` of the page to continue.
    cursor: Option<String>,
}

fn protocol<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.to_ascii_lowercase().as_str() {
        "udp" => Ok(Some(PROTO_UDP)),
        "tcp" => Ok(Some(PROTO_TCP)),
        number => number.parse().map(Some).map_err(|_| {
            serde::de::Error::custom(format!("protocol `{text}` is not `udp`, `tcp` or a number up to 255"))
        }),
    }
}

/// The cursor of a page, or a problem that says what a cursor is.
pub(crate) fn cursor(text: Option<&str>) -> Result<Option<Cursor>, Problem> {
    text.map(str::parse)
        .transpose()
        .map_err(|error: store::CursorError| Problem::bad_query(error.to_string()))
}

/// A page of diagnoses, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DiagnosesPage {
    /// The diagnoses.
    diagnoses: Vec<Diagnosis>,
    /// Where the next page starts; null on the last.
    next: Option<String>,
}

/// Diagnoses, newest first
#[utoipa::path(get, path = "/diagnoses", operation_id = "list_diagnoses", tag = "diagnoses", params(DiagnosesQuery), responses(
    (status = 200, description = "A page of diagnoses", body = DiagnosesPage),
    (status = 400, description = "A parameter cannot be read", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn list(
    State(state): State<AppState>,
    Query(query): Query<DiagnosesQuery>,
) -> Result<Json<DiagnosesPage>, Problem> {
    let filter = DiagnosisFilter {
        src: query.src,
        dst: query.dst,
        sport: query.sport,
        dport: query.dport,
        proto: query.proto,
        since_ns: query.since,
        until_ns: query.until,
        incident: query.incident,
        limit: query.limit,
        after: cursor(query.cursor.as_deref())?,
    };
    let page = state.live.store().diagnoses(&filter).await?;
    Ok(Json(DiagnosesPage { diagnoses: page.rows, next: page.next.map(|next| next.to_string()) }))
}

/// One diagnosis
#[utoipa::path(get, path = "/diagnoses/{id}", operation_id = "get_diagnosis", tag = "diagnoses", params(("id" = String, Path, description = "The diagnosis' id")), responses(
    (status = 200, description = "The diagnosis with its evidence", body = Diagnosis),
    (status = 404, description = "There is no such diagnosis", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn one(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<Diagnosis>, Problem> {
    let diagnosis = state.live.store().diagnosis(&id).await?;
    diagnosis.map(Json).ok_or_else(|| missing("diagnosis", &id))
}

/// The provenance graph of a diagnosis: who waits for whom
#[utoipa::path(get, path = "/diagnoses/{id}/graph", operation_id = "get_diagnosis_graph", tag = "diagnoses", params(("id" = String, Path, description = "The diagnosis' id")), responses(
    (status = 200, description = "Its graph; edges name nodes by their index", body = ProvenanceGraph),
    (status = 404, description = "There is no such diagnosis", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn graph(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<ProvenanceGraph>, Problem> {
    let graph = state.live.store().graph(&id).await?;
    graph.map(Json).ok_or_else(|| missing("diagnosis", &id))
}

/// The telemetry that a diagnosis rests on, as `harrier analyze` reads it
#[utoipa::path(get, path = "/diagnoses/{id}/snapshot", operation_id = "get_diagnosis_snapshot", tag = "diagnoses", params(("id" = String, Path, description = "The diagnosis' id")), responses(
    (status = 200, description = "The snapshot", body = Snapshot),
    (status = 404, description = "There is no such diagnosis, or its telemetry is no longer kept", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn snapshot(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<Snapshot>, Problem> {
    let snapshot = state.live.store().snapshot(&id).await?;
    snapshot.map(Json).ok_or_else(|| missing("snapshot", &id))
}

/// The problem of an id that names nothing.
pub(crate) fn missing(what: &str, id: &str) -> Problem {
    Problem::not_found(format!("there is no {what} `{id}`; the oldest are removed when there are many"))
}
