//! On-demand queries about a victim flow.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use model::FlowKey;
use serde::Deserialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use super::diagnoses::TimedDiagnosis;
use crate::limits::QUERY_TIMEOUT;
use crate::problem::Problem;
use crate::query::QueryError;
use crate::state::AppState;

/// A query about a victim flow.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Question)]
pub(crate) struct QueryRequest {
    /// The victim flow.
    victim: FlowKey,
}

/// Diagnose a victim flow now: collect telemetry, diagnose it and store the diagnosis
#[utoipa::path(post, path = "/queries", operation_id = "ask_about_flow", tag = "diagnoses", request_body = QueryRequest, responses(
    (status = 200, description = "The diagnosis; the `location` header holds its path", body = TimedDiagnosis),
    (status = 404, description = "No host of this network sends the flow (`unknown-flow`), or the network does not slow it down now (`no-anomaly`)", body = Problem, content_type = "application/problem+json"),
    (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "The body is malformed, or the victim is not a flow", body = Problem, content_type = "application/problem+json"),
    (status = 502, description = "The collection or the analysis failed", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "No network is connected (`no-network`), or there are too many queries (`busy`)", body = Problem, content_type = "application/problem+json"),
    (status = 504, description = "The collection took too long", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn query(
    State(state): State<AppState>,
    Json(request): Json<QueryRequest>,
) -> Result<impl IntoResponse, Problem> {
    let backend = state.backend.as_ref().ok_or_else(|| {
        let detail = "this server shows stored diagnoses only; it is not connected to a network";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-network", "No network is connected", detail)
    })?;
    let result = timeout(QUERY_TIMEOUT, backend.query(request.victim)).await.map_err(|_| {
        let detail = format!("no diagnosis of `{}` within {} s", request.victim, QUERY_TIMEOUT.as_secs());
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "query-timeout", "The collection took too long", detail)
    })??;
    state.live.push_diagnosis(&result.diagnosis, &result.graph, result.snapshot.as_ref()).await?;
    let location = format!("/api/v1/diagnoses/{}", result.diagnosis.id);
    Ok(([(header::LOCATION, location)], Json(TimedDiagnosis::new(&state.live, result.diagnosis))))
}

impl From<QueryError> for Problem {
    fn from(error: QueryError) -> Problem {
        let detail = error.to_string();
        match error {
            QueryError::UnknownFlow(_) => {
                Problem::new(StatusCode::NOT_FOUND, "unknown-flow", "Unknown flow", detail)
            }
            QueryError::Clean(_) => Problem::new(
                StatusCode::NOT_FOUND,
                "no-anomaly",
                "The network does not slow this flow down now",
                detail,
            ),
            QueryError::Busy { retry_after_s } => {
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "Too many collections", detail)
                    .retry_after(retry_after_s)
            }
            QueryError::Failed(_) => {
                Problem::new(StatusCode::BAD_GATEWAY, "query-failed", "The query failed", detail)
            }
        }
    }
}
