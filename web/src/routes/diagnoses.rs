//! Diagnoses with their graphs and snapshots.

use std::net::IpAddr;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use model::diagnosis::{Collected, CounterInterval};
use model::{
    Anomaly, Cause, Cost, Diagnosis, FlowKey, PortRef, ProvenanceGraph, RootCause, Severity, Snapshot,
};
use serde::{Deserialize, Serialize};
use store::{Cursor, DiagnosisFilter, DiagnosisRow, ListedDiagnosis};
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::{ArrayBuilder, Ref, RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::conditional::immutable;
use super::parameters::{cursor_text, ip_address, limit, nanoseconds, probability, protocol, protocol_name};
use crate::headline::Headline;
use crate::live::LiveState;
use crate::problem::Problem;
use crate::state::AppState;

/// Selects diagnoses. A parameter that is absent matches all.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiagnosesQuery {
    /// The victim, e.g. `10.0.0.2:10000>10.0.0.4:4791/udp`.
    victim: Option<FlowKey>,
    /// Source address of the victim.
    #[param(schema_with = ip_address)]
    src: Option<IpAddr>,
    /// Destination address of the victim.
    #[param(schema_with = ip_address)]
    dst: Option<IpAddr>,
    /// Source port of the victim.
    #[param(maximum = 65_535)]
    sport: Option<u16>,
    /// Destination port of the victim.
    #[param(maximum = 65_535)]
    dport: Option<u16>,
    /// Protocol of the victim: `udp`, `tcp` or an IP protocol number.
    #[param(schema_with = protocol_name)]
    #[serde(default, deserialize_with = "protocol")]
    proto: Option<u8>,
    /// At or after this time, in nanoseconds of switch time.
    #[serde(default, deserialize_with = "nanoseconds")]
    since: Option<u64>,
    /// Before this time, in nanoseconds of switch time.
    #[serde(default, deserialize_with = "nanoseconds")]
    until: Option<u64>,
    /// Id of the incident that the diagnoses belong to.
    incident: Option<String>,
    /// The anomaly.
    #[param(inline)]
    anomaly: Option<Anomaly>,
    /// The cause.
    #[param(inline)]
    cause: Option<Cause>,
    /// The severity.
    #[param(inline)]
    severity: Option<Severity>,
    /// At least this confidence, from 0 to 1.
    #[serde(default, deserialize_with = "probability")]
    #[param(minimum = 0, maximum = 1)]
    min_confidence: Option<f64>,
    /// The root host.
    host: Option<String>,
    /// The root port, e.g. `sw4:1`.
    port: Option<PortRef>,
    /// What to return of each diagnosis: all of it when absent.
    #[param(inline)]
    view: Option<View>,
    /// Maximum number of rows: 50 when absent, at most 500.
    #[serde(default, deserialize_with = "limit")]
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    /// The `next` value of the previous page.
    #[param(schema_with = cursor_text)]
    cursor: Option<String>,
}

/// Parses the cursor of a page.
pub(crate) fn cursor(text: Option<&str>) -> Result<Option<Cursor>, Problem> {
    text.map(str::parse)
        .transpose()
        .map_err(|error: store::CursorError| Problem::bad_query(error.to_string()))
}

/// What a list returns of each diagnosis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum View {
    /// The whole diagnosis.
    #[default]
    Full,
    /// The verdict without evidence, missing data, advice and jobs.
    Summary,
}

/// A diagnosis with its time on the wall clock.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimedDiagnosis {
    /// The diagnosis.
    #[serde(flatten)]
    diagnosis: Diagnosis,
    /// The verdict in a few words, with the names that hosts have now.
    headline: Headline,
    /// `time_ns` on the wall clock (RFC 3339), for simulated networks the time at which the diagnosis arrived; absent where
    /// an older version has stored none.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
}

impl TimedDiagnosis {
    pub(crate) fn new(live: &LiveState, row: DiagnosisRow) -> TimedDiagnosis {
        TimedDiagnosis {
            headline: Headline::of_diagnosis(&row.diagnosis, &live.host_names()),
            time: live.time(row.run, row.diagnosis.time_ns, row.wall_ns),
            diagnosis: row.diagnosis,
        }
    }
}

