//! Incidents.

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::{Deserialize, Serialize};
use store::{Incident, IncidentFilter};
use utoipa::{IntoParams, ToSchema};

use super::diagnoses::{cursor, missing};
use crate::problem::Problem;
use crate::state::AppState;

/// Selects incidents. A parameter that is absent matches all.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct IncidentsQuery {
    /// Only incidents that have not ended.
    #[serde(default)]
    #[param(value_type = Option<bool>)]
    open: bool,
    /// Updated at or after this time, in nanoseconds of switch time.
    since: Option<u64>,
    /// Started before this time, in nanoseconds of switch time.
    until: Option<u64>,
    /// Maximum number of rows: 50 when absent, at most 500.
    limit: Option<u32>,
    /// The `next` value of the previous page.
    cursor: Option<String>,
}

/// A page of incidents, latest start first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IncidentsPage {
    /// The incidents.
    incidents: Vec<Incident>,
    /// Cursor of the next page; null on the last page.
    next: Option<String>,
}

/// List incidents, latest start first
#[utoipa::path(get, path = "/incidents", operation_id = "list_incidents", tag = "incidents", params(IncidentsQuery), responses(
    (status = 200, description = "A page of incidents", body = IncidentsPage),
    (status = 400, description = "A parameter is malformed", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn list(
    State(state): State<AppState>,
    Query(query): Query<IncidentsQuery>,
) -> Result<Json<IncidentsPage>, Problem> {
    let filter = IncidentFilter {
        open: query.open,
        since_ns: query.since,
        until_ns: query.until,
        limit: query.limit,
        after: cursor(query.cursor.as_deref())?,
    };
    let page = state.live.store().incidents(&filter).await?;
    Ok(Json(IncidentsPage { incidents: page.rows, next: page.next.map(|next| next.to_string()) }))
}

/// Get an incident
#[utoipa::path(get, path = "/incidents/{id}", operation_id = "get_incident", tag = "incidents", params(("id" = String, Path, description = "Id of the incident")), responses(
    (status = 200, description = "The incident", body = Incident),
    (status = 404, description = "There is no such incident", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn one(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<Incident>, Problem> {
    let incident = state.live.store().incident(&id).await?;
    incident.map(Json).ok_or_else(|| missing("incident", &id))
}
