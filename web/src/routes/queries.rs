//! Asking about a victim flow now.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use model::{Diagnosis, FlowKey};
use serde::Deserialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::limits::QUERY_TIMEOUT;
use crate::problem::Problem;
use crate::query::QueryError;
use crate::state::AppState;

/// A question.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The flow that is slow.
    victim: FlowKey,
}

/// Ask about a victim flow now: collects telemetry, diagnoses it and stores the result
#[utoipa::path(post, path = "/queries", operation_id = "ask_about_flow", tag = "diagnoses", request_body = Question, responses(
    (status = 200, description = "The verdict; `location` names where it stays", body = Diagnosis),
    (status = 404, description = "The flow is not one of this network (`unknown-flow`), or nothing slows it in the network now (`no-anomaly`)", body = Problem, content_type = "application/problem+json"),
    (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "The body is not a question, or the victim is not a flow", body = Problem, content_type = "application/problem+json"),
    (status = 502, description = "The collection or the analysis failed", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Nobody can answer, or too many ask", body = Problem, content_type = "application/problem+json"),
    (status = 504, description = "The collection took too long", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn ask(
    State(state): State<AppState>,
    Json(question): Json<Question>,
) -> Result<impl IntoResponse, Problem> {
    let backend = state.backend.as_ref().ok_or_else(|| {
        let detail = "this server shows what is stored and is connected to no network that it could ask";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-network", "Nobody can answer", detail)
    })?;
    let answer = timeout(QUERY_TIMEOUT, backend.ask(question.victim)).await.map_err(|_| {
        let detail = format!("no verdict on `{}` within {} s", question.victim, QUERY_TIMEOUT.as_secs());
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "query-timeout", "The collection took too long", detail)
    })??;
    state.live.push_diagnosis(&answer.diagnosis, &answer.graph, answer.snapshot.as_ref()).await?;
    let location = format!("/api/v1/diagnoses/{}", answer.diagnosis.id);
    Ok(([(header::LOCATION, location)], Json(answer.diagnosis)))
}

impl From<QueryError> for Problem {
    fn from(error: QueryError) -> Problem {
        let detail = error.to_string();
        match error {
            QueryError::UnknownFlow(_) => {
                Problem::new(StatusCode::NOT_FOUND, "unknown-flow", "The flow is not known", detail)
            }
            QueryError::Clean(_) => Problem::new(
                StatusCode::NOT_FOUND,
                "no-anomaly",
                "Nothing slows this flow in the network now",
                detail,
            ),
            QueryError::Busy { retry_after_s } => {
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "Too many collections", detail)
                    .retry_after(retry_after_s)
            }
            QueryError::Failed(_) => {
                Problem::new(StatusCode::BAD_GATEWAY, "query-failed", "The question has no answer", detail)
            }
        }
    }
}
