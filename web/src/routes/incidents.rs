//! Incidents.

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::{Deserialize, Serialize};
use store::{Incident, IncidentFilter};
use utoipa::{IntoParams, ToSchema};

use super::diagnoses::{cursor, missing};
use crate::problem::Problem;
use crate::state::AppState;

/// Which incidents are wanted. What is absent matches all.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct IncidentsQuery {
    /// Only those that have not ended.
    #[serde(default)]
    #[param(value_type = Option<bool>)]
    open: bool,
    /// Touched at or after this, in nanoseconds of the fabric's clock.
    since: Option<u64>,
    /// Started before this, in nanoseconds of the fabric's clock.
    until: Option<u64>,
    /// Rows of a page: 50 when absent, 500 at most.
    limit: Option<u32>,
    /// The `next` of the page to continue.
    cursor: Option<String>,
}

/// A page of incidents, latest start first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IncidentsPage {
    /// The incidents.
    incidents: Vec<Incident>,
    /// Where the next page starts; null on the last.
    next: Option<String>,
}

/// Incidents, latest start first
#[utoipa::path(get, path = "/incidents", operation_id = "list_incidents", tag = "incidents", params(IncidentsQuery), responses(
    (status = 200, description = "A page of incidents", body = IncidentsPage),
    (status = 400, description = "A parameter cannot be read", body = Problem, content_type = "application/problem+json"),
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

/// One incident
#[utoipa::path(get, path = "/incidents/{id}", operation_id = "get_incident", tag = "incidents", params(("id" = String, Path, description = "The incident's id")), responses(
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
