//! The handling of incidents: notes, states, feedback, and the export of a judged verdict as a test case.

use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::{Json, response::IntoResponse};
use model::{Diagnosis, ProvenanceGraph, Snapshot, Topology};
use serde::{Deserialize, Serialize};
use store::{Feedback, Handling, NewNote, Note};
use utoipa::openapi::schema::{AdditionalProperties, AllOfBuilder, AnyOfBuilder, OneOfBuilder};
use utoipa::openapi::{ObjectBuilder, Ref, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::TimedIncident;
use super::diagnoses::missing;
use crate::access::Author;
use crate::limits::NOTE_CHARS;
use crate::problem::Problem;
use crate::state::AppState;
use crate::wall_clock::rfc3339;

/// A note to add: at least one of the fields says something.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteRequest {
    /// What is done about the incident from now on.
    handling: Option<Handling>,
    /// Whether the verdict was right.
    feedback: Option<Feedback>,
    /// At most [`NOTE_CHARS`] characters.
    #[serde(default)]
    text: String,
    /// The diagnosis that it is about: one of the incident; when absent, the one that represents it.
    diagnosis: Option<String>,
}

impl PartialSchema for NoteRequest {
    fn schema() -> RefOr<Schema> {
        let handling = || Ref::from_schema_name(Handling::name());
        let feedback = || Ref::from_schema_name(Feedback::name());
        let null = || ObjectBuilder::new().schema_type(Type::Null);
        let text = || ObjectBuilder::new().schema_type(Type::String).max_length(Some(NOTE_CHARS));
        let of_incident = "Id of the diagnosis that it is about: one of the incident; when absent, the one that represents it.";
        let diagnosis = OneOfBuilder::new()
            .item(null())
            .item(ObjectBuilder::new().schema_type(Type::String))
            .description(Some(of_incident));
        let fields = ObjectBuilder::new()
            .description(Some("A note to add: at least one of the fields says something."))
            .property("handling", OneOfBuilder::new().item(null()).item(handling()))
            .property("feedback", OneOfBuilder::new().item(null()).item(feedback()))
            .property("text", text().description(Some("At most 4,096 characters.")))
            .property("diagnosis", diagnosis)
            .additional_properties(Some(AdditionalProperties::FreeForm(false)));
        let with = |name: &str, schema: RefOr<Schema>| {
            ObjectBuilder::new().property(name, schema).required(name).build()
        };
        let said = AnyOfBuilder::new()
            .item(with("handling", handling().into()))
            .item(with("feedback", feedback().into()))
            .item(with("text", text().pattern(Some(r"\S")).into()));
        RefOr::T(AllOfBuilder::new().item(fields).item(said).build().into())
    }
}

impl ToSchema for NoteRequest {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Handling::name().into(), Handling::schema()));
        schemas.push((Feedback::name().into(), Feedback::schema()));
    }
}

/// A note of an incident.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimedNote {
    /// Its number, from 1 on.
    number: u64,
    /// When it was written (RFC 3339).
    time: String,
    /// The same, in nanoseconds since 1970.
    wall_ns: u64,
    /// Who wrote it: the name of the token, or `anonymous`.
    author: String,
    /// What it set the handling to; null if it left it.
    handling: Option<Handling>,
    /// What it said about the verdict; null if nothing.
    feedback: Option<Feedback>,
    /// The text; may be empty.
    text: String,
    /// The diagnosis that it is about, which is kept with its snapshot.
    diagnosis: Option<String>,
}

impl From<Note> for TimedNote {
    fn from(Note { number, wall_ns, note }: Note) -> TimedNote {
        let NewNote { author, handling, feedback, text, diagnosis } = note;
        TimedNote { number, time: rfc3339(wall_ns), wall_ns, author, handling, feedback, text, diagnosis }
    }
}

/// The notes of an incident.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Notes {
    /// The latest 500, oldest first.
    notes: Vec<TimedNote>,
}