/// A verdict without its evidence.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DiagnosisSummary {
    /// Id of the diagnosis.
    id: String,
    /// When the victim was measured as slow, in nanoseconds of switch time.
    time_ns: u64,
    /// `time_ns` on the wall clock, as in the whole diagnosis.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    /// The victim; absent in verdicts about ports, from the counters of switches that record no flows.
    victim: Option<FlowKey>,
    /// The anomaly.
    anomaly: Anomaly,
    /// The cause that refines the anomaly.
    cause: Cause,
    /// The verdict in a few words.
    headline: Headline,
    /// The verdict in one sentence.
    summary: String,
    /// The confidence, 0 to 1.
    confidence: f64,
    /// How urgent the verdict is.
    severity: Severity,
    /// What the anomaly cost.
    cost: Cost,
    /// The part of the delay that the root cause accounts for, 0 to 1, if several verdicts explain it together.
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_share: Option<f64>,
    /// The root cause.
    root_cause: RootCause,
    /// The pause path, the root port last.
    pause_path: Vec<PortRef>,
    /// Ports of the loop, for deadlocks.
    #[serde(rename = "loop")]
    pause_loop: Vec<PortRef>,
    /// The cost of the collection.
    collected: Collected,
    /// The interval of the counters, if the verdict comes from those of ordinary switches.
    #[serde(skip_serializing_if = "Option::is_none")]
    counters: Option<CounterInterval>,
}

impl DiagnosisSummary {
    fn new(live: &LiveState, row: ListedDiagnosis) -> DiagnosisSummary {
        let ListedDiagnosis { outline, run, wall_ns, .. } = row;
        DiagnosisSummary {
            time: live.time(run, outline.time_ns, wall_ns),
            headline: Headline::of_outline(&outline, &live.host_names()),
            id: outline.id,
            time_ns: outline.time_ns,
            victim: outline.victim,
            anomaly: outline.anomaly,
            cause: outline.cause,
            summary: outline.summary,
            confidence: outline.confidence,
            severity: outline.severity,
            cost: outline.cost,
            delay_share: outline.delay_share,
            root_cause: outline.root_cause,
            pause_path: outline.pause_path,
            pause_loop: outline.pause_loop,
            collected: outline.collected,
            counters: outline.counters,
        }
    }
}

/// What a [`TimedDiagnosis`] has beside the diagnosis.
#[derive(Serialize)]
struct Addition {
    headline: Headline,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
}

/// The diagnoses of a page without evidence. A page of whole diagnoses is not made from values: see [`full_page`].
#[derive(Debug, Serialize)]
pub(crate) struct DiagnosisList(Vec<DiagnosisSummary>);

impl PartialSchema for DiagnosisList {
    /// A whole diagnosis has all the fields of a summary, so that it matches both, and an empty list does: no `oneOf`.
    fn schema() -> RefOr<Schema> {
        let list = |name: &str| ArrayBuilder::new().items(Ref::from_schema_name(name));
        let (full, summary) = (list(&TimedDiagnosis::name()), list(&DiagnosisSummary::name()));
        RefOr::T(AnyOfBuilder::new().item(full).item(summary).build().into())
    }
}

impl ToSchema for DiagnosisList {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((TimedDiagnosis::name().into(), TimedDiagnosis::schema()));
        TimedDiagnosis::schemas(schemas);
        schemas.push((DiagnosisSummary::name().into(), DiagnosisSummary::schema()));
        DiagnosisSummary::schemas(schemas);
    }
}

/// A page of diagnoses, latest arrival first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DiagnosesPage {
    diagnoses: DiagnosisList,
    /// Cursor of the next page; null on the last page.
    next: Option<String>,
}

