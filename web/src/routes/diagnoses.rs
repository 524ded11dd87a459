//! Diagnoses with their graphs and snapshots.

use std::net::IpAddr;

use axum::Json;
use axum::extract::{Path, Query, State};
use model::flow::{PROTO_TCP, PROTO_UDP};
use model::{Diagnosis, ProvenanceGraph, Snapshot};
use serde::{Deserialize, Deserializer, Serialize};
use store::{Cursor, DiagnosisFilter};
use utoipa::{IntoParams, ToSchema};

use crate::live::LiveState;
use crate::problem::Problem;
use crate::state::AppState;

/// Selects diagnoses. A parameter that is absent matches all.
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
    /// At or after this time, in nanoseconds of switch time.
    since: Option<u64>,
    /// Before this time, in nanoseconds of switch time.
    until: Option<u64>,
    /// Id of the incident that the diagnoses belong to.
    incident: Option<String>,
    /// Maximum number of rows: 50 when absent, at most 500.
    limit: Option<u32>,
    /// The `next` value of the previous page.
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

/// Parses the cursor of a page.
pub(crate) fn cursor(text: Option<&str>) -> Result<Option<Cursor>, Problem> {
    text.map(str::parse)
        .transpose()
        .map_err(|error: store::CursorError| Problem::bad_query(error.to_string()))
}

/// A diagnosis with its time on the wall clock.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimedDiagnosis {
    /// The diagnosis.
    #[serde(flatten)]
    diagnosis: Diagnosis,
    /// `time_ns` on the wall clock (RFC 3339); absent for simulated networks.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
}

impl TimedDiagnosis {
    pub(crate) fn new(live: &LiveState, diagnosis: Diagnosis) -> TimedDiagnosis {
        TimedDiagnosis { time: live.time(diagnosis.time_ns), diagnosis }
    }
}

/// A page of diagnoses, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DiagnosesPage {
    /// The diagnoses.
    diagnoses: Vec<TimedDiagnosis>,
    /// Cursor of the next page; null on the last page.
    next: Option<String>,
}

/// List diagnoses, newest first
#[utoipa::path(get, path = "/diagnoses", operation_id = "list_diagnoses", tag = "diagnoses", params(DiagnosesQuery), responses(
    (status = 200, description = "A page of diagnoses", body = DiagnosesPage),
    (status = 400, description = "A parameter is malformed", body = Problem, content_type = "application/problem+json"),
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
    let diagnoses =
        page.rows.into_iter().map(|diagnosis| TimedDiagnosis::new(&state.live, diagnosis)).collect();
    Ok(Json(DiagnosesPage { diagnoses, next: page.next.map(|next| next.to_string()) }))
}

/// Get a diagnosis
#[utoipa::path(get, path = "/diagnoses/{id}", operation_id = "get_diagnosis", tag = "diagnoses", params(("id" = String, Path, description = "Id of the diagnosis")), responses(
    (status = 200, description = "The diagnosis with its evidence", body = TimedDiagnosis),
    (status = 404, description = "There is no such diagnosis", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn one(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<TimedDiagnosis>, Problem> {
    let diagnosis = state.live.store().diagnosis(&id).await?;
    diagnosis
        .map(|diagnosis| Json(TimedDiagnosis::new(&state.live, diagnosis)))
        .ok_or_else(|| missing("diagnosis", &id))
}

/// Get the provenance graph of a diagnosis
#[utoipa::path(get, path = "/diagnoses/{id}/graph", operation_id = "get_diagnosis_graph", tag = "diagnoses", params(("id" = String, Path, description = "Id of the diagnosis")), responses(
    (status = 200, description = "The graph; edges refer to nodes by index", body = ProvenanceGraph),
    (status = 404, description = "There is no such diagnosis", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn graph(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<ProvenanceGraph>, Problem> {
    let graph = state.live.store().graph(&id).await?;
    graph.map(Json).ok_or_else(|| missing("diagnosis", &id))
}

/// Get the snapshot that a diagnosis was made from, in the format of `harrier analyze`
#[utoipa::path(get, path = "/diagnoses/{id}/snapshot", operation_id = "get_diagnosis_snapshot", tag = "diagnoses", params(("id" = String, Path, description = "Id of the diagnosis")), responses(
    (status = 200, description = "The snapshot", body = Snapshot),
    (status = 404, description = "There is no such diagnosis, or its snapshot has been removed", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn snapshot(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<Snapshot>, Problem> {
    let snapshot = state.live.store().snapshot(&id).await?;
    snapshot.map(Json).ok_or_else(|| missing("snapshot", &id))
}

/// The problem for an unknown id.
pub(crate) fn missing(what: &str, id: &str) -> Problem {
    Problem::not_found(format!(
        "there is no {what} `{id}`; it does not exist, or it was removed as one of the oldest"
    ))
}