/// List the notes of an incident, oldest first
#[utoipa::path(get, path = "/incidents/{id}/notes", operation_id = "list_incident_notes", tag = "incidents",
    params(("id" = String, Path, description = "Id of the incident")), responses(
    (status = 200, description = "The notes", body = Notes),
    (status = 404, description = "There is no such incident", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn list(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<Notes>, Problem> {
    let store = state.live.store();
    store.incident(&id).await?.ok_or_else(|| missing("incident", &id))?;
    let notes = store.notes(&id).await?;
    Ok(Json(Notes { notes: notes.into_iter().map(TimedNote::from).collect() }))
}

/// Add a note to an incident: acknowledge, resolve, silence or reopen it, say whether the verdict was right
#[utoipa::path(post, path = "/incidents/{id}/notes", operation_id = "add_incident_note", tag = "incidents",
    params(("id" = String, Path, description = "Id of the incident")), request_body = NoteRequest, responses(
    (status = 201, description = "The incident", body = TimedIncident),
    (status = 400, description = "The body is not JSON", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "There is no such incident, or the diagnosis is none of its", body = Problem, content_type = "application/problem+json"),
    (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
    (status = 415, description = "The content type is not `application/json`", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "The body is malformed, empty or too long", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn add(
    State(state): State<AppState>,
    Path(id): Path<String>,
    author: Option<Extension<Author>>,
    Json(request): Json<NoteRequest>,
) -> Result<impl IntoResponse, Problem> {
    let NoteRequest { handling, feedback, text, diagnosis } = request;
    let bad = |detail: String| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-body", "The note cannot be added", detail)
    };
    let chars = text.chars().count();
    if chars > NOTE_CHARS {
        return Err(bad(format!("`text` has {chars} characters; at most {NOTE_CHARS} are kept")));
    }
    if handling.is_none() && feedback.is_none() && text.trim().is_empty() {
        return Err(bad("`handling`, `feedback` or `text` is needed".into()));
    }
    let author = author.map_or_else(|| "anonymous".to_string(), |Extension(Author(name))| name);
    let note = NewNote { author, handling, feedback, text, diagnosis };
    let Some(incident) = state.live.add_note(&id, &note).await? else {
        state.live.store().incident(&id).await?.ok_or_else(|| missing("incident", &id))?;
        let of_incident = format!("diagnosis of incident `{id}`");
        return Err(missing(&of_incident, note.diagnosis.as_deref().unwrap_or_default()));
    };
    Ok((StatusCode::CREATED, Json(TimedIncident::new(&state.live, incident))))
}

/// A verdict that was judged, with everything that is needed to repeat the analysis.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Case {
    /// Version of this form: 1.
    format: u32,
    /// The wall clock at which switch time starts, in nanoseconds since 1970; absent if the network is simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    zero_ns: Option<u64>,
    /// Nanoseconds of wall clock for one of switch time; absent if the network is simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_scale: Option<u64>,
    /// Id of the incident.
    incident: String,
    /// Whether the verdict was right, by the latest answer; null without one.
    feedback: Option<Feedback>,
    /// What was written about the incident.
    notes: Vec<TimedNote>,
    /// The verdict that the answer is about; without one, the verdict that represents the incident.
    diagnosis: Diagnosis,
    /// When the verdict arrived, in nanoseconds since 1970.
    wall_ns: u64,
    /// The graph that shows it.
    graph: Option<ProvenanceGraph>,
    /// The telemetry that it rests on.
    snapshot: Snapshot,
    /// The network when the verdict was judged, or now. Null if none is loaded.
    topology: Option<Topology>,
}

/// Export an incident as a test case: verdict, feedback, telemetry and network
///
/// `harrier case check` analyses its telemetry again and compares the verdicts.
#[utoipa::path(get, path = "/incidents/{id}/case", operation_id = "get_incident_case", tag = "incidents",
    params(("id" = String, Path, description = "Id of the incident")), responses(
    (status = 200, description = "The case", body = Case),
    (status = 404, description = "There is no such incident, or its snapshot was removed", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn case(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<Case>, Problem> {
    let store = state.live.store();
    let incident = store.incident(&id).await?.ok_or_else(|| missing("incident", &id))?;
    // What was judged, as it was then; else what represents the incident now.
    let judgement = store.judgement(&id).await?;
    let feedback = judgement.as_ref().map(|judgement| judgement.feedback).or(incident.feedback);
    let (verdict, topology) = match judgement {
        Some(judgement) => (judgement.diagnosis, judgement.topology),
        None => (incident.diagnosis.clone(), None),
    };
    let diagnosis = store.diagnosis(&verdict).await?.ok_or_else(|| missing("diagnosis", &verdict))?;
    let graph = store.graph(&verdict).await?;
    // Another run has a clock of its own.
    let clock = state.live.wall_clock().filter(|_| incident.run == store.present_run());
    let snapshot =
        store.snapshot(&verdict).await?.ok_or_else(|| missing("snapshot of diagnosis", &verdict))?;
    let notes = store.notes(&id).await?.into_iter().map(TimedNote::from).collect();
    let topology = topology.or_else(|| state.live.topology().map(|topology| (*topology).clone()));
    Ok(Json(Case {
        format: store::Case::FORMAT,
        zero_ns: clock.map(|clock| clock.zero_ns),
        time_scale: clock.map(|clock| clock.scale),
        incident: incident.id,
        feedback,
        notes,
        wall_ns: diagnosis.wall_ns,
        diagnosis: diagnosis.diagnosis,
        graph,
        snapshot,
        topology,
    }))
}
