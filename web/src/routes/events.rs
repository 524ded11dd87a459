//! The live stream as server-sent events.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use model::PortRef;
use serde::Deserialize;
use serde_json::Value;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError::Lagged;
use utoipa::{IntoParams, ToSchema};

use super::parameters::{event_id, event_kinds, event_ports};

use crate::events::{EventId, StreamEvent, StreamEventKind, client_event};
use crate::limits::{EVENT_CLIENTS, HEARTBEAT};
use crate::live::LiveState;
use crate::problem::Problem;
use crate::state::AppState;

/// Maximum number of ports that a client selects.
const MAX_PORTS: usize = 64;

/// Selects events.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventsQuery {
    /// Kinds to send, separated by commas: `diagnosis`, `incident`, `pause`, `ports`, `topology`; all when absent. The
    /// kinds about the stream itself (`hello`, `gap`, `dropped`) are always sent.
    #[param(schema_with = event_kinds)]
    kinds: Option<String>,
    /// Ports of which `pause` and `ports` events are sent, separated by commas, at most 64; all when absent. Other kinds are not
    /// filtered by it.
    #[param(schema_with = event_ports)]
    port: Option<String>,
}

/// Where the stream continues.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[allow(dead_code, reason = "the schema of a header that is read as text")]
struct LastEventId {
    /// Id of the last event that the client received.
    #[param(rename = "Last-Event-ID", schema_with = event_id)]
    last_event_id: Option<String>,
}

/// An event of the stream.
#[derive(ToSchema)]
#[allow(dead_code, reason = "the schema of what is written as text")]
struct SentEvent {
    /// Its id; absent for events that are not replayed.
    id: Option<String>,
    /// Its kind.
    event: String,
    /// Its payload as JSON.
    data: String,
}

/// Stream live events as server-sent events
///
/// Kinds: `hello` (first; `last_id`), `diagnosis`, `incident` (`change`: start, update, end), `pause`, `topology`, and
/// `ports` (a batch of samples, without those of ports that are idle as in their sample before;
/// carries no id and is not replayed). Each of them has a wall clock (`time`) beside switch
/// time: for `ports` that of the latest sample. Ids are `EPOCH-NUMBER`: numbers rise, and every process has another epoch. A
/// client that reconnects with `Last-Event-ID` receives the events it missed, and with an id of another process the whole
/// history; if some are no longer available, a `gap` event holds their number. For a client that reads too slowly, the
/// oldest events are dropped and a `dropped` event holds their number. A comment is sent on an idle stream every 15 s.
#[utoipa::path(get, path = "/events", operation_id = "stream_events", tag = "live",
    params(EventsQuery, LastEventId),
    responses(
        (status = 200, description = "The stream: each event has these fields", body = SentEvent, content_type = "text/event-stream"),
        (status = 400, description = "`Last-Event-ID` is not the id of an event, or a parameter is malformed", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "Too many clients", body = Problem, content_type = "application/problem+json"),
    ))]
pub(crate) async fn stream(
    State(state): State<AppState>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let last_seen = last_event_id(&headers)?;
    let unselected = unselected(query.kinds.as_deref())?;
    let ports = selected_ports(query.port.as_deref())?;
    let client = Client::enter(state.live.clone())?;
    let Some(subscription) = state.live.events.subscribe(last_seen) else {
        return Err(unavailable("stopping", "the server is stopping"));
    };
    let replay = tokio_stream::iter(subscription.replay);
    let live = BroadcastStream::new(subscription.live).map(move |received| match received {
        Ok(event) => event,
        Err(Lagged(count)) => {
            client.live.metrics.events_dropped.inc_by(count);
            client_event(StreamEventKind::Dropped, &format!("{{\"count\":{count}}}"))
        }
    });
    let selected = replay.chain(live).filter(move |event| !unselected.contains(&event.kind));
    let selected = selected.filter_map(move |event| match &ports {
        Some(ports) => of_ports(event, ports),
        None => Some(event),
    });
    let events = selected.map(|event| Ok::<_, Infallible>(sse(&event)));
    let mut response =
        Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("alive")).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Tells proxies such as nginx not to buffer the stream.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

fn sse(event: &StreamEvent) -> SseEvent {
    let sse = SseEvent::default().event(event.kind.name()).data(&*event.data);
    match event.id {
        Some(id) => sse.id(id.to_string()),
        None => sse,
    }
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<EventId>, Problem> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let id = value.to_str().ok().and_then(|text| text.parse().ok());
    id.map(Some).ok_or_else(|| {
        Problem::bad_query("`Last-Event-ID` is not an id; send the id of an event of this stream")
    })
}

/// Returns the kinds that a client does not want.
fn unselected(kinds: Option<&str>) -> Result<Vec<StreamEventKind>, Problem> {
    let Some(kinds) = kinds else { return Ok(Vec::new()) };
    let all = StreamEventKind::SELECTABLE;
    if let Some(unknown) = kinds.split(',').find(|name| !all.iter().any(|kind| kind.name() == *name)) {
        let names = all.map(StreamEventKind::name).join("`, `");
        return Err(Problem::bad_query(format!("`{unknown}` is not a kind of event; expected `{names}`")));
    }
    Ok(all.into_iter().filter(|kind| !kinds.split(',').any(|name| name == kind.name())).collect())
}

/// Returns the ports that a client wants; `None` for all.
fn selected_ports(ports: Option<&str>) -> Result<Option<BTreeSet<String>>, Problem> {
    let Some(ports) = ports else { return Ok(None) };
    let read = |port: &str| {
        let port: PortRef = port
            .parse()
            .map_err(|error: model::port::ParsePortError| Problem::bad_query(error.to_string()))?;
        Ok(port.to_string())
    };
    let selected = ports.split(',').map(read).collect::<Result<BTreeSet<String>, Problem>>()?;
    if selected.len() > MAX_PORTS {
        return Err(Problem::bad_query(format!(
            "{} ports are selected; expected at most {MAX_PORTS}",
            selected.len()
        )));
    }
    Ok(Some(selected))
}

/// The event with the samples of these ports only; `None` for a pause of another port. A batch without a sample is sent: it
/// tells that time passes.
fn of_ports(event: StreamEvent, ports: &BTreeSet<String>) -> Option<StreamEvent> {
    let is_selected = |of: &Value| of["port"].as_str().is_some_and(|port| ports.contains(port));
    if !matches!(event.kind, StreamEventKind::Pause | StreamEventKind::Ports) {
        return Some(event);
    }
    let mut data: Value = serde_json::from_str(&event.data).ok()?;
    if event.kind == StreamEventKind::Pause {
        return is_selected(&data).then_some(event);
    }
    if let Some(samples) = data["samples"].as_array_mut() {
        samples.retain(is_selected);
    }
    Some(StreamEvent { data: data.to_string().into(), ..event })
}

fn unavailable(name: &str, detail: &str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, name, "The live stream is not available", detail)
        .retry_after(5)
}

/// A client of the live stream; it is counted until it is dropped.
struct Client {
    live: Arc<LiveState>,
}

impl Client {
    fn enter(live: Arc<LiveState>) -> Result<Client, Problem> {
        // Counted before the check, so that two concurrent clients cannot both pass it at the limit.
        let before = live.metrics.event_clients.inc();
        let client = Client { live };
        if before >= EVENT_CLIENTS as i64 {
            return Err(unavailable("too-many-clients", "the live stream has reached its limit of clients"));
        }
        Ok(client)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.live.metrics.event_clients.dec();
    }
}
