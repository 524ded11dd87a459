//! Checks of switch configurations.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use tokio::sync::Semaphore;
use utoipa::ToSchema;

use crate::check::{CheckReport, ConfigurationFile};
use crate::limits::{CHECKED_FILES, FILE_NAME_CHARS};
use crate::problem::Problem;
use crate::state::AppState;

/// Checks at once: one leaves a core to verdicts.
static RUNNING: Semaphore = Semaphore::const_new(1);

/// Configurations to check.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ConfigurationCheck)]
pub(crate) struct CheckRequest {
    /// The files, of one fleet: switches are also compared with each other.
    #[schema(min_items = 1, max_items = 256)]
    files: Vec<ConfigurationFile>,
}

/// Check switch configurations before a rollout, as `harrier check` does without a settings file
///
/// The files are neither stored nor logged. At most 256 files and 4 MiB; a fleet that is larger needs the command.
#[utoipa::path(post, path = "/checks", operation_id = "check_configurations", tag = "network", request_body = CheckRequest, responses(
    (status = 200, description = "What the rules found", body = CheckReport),
    (status = 400, description = "The body is not JSON", body = Problem, content_type = "application/problem+json"),
    (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
    (status = 415, description = "The content type is not `application/json`", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "The body is malformed, or has no file or too many", body = Problem, content_type = "application/problem+json"),
    (status = 501, description = "This server has no rules", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Another check runs (`busy`)", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn check(
    State(state): State<AppState>,
    Json(request): Json<CheckRequest>,
) -> Result<Json<CheckReport>, Problem> {
    let Some(checker) = state.checker.clone() else {
        let detail = "this server has no configuration checker; use the command `harrier check`";
        return Err(Problem::new(StatusCode::NOT_IMPLEMENTED, "no-checker", "Not implemented", detail));
    };
    let files = request.files;
    let bad = |detail: String| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-body", "The files cannot be checked", detail)
    };
    if files.is_empty() || files.len() > CHECKED_FILES {
        return Err(bad(format!("there are {} files; expected 1 to {CHECKED_FILES}", files.len())));
    }
    let lengths = files.iter().map(|file| file.name.chars().count()).enumerate();
    if let Some((at, chars)) = lengths.into_iter().find(|(_, chars)| *chars > FILE_NAME_CHARS) {
        return Err(bad(format!(
            "`files[{at}].name` has {chars} characters; at most {FILE_NAME_CHARS} are accepted"
        )));
    }
    let Ok(permit) = RUNNING.try_acquire() else {
        let detail = "another check runs; retry in 1 s";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "Another check runs", detail)
            .retry_after(1));
    };
    let checker = Arc::clone(&checker);
    let checked = tokio::task::spawn_blocking(move || {
        // Held until the rules end, also if the client disconnects.
        let _permit = permit;
        checker.check(&files)
    });
    checked.await.map(Json).map_err(|error| {
        tracing::error!(%error, "a check of configurations ended");
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "The check failed",
            "the server's log has the reason",
        )
    })
}