/// List diagnoses, latest arrival first
#[utoipa::path(get, path = "/diagnoses", operation_id = "list_diagnoses", tag = "diagnoses", params(DiagnosesQuery), responses(
    (status = 200, description = "A page of diagnoses", body = DiagnosesPage),
    (status = 400, description = "A parameter is malformed", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn list(
    State(state): State<AppState>,
    Query(query): Query<DiagnosesQuery>,
) -> Result<Response, Problem> {
    let filter = DiagnosisFilter {
        victim: query.victim,
        src: query.src,
        dst: query.dst,
        sport: query.sport,
        dport: query.dport,
        proto: query.proto,
        since_ns: query.since,
        until_ns: query.until,
        incident: query.incident,
        anomaly: query.anomaly,
        cause: query.cause,
        severity: query.severity,
        min_confidence: query.min_confidence,
        host: query.host,
        port: query.port,
        limit: query.limit,
        after: cursor(query.cursor.as_deref())?,
    };
    let page = state.live.store().listed_diagnoses(&filter).await?;
    let next = page.next.map(|next| next.to_string());
    match query.view.unwrap_or_default() {
        View::Full => {
            let text = full_page(&state.live, &page.rows, next.as_deref());
            Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
        }
        View::Summary => {
            let rows = page.rows.into_iter().map(|row| DiagnosisSummary::new(&state.live, row));
            Ok(Json(DiagnosesPage { diagnoses: DiagnosisList(rows.collect()), next }).into_response())
        }
    }
}

/// The JSON of a [`DiagnosesPage`] of [`TimedDiagnosis`]: the diagnoses as they are stored, with headline and time added before
/// their last brace. To read and write a page of them would take most of the time of an answer.
fn full_page(live: &LiveState, rows: &[ListedDiagnosis], next: Option<&str>) -> String {
    let mut text = String::from("{\"diagnoses\":[");
    for (number, row) in rows.iter().enumerate() {
        let addition = Addition {
            headline: Headline::of_outline(&row.outline, &live.host_names()),
            time: live.time(row.run, row.outline.time_ns, row.wall_ns),
        };
        text.push_str(if number > 0 { "," } else { "" });
        push_with(&mut text, &row.json, &json(&addition));
    }
    text.push_str("],\"next\":");
    text.push_str(&json(&next));
    text.push('}');
    text
}

/// Appends a JSON object with the fields of two, neither of which is empty.
fn push_with(text: &mut String, object: &str, addition: &str) {
    text.push_str(object.strip_suffix('}').unwrap_or(object));
    text.push(',');
    text.push_str(addition.strip_prefix('{').unwrap_or(addition));
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("invariant: texts and ports can be written as JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_brace_is_removed() {
        let mut text = String::new();
        push_with(&mut text, r#"{"id":"d1","counters":{"to_ns":1}}"#, r#"{"headline":{"text":"a } b"}}"#);
        assert_eq!(text, r#"{"id":"d1","counters":{"to_ns":1},"headline":{"text":"a } b"}}"#);
    }
}

/// Get a diagnosis
#[utoipa::path(get, path = "/diagnoses/{id}", operation_id = "get_diagnosis", tag = "diagnoses", params(("id" = String, Path, description = "Id of the diagnosis")), responses(
    (status = 200, description = "The diagnosis with its evidence", body = TimedDiagnosis),
    (status = 304, description = "`If-None-Match` names the entity tag of an earlier answer that is still true; only the names of hosts in `headline` may change"),
    (status = 404, description = "There is no such diagnosis", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn one(
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let diagnosis = state.live.store().diagnosis(&id).await?;
    let diagnosis = diagnosis.map(|row| TimedDiagnosis::new(&state.live, row));
    // The names of hosts may change.
    diagnosis
        .map(|body| immutable(&headers, &format!("{id}-{:x}", body.headline.version()), body))
        .ok_or_else(|| missing("diagnosis", &id))
}

/// Get the provenance graph of a diagnosis
#[utoipa::path(get, path = "/diagnoses/{id}/graph", operation_id = "get_diagnosis_graph", tag = "diagnoses", params(("id" = String, Path, description = "Id of the diagnosis")), responses(
    (status = 200, description = "The graph; edges refer to nodes by index", body = ProvenanceGraph),
    (status = 304, description = "`If-None-Match` names the entity tag of an earlier answer: it never changes"),
    (status = 404, description = "There is no such diagnosis", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn graph(
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let graph = state.live.store().graph(&id).await?;
    graph.map(|body| immutable(&headers, &id, body)).ok_or_else(|| missing("diagnosis", &id))
}

/// Get the snapshot that a diagnosis was made from, in the format of `harrier analyze`
#[utoipa::path(get, path = "/diagnoses/{id}/snapshot", operation_id = "get_diagnosis_snapshot", tag = "diagnoses", params(("id" = String, Path, description = "Id of the diagnosis")), responses(
    (status = 200, description = "The snapshot", body = Snapshot),
    (status = 304, description = "`If-None-Match` names the entity tag of an earlier answer: it never changes"),
    (status = 404, description = "There is no such diagnosis, or its snapshot has been removed", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn snapshot(
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let snapshot = state.live.store().snapshot(&id).await?;
    snapshot.map(|body| immutable(&headers, &id, body)).ok_or_else(|| missing("snapshot", &id))
}

/// The problem for an unknown id.
pub(crate) fn missing(what: &str, id: &str) -> Problem {
    Problem::not_found(format!(
        "there is no {what} `{id}`; it does not exist, or it was removed as one of the oldest"
    ))
}
