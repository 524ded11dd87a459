//! The hub of the live stream: numbered events, a bounded history for clients that reconnect, and a bounded backlog for
//! each slow client.
//!
//! Events that report a change carry an id and are replayed. Ids begin with the epoch of the process, so that a client of
//! an earlier process receives the whole history instead of missing events with the same numbers. Port samples are a state that `GET /ports` returns at any
//! time, so they carry no id and are not replayed.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::sync::broadcast;

use crate::limits::{EVENT_BACKLOG, EVENT_RING};

/// The kind of an event; its name on the wire is the name of the variant in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEventKind {
    /// The first event of a stream, with the id of the latest event.
    Hello,
    /// A new diagnosis.
    Diagnosis,
    /// An incident started, was updated or ended.
    Incident,
    /// A port became paused, or was resumed.
    Pause,
    /// A batch of port samples.
    Ports,
    /// The topology was replaced.
    Topology,
    /// Events between the client's last one and the oldest one in the history are no longer available.
    Gap,
    /// The client read too slowly, and events were dropped for it.
    Dropped,
}

impl StreamEventKind {
    /// The kinds that a client can select; the others are about the stream itself.
    pub(crate) const SELECTABLE: [StreamEventKind; 5] = [
        StreamEventKind::Diagnosis,
        StreamEventKind::Incident,
        StreamEventKind::Pause,
        StreamEventKind::Ports,
        StreamEventKind::Topology,
    ];

    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            StreamEventKind::Hello => "hello",
            StreamEventKind::Diagnosis => "diagnosis",
            StreamEventKind::Incident => "incident",
            StreamEventKind::Pause => "pause",
            StreamEventKind::Ports => "ports",
            StreamEventKind::Topology => "topology",
            StreamEventKind::Gap => "gap",
            StreamEventKind::Dropped => "dropped",
        }
    }

    fn is_replayed(self) -> bool {
        self != StreamEventKind::Ports
    }
}

/// The id of an event, written as `EPOCH-NUMBER` with the epoch in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventId {
    /// Wall clock at the start of the process, in nanoseconds since 1970.
    pub epoch: u64,
    /// The event's number in the process, from 1.
    pub number: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}-{}", self.epoch, self.number)
    }
}

impl FromStr for EventId {
    type Err = ();

    /// Reads an id of this or an earlier version, whose ids were numbers.
    fn from_str(text: &str) -> Result<EventId, ()> {
        let (epoch, number) = text.split_once('-').unwrap_or(("0", text));
        let epoch = u64::from_str_radix(epoch, 16).map_err(drop)?;
        Ok(EventId { epoch, number: number.parse().map_err(drop)? })
    }
}

/// An event of the live stream, serialised once for all clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamEvent {
    /// Its id; absent for events that are not replayed.
    pub id: Option<EventId>,
    /// Its kind.
    pub kind: StreamEventKind,
    /// Its payload as JSON.
    pub data: Arc<str>,
}

/// Publishes events to the subscribed clients.
#[derive(Debug)]
pub(crate) struct EventHub {
    epoch: u64,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    last: u64,
    ring: VecDeque<StreamEvent>,
    /// Absent after [`EventHub::close`].
    sender: Option<broadcast::Sender<StreamEvent>>,
}

/// The events of one client.
#[derive(Debug)]
pub(crate) struct Subscription {
    /// Events to send first.
    pub(crate) replay: Vec<StreamEvent>,
    /// Later events. None is missing between `replay` and `live`.
    pub(crate) live: broadcast::Receiver<StreamEvent>,
}

impl EventHub {
    /// Creates the hub of a process; `epoch` differs from that of earlier ones.
    pub(crate) fn new(epoch: u64) -> EventHub {
        let (sender, _) = broadcast::channel(EVENT_BACKLOG);
        EventHub { epoch, inner: Mutex::new(Inner { last: 0, ring: VecDeque::new(), sender: Some(sender) }) }
    }

    /// Sends an event to every client. Ids rise in the order in which clients receive the events.
    pub(crate) fn publish(&self, kind: StreamEventKind, payload: &impl Serialize) {
        let data: Arc<str> = match serde_json::to_string(payload) {
            Ok(json) => json.into(),
            Err(error) => {
                tracing::error!(kind = kind.name(), %error, "an event cannot be written as JSON");
                return;
            }
        };
        let mut inner = self.lock();
        let id = kind.is_replayed().then(|| {
            inner.last += 1;
            EventId { epoch: self.epoch, number: inner.last }
        });
        let event = StreamEvent { id, kind, data };
        if id.is_some() {
            if inner.ring.len() == EVENT_RING {
                inner.ring.pop_front();
            }
            inner.ring.push_back(event.clone());
        }
        if let Some(sender) = &inner.sender {
            // An error means that no client is subscribed, which is fine.
            let _ = sender.send(event);
        }
    }

