//! The live stream as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError::Lagged;

use crate::events::{StreamEvent, StreamEventKind, client_event};
use crate::limits::{EVENT_CLIENTS, HEARTBEAT};
use crate::live::LiveState;
use crate::problem::Problem;
use crate::state::AppState;

/// Stream live events as server-sent events
///
/// Kinds: `hello` (first; `last_id`), `diagnosis`, `incident` (`change`: start, update, end), `pause`, `topology`, and
/// `ports` (a batch of samples; carries no id and is not replayed). Ids rise. A client that reconnects with
/// `Last-Event-ID` receives the events it missed; if some are no longer available, a `gap` event holds their number.
/// For a client that reads too slowly, the oldest events are dropped and a `dropped` event holds their number. A
/// comment is sent on an idle stream every 15 s.
#[utoipa::path(get, path = "/events", operation_id = "stream_events", tag = "live",
    params(("Last-Event-ID" = Option<u64>, Header, description = "Id of the last event that the client received")),
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
            client_event(StreamEventKind::Dropped, &format!("{{\"count\":{count}}}"))
        }
    });
    let events = replay.chain(live).map(|event| Ok::<_, Infallible>(sse(&event)));
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

fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.parse().ok());
    number.map(Some).ok_or_else(|| {
        Problem::bad_query("`Last-Event-ID` is not a number; send the id of an event of this stream")
    })
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
