//! The run without the root cause of a diagnosis.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use model::Diagnosis;
use store::DiagnosisFilter;

use super::diagnoses::missing;
use crate::problem::Problem;
use crate::state::AppState;
use crate::what_if::{WhatIf, WhatIfBusy};

/// Repeat the run of a diagnosis without its root cause, and compare both runs
#[utoipa::path(get, path = "/diagnoses/{id}/what-if", operation_id = "get_diagnosis_what_if", tag = "diagnoses", params(("id" = String, Path, description = "Id of the diagnosis")), responses(
    (status = 200, description = "Both runs compared, or why the run is not repeated: that of a real network cannot be", body = WhatIf),
    (status = 404, description = "There is no such diagnosis", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Too many runs are repeated at once (`busy`)", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn what_if(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<WhatIf>, Problem> {
    let row = state.live.store().diagnosis(&id).await?;
    let diagnosis = row.ok_or_else(|| missing("diagnosis", &id))?.diagnosis;
    let answer = without_root_cause(&state, diagnosis).await?;
    answer.map(Json).map_err(|busy| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "Too many runs", busy.to_string())
            .retry_after(busy.retry_after_s)
    })
}

/// Returns what the run of a diagnosis shows without its root cause: as it was verified, or repeated now.
pub(super) async fn without_root_cause(
    state: &AppState,
    diagnosis: Diagnosis,
) -> Result<Result<WhatIf, WhatIfBusy>, Problem> {
    if let (Some(verified), Some(verification)) = (diagnosis.verified, &diagnosis.verification) {
        return Ok(Ok(WhatIf::Repeated { verified, verification: verification.clone() }));
    }
    let Some(backend) = &state.what_if else {
        return Ok(Ok(WhatIf::NotSimulated));
    };
    let others = of_same_delay(state, &diagnosis).await?;
    Ok(backend.repeat(diagnosis, others).await)
}

/// Returns the other diagnoses of the victim's delay: those of the same measurement.
async fn of_same_delay(state: &AppState, diagnosis: &Diagnosis) -> Result<Vec<Diagnosis>, Problem> {
    let Some(victim) = diagnosis.victim else { return Ok(Vec::new()) };
    let filter = DiagnosisFilter {
        src: Some(victim.src),
        dst: Some(victim.dst),
        sport: Some(victim.sport),
        dport: Some(victim.dport),
        proto: Some(victim.proto),
        since_ns: Some(diagnosis.time_ns),
        until_ns: diagnosis.time_ns.checked_add(1),
        ..DiagnosisFilter::default()
    };
    let page = state.live.store().diagnoses(&filter).await?;
    let others = page.rows.into_iter().map(|row| row.diagnosis);
    Ok(others.filter(|other| other.id != diagnosis.id).collect())
}