    /// Subscribes a client. With the id of the last event that the client received, later events in the history are
    /// replayed. Returns `None` after [`EventHub::close`].
    pub(crate) fn subscribe(&self, last_seen: Option<EventId>) -> Option<Subscription> {
        let inner = self.lock();
        let live = inner.sender.as_ref()?.subscribe();
        let mut replay = Vec::new();
        if let Some(seen) = last_seen {
            // Of another process, or an id that this one has not given: replay the whole history.
            let is_own = seen.epoch == self.epoch && seen.number <= inner.last;
            let seen = if is_own { seen.number } else { 0 };
            let oldest = inner.ring.front().and_then(|e| e.id).map_or(inner.last + 1, |id| id.number);
            let missed = oldest.saturating_sub(seen + 1);
            if missed > 0 {
                replay.push(client_event(StreamEventKind::Gap, &format!("{{\"missed\":{missed}}}")));
            }
            replay.extend(inner.ring.iter().filter(|e| e.id.is_some_and(|id| id.number > seen)).cloned());
        }
        // Before a replay `hello` carries no id: a client that is disconnected during the replay must not skip the
        // rest.
        let last = EventId { epoch: self.epoch, number: inner.last };
        let mut hello = client_event(StreamEventKind::Hello, &format!("{{\"last_id\":\"{last}\"}}"));
        hello.id = replay.is_empty().then_some(last);
        replay.insert(0, hello);
        Some(Subscription { replay, live })
    }

    /// Ends every stream and rejects new ones.
    pub(crate) fn close(&self) {
        self.lock().sender = None;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No critical section can panic half-way, so a poisoned lock still guards consistent data.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns an event for a single client.
pub(crate) fn client_event(kind: StreamEventKind, json: &str) -> StreamEvent {
    StreamEvent { id: None, kind, data: json.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(published: u64, last_seen: Option<&str>, expected: &[&str]) {
        let hub = EventHub::new(0xe1);
        for n in 1..=published {
            hub.publish(StreamEventKind::Pause, &n);
            hub.publish(StreamEventKind::Ports, &n);
        }
        let replay = hub.subscribe(last_seen.map(|id| id.parse().unwrap())).unwrap().replay;
        let texts: Vec<String> = replay
            .iter()
            .map(|e| format!("{} {} {}", e.id.map_or("-".into(), |id| id.to_string()), e.kind.name(), e.data))
            .collect();
        let head: Vec<&str> = texts.iter().map(String::as_str).take(expected.len()).collect();
        assert_eq!(head, expected);
        let replayed = replay.len() as u64 - 1;
        assert!(replayed <= EVENT_RING as u64 + 1);
    }

    #[test]
    fn a_reconnecting_client_receives_the_events_it_missed() {
        check(0, None, &["e1-0 hello {\"last_id\":\"e1-0\"}"]);
        check(3, None, &["e1-3 hello {\"last_id\":\"e1-3\"}"]);
        check(3, Some("e1-3"), &["e1-3 hello {\"last_id\":\"e1-3\"}"]);
        check(3, Some("e1-1"), &["- hello {\"last_id\":\"e1-3\"}", "e1-2 pause 2", "e1-3 pause 3"]);
        let many = EVENT_RING as u64 + 10;
        let hello = format!("- hello {{\"last_id\":\"e1-{many}\"}}");
        check(many, Some("e1-2"), &[&hello, "- gap {\"missed\":8}", "e1-11 pause 11"]);
        check(many, Some(&format!("e1-{}", many - 1)), &[&hello, &format!("e1-{many} pause {many}")]);
    }

    #[test]
    fn a_client_of_an_earlier_process_receives_the_whole_history() {
        let all = ["- hello {\"last_id\":\"e1-2\"}", "e1-1 pause 1", "e1-2 pause 2"];
        check(2, Some("e0-500"), &all);
        check(2, Some("e0-2"), &all);
        check(2, Some("2"), &all);
        check(2, Some("e1-500"), &all);
    }

    #[test]
    fn closing_the_hub_ends_all_streams() {
        let hub = EventHub::new(1);
        let mut subscription = hub.subscribe(None).unwrap();
        hub.close();
        assert!(matches!(subscription.live.try_recv(), Err(broadcast::error::TryRecvError::Closed)));
        assert!(hub.subscribe(None).is_none());
        hub.publish(StreamEventKind::Pause, &1);
    }
}
