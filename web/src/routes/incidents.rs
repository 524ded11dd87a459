//! Incidents.

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::{Deserialize, Serialize};
use store::{Incident, IncidentFilter};
use utoipa::{IntoParams, ToSchema};

use super::diagnoses::{cursor, missing};
use crate::live::LiveState;
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

/// An incident with its times on the wall clock (RFC 3339); they are absent for simulated networks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimedIncident {
    /// The incident.
    #[serde(flatten)]
    incident: Incident,
    /// `start_ns` on the wall clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    /// `update_ns` on the wall clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    update_time: Option<String>,
    /// `end_ns` on the wall clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
}

impl TimedIncident {
    pub(crate) fn new(live: &LiveState, incident: Incident) -> TimedIncident {
        TimedIncident {
            start_time: live.time(incident.start_ns),
            update_time: live.time(incident.update_ns),
            end_time: incident.end_ns.and_then(|end_ns| live.time(end_ns)),
            incident,
        }
    }
}

/// A page of incidents, latest start first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IncidentsPage {
    /// The incidents.
    incidents: Vec<TimedIncident>,
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
    let incidents = page.rows.into_iter().map(|incident| TimedIncident::new(&state.live, incident)).collect();
    Ok(Json(IncidentsPage { incidents, next: page.next.map(|next| next.to_string()) }))
}

/// Get an incident
#[utoipa::path(get, path = "/incidents/{id}", operation_id = "get_incident", tag = "incidents", params(("id" = String, Path, description = "Id of the incident")), responses(
    (status = 200, description = "The incident", body = TimedIncident),
    (status = 404, description = "There is no such incident", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn one(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<TimedIncident>, Problem> {
    let incident = state.live.store().incident(&id).await?;
    incident
        .map(|incident| Json(TimedIncident::new(&state.live, incident)))
        .ok_or_else(|| missing("incident", &id))
}
