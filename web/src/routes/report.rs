//! The report of an incident, to keep and to pass on.

use axum::extract::{Path, Query, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::diagnoses::missing;
use super::what_if::without_root_cause;
use crate::headline::Headline;
use crate::problem::Problem;
use crate::report::{Subject, report};
use crate::state::AppState;
use crate::what_if::WhatIf;

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReportFormat {
    /// CommonMark with tables.
    #[default]
    Markdown,
    /// One HTML file that needs nothing else.
    Html,
}

/// Selects the form.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportQuery {
    /// The form; Markdown when absent.
    #[serde(default)]
    #[param(inline, value_type = Option<ReportFormat>)]
    format: ReportFormat,
}

/// Get the report of an incident: what happened, why, what to do, how to repeat the analysis
#[utoipa::path(get, path = "/incidents/{id}/report", operation_id = "get_incident_report", tag = "incidents",
    params(("id" = String, Path, description = "The incident's id"), ReportQuery), responses(
    (status = 200, description = "The report", content((String = "text/markdown"), (String = "text/html"))),
    (status = 400, description = "A parameter is malformed", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "There is no such incident", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn incident_report(
    State(state): State<AppState>,
    Path(id): Path<String>,
    Query(query): Query<ReportQuery>,
) -> Result<Response, Problem> {
    let (live, store) = (&state.live, state.live.store());
    let incident = store.incident(&id).await?.ok_or_else(|| missing("incident", &id))?;
    let diagnosis = store.diagnosis(&incident.diagnosis).await?;
    let diagnosis = diagnosis.ok_or_else(|| missing("diagnosis", &incident.diagnosis))?;
    let time = |time_ns: u64, wall_ns: u64| {
        let time = live.time(incident.run, time_ns, wall_ns);
        time.unwrap_or_else(|| format!("{:.6} s of switch time", time_ns as f64 / 1e9))
    };
    let topology = live.topology();
    let headline = Headline::of_incident(&incident, &live.host_names());
    let notes = store.notes(&id).await?;
    // A report without the repeated run is better than none.
    let what_if = without_root_cause(&state, diagnosis.diagnosis.clone())
        .await?
        .unwrap_or_else(|busy| WhatIf::NotRepeated { reason: busy.to_string() });
    let subject = Subject {
        incident: &incident,
        diagnosis: &diagnosis.diagnosis,
        headline: &headline,
        topology: topology.as_deref(),
        notes: &notes,
        what_if: &what_if,
    };
    let document = report(&subject, &time);
    // A browser shows the page, which can be saved, and saves Markdown, which it would show as source.
    let (media_type, disposition, extension, text) = match query.format {
        ReportFormat::Markdown => {
            ("text/markdown; charset=utf-8", "attachment", "md", document.to_markdown())
        }
        ReportFormat::Html => ("text/html; charset=utf-8", "inline", "html", document.to_html()),
    };
    let mut response = ([(header::CONTENT_TYPE, media_type)], text).into_response();
    let name: String = incident.id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let disposition = format!("{disposition}; filename=\"{name}.{extension}\"");
    if let Ok(value) = HeaderValue::from_str(&disposition) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    // The file's own style; it has no script.
    let policy =
        HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    response.headers_mut().insert(HeaderName::from_static("content-security-policy"), policy);
    Ok(response)
}
