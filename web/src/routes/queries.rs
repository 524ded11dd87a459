//! On-demand queries about a victim flow.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{Diagnosis, FlowKey};
use serde::{Deserialize, Serialize};
use store::DiagnosisRow;
use tokio::time::timeout;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use super::diagnoses::TimedDiagnosis;
use crate::limits::QUERY_TIMEOUT;
use crate::problem::Problem;
use crate::query::QueryError;
use crate::state::AppState;
use crate::wall_clock::rfc3339;

/// A query about a victim flow.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Question)]
pub(crate) struct QueryRequest {
    /// The victim flow.
    victim: FlowKey,
}

/// The answer about a flow that the network does not slow down now.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NoAnomaly {
    /// Always null, which distinguishes this answer from a diagnosis.
    #[schema(schema_with = null, required)]
    anomaly: (),
    /// The flow.
    victim: FlowKey,
    /// The answer in one sentence.
    detail: String,
    /// What the telemetry of the flow's path shows, and what is missing.
    looked_at: String,
    /// When the answer was given (RFC 3339).
    time: String,
}

/// The schema of a value that is null.
fn null() -> Schema {
    ObjectBuilder::new().schema_type(Type::Null).into()
}

/// The answer to a query.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum QueryAnswer {
    /// What slows the flow down.
    Diagnosis(Box<TimedDiagnosis>),
    /// Nothing does.
    NoAnomaly(NoAnomaly),
}

/// Diagnose a victim flow now: collect telemetry, diagnose it and store the diagnosis
#[utoipa::path(post, path = "/queries", operation_id = "ask_about_flow", tag = "diagnoses", request_body = QueryRequest, responses(
    (status = 200, description = "The diagnosis, whose path is in the `location` header; or, if the network does not slow the flow down now, `anomaly` is null", body = QueryAnswer),
    (status = 400, description = "The body is not JSON", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "No host of this network sends the flow (`unknown-flow`)", body = Problem, content_type = "application/problem+json"),
    (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
    (status = 415, description = "The content type is not `application/json`", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "The body is malformed, or the victim is not a flow", body = Problem, content_type = "application/problem+json"),
    (status = 502, description = "The collection or the analysis failed", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "No network is connected (`no-network`), or there are too many queries (`busy`)", body = Problem, content_type = "application/problem+json"),
    (status = 504, description = "The collection took too long", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn query(
    State(state): State<AppState>,
    Json(request): Json<QueryRequest>,
) -> Result<Response, Problem> {
    let backend = state.backend.as_ref().ok_or_else(|| {
        let detail = "this server shows stored diagnoses only; it is not connected to a network";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-network", "No network is connected", detail)
    })?;
    let victim = request.victim;
    let answered = timeout(QUERY_TIMEOUT, backend.query(victim)).await.map_err(|_| {
        let detail = format!("no diagnosis of `{victim}` within {} s", QUERY_TIMEOUT.as_secs());
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "query-timeout", "The collection took too long", detail)
    })?;
    let live = &state.live;
    let result = match answered {
        Err(QueryError::Clean(looked_at)) => {
            let detail = "the network does not slow this flow down now".to_string();
            let answer = NoAnomaly { anomaly: (), victim, detail, looked_at, time: rfc3339(live.wall_ns()) };
            return Ok(Json(QueryAnswer::NoAnomaly(answer)).into_response());
        }
        answered => answered?,
    };
    let stored = live.push_diagnosis(&result.diagnosis, &result.graph, result.snapshot.as_ref()).await?;
    let location = format!("/api/v1/diagnoses/{}", stored.id);
    let diagnosis = Diagnosis { id: stored.id, ..result.diagnosis };
    let answer = TimedDiagnosis::new(
        live,
        DiagnosisRow { diagnosis, run: stored.incident.run, wall_ns: stored.wall_ns },
    );
    let headers = [(header::LOCATION, location)];
    Ok((headers, Json(QueryAnswer::Diagnosis(Box::new(answer)))).into_response())
}

impl From<QueryError> for Problem {
    fn from(error: QueryError) -> Problem {
        let detail = error.to_string();
        match error {
            QueryError::UnknownFlow(_) => {
                Problem::new(StatusCode::NOT_FOUND, "unknown-flow", "Unknown flow", detail)
            }
            QueryError::Busy { retry_after_s } => {
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "Too many collections", detail)
                    .retry_after(retry_after_s)
            }
            // `query` answers `Clean` itself.
            QueryError::Failed(_) | QueryError::Clean(_) => {
                Problem::new(StatusCode::BAD_GATEWAY, "query-failed", "The query failed", detail)
            }
        }
    }
}
