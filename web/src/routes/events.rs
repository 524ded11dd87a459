//! The live stream.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError::Lagged;

use crate::events::{Event, EventKind, note};
use crate::limits::{EVENT_CLIENTS, HEARTBEAT};
use crate::live::LiveState;
use crate::problem::Problem;
use crate::state::AppState;

/// What happens now, as server-sent events
///
/// Kinds: `hello` (first; `last_id`), `diagnosis`, `incident` (`change`: start, update, end), `pause`, `topology`, and
/// `ports` (a batch of samples; carries no id and is not replayed). Ids rise. A client that comes back with
/// `Last-Event-ID` gets what it missed, as far as it is kept; a `gap` event says how many are not. A client that reads
/// too slowly loses the oldest events and gets a `dropped` event with their count. A comment is sent every 15 s.
#[utoipa::path(get, path = "/events", operation_id = "stream_events", tag = "live",
    params(("Last-Event-ID" = Option<u64>, Header, description = "The id of the last event that was seen")),
    responses(
        (status = 200, description = "The stream", body = String, content_type = "text/event-stream"),
        (status = 400, description = "`Last-Event-ID` is not a number", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "Too many clients", body = Problem, content_type = "application/problem+json"),
    ))]
pub(crate) async fn stream(State(state): State<AppState>, headers: HeaderMap) -> Result<Response, Problem> {
    let last_seen = last_event_id(&headers)?;
    let client = Client::enter(state.live.clone())?;
    let Some(subscription) = state.live.events.subscribe(last_seen) else {
        return Err(unavailable("stopping", "the server is stopping"));
    };
    let replay = tokio_stream::iter(subscription.replay);
    let live = BroadcastStream::new(subscription.live).map(move |received| match received {
        Ok(event) => event,
        Err(Lagged(count)) => {
            client.live.metrics.events_dropped.inc_by(count);
            note(EventKind::Dropped, &format!("{{\"count\":{count}}}"))
        }
    });
    let events = replay.chain(live).map(|event| Ok::<_, Infallible>(sse(&event)));
    let mut response =
        Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("alive")).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies that buffer (nginx) must not.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

fn sse(event: &Event) -> SseEvent {
    let sse = SseEvent::default().event(event.kind.name()).data(&*event.data);
    match event.id {
        Some(id) => sse.id(id.to_string()),
        None => sse,
    }
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.parse().ok());
    number
        .map(Some)
        .ok_or_else(|| Problem::bad_query("`Last-Event-ID` is not a number that this server gave out"))
}

fn unavailable(name: &str, detail: &str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, name, "No live stream", detail).retry_after(5)
}

/// A client that is counted as long as its stream lives.
struct Client {
    live: Arc<LiveState>,
}

impl Client {
    fn enter(live: Arc<LiveState>) -> Result<Client, Problem> {
        // Counted first, so that two at once cannot both take the last place.
        let before = live.metrics.event_clients.inc();
        let client = Client { live };
        if before >= EVENT_CLIENTS as i64 {
            return Err(unavailable(
                "too-many-clients",
                "the live stream has as many clients as it may have",
            ));
        }
        Ok(client)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.live.metrics.event_clients.dec();
    }
}
