//! Incidents.

use axum::Json;
use axum::extract::{Path, Query, State};
use model::{Anomaly, Cause, FlowKey, PortRef, Severity};
use serde::{Deserialize, Serialize};
use store::{Handling, Incident, IncidentFilter, Occurrence};
use utoipa::{IntoParams, ToSchema};

use super::diagnoses::{cursor, missing};
use super::parameters::{cursor_text, date_time, limit, nanoseconds, wall_clock};
use crate::headline::Headline;
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
    #[serde(default, deserialize_with = "nanoseconds")]
    since: Option<u64>,
    /// Started before this time, in nanoseconds of switch time.
    #[serde(default, deserialize_with = "nanoseconds")]
    until: Option<u64>,
    /// Lasted at or after this time (RFC 3339), by the wall clock at which its diagnoses arrived. In a URL, `+` is written as
    /// `%2B`.
    #[serde(default, deserialize_with = "wall_clock")]
    #[param(schema_with = date_time)]
    since_time: Option<u64>,
    /// Lasted before this time (RFC 3339).
    #[serde(default, deserialize_with = "wall_clock")]
    #[param(schema_with = date_time)]
    until_time: Option<u64>,
    /// The representative diagnosis has this anomaly.
    #[param(inline)]
    anomaly: Option<Anomaly>,
    /// The representative diagnosis has this cause.
    #[param(inline)]
    cause: Option<Cause>,
    /// The representative diagnosis has this severity.
    #[param(inline)]
    severity: Option<Severity>,
    /// What is done about it.
    #[param(inline)]
    handling: Option<Handling>,
    /// Name of a host: a diagnosis names it as root, or a victim or culprit starts or ends at one of its addresses.
    host: Option<String>,
    /// A root port, the other end of a link at fault, or a port of a pause path or loop, e.g. `sw4:1`.
    port: Option<PortRef>,
    /// A victim or culprit.
    flow: Option<FlowKey>,
    /// Maximum number of rows: 50 when absent, at most 500.
    #[serde(default, deserialize_with = "limit")]
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    /// The `next` value of the previous page.
    #[param(schema_with = cursor_text)]
    cursor: Option<String>,
}

/// An incident with its times on the wall clock (RFC 3339). For simulated networks, whose clock is stretched, they are
/// the times at which diagnoses arrived. They are absent where an older version has stored none.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimedIncident {
    /// The incident.
    #[serde(flatten)]
    incident: Incident,
    /// The verdict of the representative diagnosis in a few words, with the number of all victims.
    headline: Headline,
    /// The last 50 occurrences, oldest first.
    occurrences: Vec<TimedOccurrence>,
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

/// A time during which an incident lasted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Occurrence)]
pub(crate) struct TimedOccurrence {
    /// The time of its earliest diagnosis, in nanoseconds of switch time.
    start_ns: u64,
    /// Its end, in nanoseconds of switch time; null while it lasts.
    end_ns: Option<u64>,
    /// `start_ns` on the wall clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    /// `end_ns` on the wall clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
}

impl TimedOccurrence {
    fn new(live: &LiveState, run: u64, occurrence: Occurrence) -> TimedOccurrence {
        let Occurrence { start_ns, end_ns, start_wall_ns, update_wall_ns } = occurrence;
        TimedOccurrence {
            start_ns,
            end_ns,
            start_time: live.time(run, start_ns, start_wall_ns),
            end_time: end_ns.and_then(|end_ns| live.time(run, end_ns, update_wall_ns)),
        }
    }
}

impl TimedIncident {
    pub(crate) fn new(live: &LiveState, incident: Incident) -> TimedIncident {
        let run = incident.run;
        let timed = |each: &Occurrence| TimedOccurrence::new(live, run, *each);
        TimedIncident {
            headline: Headline::of_incident(&incident, &live.host_names()),
            occurrences: incident.occurrences.iter().map(timed).collect(),
            start_time: live.time(run, incident.start_ns, incident.start_wall_ns),
            update_time: live.time(run, incident.update_ns, incident.update_wall_ns),
            end_time: incident.end_ns.and_then(|end_ns| live.time(run, end_ns, incident.update_wall_ns)),
            incident,
        }
    }
}

/// A page of incidents, latest occurrence first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IncidentsPage {
    /// The incidents.
    incidents: Vec<TimedIncident>,
    /// Cursor of the next page; null on the last page.
    next: Option<String>,
    /// Number of incidents that match, on all pages.
    total: u64,
    /// Number of those that have not ended.
    open_total: u64,
}

/// List incidents, latest occurrence first
#[utoipa::path(get, path = "/incidents", operation_id = "list_incidents", tag = "incidents", params(IncidentsQuery), responses(
    (status = 200, description = "A page of incidents", body = IncidentsPage),
    (status = 400, description = "A parameter is malformed", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn list(
    State(state): State<AppState>,
    Query(query): Query<IncidentsQuery>,
) -> Result<Json<IncidentsPage>, Problem> {
    let topology = state.live.topology();
    let host = query.host.as_deref();
    let node =
        topology.as_ref().and_then(|topology| topology.nodes.iter().find(|node| Some(&*node.name) == host));
    let filter = IncidentFilter {
        open: query.open,
        since_ns: query.since,
        until_ns: query.until,
        since_wall_ns: query.since_time,
        until_wall_ns: query.until_time,
        anomaly: query.anomaly,
        cause: query.cause,
        severity: query.severity,
        handling: query.handling,
        host_addresses: node.map(|node| node.addresses.clone()).unwrap_or_default(),
        host: query.host,
        port: query.port,
        flow: query.flow,
        limit: query.limit,
        after: cursor(query.cursor.as_deref())?,
    };
    let (page, totals) = state.live.store().incidents_with_totals(&filter).await?;
    let incidents = page.rows.into_iter().map(|incident| TimedIncident::new(&state.live, incident)).collect();
    Ok(Json(IncidentsPage {
        incidents,
        next: page.next.map(|next| next.to_string()),
        total: totals.matching,
        open_total: totals.open,
    }))
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

/// The incidents at the time of another one.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RelatedIncidents {
    /// The incidents, latest occurrence first; at most 10.
    incidents: Vec<TimedIncident>,
}

/// List the incidents that occurred together with one and share a victim or culprit with it
///
/// An outage, for example, and the collision of the flows that it moved to another link.
#[utoipa::path(get, path = "/incidents/{id}/related", operation_id = "list_related_incidents", tag = "incidents", params(("id" = String, Path, description = "Id of the incident")), responses(
    (status = 200, description = "The related incidents", body = RelatedIncidents),
    (status = 404, description = "There is no such incident", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn related(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<RelatedIncidents>, Problem> {
    let found = state.live.store().related_incidents(&id).await?.ok_or_else(|| missing("incident", &id))?;
    let incidents = found.into_iter().map(|incident| TimedIncident::new(&state.live, incident)).collect();
    Ok(Json(RelatedIncidents { incidents }))
}
